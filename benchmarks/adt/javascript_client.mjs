// The sequence of ADT's wire with npm's abap-adt-api, from a folder that has it: prints a line a step.
import { createRequire } from "node:module";
const { ADTClient, session_types } = createRequire(process.cwd() + "/x.js")("abap-adt-api");
const object = "/sap/bc/adt/oo/classes/zcl_demo";
const source = object + "/source/main";
const client = new ADTClient(process.argv[2], "DEVELOPER", "secret", "001", "EN");
const step = async (name, run) => {
  try {
    const answer = await run();
    console.log(name, "ok");
    return answer;
  } catch (error) {
    console.log(name, "FAILED", error.message);
  }
};
await step("login", () => client.login());
await step("search", () => client.searchObject("ZCL_D*", "CLAS/OC"));
const structure = await step("structure", () => client.objectStructure(object));
await step("includes", async () => ADTClient.classIncludes(structure));
await step("source", () => client.getObjectSource(source));
await step("check", () => client.syntaxCheck(object, source, "SYNTAX-ERROR"));
client.stateful = session_types.stateful;
const lock = await step("lock", () => client.lock(object));
await step("put", () => client.setObjectSource(source, "CLASS zcl_demo DEFINITION.\nENDCLASS.\n", lock.LOCK_HANDLE, "NPLK900001"));
await step("unlock", () => client.unLock(object, lock.LOCK_HANDLE));
client.stateful = session_types.stateless;
await step("inactive", () => client.inactiveObjects());
await step("transport", () => client.transportInfo(object, "ZDEMO"));
await step("activate", () => client.activate("ZCL_DEMO", object));
await step("elements", () => client.classComponents(object));
await step("drop", () => client.dropSession());
await step("logout", () => client.logout());
