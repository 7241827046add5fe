"""A part of the screen in a frame with a title, heavy and marked where the part is in use, and what it shows while
it is empty: a sentence, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Self

from textual.containers import Container
from textual.content import Content
from textual.geometry import Region
from textual.reactive import reactive
from textual.widget import Widget

from widgets.format.display import visible
from widgets.format.shorten import keep_end, shorten_member


def bring_forward(widget: Widget, *, instead_of: Widget) -> None:
    """Show one widget in place of the other. The focus moves with it, at once: until it does, keys that are under way
    would mean what they mean to the neighbour that Textual gives the focus of a hidden widget to."""
    widget.display = True
    if instead_of.has_focus:
        widget.screen.set_focus(widget)
    instead_of.display = False


class EmptyState(Widget):
    """A centred sentence with what to do next under it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"empty-state--advice"}
    DEFAULT_CSS = """
    EmptyState {
        width: 1fr;
        height: 1fr;
        padding: 1 2;
        content-align: center middle;
        text-align: center;
        color: $foreground;
        background: $surface;
    }
    EmptyState > .empty-state--advice { color: $text-muted; }
    """

    sentence: reactive[str] = reactive("")
    advice: reactive[str] = reactive("")

    def __init__(
        self,
        sentence: str = "",
        advice: str = "",
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(EmptyState.sentence, sentence)
        self.set_reactive(EmptyState.advice, advice)

    def render(self) -> Content:
        """Both, as text."""
        said = Content(visible(self.sentence))
        if not self.advice:
            return said
        style = self.get_visual_style("empty-state--advice")
        return said + Content("\n\n") + Content.styled(visible(self.advice), style)


_CORNERS = 4
"""Cells of the content's width that the frame's own signs and blanks take beside a title."""


class Pane(Container):
    """Titled frame round other widgets. Title and note are shown as plain text; breadcrumbs and paths that are too
    long are cut in front, as their ends are most specific; of a member its parameters are left out first."""

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

    _edge: tuple[Region, ...] = ()

    def __init__(
        self,
        *children: Widget,
        title: str = "",
        note: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(*children, id=id, classes=classes)
        self._lettered = ("", "")
        self.title = title
        self.note = note

    def watch_title(self) -> None:
        """On the frame, as text."""
        self._letter()

    def watch_note(self) -> None:
        """On the frame, as text."""
        self._letter()

    def on_resize(self) -> None:
        """Fit title and note to the width."""
        self._letter()

    def _letter(self) -> None:
        room = max(0, self.size.width - _CORNERS)
        shorten = shorten_member if self.title.endswith(")") else keep_end
        title, note = shorten(self.title, room), keep_end(self.note, room)
        before, self._lettered = self._lettered, (title, note)
        if title != before[0]:
            with self._on_edge(0):
                self.border_title = Content(title) if title else None
        if note != before[1]:
            with self._on_edge(self.outer_size.height - 1):
                self.border_subtitle = Content(note) if note else None

    @contextmanager
    def _on_edge(self, row: int) -> Iterator[None]:
        """Restrict refreshes meanwhile to a row of the frame: Textual would paint all that is inside it too."""
        self._edge = (Region(0, row, self.outer_size.width, 1).translate(-self.content_offset),)
        try:
            yield
        finally:
            self._edge = ()

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Refresh as Textual does; only the edge while it is being relabelled."""
        return super().refresh(*(regions or self._edge), repaint=repaint, layout=layout, recompose=recompose)
