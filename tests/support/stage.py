"""Workbench on a stage: over scripted services, with a clipboard and a state for inspection."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from textual import events
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from services.bench import Bench
from services.settings import Settings
from tests.support.eventually import until
from tests.support.stage_bench import MemoryFiles, StageBench
from workbench.app import Seams, Workbench
from workbench.commands.help_text import STEPS
from workbench.main.main import MainScreen
from workbench.state.ui_state import PersonalState, save
from workbench.ui.jobs import Jobs
from workbench.ui.modal import Confirm

SIZE = (120, 36)
NOON = datetime(2026, 1, 1, 12, 0)
NOWHERE = Path("/nowhere/settings.toml")


def experienced() -> MemoryFiles:
    """The state of a person who has taken the first steps."""
    files = MemoryFiles()
    save(files, PersonalState(done=tuple(step.command for step in STEPS)))
    return files


_names: dict[type, tuple[str, ...]] = {}


def _names_of_jobs(node: object) -> tuple[str, ...]:
    """Return the names under which a node has its jobs, which all of its type have from the beginning."""
    if type(node) not in _names:
        _names[type(node)] = tuple(name for name, value in vars(node).items() if isinstance(value, Jobs))
    return _names[type(node)]


class Stage:
    """An app that is being run. `copied`: what the system's clipboard took."""

    def __init__(
        self,
        open_bench: Callable[[], Bench],
        *,
        settings: Settings | None = None,
        personal: MemoryFiles | None = None,
        remote: bool = False,
        settings_file: Path = NOWHERE,
        kept: Path | None = None,
    ) -> None:
        self.copied: list[str] = []
        self.personal = personal or experienced()
        seams = Seams(
            open_bench,
            self.personal,
            system_copy=self.copied.append,
            remote=remote,
            settings_file=settings_file,
            now=lambda: NOON,
            kept=kept,
        )
        self.app = Workbench(settings or Settings(), seams)
        self.app.animation_level = "none"
        self.pilot: Pilot[int | None]

    @property
    def has_main(self) -> bool:
        """Whether the main screen has been made."""
        return isinstance(self.app.screen_stack[0], MainScreen)

    @property
    def main(self) -> MainScreen:
        """The main screen, below any dialog."""
        main = self.app.screen_stack[0]
        assert isinstance(main, MainScreen)
        return main

    @property
    def said(self) -> list[str]:
        """The texts of visible toasts."""
        return [notification.message for notification in self.app._notifications]

    @property
    def noted(self) -> list[str]:
        """The notices that can be read again."""
        return [notice.message for notice in self.main.log_of_notices.notices]

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, each after what the one before it led to."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def type(self, text: str) -> None:
        """Type a text without waiting in between."""
        await self.pilot.press(*text)
        await self.settle()

    def type_at_once(self, *keys: str) -> None:
        """Press keys as a terminal hands on what it has read: all of them before the first has led to anything."""
        for key in keys:
            self.app.post_message(events.Key(key, key if len(key) == 1 else None))

    async def heard(self) -> None:
        """Wait until every key was handed on, and what it led to is done."""
        await until(lambda: self.app._held.are_none)
        await self.settle()

    async def settle(self) -> None:
        """Wait until no job runs that anything waits for, and no key waits for one."""
        await self.pilot.pause()
        is_calm = False
        while not is_calm:
            await until(lambda: not self._is_busy)
            await self.pilot.pause()  # what has ended may have begun something else
            is_calm = not self._is_busy

    async def rest(self, *, quiet: bool = True) -> None:
        """Wait until costs are in; cursors are at rest, toasts are gone (`quiet`)."""
        await self.pilot.pause()
        if not self.main.session.is_indexing:
            while not self.main.symbols.is_whole:
                await self.pilot.pause(0.01)
            await self.settle()
        self.still()
        for said in self.main.query(".list-said").results(
            Static
        ):  # how long a search took is no two times the same
            said.update(re.sub(r"\d+ ms", "3 ms", str(said.content)))
        if quiet:
            self.app.clear_notifications()
        await self.pilot.pause()

    def still(self) -> None:
        """Cursors blink no more."""
        for screen in self.app.screen_stack:
            for box in screen.query("Input, TextArea").results(Widget):
                if isinstance(box, Input | TextArea):
                    box.cursor_blink = False

    def _jobs(self, main: MainScreen) -> list[Jobs]:
        """Return the jobs of all parts."""
        nodes = (main.session, *main.walk_children(), *self.app.screen.walk_children(with_self=True))
        return [getattr(node, name) for node in nodes for name in _names_of_jobs(node)]

    @property
    def _is_busy(self) -> bool:
        if self.app._exception is not None:
            raise self.app._exception
        if not self.has_main or not (main := self.main).is_complete:
            return True
        if isinstance(self.app.screen, Confirm) and not self.app.screen.takes_letters:
            return True
        held = self.app._held
        is_handing_on = (
            not held.are_none and not held._waits
        )  # a key that waits may do so for what a test holds back
        session = main.session  # the screen may still have to hear how a job ended
        is_under_way = session.is_opening or session.is_changing or session.is_weighing
        is_under_way = is_under_way or main._preview is not None
        return is_handing_on or is_under_way or any(jobs._latest for jobs in self._jobs(main))


@asynccontextmanager
async def on_stage(
    bench: StageBench | None = None, *, size: tuple[int, int] = SIZE, settled: bool = True, **options: object
) -> AsyncIterator[Stage]:
    """Yield the workbench over `bench`, opened and indexed (`settled`), or painted once and no more."""
    played = bench or StageBench()
    stage = Stage(lambda: played, **options)  # pyright: ignore[reportArgumentType]
    async with stage.app.run_test(size=size, notifications=True) as pilot:
        stage.pilot = pilot
        await pilot.pause()
        while not stage.has_main:
            await pilot.pause(0.01)
        if settled:
            await stage.settle()
        yield stage
