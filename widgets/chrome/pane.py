"""A part of the screen in a frame with a title. The frame of the part in use is heavy, and its title
marked."""

from __future__ import annotations

from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from widgets.format.shorten import keep_end

_CORNERS = 4
"""Cells of the content's width that the frame's own signs and blanks take beside a title."""


class Pane(Container):
    """A titled frame round other widgets. Title and note are shown as text, whatever is in them; trails and paths that
    are too long are cut in front, as their ends say most."""

    DEFAULT_CSS = """
    Pane {
        border: round $foreground 30%;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        background: $surface;
        padding: 0;
    }
    Pane:focus-within {
        border: heavy $border;
        border-title-color: $text-primary;
        border-title-style: bold;
        border-subtitle-color: $foreground;
    }
    """

    title: reactive[str] = reactive("", repaint=False)
    """On the top edge."""
    note: reactive[str] = reactive("", repaint=False)
    """On the bottom edge: a count, a position, a hint."""

    def __init__(
        self,
        *children: Widget,
        title: str = "",
        note: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(*children, id=id, classes=classes)
        self.title = title
        self.note = note

    def watch_title(self) -> None:
        """On the frame, as text."""
        self._letter()

    def watch_note(self) -> None:
        """On the frame, as text."""
        self._letter()

    def on_resize(self) -> None:
        """As much of both as there is room for."""
        self._letter()

    def _letter(self) -> None:
        room = max(0, self.size.width - _CORNERS)
        title, note = (keep_end(text, room) for text in (self.title, self.note))
        self.border_title = Content(title) if title else None
        self.border_subtitle = Content(note) if note else None
