"""An outline, as the text models get, with its names of types to follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip

from services.model import Span
from widgets.format.display import is_plain
from widgets.format.line_painter import Layer, paint
from widgets.text.line_view import LineView
from widgets.text.outline_text import OutlineLine, read_outline

_HANG = 4
"""Cells that the rows of a wrapped line are set in, behind its own indentation."""
_UNKNOWN_ROOM = 10_000
"""Cells of a row before the view has any."""


class OutlineView(LineView):
    """Markdown of an outline, long lines wrapped between words. Links are followed by mouse, or selected by
    key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "step_link(1)", "Next link", show=False, id="outline.next-link"),
        Binding("N", "step_link(-1)", "Previous link", show=False, id="outline.previous-link"),
        Binding("enter", "follow_link", "Follow link", show=False, id="outline.follow-link"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"outline-view--link", "outline-view--current-link"}
    DEFAULT_CSS = """
    OutlineView { padding: 0 1; }
    OutlineView > .outline-view--link { text-style: underline; }
    OutlineView > .outline-view--current-link { text-style: reverse; }
    """

    link: reactive[tuple[int, int] | None] = reactive(None, repaint=False)
    """The link that Enter follows: its row and its place in it."""

    class LinkSelected(Message):
        """A name of a type was followed: `text`, as it is written."""

        def __init__(self, view: OutlineView, text: str) -> None:
            super().__init__()
            self.view = view
            self.text = text

        @property
        def control(self) -> OutlineView:
            """The view that sent the message."""
            return self.view

    def __init__(
        self,
        text: str = "",
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._read: list[OutlineLine] = []
        self._broken: dict[int, Sequence[int]] = {}
        self.set_reactive(LineView.wraps, True)
        self.set_outline(text)

    def set_outline(self, text: str) -> None:
        """Show `text` from its beginning."""
        lines = [line.removesuffix("\r") for line in text.split("\n")] if text else []
        if lines and not lines[-1]:
            lines.pop()
        if self.is_running and self.text_selection is not None:
            self.screen.clear_selection()
        self._read = read_outline(lines)
        self.link = None
        self.set_lines(lines)

    def watch_link(self) -> None:
        """Repaint, and bring the link into view."""
        self.repaint()
        if self.link is not None:
            line, place = self.link
            start = self.laid_out(line).cell(self._read[line].links[place].start)
            row, height = self.row_of(line, start), max(1, self.view_size.height)
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.jump(row - height // 3)

    def on_resize(self) -> None:
        """Rows end where the view does."""
        self.rewrap()

    def render_line(self, y: int) -> Strip:
        """Render one line of the view."""
        if not self.line_count:
            return self.empty_line(y)
        row, width = y + self.scroll_offset.y, self.view_size.width
        if row >= self.row_count:
            return Strip.blank(width, self.base)
        at, piece = self.at_row(row)
        selected = self.text_selection and self.text_selection.get_span(at)
        key = (row, width, selected)
        strip = self._strips.get(key)
        if strip is None:
            line, (cell, room) = self.laid_out(at), self.piece(at, piece)
            columns = line.columns(cell, room)
            layers = self._layers(at, columns) + self._selected(at, selected)
            text = paint(line, layers, window=(cell, room), base=self.base).apply_offsets(columns[0], at)
            lead = Segment(" " * (self._hang(at) if piece else 0), self.base)
            strip = self._strips[key] = Strip([lead, *text]).adjust_cell_length(width, self.base)
        return strip

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected part of the original text."""
        return selection.extract("\n".join(self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        """Repaint what is selected."""
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Follow the link under the mouse."""
        if text := event.style.meta.get("link"):
            self.post_message(self.LinkSelected(self, text))

    def action_step_link(self, places: int) -> None:
        """Go to the next link, or the one before, from what is in view."""
        links = [(row, place) for row, read in enumerate(self._read) for place in range(len(read.links))]
        if not links:
            return
        at = self.link or (self.at_row(self.scroll_offset.y)[0], -1 if places > 0 else 0)
        ahead = [link for link in links if (link > at if places > 0 else link < at)]
        self.link = (ahead or links)[0 if places > 0 else -1]

    def action_follow_link(self) -> None:
        """Follow the link that was stepped to."""
        if self.link is not None:
            row, place = self.link
            self.post_message(self.LinkSelected(self, self._text(row, self._read[row].links[place])))

    @property
    def _wrap_room(self) -> int:
        return super()._wrap_room if self.size.width else _UNKNOWN_ROOM

    def _lay_rows(self) -> None:
        self._broken = {}
        super()._lay_rows()

    def _pieces(self) -> Iterable[int]:
        return (
            1 if len(line) <= self._room and is_plain(line) else len(self._breaks(at))
            for at, line in enumerate(self._lines)
        )

    def _breaks(self, line: int) -> Sequence[int]:
        found = self._broken.get(line)
        if found is None:
            found = self._broken[line] = self.laid_out(line).word_breaks(self._room, hang=self._hang(line))
        return found

    def _hang(self, line: int) -> int:
        """Cells before the second row of a line and those after it."""
        text = self._lines[line]
        return min(len(text) - len(text.lstrip(" ")) + _HANG, self._room // 3)

    def _text(self, row: int, span: Span) -> str:
        return self._lines[row][span.start : span.end]

    def _layers(self, row: int, window: tuple[int, int]) -> list[Layer]:
        read = self._read[row]
        layers = self.styled(read.spans, window)
        for place, span in enumerate(read.links):
            name = "current-link" if (row, place) == self.link else "link"
            style = self.part(f"outline-view--{name}") + Style(meta={"link": self._text(row, span)})
            layers.append(Layer(span.start, span.end, style))
        return layers

    def _selected(self, row: int, span: tuple[int, int] | None) -> list[Layer]:
        if span is None:
            return []
        start, end = span
        style = self.screen.get_component_rich_style("screen--selection")
        return [Layer(start, len(self._lines[row]) if end == -1 else end, style)]
