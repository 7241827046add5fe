"""Files of the program's own that are damaged: the next start answers, as before, and says what it did."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from benchmarks.robustness.damage import KINDS, WORDS, Case, Outcome, Trial, in_a_process

FILES = 12


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return Trial(tmp_path_factory.mktemp("damage"), files=FILES, seed=1)


GROUPS = {
    "index.db": KINDS,
    "large": ("overwritten",),
    "search": ("overwritten", "cut"),
    "window.json": ("zeroed",),
    "root.json": ("emptied",),
    "use.lock": ("overwritten",),
    "packs": ("overwritten",),
    "presets": ("overwritten",),
    "writes.db": ("overwritten",),
    "reads.db": ("cut",),
    "ops.db": ("emptied",),
}
SAID = ("ops.db", "window.json", "search", "presets", "packs")
"""Damage of these is never such that nothing had to be done."""


@pytest.mark.parametrize(
    ("group", "kind"), [(group, kind) for group, kinds in GROUPS.items() for kind in kinds]
)
def test_the_next_start_answers_whatever_was_damaged(trial: Trial, group: str, kind: str) -> None:
    """Which file of a group, and which page, is drawn by lot."""
    found = (case for case in trial.cases(most=10_000, seed=2) if case.kind == kind)
    case = next(case for case in found if case.file.split("/")[1] == group)
    first, second, told = trial.run(case)
    assert trial.verdict(first, second) == "", case
    assert isinstance(first, Outcome)
    assert told == WORDS[0] if group in SAID else not told.startswith(WORDS[2]), case


def test_a_damage_is_the_same_each_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10_000)
    case = Case("a", "overwritten", 1)
    case.apply(tmp_path)
    first = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(b"x" * 10_000)
    case.apply(tmp_path)
    assert (tmp_path / "a").read_bytes() == first
    assert first[:4_096] == b"x" * 4_096 and first[4_096:8_192] != b"x" * 4_096 and len(first) == 10_000


def test_a_start_ends_although_its_workers_were_never_told_to() -> None:
    def act() -> str:
        multiprocessing.get_context("fork").Process(target=time.sleep, args=(20,)).start()
        return "answered"

    began = time.monotonic()
    assert in_a_process(act) == "answered"
    assert time.monotonic() - began < 15
