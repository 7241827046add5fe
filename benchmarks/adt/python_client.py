"""The sequence of ADT's wire with PyPI's abap-adt-py, run by an interpreter that has it: prints a line a step."""

import sys

from abap_adt_py.adt_client import AdtClient  # pyright: ignore[reportMissingImports]

OBJECT = "/sap/bc/adt/oo/classes/zcl_demo"
SOURCE = f"{OBJECT}/source/main"
TEXT = "CLASS zcl_demo DEFINITION.\nENDCLASS.\n"


def main() -> None:
    """Run every step, whether the one before failed or not."""
    client = AdtClient(sys.argv[1], "DEVELOPER", "secret", "001", "EN")
    handles = list[str]()
    steps = {
        "login": client.login,
        "search": lambda: client.search_object("ZCL_D*", 10),
        "structure": lambda: client.object_structure(OBJECT),
        "source": lambda: client.get_object_source(SOURCE),
        "lock": lambda: handles.append(client.lock(OBJECT)),
        "put": lambda: client.set_object_source(SOURCE, TEXT, handles[0]),
        "unlock": lambda: client.unlock(OBJECT, handles[0]),
        "activate": lambda: client.activate("ZCL_DEMO", OBJECT),
        "inactive": client.inactive_objects,
    }
    for name, step in steps.items():
        try:
            step()
            print(name, "ok")
        except Exception as error:  # noqa: BLE001 - whatever the client raises is its answer
            print(name, "FAILED", type(error).__name__, error)


if __name__ == "__main__":
    main()
