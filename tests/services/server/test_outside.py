"""Paths that leave the root, through every text of every operation: the schemas say which there are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from services.operations import Operation
from services.operations.table import OPERATIONS
from services.server.failures import failure, json_text, plain
from services.server.mcp.tools import input_schema
from services.server.serving import Serving
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, connected, served

SECRET = "OutsideSecret"
FILLED: dict[str, Any] = {
    "content": "x\n",
    "diff": "--- a/Shop/Order.cs\n+++ b/Shop/Order.cs\n@@ -1 +1 @@\n-namespace Shop;\n+namespace Shop;\n",
    "expected": {},
    "filter": "type:Orders",
    "lockHandle": "none",
    "lockHandles": ["none"],
    "object": "Shop/Orders.cs",
    "path": "Shop.Orders",
    "pattern": SECRET,
    "query": "Orders",
    "token": "0_empty",
}
"""What a call needs beside the text that is tried."""


def hostile(outside: Path) -> list[str]:
    """Names of a file beside the workspace, and of others that no agent has a right to."""
    name = f"{outside.name}/secret.cs"
    return [
        str(outside / "secret.cs"),
        f"../{name}",
        f"Shop/../../{name}",
        f"../{name}:1-1",
        f"file:../{name}",
        f"range:../{name}:1-1",
        f"file://{outside}/secret.cs",
        f"..%2F{name}",
        f"..\\{outside.name}\\secret.cs",
        "\\\\host\\share\\secret.cs",
        "absolute.cs",
        "relative.cs",
        "folder/secret.cs",
        f"../{name}\0.cs",
        "a/" * 3_000 + "x.cs",
        "/proc/self/environ",
        ".git/config",
        ".context/writes.db",
        ".codecortex-state/x/writes.db",
    ]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, Path]]:
    top = tmp_path_factory.mktemp("top")
    outside = top / "outside"
    outside.mkdir()
    (outside / "secret.cs").write_text(f"class {SECRET} {{ }}\n")
    root = top / "root"
    root.mkdir()
    (root / "absolute.cs").symlink_to(outside / "secret.cs")
    (root / "relative.cs").symlink_to("../outside/secret.cs")
    (root / "folder").symlink_to("../outside")
    with served(root, SHOP) as serving:
        yield serving, outside


def attempts(operation: Operation, text: str) -> Iterator[dict[str, Any]]:
    """The arguments of a call for each place in which a text can stand."""
    schema = input_schema(operation)
    needed = {name: FILLED.get(name, "x") for name in schema.get("required", ())}
    for name, its in schema["properties"].items():
        kind = its.get("type")
        if name == "diff":
            yield {
                **needed,
                name: f"--- a/{text}\n+++ b/{text}\n@@ -1 +1 @@\n-class A {{ }}\n+class B {{ }}\n",
            }
            yield {**needed, name: f"--- /dev/null\n+++ b/{text}\n@@ -0,0 +1 @@\n+class B {{ }}\n"}
        elif kind == "array":
            yield {**needed, name: [text]}
        elif kind == "object":
            yield {**needed, name: {text: "0_empty"}}
        elif kind not in ("integer", "boolean", "number"):
            yield {**needed, name: text}


def told(serving: Serving, operation: Operation, arguments: dict[str, Any]) -> str:
    try:
        return json_text(serving.call(operation, arguments, agent=Owner("tester")))
    except Exception as error:  # noqa: BLE001 (whatever it is, it is what a program is told)
        answer = failure(error)
        assert answer["code"] != "InternalError", (operation.name, arguments, error)
        return json_text(plain(answer))


@pytest.mark.parametrize("operation", OPERATIONS, ids=[each.name for each in OPERATIONS])
def test_nothing_outside_is_read_written_or_named(shop, operation):
    serving, outside = shop
    for text in hostile(outside):
        for arguments in attempts(operation, text):
            answer = told(serving, operation, arguments)
            assert f"class {SECRET}" not in answer
            if operation.name != "Status" and str(outside.parent) not in json.dumps(arguments):
                assert str(outside.parent) not in answer
        for lock in serving.bench.writer.locks().locks:
            serving.bench.writing.break_lock(lock.files[0], reason="the next call is another attempt")
    assert [each.name for each in outside.iterdir()] == ["secret.cs"]
    assert (outside / "secret.cs").read_text() == f"class {SECRET} {{ }}\n"


async def test_no_resource_and_no_prompt_leads_outside(shop):
    serving, outside = shop
    async with connected(serving) as client:
        for text in hostile(outside):
            for uri in (text, f"codecortex://outline/{text}", f"codecortex://pack/{text}"):
                with pytest.raises((MCPError, ValueError)) as caught:
                    await client.read_resource(uri)
                assert SECRET not in str(caught.value)
            with pytest.raises(MCPError):
                await client.get_prompt(text[:200])
