"""The workbench as a Textual app: themes, the screens, the keys before there is one, and what outlives them.

Whatever is not needed to paint the first screen is imported after it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen

from services.concurrency.background import BackgroundWriter
from services.model import Notice
from themes import THEMES
from widgets.chrome.pane import EmptyState, Pane
from widgets.chrome.status_bar import StatusBar
from widgets.textual_private import quick_escape, without_colours, without_descriptor
from workbench.collector import Collector, follow_terminal
from workbench.state.held_keys import HeldKeys
from workbench.state.own_settings import OwnSettings, own_themes
from workbench.state.ui_state import Personal, PersonalFiles

if TYPE_CHECKING:
    from services.agents.react import ActingTools
    from services.agents.workflow import WorkflowActor
    from services.bench import Bench
    from services.llm.tool_registry import Registry
    from services.settings import Settings
    from workbench.state.clipboard import Clipboard
    from workbench.state.session import Session
    from workbench.state.ui_state import StateFiles


class StartScreen(Screen[None]):
    """Empty panes in place of the main screen's. It takes no keys: the app queues them for the main screen."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    """As in the main screen, which is not imported for it."""
    AUTO_FOCUS = None

    class Painted(Message):
        """The screen is painted."""

    def compose(self) -> ComposeResult:
        """The line above, the panes."""
        yield StatusBar()
        with Horizontal():
            yield Pane(EmptyState("Opening the workspace …"), title="Symbols", id="start-left")
            yield Pane(title="Code", id="start-code")
            yield Pane(title="Prompt window", id="start-window")

    def on_mount(self) -> None:
        """Report the first paint."""
        self.call_after_refresh(self.post_message, self.Painted())


_COPIED = "copied.md"
UNCOLOURED = "codecortex-terminal"
"""The theme where no colour may be sent: it tells the cursor by reversing it."""
_START, _MAIN = "start", "main"
_LOOK_EVERY = 2.0
"""Seconds between two looks at whether this is the time to collect garbage."""
SWITCH_EVERY = 0.0005
"""Seconds after which a thread lets another one go on (the interpreter's own: 5 ms). A key goes through a dozen small
steps before it is painted, each of which would wait that long while types are related in another thread."""


class Seams(msgspec.Struct, frozen=True):
    """Seams of the workbench: what opens the workspace, stores the theme, copies (None: the system's clipboard),
    whether the terminal is remote (None: decided by the environment), the person's settings (None: the usual file),
    the time of day, the garbage collector (None: the interpreter's), and the state folder of the workspace if it is
    in that (`kept`)."""

    open_bench: Callable[[], Bench]
    personal: StateFiles
    system_copy: Callable[[str], None] | None = None
    remote: bool | None = None
    settings_file: Path | None = None
    now: Callable[[], datetime] = datetime.now
    collector: Collector | None = None
    kept: Path | None = None


