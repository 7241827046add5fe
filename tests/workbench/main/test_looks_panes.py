"""What panes and dialogs look like when there is nothing in them, when something is wrong, and while work goes on: at
every size, in the dark theme and the light one. The docstrings say what to look for."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from services.errors import WorkspaceError
from services.model import Definition, ItemFlag
from services.settings import Settings, UiSettings
from tests.support.album import Album
from tests.support.eventually import until
from tests.support.stage import SIZE, Stage, on_stage
from tests.support.stage_bench import ROW, TREE, StageBench
from workbench.ui.notices import TITLES

pytestmark = pytest.mark.usefixtures("utc")

Act = Callable[[Stage, StageBench], Awaitable[None]]
PINNED = ("escape", "space", "down", "space")


def _press(*keys: str, typing: str = "") -> Act:
    async def act(stage: Stage, _: StageBench) -> None:
        await stage.press(*keys)
        if typing:
            await stage.type(typing)

    return act


async def _grep_nothing(stage: Stage, _: StageBench) -> None:
    await stage.press("escape", "g")
    await stage.type("zzzz")


async def _no_usages(stage: Stage, _: StageBench) -> None:
    await stage.press("escape", "down", "down", "u")


async def _no_changes(stage: Stage, bench: StageBench) -> None:
    bench.changes.files = ()
    await stage.press("escape", "d")


async def _no_repository(stage: Stage, bench: StageBench) -> None:
    bench.changes.fault = WorkspaceError("/orchard is in no git repository.")
    await stage.press("escape", "d")


async def _binary(stage: Stage, _: StageBench) -> None:
    await stage.press("escape", "d", "escape", "down", "down", "down")


async def _several_meanings(stage: Stage, bench: StageBench) -> None:
    bench.places.meaning = Definition(name="Tree", symbols=(TREE, ROW), reason="Tree may be one of several.")
    await stage.press("enter", "s", "right", "f12")


async def _told(stage: Stage, _: StageBench) -> None:
    await stage.press("escape")
    for severity, message in (
        ("information", "Copied."),
        ("warning", "Cut: Tree."),
        ("error", "src/A.cs is locked."),
    ):
        stage.app.notify(message, title=TITLES[severity], severity=severity, markup=False, timeout=3_600)  # pyright: ignore[reportArgumentType]
    await stage.settle()


async def _copies(stage: Stage, _: StageBench) -> None:
    await stage.press(*PINNED, "y")
    await stage.rest()  # a toast below the screen that comes would stay for its six seconds
    await stage.press("alt+y")


async def _clashes(stage: Stage, _: StageBench) -> None:
    await stage.rest()
    await stage.press("escape", "comma")
    rows = [row.value for row in stage.app.screen.rows._rows]  # pyright: ignore[reportAttributeAccessIssue]
    stage.app.screen.rows.cursor = rows.index("ui.keys")  # pyright: ignore[reportAttributeAccessIssue]
    await stage.settle()


async def _no_part_more(stage: Stage, bench: StageBench) -> None:
    await stage.press(*PINNED, "Y", "down", "down", "down", "space")
    await stage.type("100")
    await stage.press("enter", "y")


async def _over_budget(stage: Stage, bench: StageBench) -> None:
    bench.budget = 150
    bench.flags = (ItemFlag.VANISHED, ItemFlag.LOWERED)
    await stage.press(*PINNED, "3")


CLASHING = Settings(ui=UiSettings(keys={"copy": "z", "preview": "z"}))
STATES: dict[str, Act] = {
    "grep-begun": _press("escape", "g"),
    "grep-nothing": _grep_nothing,
    "usages-none": _no_usages,
    "changes-none": _no_changes,
    "no-repository": _no_repository,
    "binary": _binary,
    "several-meanings": _several_meanings,
    "zoomed": _press("enter", "s", "z"),
    "toasts": _told,
    "over-budget": _over_budget,
    "themes": _press("escape", "t"),
    "note": _press("escape", "ctrl+n", typing="The tests must stay green."),
    "receipts": _copies,
    "no-receipts": _press("escape", "alt+y"),
    "no-presets": _press("escape", "alt+s"),
    "no-advice": _press(*PINNED, "w"),
    "settings": _press("escape", "comma"),
    "key-clashes": _clashes,
    "next-part": _no_part_more,
    "copy-refused": _press(*PINNED, "Y", "end", "space"),
    "nothing-to-go-to": _press("ctrl+o", typing="zzzz"),
    "measures": _press("escape", "f7"),
    "no-notices": _press("escape", "exclamation_mark"),
}


@pytest.mark.parametrize("state", STATES)
async def test_state(snapshot: SnapshotAssertion, state: str) -> None:
    """An empty pane or list says what to do; what is wrong says why; frames close, and keys are named."""
    bench = StageBench()
    settings = CLASHING if state == "key-clashes" else None
    async with on_stage(bench, settings=settings) as stage:
        with Album(snapshot) as album:
            await STATES[state](stage, bench)
            await album.take(stage, quiet=state != "toasts")


async def test_cancelled(snapshot: SnapshotAssertion) -> None:
    """That nothing was read yet, and how to go on."""
    bench = StageBench()
    bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        with Album(snapshot) as album:
            await until(lambda: stage.main.progress.progress is not None)
            await stage.press("ctrl+g")
            await album.take(stage)


@pytest.mark.parametrize("kept", [False, True], ids=["first", "kept"])
async def test_indexing(snapshot: SnapshotAssertion, kept: bool) -> None:
    """How far it is, how fast, how long still, what cancels it; with an index from before, its symbols."""
    bench = StageBench(kept=kept)
    gate = bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        with Album(snapshot) as album:
            await until(lambda: stage.main.progress.progress is not None)
            await stage.pilot.pause()
            await album.take(stage, rests=False)
        gate.set()


async def test_export(snapshot: SnapshotAssertion) -> None:
    """Long work that is not indexing, beside panes that are used meanwhile."""
    bench = StageBench()
    gate = bench.hold("export")
    async with on_stage(bench) as stage:
        with Album(snapshot) as album:
            await stage.rest()
            await stage.pilot.press("escape", "f6")
            await until(lambda: stage.main.progress.progress is not None)
            await album.take(stage, rests=False)
        gate.set()


async def test_refused(snapshot: SnapshotAssertion) -> None:
    """Why the folder cannot be opened, and what to do."""

    def refuse() -> StageBench:
        raise WorkspaceError("There is no folder /nowhere.")

    stage = Stage(refuse)
    async with stage.app.run_test(size=SIZE) as stage.pilot:
        with Album(snapshot) as album:
            await stage.settle()
            await album.take(stage)


async def test_opening(snapshot: SnapshotAssertion) -> None:
    """The frame is there, and says that the workspace is being opened."""
    gate = threading.Event()

    def slow() -> StageBench:
        gate.wait(60)
        return StageBench()

    stage = Stage(slow)
    async with stage.app.run_test(size=SIZE) as stage.pilot:
        with Album(snapshot) as album:
            await until(lambda: stage.has_main)
            await stage.pilot.pause()
            await album.take(stage, rests=False)
        gate.set()
        await stage.settle()
