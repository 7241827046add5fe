"""A text over the screen, to be read and closed: help, notices, the exact text of the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

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


class FilteredText(TextScreen):
    """A text that shows the lines with every word of what is typed, and the headings over them."""

    def __init__(self, title: str, text: Callable[[str], Content], *, placeholder: str) -> None:
        self._text = text
        self._shown = Static(text(""))
        super().__init__(
            title, VerticalScroll(self._shown, can_focus=True), note="type to filter · esc closes"
        )
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """The frame, a box, the text."""
        with Pane(title=self._pane_title, note=self._note, id="text"):
            yield Input(placeholder=self._placeholder, compact=True)
            yield self._body

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what fits."""
        event.stop()
        self._shown.update(self._text(event.value))

    def on_key(self, event: events.Key) -> None:
        """The arrow keys scroll while the box has the keyboard."""
        pages = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}
        if lines := pages.get(event.key):
            self._body.scroll_relative(y=lines, animate=False)


def reading(content: Content) -> Widget:
    """Content that wraps and scrolls."""
    return VerticalScroll(Static(content), can_focus=True)