class Workbench(App[int]):
    """The program on the screen. Its return value is its exit status."""

    TITLE = "CodeCortex"
    CSS_PATH = "styles/start.tcss"
    MODES = {_START: StartScreen}  # noqa: RUF012 - Textual declares it, as a class variable
    DEFAULT_MODE = _START
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, settings: Settings, seams: Seams) -> None:
        super().__init__()
        if self.no_color:
            without_colours(self)
        without_descriptor(self)
        self._own = OwnSettings(settings, seams.settings_file, self._take)
        self._seams = seams
        self._keeper = BackgroundWriter()
        self._personal = Personal(seams.personal, self._keeper)
        self._notices: list[Notice] = []
        self._toasts: dict[str, float] = {}
        """What is being shown, and until when."""
        self._is_trying = False
        """Whether a theme is only looked at."""
        self._held = HeldKeys(self, super().on_event)
        self._use_own_themes()

    def on_mount(self) -> None:
        """The theme a person chose last, or the one of the settings."""
        self._paint(self._wanted_theme)
        self.theme_changed_signal.subscribe(self, lambda _: self._keep_theme())

    def on_unmount(self) -> None:
        """Leave when everything is stored."""
        self._keeper.flush()

    def on_start_screen_painted(self) -> None:
        """The main screen takes its place."""
        from workbench.commands.keymap import resolve
        from workbench.main.main import MainScreen
        from workbench.state.environment import Environment
        from workbench.state.held_keys import Letters

        if collector := self._seams.collector:
            collector.before_threads()
            self.set_interval(_LOOK_EVERY, partial(collector.look, self._let_go))
        keys = resolve(self._own.settings.ui.keys)
        self.set_keymap(keys.keymap)
        around = Environment(
            keys=keys,
            clipboard=self._ways_to_copy,
            personal=self._personal,
            settings=self._own,
            writer=self._keeper,
            now=self._seams.now,
            held=self._held,
            letters=Letters(self._seams.kept),
        )
        self._main = main = MainScreen(self._seams.open_bench, around)
        self.add_mode(_MAIN, lambda: main)
        self.switch_mode(_MAIN)
        self.remove_mode(_START)

    def _let_go(self) -> bool:
        """Release caches; return whether no question is under way."""
        from services.workspace.files.mapped import release_pages

        release_pages()
        bench = self._main.session.bench
        return bench is None or bench.context.grounds.let_go()

    async def on_panes_ready(self) -> None:
        """The main screen can take keys: those pressed before are the first it gets. The workspace is opened while it
        is painted; what that imports would make a letter wait that is among them, and is answered by what is kept."""
        main = self._main
        main.say_all(tuple(self._notices))
        self._held.after_text(lambda: main.call_after_refresh(main.session.open), else_now=main.session.open)
        await self._held.release()

    async def on_event(self, event: events.Event) -> None:
        """Queue keys and pasted text until there is a receiver. A letter with alt is no text: terminals send it as
        the letter after an escape, and boxes would type it."""
        if isinstance(event, events.Key) and event.key.startswith("alt+"):
            event.character = None
        if isinstance(event, events.Key) and self._held.have_started:
            self._main.session.give_way()
        if isinstance(event, events.InputEvent) and (collector := self._seams.collector):
            collector.pressed()
        await self._held.take(event)

    def on_session_indexed(self) -> None:
        """Freeze the objects of the index."""
        if collector := self._seams.collector:
            collector.loaded()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a text for a while: once while it can be read, however often it is said."""
        now = time.monotonic()
        self._toasts = {said: until for said, until in self._toasts.items() if until > now}
        if message not in self._toasts:
            self._toasts[message] = now + (timeout or self.NOTIFICATION_TIMEOUT)
            super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def search_themes(self) -> None:
        """Offer the themes by name; each is seen while the cursor is on it, and the one before comes back with esc."""
        from widgets.lists.pick_list import PickRow
        from workbench.ui.picker import Picked, Picker, filtered

        before = self.theme

        def look(name: str) -> None:
            self._is_trying = True
            self.theme = name

        def picked(answer: Picked | None) -> None:
            self.theme = before if answer is None else answer.values[0]
            self._is_trying = False
            self._keep_theme()

        names = [before, *(name for name in self.available_themes if name != before)]
        rows = [PickRow(name, name, "in use" if name == before else "") for name in names]
        note = "enter keeps it · esc goes back to the one before"
        picker = Picker("Theme", filtered(rows), placeholder="a theme", note=note, looked_at=look)
        self.push_screen(picker, picked)

    @property
    def _wanted_theme(self) -> str:
        if self.no_color:
            return UNCOLOURED
        return self._personal.state.theme_for(self._own.settings.ui.theme)

    def _use_own_themes(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        own, self._notices = own_themes(self._own.themes)
        for theme in own:
            self.register_theme(theme)
        known = {theme.name for theme in (*THEMES, *own)}
        self.theme = self._wanted_theme if self._wanted_theme in known else THEMES[0].name
        for name in set(self.available_themes) - known:
            self.unregister_theme(name)

    def _paint(self, theme: str) -> None:
        if theme in self.available_themes:
            self.theme = theme
            return
        message = f"There is no theme {theme!r}; there are {', '.join(self.available_themes)}."
        notice = Notice(severity="warning", message=message, what_to_do="Choose one of them.")
        if self._held.have_started:
            self._main.say(notice)
        else:
            self._notices.append(notice)

    def _take(self, key: str, settings: Settings) -> None:
        """A setting was changed on the screen."""
        main = self._main
        if key == "ui.theme":
            self._paint(settings.ui.theme)
        elif key == "ui.keys":
            from workbench.commands.keymap import resolve

            main.keys = resolve(settings.ui.keys)
            self.set_keymap(main.keys.keymap)
            main.say_all(main.keys.notices)
            main.update_keys()
        elif bench := main.session.bench:
            bench.use_settings(settings)
            main.session.read_window()

    def _keep_theme(self) -> None:
        if self.no_color or self._is_trying:  # it was nobody's choice
            return
        self._personal.change(theme=self.theme, over=self._own.settings.ui.theme)

    def _ways_to_copy(self, session: Session) -> Clipboard:
        from workbench.state.clipboard import (
            BROWSER_CLIPBOARD,
            TERMINAL_CLIPBOARD,
            Clipboard,
            is_remote,
            system_copy,
        )

        def to_terminal(text: str) -> None:
            self.call_later(self.copy_to_clipboard, text)

        def to_file(text: str) -> str:
            if session.bench is None:
                raise OSError("no workspace is open")
            session.bench.state.write(_COPIED, text.encode("utf-8", "surrogateescape"))
            return str(session.bench.state.path(_COPIED))

        copy, remote = self._seams.system_copy or system_copy, self._seams.remote
        return Clipboard(
            copy,
            to_terminal,
            to_file,
            remote=is_remote() if remote is None else remote,
            taker=BROWSER_CLIPBOARD if self.is_web else TERMINAL_CLIPBOARD,
        )


def run(path: Path, settings: Settings, opened: Callable[[Bench], object]) -> int:
    """Start the workbench on a folder, solution or project file; 0 when it was left as meant, 1 else. `opened`: is
    called once the workspace is open.

    The services are imported when the screen has been painted once, and count tokens in a process of their own.
    """

    def open_bench() -> Bench:
        from services.bench import Bench

        # A person at a screen does not wait for dependencies to be worked out; whoever asks once does.
        bench = Bench.open(
            path, settings=settings, helper=True, patience=0.0, tools=reading_tools, acts=acting_tools
        )
        opened(bench)
        return bench

    def reading_tools(bench: Bench, profile: str) -> Registry:
        from services.operations.models.tools import reading_tools as made

        return made(bench, profile)

    def acting_tools(bench: Bench, actor: WorkflowActor) -> ActingTools:
        from services.operations.models.acting import acting_tools as made

        return made(bench, actor)

    sys.setswitchinterval(SWITCH_EVERY)
    follow_terminal()
    collector = Collector()
    collector.start()
    kept = _state_of(path if path.is_dir() else path.parent)
    app = Workbench(settings, Seams(open_bench, PersonalFiles(), collector=collector, kept=kept))
    app.driver_class = quick_escape(app.driver_class)
    status = app.run()
    # Textual's own way out gives no value; its return code tells a fault from an end that was meant.
    return (app.return_code or 0) if status is None else status


def _state_of(root: Path) -> Path | None:
    from services.workspace.state_home import NoStateError, StateHome

    try:
        return StateHome.of_person().find_folder(root)
    except NoStateError:
        return None
