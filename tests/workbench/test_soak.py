"""A few of the keys that `python -m tests.support.soak` presses by the thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.soak import soak, workspace
from workbench.shell.start import SAMPLE


@pytest.mark.parametrize("seed", [1, 2])
async def test_random_keys_raise_nothing_and_leave_every_file_as_it_was(tmp_path: Path, seed: int) -> None:
    ended = await soak(workspace(SAMPLE, tmp_path / "demo"), keys=100, seed=seed)
    assert ended.is_fine, (ended.faults, ended.changed)
    assert ended.keys == 100
