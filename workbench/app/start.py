"""What is painted first: the frame of the main screen, while that is imported and made."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen

from widgets.chrome.empty_state import EmptyState
from widgets.chrome.pane import Pane
from widgets.chrome.status_bar import StatusBar


class StartScreen(Screen[None]):
    """Empty panes where the main screen's will be. It takes no keys: the app keeps them for the main screen."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    """As in the main screen, which is not imported for it."""
    AUTO_FOCUS = None

    class Painted(Message):
        """It is on the terminal."""

    def compose(self) -> ComposeResult:
        """The line above, the panes."""
        yield StatusBar()
        with Horizontal():
            yield Pane(EmptyState("Opening the workspace …"), title="Symbols", id="start-left")
            yield Pane(title="Code", id="start-code")
            yield Pane(title="Prompt window", id="start-window")

    def on_mount(self) -> None:
        """Say when it was painted."""
        self.call_after_refresh(self.post_message, self.Painted())
