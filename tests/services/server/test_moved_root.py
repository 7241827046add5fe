"""A root that is moved, deleted or made anew while it is open: every door says so, and nothing is written anywhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest

from services.errors import WorkspaceError
from services.operations import by_name
from services.server.jsonrpc import JsonRpc
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, connected, refused, served
from tests.support.workspace import indexed, write_workspace

SAID = "was moved, deleted or made anew"


def moved(root: Path) -> None:
    root.rename(root.with_name("moved"))


def deleted(root: Path) -> None:
    shutil.rmtree(root)


def made_anew(root: Path) -> None:
    root.rename(root.with_name("moved"))
    write_workspace(root, {"Other.cs": "public class Other { }"})


def run(bench: Any, name: str, **arguments: Any) -> Any:
    operation = by_name(name)
    assert operation is not None
    return operation.run(bench, arguments)


@pytest.mark.parametrize("act", [moved, deleted, made_anew])
def test_operations_and_writes_are_refused_and_the_status_tells(tmp_path: Path, act: Any) -> None:
    root = tmp_path / "root"
    with indexed(root, SHOP) as bench:
        handle = run(bench, "lock", object="Shop/Order.cs").lock_handle
        act(root)
        for name, given in (
            ("SearchSymbols", {"query": "Order"}),
            ("getObjectSourceV2", {"object": "Shop.Order"}),
        ):
            with pytest.raises(WorkspaceError, match=SAID):
                run(bench, name, **given)
        with pytest.raises(WorkspaceError, match=SAID):
            bench.writer.replace("Shop/Order.cs", "x", token=None, handle=handle, owner=Owner("tester"))
        assert SAID in str(run(bench, "Status").notices)
    left = [path.read_text() for path in tmp_path.rglob("Order.cs")]
    assert left in ([], [SHOP["Shop/Order.cs"]])


def test_a_root_that_was_put_back_is_as_before(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with indexed(root, SHOP) as bench:
        moved(root)
        root.with_name("moved").rename(root)
        assert run(bench, "SearchSymbols", query="Orders").hits
        assert SAID not in str(run(bench, "Status").notices)


def test_servers_say_so_to_every_client(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with served(root) as serving:
        made_anew(root)
        body = {"jsonrpc": "2.0", "id": 1, "method": "SearchSymbols", "params": {"query": "Order"}}
        told = JsonRpc(serving).answer(json.dumps(body).encode(), agent=Owner("tester"))
        assert SAID in json.loads(told or b"{}")["error"]["message"]

        async def ask() -> None:
            async with connected(serving) as client:
                assert SAID in (await refused(client, "search_symbols", query="Order"))["message"]

        anyio.run(ask)
