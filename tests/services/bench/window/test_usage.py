"""`access.json`: what was used lately, by whichever face, raises symbols in searches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.bench.window.usage import RecentUse
from services.operations import by_name
from services.settings import IndexSettings, Settings
from services.source.journal.actor import Owner
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.serving import SHOP, served
from tests.support.state import state_of
from tests.support.workspace import indexed, write_workspace
from workbench.shell.cli import run


def used(folder: Path) -> list[str]:
    """The ids of the file."""
    path = state_of(folder) / "access.json"
    return list(json.loads(path.read_bytes())) if path.exists() else []


def ids(folder: Path) -> dict[str, str]:
    """Ids by path."""
    with Bench.open(folder, settings=Settings(index=IndexSettings(workers=1))) as bench:
        bench.index.refresh()
        return {symbol.fqn: symbol.id for symbol in bench.index.symbols()}


CALLS = [
    ("GetOutline", {"path": "Shop.Orders"}, "Shop.Orders"),
    ("GetMemberOutline", {"memberPath": "Orders.Add"}, "Shop.Orders.Add"),
    ("FindUsages", {"path": "Shop.Order"}, "Shop.Order"),
    ("getObjectSourceV2", {"object": "Orders.Add"}, "Shop.Orders.Add"),
    ("objectStructure", {"object": "Shop.Orders"}, "Shop.Orders"),
    ("Pin", {"path": "Shop.Order"}, "Shop.Order"),
]


@pytest.mark.parametrize(("name", "arguments", "fqn"), CALLS, ids=[each[0] for each in CALLS])
def test_what_an_agent_asks_about_counts_as_used(tmp_path: Path, name: str, arguments: Any, fqn: str) -> None:
    operation = by_name(name)
    assert operation is not None
    with served(tmp_path) as serving:
        serving.call(operation, arguments, agent=Owner("tester"))
    assert ids(tmp_path)[fqn] in used(tmp_path)


@pytest.mark.parametrize(
    "command",
    [("outline", "Shop.Orders"), ("read", "Shop.Orders"), ("usages", "Shop.Orders"), ("pin", "Shop.Orders")],
)
def test_what_a_command_is_about_counts_as_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = write_workspace(tmp_path / "w", SHOP)
    assert run(["--root", str(folder), *command, "--json"]) == 0
    assert used(folder) == [ids(folder)["Shop.Orders"]]


def test_a_search_a_file_and_a_guess_are_no_use(tmp_path: Path) -> None:
    calls = [
        ("SearchSymbols", {"query": "Orders"}),
        ("getObjectSourceV2", {"object": "Shop/Orders.cs"}),
        ("ResolveSymbol", {"path": "Shop.Ordrs"}),
    ]
    with indexed(tmp_path, SHOP) as bench:
        for name, arguments in calls:
            operation = by_name(name)
            assert operation is not None
            operation.run(bench, arguments)
    assert used(tmp_path) == []


def test_what_was_used_rises_at_once_and_in_the_next_process(tmp_path: Path) -> None:
    files = {"A.cs": "namespace N; class Alike1 {} class Alike2 {} class Alike3 {}"}
    outline = by_name("GetOutline")
    assert outline is not None
    with indexed(tmp_path, files) as bench:
        for last in ("Alike3", "Alike2"):
            outline.run(bench, {"path": last})
            assert bench.index.search("Alike").hits[0].symbol.label == last
    with indexed(tmp_path, files) as bench:
        assert [hit.symbol.label for hit in bench.index.search("Alike").hits] == [
            "Alike2",
            "Alike3",
            "Alike1",
        ]


def test_many_uses_are_written_together_and_none_is_lost(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        usage, other = RecentUse(state), RecentUse(state)
        for number in range(30):
            usage.note(f"T_{number}")
        assert len(used(tmp_path)) < 5
        other.visit("T_other")
        usage.close()
        other.close()
        assert set(used(tmp_path)) == {"T_other", *(f"T_{number}" for number in range(30))}


def test_the_file_is_written_into_the_workspace_on_request_alone(tmp_path: Path) -> None:
    folder = write_workspace(tmp_path / "w", SHOP)
    for name in ("outline Shop.Orders", "export"):
        assert run(["--root", str(folder), *name.split()]) == 0
    shared = folder / ".context/access.json"
    assert not shared.exists()
    assert run(["--root", str(folder), "export", "--access"]) == 0
    assert list(json.loads(shared.read_bytes())) == [ids(folder)["Shop.Orders"]]
    with Root.open(folder) as root, StateFolder.open(root) as state:
        assert state.ignored() == ()
