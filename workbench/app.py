"""The workbench as a Textual app: themes, the main screen, and what outlives both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import App

from services.model import Notice
from themes import THEMES
from workbench.around import Around
from workbench.bench_port import BenchPort, StateFiles
from workbench.clipboard import Clipboard, is_remote, system_copy
from workbench.keymap import resolve
from workbench.own_settings import OwnSettings
from workbench.personal import Personal
from workbench.screens.main import MainScreen
from workbench.session import Session
from workbench.theme_files import own_themes
from workbench.ui_state import PersonalFiles

if TYPE_CHECKING:
    from services.settings import Settings

_COPIED = "copied.md"


@dataclass(frozen=True, slots=True)
class Seams:
    """Where the workbench meets the world: what opens the workspace, takes what is copied, keeps the theme; the
    person's settings (None: the usual file) and the time of day."""

    open_bench: Callable[[], BenchPort]
    personal: StateFiles
    system_copy: Callable[[str], None] = system_copy
    remote: bool = False
    settings_file: Path | None = None
    now: Callable[[], datetime] = datetime.now


class Workbench(App[int]):
    """The program on the screen. Its return value is its exit status."""

    TITLE = "CodeCortex"
    CSS_PATH = ["styles/main.tcss", "styles/overlays.tcss"]  # noqa: RUF012 - Textual wants a list
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, settings: Settings, seams: Seams) -> None:
        super().__init__()
        self._own = OwnSettings(settings, seams.settings_file, self._take)
        self._seams = seams
        self._personal = Personal(seams.personal)
        self._keys = resolve(settings.ui.keys)
        self._notices: list[Notice] = []
        self._use_own_themes()
        self.set_keymap(self._keys.moved)

    def get_default_screen(self) -> MainScreen:
        """The main screen."""
        around = Around(
            keys=self._keys,
            clipboard=self._ways_to_copy,
            personal=self._personal,
            settings=self._own,
            now=self._seams.now,
        )
        self._main = MainScreen(self._seams.open_bench, around)
        return self._main

    def on_mount(self) -> None:
        """The theme a person chose last, or the one of the settings."""
        self._paint(self._personal.state.theme_for(self._own.settings.ui.theme))
        self._main.say_all(tuple(self._notices))
        self.theme_changed_signal.subscribe(self, lambda _: self._keep_theme())

    async def on_event(self, event: events.Event) -> None:
        """A letter with alt is no text: terminals send it as the letter behind an escape, and boxes would type it."""
        if isinstance(event, events.Key) and event.key.startswith("alt+"):
            event.character = None
        await super().on_event(event)

    def _use_own_themes(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        own, self._notices = own_themes(self._own.themes)
        for theme in own:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        for name in set(self.available_themes) - {theme.name for theme in (*THEMES, *own)}:
            self.unregister_theme(name)

    def _paint(self, theme: str) -> None:
        if theme in self.available_themes:
            self.theme = theme
        else:
            message = f"There is no theme {theme!r}; there are {', '.join(self.available_themes)}."
            self._main.say(Notice(severity="warning", message=message, what_to_do="t chooses one."))

    def _take(self, key: str, settings: Settings) -> None:
        """A setting was changed on the screen."""
        main = self._main
        if key == "ui.theme":
            self._paint(settings.ui.theme)
        elif key == "ui.keys":
            main.keys = self._keys = resolve(settings.ui.keys)
            self.set_keymap(self._keys.moved)
            main.say_all(self._keys.notices)
            main.update_keys()
        elif bench := main.session.bench:
            bench.take(settings)
            main.session.read_window()

    def _keep_theme(self) -> None:
        self._personal.change(theme=self.theme, over=self._own.settings.ui.theme)

    def _ways_to_copy(self, session: Session) -> Clipboard:
        def to_terminal(text: str) -> None:
            self.call_later(self.copy_to_clipboard, text)

        def to_file(text: str) -> str:
            if session.bench is None:
                raise OSError("no workspace is open")
            session.bench.state.write(_COPIED, text.encode("utf-8", "surrogateescape"))
            return str(session.bench.state.path(_COPIED))

        return Clipboard(self._seams.system_copy, to_terminal, to_file, remote=self._seams.remote)


def run(path: Path, settings: Settings) -> int:
    """Start the workbench on a folder, solution or project file; 0 when it was left as meant, 1 else.

    The services are imported when the screen has been painted once, and count tokens in a process of their own.
    """

    def open_bench() -> BenchPort:
        from services.bench import Bench

        return Bench.open(path, settings=settings, in_process=False)

    seams = Seams(open_bench, PersonalFiles(), remote=is_remote())
    status = Workbench(settings, seams).run()
    return 1 if status is None else status
