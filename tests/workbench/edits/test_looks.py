"""Dialogs of structured edits and of pasted answers, at every size. The docstring says what to look for."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.stage import Stage
from tests.support.stage_bench import StageBench
from tests.workbench.main.test_looks import SIZES, Act, _compare_both


async def _paste(stage: Stage) -> None:
    await stage.press("escape", "V")
    await stage.type("lost")
    await stage.press("ctrl+s", "down", "space")


async def _rename(stage: Stage) -> None:
    await stage.press("escape", "E")
    await stage.type("Bush")
    await stage.press("enter")


STATES: dict[str, Act] = {"paste": _paste, "rename": _rename}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_state(snap_compare, snapshot: SnapshotAssertion, state: str, size: str) -> None:
    """A row for each piece or place, its sign before it; the diff beside it; the keys below."""
    assert _compare_both(snap_compare, snapshot, Stage(StageBench), SIZES[size], STATES[state])
