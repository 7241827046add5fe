"""A text over the screen, to be read and closed: help, notices, the exact text of the window."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from widgets.chrome.pane import Pane
from workbench.ui.modal import Modal


class TextScreen(Modal[None]):
    """Something to read, in a frame. Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", show=False, id="text.close"),
    ]

    def __init__(self, title: str, body: Widget, *, note: str = "esc closes") -> None:
        super().__init__()
        self._pane_title = title
        self._body = body
        self._note = note

    def compose(self) -> ComposeResult:
        """The frame and the body, which has the keyboard."""
        with Pane(title=self._pane_title, note=self._note, id="text"):
            yield self._body


def reading(content: Content) -> Widget:
    """Content that wraps and scrolls."""
    return VerticalScroll(Static(content), can_focus=True)
