"""A root that is moved, deleted or made anew while it is open: every door says so, and nothing is written anywhere."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from services.bench.queries.sources import Grep
from services.errors import WorkspaceError
from services.operations import by_name
from services.server.jsonrpc import JsonRpc
from services.source.journal.actor import Owner
from tests.services.source.diffs.test_changes import Repository
from tests.support.eventually import LIMIT
from tests.support.processes import serving
from tests.support.serving import SHOP, connected, refused, served
from tests.support.snapshots import Snapshot
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


def test_nothing_is_staged_committed_stashed_or_shared_in_the_folder_that_lies_there_now(
    tmp_path: Path,
) -> None:
    repository = Repository(tmp_path)
    root = repository.folder
    repository.write("A.cs", "public class A { }\n")
    repository.commit("first")
    repository.write("A.cs", "public class A { int a; }\n")
    with indexed(root, {}) as bench:
        (change,) = bench.changes.read().files
        staging = bench.hunk_edits.staging
        root.rename(root.with_name("moved"))
        shutil.copytree(root.with_name("moved"), root)
        before = Snapshot.of(root), Snapshot.of(root.with_name("moved"))
        acts: tuple[Callable[[], Any], ...] = (
            lambda: staging.toggle_file(change),
            lambda: staging.commit("second"),
            lambda: staging.reset(change),
            bench.stashes.push,
            bench.changes.read,
            lambda: bench.state.shared.write("notes/N.md", b"x"),
            bench.index.refresh,
            lambda: bench.sources.grep(Grep(pattern="class")),
        )
        for act in acts:
            with pytest.raises(WorkspaceError, match=SAID):
                act()
        after = Snapshot.of(root), Snapshot.of(root.with_name("moved"))
        assert [new.differences(old) for new, old in zip(after, before, strict=True)] == [[], []]


@pytest.mark.parametrize("act", [moved, deleted, made_anew])
def test_a_server_of_http_says_so(tmp_path: Path, act: Any) -> None:
    root, token = write_workspace(tmp_path / "root", SHOP), tmp_path / "token"
    body = {"jsonrpc": "2.0", "id": 1, "method": "SearchSymbols", "params": {"query": "Order"}}
    with serving(root, token) as base:
        headers = {"Authorization": f"Bearer {token.read_text().strip()}"}
        with httpx2.Client(base_url=base, headers=headers, timeout=LIMIT) as client:
            assert "result" in client.post("/rpc", json=body).json()
            act(root)
            assert SAID in client.post("/rpc", json=body).json()["error"]["message"]


def test_servers_say_so_to_every_client(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with served(root) as server:
        made_anew(root)
        body = {"jsonrpc": "2.0", "id": 1, "method": "SearchSymbols", "params": {"query": "Order"}}
        told = JsonRpc(server).answer(json.dumps(body).encode(), agent=Owner("tester"))
        assert SAID in json.loads(told or b"{}")["error"]["message"]

        async def ask() -> None:
            async with connected(server) as client:
                assert SAID in (await refused(client, "search_symbols", query="Order"))["message"]

        anyio.run(ask)
