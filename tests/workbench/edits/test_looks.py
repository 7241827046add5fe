"""Dialogs of structured edits and of pasted answers, at every size. The docstring says what to look for."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.album import Album
from tests.support.stage import Stage, on_stage
from tests.workbench.main.test_looks import Act


async def _paste(stage: Stage) -> None:
    await stage.press("escape", "V")
    await stage.type("lost")
    await stage.press("ctrl+s", "down", "space")


async def _rename(stage: Stage) -> None:
    await stage.press("escape", "E")
    await stage.type("Bush")
    await stage.press("enter")


STATES: dict[str, Act] = {"paste": _paste, "rename": _rename}


@pytest.mark.parametrize("state", STATES)
async def test_state(snapshot: SnapshotAssertion, state: str) -> None:
    """A row for each piece or place, its sign before it; the diff beside it; the keys below."""
    async with on_stage() as stage:
        with Album(snapshot) as album:
            await STATES[state](stage)
            await album.take(stage)
