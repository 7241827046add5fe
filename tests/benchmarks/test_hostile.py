"""Repositories whose `.context/` and settings a stranger made: opening, reading and writing does no harm."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.robustness.damage import in_a_process
from benchmarks.robustness.strangers.hostile import Trial, visited
from benchmarks.robustness.strangers.hostile_files import Poison
from benchmarks.robustness.strangers.outside import Listener, Opened, Outside
from benchmarks.robustness.strangers.shipped import make_person
from services.workspace.files.openers import SHARED_FOLDER
from tests.support.state import state_of

GROUPS, SIZE = 5, 5


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with Listener() as made:
        yield made


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Trial:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", "")  # the trial sets another, which is to go with it
        return Trial(tmp_path_factory.mktemp("hostile"), listener, seed=7)


@pytest.mark.parametrize("group", range(GROUPS))
def test_hostile_copies_do_no_harm(trial: Trial, group: int) -> None:
    harm = [
        (number, each) for number in range(group * SIZE, (group + 1) * SIZE) for each in trial.run(number)
    ]
    assert harm == []


def test_every_field_of_every_family_is_made_hostile(trial: Trial) -> None:
    names = {name.split("/")[1] if "/" in name else name for name in trial.mutations}
    kept = {"index.db", "writes.db", "ops.db", "reads.db", "words.db", "window.json", "secrets.json", "access.json",
            "measures.json", "packs-active.json", "chats", "proposals", "receipts", "reviews", "types", "packs",
            "semantic", "presets", "index.json",
            "ops", "aliases.json", "prompt_window.md", ".codecortex.toml"}  # fmt: skip
    assert kept - names == set()
    assert sum(name.endswith(".npy") for name in trial.mutations) > 60, (
        "every column of search is made hostile"
    )
    assert all(len(each) > 8 for each in trial.mutations.values())


def test_jobs_of_a_stranger_would_be_done_if_they_were_believed(
    trial: Trial, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the copies carry is live: in the place of the person's own state it asks their model with their key."""
    person = make_person(tmp_path / "person", listener.address)
    for name, value in person.items():
        monkeypatch.setenv(name, value)
    copy = Path(shutil.copytree(trial.root, tmp_path / "workspace"))
    shutil.copytree(copy / SHARED_FOLDER, state_of(copy), dirs_exist_ok=True)
    asked: list[str] = []

    def is_asked() -> bool:
        asked.extend(listener.asked())
        return bool(asked)

    in_a_process(lambda: visited(copy, person, doors=False), is_enough=is_asked)
    assert asked


def test_what_is_done_outside_is_seen(tmp_path: Path) -> None:
    outside = Outside(tmp_path / "outside")
    link = tmp_path / "link"
    link.symlink_to(outside.text)
    with Opened([outside.folder]) as opened:
        assert opened.paths() == set()
        link.read_text()
        assert opened.paths() == {str(outside.text)}
        pickle.loads(pickle.dumps(Poison(outside.folder / "mark")))
    assert outside.differences() == ["", "mark"]
    os.utime(outside.text)
    assert "secret.txt" in outside.differences()
