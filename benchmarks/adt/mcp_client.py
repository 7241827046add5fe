"""Tools of PyPI's abap-adt-mcp, called as its server calls them, with an interpreter that has it."""
# pyright: reportMissingImports=false

import asyncio
import os
import sys
from typing import Any

OBJECT = "/sap/bc/adt/oo/classes/zcl_demo"
SOURCE = f"{OBJECT}/source/main"
TEXT = "CLASS zcl_demo DEFINITION.\nENDCLASS.\n"
STEPS: dict[str, dict[str, Any]] = {
    "search_objects": {"query": "ZCL_D*", "max_results": 10},
    "object_structure": {"object_uri": OBJECT},
    "get_source": {"uri": SOURCE},
    "syntax_check": {"uri": SOURCE, "source": TEXT},
    "transport_info": {"object_uri": OBJECT, "package": "ZDEMO"},
    "write_source": {"uri": SOURCE, "source": TEXT, "transport": "NPLK900001", "activate": False},
    "list_inactive_objects": {},
    "activate": {"object_uris": OBJECT},
}


async def main() -> None:
    """Call every tool, whether the one before failed or not."""
    os.environ |= {"ABAP_ADT_HOST": sys.argv[1], "ABAP_ADT_USER": "DEVELOPER", "ABAP_ADT_PASSWORD": "secret"}
    import abap_adt_mcp.tools  # noqa: F401 - registers the tools
    from abap_adt_mcp.app import mcp

    for name, arguments in STEPS.items():
        try:
            answer = await mcp.call_tool(name, arguments)
            print(name, "FAILED" if getattr(answer, "is_error", False) else "ok")
        except Exception as error:  # noqa: BLE001 - whatever the client raises is its answer
            print(name, "FAILED", type(error).__name__, error)


if __name__ == "__main__":
    asyncio.run(main())
