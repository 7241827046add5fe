"""What the screens look like, in every state and at every size. The docstrings say what to look for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from services.errors import WorkspaceError
from services.model import ItemFlag, Notice, Omitted
from services.settings import Settings, UiSettings
from tests.support.album import SIZES, Album
from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import StageBench

TINY = {"tiny": (40, 10)}
Act = Callable[[Stage], Awaitable[None]]


async def _start(stage: Stage) -> None:
    await stage.settle()


async def _search(stage: Stage) -> None:
    await stage.type("hei")


async def _nothing_found(stage: Stage) -> None:
    await stage.type("zzz")


async def _outline(stage: Stage) -> None:
    await stage.press("ctrl+@", "enter")


async def _source(stage: Stage) -> None:
    await stage.press("enter", "s", "down", "shift+down", "space")


async def _semantic(stage: Stage) -> None:
    await stage.press("enter", "i")


async def _diff(stage: Stage) -> None:
    await stage.press("enter", "d")


async def _window(stage: Stage) -> None:
    await stage.press("escape", "space", "down", "space", "down", "enter", "3")


async def _help(stage: Stage) -> None:
    await stage.press("f1")


async def _notices(stage: Stage) -> None:
    await stage.press("escape", "space", "y")
    await stage.rest()  # a toast below the screen that comes would stay for its six seconds
    await stage.press("exclamation_mark")


async def _preview(stage: Stage) -> None:
    await stage.press("escape", "space", "v")


async def _confirm(stage: Stage) -> None:
    await stage.press("escape", "space", "down", "space", "down", "space")


async def _palette(stage: Stage) -> None:
    await stage.press("ctrl+p")


async def _grep(stage: Stage) -> None:
    await stage.press("escape", "g")
    await stage.type("tree")
    await stage.press("alt+x")


async def _grep_refused(stage: Stage) -> None:
    await stage.press("escape", "g", "alt+r")
    await stage.type("(")


async def _lit(stage: Stage) -> None:
    await _grep(stage)
    await stage.press("down", "enter", "n")


async def _usages(stage: Stage) -> None:
    await stage.press("escape", "u")


async def _changes(stage: Stage) -> None:
    await stage.press("escape", "d", "n", "escape", "down")


async def _compare(stage: Stage) -> None:
    await stage.press("escape", "b")


async def _quick_open(stage: Stage) -> None:
    await stage.press("ctrl+o")
    await stage.type("tree")


async def _menu(stage: Stage) -> None:
    await stage.press("escape", "m")


async def _marked(stage: Stage) -> None:
    await stage.press("escape", "shift+down")


def _bench() -> StageBench:
    bench = StageBench()
    bench.said = (
        Notice(severity="warning", message="src/Big.cs was left out: 50 MB.", what_to_do="Raise the limit."),
    )
    return bench


def _flagged() -> StageBench:
    bench = StageBench()
    bench.flags = (ItemFlag.STALE, ItemFlag.SECRET)
    bench.omitted = (
        Omitted(key="type:T_1", label="Orchard.Ledger", tokens=1_204, reason="It does not fit."),
    )
    bench.budget = 800
    return bench


STATES: dict[str, tuple[Act, Callable[[], StageBench]]] = {
    "start": (_start, StageBench),
    "search": (_search, StageBench),
    "nothing-found": (_nothing_found, StageBench),
    "no-csharp": (_start, lambda: StageBench(symbols=())),
    "outline": (_outline, StageBench),
    "source": (_source, StageBench),
    "semantic": (_semantic, StageBench),
    "diff": (_diff, StageBench),
    "changes": (_changes, StageBench),
    "grep": (_grep, StageBench),
    "grep-refused": (_grep_refused, StageBench),
    "lit": (_lit, StageBench),
    "usages": (_usages, StageBench),
    "compare": (_compare, StageBench),
    "quick-open": (_quick_open, StageBench),
    "menu": (_menu, StageBench),
    "marked": (_marked, StageBench),
    "window": (_window, _flagged),
    "help": (_help, StageBench),
    "notices": (_notices, _bench),
    "preview": (_preview, StageBench),
    "confirm": (_confirm, StageBench),
    "palette": (_palette, StageBench),
}


@pytest.mark.parametrize("state", STATES)
async def test_state(snapshot: SnapshotAssertion, state: str) -> None:
    """Frames close, nothing is cut that has room, escape sequences and brackets of the source are only text."""
    act, make = STATES[state]
    async with on_stage(make()) as stage:
        with Album(snapshot) as album:
            await act(stage)
            await album.take(stage)


@pytest.mark.parametrize("size", {**SIZES, **TINY})
def test_indexing(snap_compare, size: str) -> None:
    """How far it is, how fast, how long still, what cancels it."""
    bench = StageBench()
    gate = bench.hold("refresh")

    async def act(stage: Stage) -> None:
        await until(lambda: stage.has_main)
        await stage.pilot.pause()
        await until(lambda: stage.main.progress.progress is not None)

    try:
        assert _compare(snap_compare, Stage(lambda: bench), {**SIZES, **TINY}[size], act, settled=False)
    finally:
        gate.set()


def test_tiny(snap_compare) -> None:
    """A sentence that says how large it should be."""
    assert _compare(snap_compare, Stage(StageBench), TINY["tiny"], _start)


def test_refused(snap_compare) -> None:
    """Why the folder cannot be opened, and what to do."""

    def refuse() -> StageBench:
        raise WorkspaceError("There is no folder /nowhere.")

    assert _compare(snap_compare, Stage(refuse), SIZES["drawn"], _start)


@pytest.mark.parametrize("theme", ["codecortex-light", "codecortex-contrast", "codecortex-terminal"])
@pytest.mark.parametrize("state", ["source", "window", "diff"])
def test_theme(snap_compare, theme: str, state: str) -> None:
    """Everything that is told apart in the dark theme is in this one."""
    act, make = STATES[state]
    stage = Stage(make, settings=Settings(ui=UiSettings(theme=theme)))
    assert _compare(snap_compare, stage, SIZES["drawn"], act)


def _compare(snap_compare, stage: Stage, size: tuple[int, int], act: Act, *, settled: bool = True) -> bool:
    async def before(pilot: Pilot[int | None]) -> None:
        stage.pilot = pilot
        if settled:
            await stage.settle()
        await act(stage)
        await stage.rest()

    return snap_compare(stage.app, terminal_size=size, run_before=before)
