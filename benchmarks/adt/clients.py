"""Foreign ADT clients against the simulator: `python -m benchmarks.adt.clients [OPTIONS]`.

`--npm`: a folder in which `npm install --ignore-scripts abap-adt-api arc-1` was run; `--node`: Node.js 22.19 or later,
which arc-1 wants; `--python`: an interpreter with abap-adt-py and abap-adt-mcp; `--erpl`: the command of erpl-adt's
program. Prints what each step came to, with plain and with odd lock handles, and which requests our own client sends
that no foreign one does.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from services.adt.client import AdtClient
from services.adt.values import AdtSystem
from tests.support.adt_simulator import CLASS, AdtSimulator, simulated

_HERE = Path(__file__).parent


def _shapes(simulator: AdtSimulator) -> set[str]:
    """The requests without their values, as `POST /path?_action stateful`."""
    found = set[str]()
    for method, target, kind in simulator.requests:
        path, _, query = target.partition("?")
        names = sorted(set(re.findall(r"(?:^|&)([^=&]+)", query)) - {"sap-client", "sap-language"})
        found.add(f"{method} {path}{'?' if names else ''}{'&'.join(names)} {kind}")
    return found


def _own(address: str) -> None:
    client = AdtClient(AdtSystem(name="DEV", url=address, user="DEVELOPER"), lambda: "secret")
    client.search("ZCL_D*", kind="CLAS")
    source = client.object(CLASS).source
    text = client.source(source)
    client.check(source, text.text if text is not None else "")
    held = client.lock(CLASS)
    client.write(held.lock.handle, source, "CLASS zcl_demo DEFINITION.\nENDCLASS.\n")
    client.unlock(held.lock.handle)
    client.activate(CLASS, "ZCL_DEMO")
    client.inactive()
    client.close()


def main() -> None:
    """Run what was given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--npm", type=Path)
    parser.add_argument("--node", type=Path, default=Path("node"))
    parser.add_argument("--python", type=Path)
    parser.add_argument("--erpl", default="")
    asked = parser.parse_args()
    commands = dict[str, list[str]]()
    if asked.npm:
        commands["abap-adt-api"] = [str(asked.node), str(_HERE / "javascript_client.mjs")]
        commands["arc-1"] = [str(asked.node), str(_HERE / "arc_client.mjs")]
    if asked.python:
        commands["abap-adt-py"] = [str(asked.python), str(_HERE / "python_client.py")]
        commands["abap-adt-mcp"] = [str(asked.python), str(_HERE / "mcp_client.py")]
    if asked.erpl:
        commands["erpl-adt"] = [sys.executable, str(_HERE / "erpl_client.py"), asked.erpl]
    foreign = set[str]()
    for name, command in commands.items():
        for odd in (False, True):
            with simulated(odd_handles=odd) as (simulator, address):
                done = subprocess.run(
                    [*command, address],
                    check=False,
                    cwd=asked.npm,
                    capture_output=True,
                    text=True,
                    timeout=120,
                )
                lines = done.stdout.splitlines()
                failed = [line for line in lines if " FAILED" in line]
                print(
                    f"{name}, {'odd' if odd else 'plain'} handles: {len(lines) - len(failed)} of {len(lines)} steps"
                )
                print("".join(f"  {line}\n" for line in failed), end="")
                foreign |= _shapes(simulator)
    with simulated(odd_handles=True) as (simulator, address):
        _own(address)
        print("ours alone:", sorted(_shapes(simulator) - foreign) or "nothing")


if __name__ == "__main__":
    main()
