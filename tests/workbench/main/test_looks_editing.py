"""What editing looks like, over the real services and the sample solution. The docstrings say what to look for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from services.bench import Bench
from services.settings import AgentSettings, Settings
from services.source.journal.actor import Owner, acting
from tests.support.album import Album
from tests.support.stage import SIZE, Stage
from tests.support.steady import SteadyBench
from tests.support.workspace import edit
from tests.workbench.main.test_patch import (
    ENTER,
    FILE,
    in_conflict,
    locked,
    open_enter,
    proposed,
    text,
    until,
)
from workbench.dialogs.proposals import ProposalsScreen
from workbench.ui.modal import Confirm

ASKING = Settings(agents=AgentSettings(write="ask", patience=0))


pytestmark = pytest.mark.usefixtures("utc")


@asynccontextmanager
async def played(orchard: Path) -> AsyncIterator[Stage]:
    stage = Stage(lambda: SteadyBench.open(orchard, settings=Settings()))
    async with stage.app.run_test(size=SIZE) as stage.pilot:
        await stage.settle()
        yield stage


async def test_editing(snapshot: SnapshotAssertion, orchard: Path) -> None:
    """The patch editor: as it opens, typed in, locked, its file changed by others meanwhile; then the history, before
    and after a write."""
    async with played(orchard) as stage:
        with Album(snapshot) as album:
            await stage.press("escape", "H")
            await album.take(stage, "no-history")
            await stage.press("escape", "slash")
            await open_enter(stage)
            await album.take(stage, "editor")
            await stage.press("end")
            await stage.type(" // weighed twice")
            await until(lambda: any("weighed" in line for line in stage.main.patch.diff._lines))
            await album.take(stage, "typed")
            await locked(stage)
            await album.take(stage, "locked")
            await stage.press("ctrl+s")
            await until(lambda: "weighed" in text(orchard))
            await until(lambda: not stage.main.patch.is_changed)
            await stage.press("end")
            await stage.type(" and again")
            edit(orchard, FILE, "// theirs\n" + text(orchard))
            stage.main.patch.look()
            await until(lambda: not stage.main.patch._fresh)
            await until(lambda: stage.main.code.note.endswith(":34"))  # a line came in above
            await album.take(stage, "stale")
            await stage.press("f8")
            assert isinstance(stage.app.screen, Confirm)
            await album.take(stage, "throw-away")
            await stage.press("y", "escape", "H")
            await album.take(stage, "history")


async def test_conflict(snapshot: SnapshotAssertion, orchard: Path) -> None:
    """What the conflict is, its ways with the one that is looked at in brackets, the keys; each side is named."""
    async with played(orchard) as stage:
        with Album(snapshot) as album:
            await in_conflict(stage, orchard, text(orchard).replace(ENTER, f"{ENTER} // theirs"))
            for key, way in (("b", "sides"), ("m", "mine"), ("t", "theirs")):
                await stage.press(key)
                await album.take(stage, way)


async def test_conflict_without_a_clash(snapshot: SnapshotAssertion, orchard: Path) -> None:
    """Both changes go together: the diff that is written by enter."""
    async with played(orchard) as stage:
        with Album(snapshot) as album:
            await in_conflict(stage, orchard, "// theirs\n" + text(orchard))
            await stage.settle()
            await album.take(stage, "together")


async def test_lock_of_another(snapshot: SnapshotAssertion, orchard: Path) -> None:
    """Who holds the lock, for how long, and the key that breaks it; the question before that."""
    with Bench.open(orchard, settings=Settings()) as other:
        other.index.load()
        with acting(Owner("claude", "s1")):
            other.writing.lock(FILE)
        async with played(orchard) as stage:
            with Album(snapshot) as album:
                await open_enter(stage)
                await until(lambda: "claude" in stage.main.patch.held.owner)
                await album.take(stage, "of-another")
                await stage.press("ctrl+b")
                assert isinstance(stage.app.screen, Confirm)


async def test_proposals(snapshot: SnapshotAssertion, orchard: Path) -> None:
    """Who wants to change what, its diff, the keys; the lines to be changed; the reason; what there is to do where
    nobody asks."""
    async with played(orchard) as stage:
        with Bench.open(orchard, settings=ASKING, lasting=False) as agent, Album(snapshot) as album:
            agent.index.load()
            await stage.type("harvestledger.enter")
            await stage.press("escape", "A")
            screen = stage.app.screen
            assert isinstance(screen, ProposalsScreen)
            await album.take(stage, "none")
            await stage.press("escape")
            proposed(agent, file="src/Orchard/Trees/Tree.cs", line="public")
            proposed(agent)
            await until(lambda: sum("claude wants" in said for said in stage.noted) == 2)
            stage.app.clear_notifications()  # a toast below the screen that comes would stay for its six seconds
            await stage.settle()
            await stage.press("escape", "A")
            screen = stage.app.screen
            assert isinstance(screen, ProposalsScreen)
            await until(lambda: len(screen._proposals) == 2)
            await album.take(stage, "listed")
            await stage.press("e")
            await album.take(stage, "changing")
            await stage.press("escape", "r")
            await stage.type("It is weighed at the gate already.")
            await album.take(stage, "refusing")
