"""What the program makes for itself is its owner's alone, whatever the mask of the process allows."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.robustness.damage_workspace import prepare
from services.bench import Bench
from services.llm.spending import Spending, Spent, spending_file
from services.prompt.tokens.profiles import Calibrations, Sample
from services.settings import Settings
from tests.support.state import state_of
from workbench.shell.failure import internal_error
from workbench.state.ui_state import PersonalFiles

OPEN = (
    "index.db",
    "words.db",
    "writes.db",
    "ops.db",
    "search",
    "packs",
    "presets",
    "chats",
    "types",
    "reviews",
)
"""Some of everything that the program keeps of a workspace."""


@pytest.fixture
def open_to_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A person's home, in a process whose mask takes nothing away."""
    home = tmp_path / "home"
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    before = os.umask(0)
    try:
        yield home
    finally:
        os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    """What others may read, write or enter, with its mode."""
    modes = {each: stat.S_IMODE(each.lstat().st_mode) for each in (folder, *folder.rglob("*"))}
    wanted = {each: 0o700 if each.is_dir() else 0o600 for each in modes}
    return {
        str(each.relative_to(folder)): f"{mode:o}" for each, mode in modes.items() if mode != wanted[each]
    }


def test_all_that_is_kept_of_a_workspace_is_its_owners_alone(open_to_all: Path, tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    prepare(root, files=12, seed=1)
    with Bench.open(root, settings=Settings()) as bench:
        bench.index.load()
        bench.index.relate()
        bench.index.read_bodies()
        bench.context.prepare()
    places = (state_of(root), root / ".context")
    assert {each for each in OPEN if not any((place / each).exists() for place in places)} == set()
    assert [open_to_others(place) for place in places] == [{}, {}]


def test_a_folder_that_was_opened_to_others_is_shut(open_to_all: Path, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    with Bench.open(tmp_path / "w", settings=Settings()):
        pass
    state = state_of(tmp_path / "w")
    state.chmod(0o755)
    with Bench.open(tmp_path / "w", settings=Settings()):
        assert open_to_others(state) == {}


def test_all_that_is_kept_of_a_person_is_their_own(open_to_all: Path) -> None:
    PersonalFiles().write("ui.json", b"{}")
    Spending(spending_file()).add("local", Spent())
    Calibrations(PersonalFiles().folder).add("gpt-5", Sample(base=1, actual=1, at=0, text="0"))
    internal_error(ValueError("x"))
    assert len(list(open_to_all.rglob("*"))) > 5
    assert open_to_others(open_to_all) == {}
