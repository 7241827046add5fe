// The sequence of ADT's wire with npm's arc-1, by its command line, from a folder that has it: prints a line a step.
import { spawnSync } from "node:child_process";
const text = "CLASS zcl_demo DEFINITION PUBLIC.\n  PUBLIC SECTION.\n    METHODS add.\nENDCLASS.\nCLASS zcl_demo IMPLEMENTATION.\n  METHOD add.\n  ENDMETHOD.\nENDCLASS.\n";
const env = {
  ...process.env, SAP_URL: process.argv[2], SAP_USER: "DEVELOPER", SAP_PASSWORD: "secret", SAP_CLIENT: "001",
  SAP_ALLOW_WRITES: "true", SAP_ALLOW_TRANSPORT_WRITES: "true", SAP_ALLOWED_PACKAGES: "*",
};
const object = { type: "CLAS", name: "ZCL_DEMO" };
const call = (tool, args) => ["call", tool, "--json", JSON.stringify(args)];
const steps = {
  search: ["search", "ZCL_D*"],
  read: ["read", "CLAS", "ZCL_DEMO"],
  include: call("SAPRead", { ...object, include: "testclasses" }),
  check: ["syntax", "CLAS", "ZCL_DEMO"],
  update: call("SAPWrite", { action: "update", ...object, source: text, transport: "NPLK900001" }),
  method: call("SAPWrite", { action: "edit_method", ...object, method: "add", source: "    RETURN.", transport: "NPLK900001" }),
  inactive: call("SAPRead", { type: "INACTIVE_OBJECTS" }),
  activate: ["activate", "CLAS", "ZCL_DEMO"],
};
for (const [name, args] of Object.entries(steps)) {
  const done = spawnSync(process.execPath, ["node_modules/arc-1/bin/arc1-cli.js", ...args], { env, encoding: "utf8" });
  const failed = done.status !== 0 || /"status":"error"/.test(done.stderr);
  console.log(name, failed ? "FAILED " + (done.stdout + done.stderr).slice(-200).replaceAll("\n", " ") : "ok");
}
