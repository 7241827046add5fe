"""The workbench as a Textual app: themes, the main screen, and what outlives both."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App

from themes import THEMES
from workbench.bench_port import BenchPort, StateFiles
from workbench.clipboard import Clipboard, is_remote, system_copy
from workbench.keymap import resolve
from workbench.screens.main import MainScreen
from workbench.session import Session
from workbench.ui_state import PersonalFiles, PersonalState, load, save

if TYPE_CHECKING:
    from services.settings import Settings

_COPIED = "copied.md"


@dataclass(frozen=True, slots=True)
class Seams:
    """Where the workbench meets the world: what opens the workspace, takes what is copied, keeps the theme."""

    open_bench: Callable[[], BenchPort]
    personal: StateFiles
    system_copy: Callable[[str], None] = system_copy
    remote: bool = False


class Workbench(App[int]):
    """The program on the screen. Its return value is its exit status."""

    TITLE = "CodeCortex"
    CSS_PATH = ["styles/main.tcss", "styles/overlays.tcss"]  # noqa: RUF012 - Textual wants a list
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, settings: Settings, seams: Seams) -> None:
        super().__init__()
        self._settings = settings
        self._seams = seams
        self._keys = resolve(settings.ui.keys)
        self._use_own_themes()
        self.set_keymap(self._keys.moved)

    def get_default_screen(self) -> MainScreen:
        """The main screen."""
        return MainScreen(self._seams.open_bench, keys=self._keys, clipboard=self._ways_to_copy)

    def on_mount(self) -> None:
        """The theme a person chose last, or the one of the settings."""
        wanted = load(self._seams.personal, PersonalState).theme_for(self._settings.ui.theme)
        if wanted in self.available_themes:
            self.theme = wanted
        self.theme_changed_signal.subscribe(self, lambda _: self._keep_theme())

    def _use_own_themes(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        for name in set(self.available_themes) - {theme.name for theme in THEMES}:
            self.unregister_theme(name)

    def _keep_theme(self) -> None:
        with suppress(OSError):
            save(self._seams.personal, PersonalState(theme=self.theme, over=self._settings.ui.theme))

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
