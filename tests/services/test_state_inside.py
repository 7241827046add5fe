"""A workspace that holds the person's state, as a home folder does: what is private in it is nothing of the code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import CodeCortexError
from services.operations import by_name
from services.settings import Settings
from tests.support.doors import DOORS
from tests.support.serving import SHOP
from tests.support.snapshots import Snapshot
from tests.support.state import state_of
from tests.support.workspace import write_workspace

HIDDEN = "PrivateOfTheState"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with the state of its own inside, in which a file of C# lies."""
    folder = write_workspace(
        tmp_path / "home", SHOP | {"A.cs": "namespace N; public class A { int Do() => 1; }"}
    )
    for kind in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(folder / f".{kind.lower()}"))
    (state_of(folder) / "Hidden.cs").write_text(f"public class {HIDDEN} {{ }}")
    return folder


@pytest.mark.parametrize("name", ["services", "server at rest", "rpc", "workbench"])
def test_every_way_in_leaves_the_code_as_it_was(home: Path, name: str) -> None:
    before = Snapshot.of(home)
    door: Callable[[Path], None] = DOORS[name]
    door(home)
    changed = [path for path in Snapshot.of(home).differences(before) if path]
    assert [path for path in changed if path.split("/")[0] not in (".state", ".config", ".cache")] == []


def test_nothing_of_the_state_is_found_read_or_written(home: Path) -> None:
    own = (state_of(home) / "Hidden.cs").relative_to(home).as_posix()
    with Bench.open(home, settings=Settings()) as bench:
        bench.index.refresh()
        assert HIDDEN not in {symbol.fqn for symbol in bench.index.symbols()}
        for name, arguments in (
            ("grepObjectSource", {"pattern": HIDDEN}),
            ("FindFiles", {"filter": "Hidden"}),
            ("getObjectSourceV2", {"object": own}),
            ("lock", {"object": own}),
        ):
            assert own not in _said(bench, name, arguments), name


def _said(bench: Bench, name: str, arguments: dict[str, str]) -> str:
    """The answer as text; empty for a refusal, which names what it refuses."""
    operation = by_name(name)
    assert operation is not None
    try:
        answer = operation.run(bench, arguments)
        return json.dumps(list(answer) if operation.stream else answer, default=repr)
    except CodeCortexError:
        return ""
