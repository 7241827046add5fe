"""Source with line numbers: coloured, hits lit, lines selected by keyboard or mouse."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from services.model import Span
from widgets.format.line_painter import Layer, paint
from widgets.text.line_view import LineView, SourcePage, cursor_keys

_NAME = re.compile(r"@?[^\W\d]\w*")
_LINES_SEARCHED = 500
"""Lines that are looked through for the next name."""


class SourceView(LineView):
    """A page of source. Lines are numbered as in the file."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *cursor_keys("source"),
        *(
            Binding(key, action, said, show=False, id=f"source.{name}")
            for key, action, said, name in (
                ("left", "step_name(-1)", "Name before", "left"),
                ("right", "step_name(1)", "Next name", "right"),
                ("ctrl+left", "sideways(-8)", "Scroll left", "scroll-left"),
                ("ctrl+right", "sideways(8)", "Scroll right", "scroll-right"),
            )
        ),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "source-view--number",
        "source-view--cursor",
        "source-view--selected",
        "source-view--hit",
        "source-view--name",
    }
    DEFAULT_CSS = """
    SourceView > .source-view--number { color: $text-muted; }
    SourceView > .source-view--cursor { background: $block-hover-background; }
    SourceView > .source-view--selected { background: $primary-muted; }
    SourceView > .source-view--hit {
        background: $warning-muted;
        color: $text-warning;
        text-style: bold underline;
    }
    SourceView > .source-view--name { text-style: underline; }
    SourceView:focus > .source-view--name { text-style: reverse; }
    SourceView:ansi > .source-view--selected { background: transparent; text-style: reverse; }
    SourceView:ansi > .source-view--hit { background: ansi_yellow; color: ansi_black; }
    """

    cursor_line: reactive[int] = reactive(0, repaint=False)
    """The number of the line under the cursor; 0 while there are no lines."""
    cursor_column: reactive[int] = reactive(0, repaint=False)
    """The column under the cursor, in characters from 0; the name there is what a definition is asked of."""
    selection_range: reactive[tuple[int, int] | None] = reactive(None, repaint=False)
    """First and last selected line."""

    class RangeMessage(Message):
        """Something about lines `start` to `end`."""

        def __init__(self, view: SourceView, start: int, end: int) -> None:
            super().__init__()
            self.view = view
            self.start = start
            self.end = end

        @property
        def control(self) -> SourceView:
            """The view that sent the message."""
            return self.view

    class RangeSelected(RangeMessage):
        """These lines are selected now. While the mouse drags it is sent for each step."""

    class LineHighlighted(RangeMessage):
        """The cursor is on line `start`."""

        def can_replace(self, message: Message) -> bool:
            """The last line is what counts, however many come at a time."""
            return isinstance(message, SourceView.LineHighlighted)

    class NameOpened(RangeMessage):
        """A name on line `start` was double-clicked; the cursor is on it."""

    class SelectionCleared(RangeMessage):
        """These lines are not selected any more."""

    def __init__(
        self,
        page: SourcePage | None = None,
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._first = 1
        self._digits = 1
        self._spans: dict[int, Sequence[Span]] = {}
        self._hits: Mapping[int, Sequence[tuple[int, int]]] = {}
        self._anchor = 0
        if page is not None:
            self.set_page(page)

    @property
    def word(self) -> str:
        """The name under the cursor; empty where there is none."""
        found = self._name_at(self.cursor_line, self.cursor_column)
        return self._lines[self.cursor_line - self._first][slice(*found)] if found else ""

    @property
    def last_line(self) -> int:
        """The number of the last line."""
        return self._first + self.line_count - 1

    def set_page(self, page: SourcePage, *, line: int | None = None) -> None:
        """Show `page`, the cursor on `line` or the first. Hits and selection are dropped."""
        self._first = page.first_line
        self._spans = dict(enumerate(page.spans, page.first_line))
        self._hits = {}
        self.selection_range = None
        self.set_reactive(SourceView.cursor_line, 0)
        self.set_reactive(SourceView.cursor_column, 0)
        self._digits = len(str(page.first_line + max(0, len(page.lines) - 1)))
        self.set_lines(page.lines, margin=self._gutter, width=page.width)
        self.go_to(page.first_line if line is None else line)

    @property
    def lines_in_view(self) -> range:
        """The numbers of the lines that can be seen."""
        if not self.line_count:
            return range(0)
        top = self.scroll_offset.y
        first, last = (self.at_row(row)[0] for row in (top, top + self._view_height - 1))
        return range(self._first + first, self._first + last + 1)

    def colour(self, spans: Mapping[int, Sequence[Span]]) -> None:
        """Take the colours of some lines, by number, worked out after the page was shown."""
        self._spans.update(spans)
        if any(line in spans for line in self.lines_in_view):
            self.refresh()

    def set_hits(self, hits: Mapping[int, Sequence[tuple[int, int]]]) -> None:
        """Light hits: line number -> (start, end) columns from 0, end exclusive."""
        self._hits = hits
        self.repaint()

    def go_to(self, line: int, *, column: int | None = None) -> None:
        """Put the cursor on `line` (the nearest there is), a third from the top if it was out of view."""
        if not self.line_count:
            return
        line = self._within(line)
        at, top, height = line - self._first, self.scroll_offset.y, self._view_height
        row = self.row_of(at, self.laid_out(at).cell(column or 0))
        if not top <= row < top + height:
            self.jump(row - height // 3)
        self._show_column(at, column or 0)
        self._anchor = line
        self.selection_range = None
        self.cursor_line = line
        self.cursor_column = column or 0

    def select(self, start: int, end: int) -> None:
        """Select lines `start` to `end`, the cursor on `end`."""
        self.go_to(start)
        self._put_cursor(end, extend=True)

    def step_hit(self, direction: int, *, wrap: bool = True) -> int | None:
        """Go to the next hit after the cursor's line, or the one before (-1), round the end if `wrap`; its line, if
        any."""
        lines = sorted(line for line in self._hits if self._first <= line <= self.last_line)
        if not wrap:
            lines = [line for line in lines if (line - self.cursor_line) * direction > 0]
        if not lines:
            return None
        ahead = [line for line in lines if (line - self.cursor_line) * direction > 0]
        line = (ahead or lines)[0 if direction > 0 else -1]
        self.go_to(line, column=self._hits[line][0][0] if self._hits[line] else None)
        return line

    def watch_cursor_line(self, old: int, new: int) -> None:
        """Repaint the lines concerned and announce the cursor's line."""
        for line in (old, new):
            self._refresh_line(line)
        if new:
            self._reveal(new - self._first)
            self.post_message(self.LineHighlighted(self, new, new))

    def watch_cursor_column(self) -> None:
        """Another name is under the cursor."""
        self._refresh_line(self.cursor_line)

    def watch_selection_range(self, old: tuple[int, int] | None, new: tuple[int, int] | None) -> None:
        """Repaint, and announce the selection."""
        self.refresh()
        if new is not None:
            self.post_message(self.RangeSelected(self, *new))
        elif old is not None:
            self.post_message(self.SelectionCleared(self, *old))

    def render_line(self, y: int) -> Strip:
        """Render one line of the view: mark, number, text."""
        if not self.line_count:
            return self.empty_line(y)
        scroll_x, scroll_y = self.scroll_offset
        row, width = y + scroll_y, self.view_size.width
        if row >= self.row_count:
            return Strip.blank(width, self.base)
        line = self.at_row(row)[0] + self._first
        state = self._state(line)
        column = self.cursor_column if line == self.cursor_line else -1
        key = (row, scroll_x, width, state, column, self.has_focus, line in self._spans)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._paint(row, state, (scroll_x, width))
        return strip

    def on_resize(self) -> None:
        """The cursor stays in view."""
        self.rewrap()
        if self.cursor_line:
            self._reveal(self.cursor_line - self._first)
        if self.scroll_offset.x:
            self.reveal_column()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A press puts the cursor; with shift it extends the selection."""
        if not self.line_count:
            return
        line = self._line_at(event)
        if event.button == 1 or not self._is_selected(line):
            self._put_cursor(line, extend=event.shift, column=self._column_at(event, line))
        if event.button == 1:
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Dragging selects."""
        if self.app.mouse_captured is self and event.button == 1:
            line = self._line_at(event)
            if line != self.cursor_line:
                self._put_cursor(line, extend=True)

    def on_mouse_up(self) -> None:
        """The drag is over."""
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """A double click opens the name."""
        if event.chain == 2 and event.button == 1 and self.word:
            self.post_message(self.NameOpened(self, self.cursor_line, self.cursor_line))

    def action_move(self, lines: int, extend: bool = False) -> None:
        """Move the cursor by `lines`; `extend` selects on the way."""
        self._put_cursor(self.cursor_line + lines, extend=extend)

    def action_move_page(self, pages: int, extend: bool = False) -> None:
        """Move the cursor by `pages` of the view."""
        self._put_cursor(self.cursor_line + pages * max(1, self._view_height - 1), extend=extend)

    def action_first(self, extend: bool = False) -> None:
        """Go to the first line."""
        self._put_cursor(self._first, extend=extend)

    def action_last(self, extend: bool = False) -> None:
        """Go to the last line."""
        self._put_cursor(self.last_line, extend=extend)

    def action_step_name(self, names: int) -> None:
        """Go to the next name (-1: the one before), of the lines after it too."""
        line, column = self.cursor_line, self.cursor_column
        for _ in range(_LINES_SEARCHED):
            if not self._first <= line <= self.last_line:
                return
            starts = [match.start() for match in _NAME.finditer(self._lines[line - self._first])]
            ahead = [start for start in starts if (start > column if names > 0 else start < column)]
            if ahead:
                start = ahead[0 if names > 0 else -1]
                self._put_cursor(line, extend=False, column=start)
                self._show_column(line - self._first, start)
                return
            line, column = line + names, -1 if names > 0 else sys.maxsize

    def action_clear_selection(self) -> None:
        """Select nothing."""
        self.selection_range = None
        self._anchor = self.cursor_line

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Escape is somebody else's while nothing is selected."""
        return self.selection_range is not None if action == "clear_selection" else True

    @property
    def _gutter(self) -> int:
        return self._digits + 3

    def _within(self, line: int) -> int:
        return min(max(line, self._first), self.last_line)

    def _line_at(self, event: events.MouseEvent) -> int:
        return self._within(self._first + self.at_row(self.scroll_offset.y + event.y)[0])

    def _column_at(self, event: events.MouseEvent, line: int) -> int:
        at, piece = self.at_row(self.scroll_offset.y + event.y)
        begin = self.piece(at, piece)[0] if self.wraps and at == line - self._first else self.scroll_offset.x
        return self.laid_out(line - self._first).columns(max(0, event.x - self._gutter + begin), 1)[0]

    def _refresh_line(self, line: int) -> None:
        for row in self.rows_of(line - self._first) if self._first <= line <= self.last_line else ():
            self.refresh_line(row)

    def _name_at(self, line: int, column: int) -> tuple[int, int] | None:
        """The columns of the name at a place, or of the one that ends there."""
        there = self._first <= line <= self.last_line
        found = _NAME.finditer(self._lines[line - self._first]) if there else ()
        return next((match.span() for match in found if match.start() <= column <= match.end()), None)

    def _is_selected(self, line: int) -> bool:
        return self.selection_range is not None and self.selection_range[0] <= line <= self.selection_range[1]

    def _put_cursor(self, line: int, *, extend: bool, column: int | None = None) -> None:
        if not self.line_count:
            return
        line = self._within(line)
        if column is not None:
            self.cursor_column = column
        if extend:
            self.cursor_line = line
            self.selection_range = (min(self._anchor, line), max(self._anchor, line))
        else:
            self._anchor = line
            self.selection_range = None
            self.cursor_line = line

    def _reveal(self, at: int) -> None:
        if self.is_running and self.view_size.height:
            rows, x = self.rows_of(at), self.scroll_offset.x
            region = Region(x, rows.start, 1, min(len(rows), self._view_height))
            self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def reveal_column(self) -> None:
        """Scroll sideways to the cursor, where its line requires it: the width is unknown while a page is out of
        sight."""
        if self.cursor_line:
            self._show_column(self.cursor_line - self._first, self.cursor_column)

    def _show_column(self, row: int, column: int) -> None:
        if self.wraps or not self.view_size.width:
            return
        cell, room = self.laid_out(row).cell(column), max(1, self.view_size.width - self._gutter)
        self.jump(self.scroll_offset.y, x=max(0, cell - room * 3 // 4))  # beginnings of lines say most

    def _state(self, line: int) -> str:
        return "selected" if self._is_selected(line) else "cursor" if line == self.cursor_line else ""

    def _paint(self, row: int, state: str, window: tuple[int, int]) -> Strip:
        at, piece = self.at_row(row)
        line, (cell, width) = at + self._first, window
        base = self.base + (self.part(f"source-view--{state}") if state else Style())
        mark = {"selected": "▌", "cursor": "▸"}.get(state, "•" if line in self._hits else " ")
        said = f"{mark}{line:>{self._digits}}  " if not piece else f"{'▌' if state == 'selected' else ' '}"
        number = Segment(said.ljust(self._gutter), base + self.part("source-view--number"))
        cell, room = self.piece(at, piece) if self.wraps else (cell, max(0, width - self._gutter))
        layers = self._layers(line, self.laid_out(at).columns(cell, room))
        if base.reverse:  # a terminal's own colours, turned round, would be a patchwork
            layers = [replace(layer, style=layer.style.without_color) for layer in layers]
        text = paint(self.laid_out(at), layers, window=(cell, room), base=base)
        return Strip([number, *text]).crop_extend(0, width, base)

    def _layers(self, line: int, view: tuple[int, int]) -> list[Layer]:
        """Return the layers over columns `view` of a line."""
        hit = self.part("source-view--hit")
        layers = self.styled(self._spans.get(line, ()), view)
        hits = self._hits.get(line, ())
        layers += [Layer(start, end, hit) for start, end in hits if view[0] < end and start < view[1]]
        if line == self.cursor_line and (name := self._name_at(line, self.cursor_column)):
            layers.append(Layer(*name, self.part("source-view--name")))
        return layers
