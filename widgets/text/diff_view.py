"""The hunks of one file, with the number each line has on either side in a column of its own: one side under the other,
or both side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from services.model import DiffLine, Hunk, Span
from widgets.format.display import fit, visible
from widgets.format.display_line import DisplayLine
from widgets.format.line_painter import Layer, paint
from widgets.text.diff_rows import DiffRow, DiffRows, part_of
from widgets.text.line_view import LineView, cursor_keys

Spans = Mapping[int, Sequence[Span]]
"""Coloured stretches by line number."""

_MARKS = {"selected": "▌", "cursor": "▸", "": " "}
"""Before a row, by its state."""


class DiffView(LineView):
    """A diff to step through. A deleted line has a number in the old column alone, an added one in the new."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *cursor_keys("diff"),
        *(
            Binding(key, action, said, show=False, id=f"diff.{name}")
            for key, action, said, name in (
                ("left", "sideways(-8)", "Left", "left"),
                ("right", "sideways(8)", "Right", "right"),
            )
        ),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "diff-view--heading",
        "diff-view--number",
        "diff-view--added",
        "diff-view--deleted",
        "diff-view--added-words",
        "diff-view--deleted-words",
        "diff-view--sign",
        "diff-view--cursor",
        "diff-view--selected",
        "diff-view--note",
    }
    DEFAULT_CSS = """
    /* Where the bar came and went with the length of a diff, each time the whole screen would be laid out. */
    DiffView { overflow-y: scroll; }
    DiffView > .diff-view--heading { color: $text-accent; text-style: bold; background: $panel; }
    DiffView > .diff-view--number { color: $text-muted; }
    DiffView > .diff-view--added { background: $success 14%; }
    DiffView > .diff-view--deleted { background: $error 14%; }
    DiffView > .diff-view--added-words { background: $success 36%; text-style: bold underline; }
    DiffView > .diff-view--deleted-words { background: $error 36%; text-style: bold underline; }
    DiffView > .diff-view--note { color: $text-accent; background: $panel; }
    DiffView > .diff-view--sign { text-style: bold; }
    DiffView > .diff-view--cursor { background: $block-hover-background; }
    DiffView > .diff-view--selected { background: $primary-muted; }
    DiffView:ansi > .diff-view--added { background: transparent; color: ansi_green; }
    DiffView:ansi > .diff-view--deleted { background: transparent; color: ansi_red; }
    DiffView:ansi > .diff-view--added-words { background: transparent; text-style: bold reverse; }
    DiffView:ansi > .diff-view--deleted-words { background: transparent; text-style: bold reverse; }
    DiffView:ansi > .diff-view--selected { background: transparent; text-style: reverse; }
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    """The row under the cursor."""
    selected_from: reactive[int | None] = reactive(None, repaint=False)
    """The row at the other end of what is selected; None where nothing is."""

    class LineHighlighted(Message):
        """The cursor is on another row, or other lines are selected."""

        def __init__(self, view: DiffView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> DiffView:
            """The view that sent the message."""
            return self.view

        def can_replace(self, message: Message) -> bool:
            """The last row is what counts, however many come at a time."""
            return type(message) is type(self)

    class LineOpened(LineHighlighted):
        """A line was double-clicked."""

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(empty=empty, id=id)
        self._rows = DiffRows()
        self._old: dict[int, Sequence[Span]] = {}
        self._new: dict[int, Sequence[Span]] = {}

    @property
    def hunks(self) -> Sequence[Hunk]:
        """All that are shown."""
        return self._rows.hunks

    @property
    def hunk_count(self) -> int:
        """How many hunks there are."""
        return len(self._rows.hunks)

    @property
    def hunk_number(self) -> int | None:
        """The hunk under the cursor, counted from 0."""
        return self._rows.at(self.cursor).hunk if self._rows else None

    @property
    def hunk(self) -> Hunk | None:
        """The hunk under the cursor."""
        return None if self.hunk_number is None else self._rows.hunks[self.hunk_number]

    @property
    def new_line(self) -> int:
        """Return the line of the new side under the cursor; on a deleted line, the one that replaced it."""
        if self.hunk is None:
            return 1
        return self._rows.new_line(self.cursor) or self.hunk.new_range[1]

    @property
    def selected_hunk(self) -> Hunk | None:
        """The selected lines of the hunk under the cursor, as a hunk of their own; None where none are."""
        hunk, rows = self.hunk, self._selected_rows
        if hunk is None or not rows:
            return None
        chosen = [row for row in map(self._rows.at, rows) if row.hunk == self.hunk_number]
        return part_of(hunk, [line for row in chosen for line in row.lines])

    @property
    def _selected_rows(self) -> range:
        if self.selected_from is None:
            return range(0)
        first, last = sorted((self.selected_from, self.cursor))
        return range(first, last + 1)

    def set_rows(self, rows: DiffRows, *, line: int | None = None) -> None:
        """Show `rows`, the cursor on the first change, or on the row at `line` of the new side."""
        self._old, self._new = {}, {}
        self._take(rows)
        self._go(rows.row_of(line) if line is not None else rows.first_change(0))

    def reshape(self, rows: DiffRows) -> None:
        """Show the same hunks in another layout: cursor, selection and colours stay on their lines."""
        ends = [
            None if at is None or not self._rows else self._rows.at(at)
            for at in (self.cursor, self.selected_from)
        ]
        self._take(rows)
        cursor, other = (rows.find(row) if row and row.hunk < len(rows.hunks) else None for row in ends)
        self._go(cursor or 0)
        self.selected_from = other

    def watch_show_horizontal_scrollbar(self, shown: bool) -> None:
        """Retain the scroll bar for the next files: whenever it appears or vanishes the layout changes."""
        if shown:
            self.styles.overflow_x = "scroll"

    def _take(self, rows: DiffRows) -> None:
        if not rows or rows.shape.wrap:
            self.styles.overflow_x = "auto"
        self._rows = rows
        self.set_reactive(DiffView.cursor, 0)
        self.set_reactive(DiffView.selected_from, None)
        self.set_lines(rows, margin=self._margin, width=rows.width)

    @property
    def rows_in_view(self) -> Sequence[DiffRow]:
        """Return the visible rows, and a page on either side."""
        top, height = self.scroll_offset.y, max(1, self.view_size.height)
        rows = range(max(0, top - height), min(len(self._rows), top + 2 * height))
        return [self._rows.at(row) for row in rows]

    @property
    def coloured_lines(self) -> Collection[int]:
        """The lines of the new side that have their colours."""
        return self._new.keys()

    def colour(self, *, old: Spans | None = None, new: Spans | None = None) -> None:
        """Take the colours of some lines of either side."""
        self._old.update(old or {})
        self._new.update(new or {})
        self.refresh()

    def step_hunk(self, hunks: int) -> bool:
        """Go to the next hunk (-1: the one before); False where there is none."""
        if self.hunk_number is None or not 0 <= self.hunk_number + hunks < len(self._rows.hunks):
            return False
        self.go_to_hunk(self.hunk_number + hunks)
        return True

    def go_to_hunk(self, number: int) -> None:
        """Put the cursor on the first change of a hunk (-1: the last one), its heading at the top of the view."""
        if self._rows:
            number %= len(self._rows.hunks)
            self.jump(max(0, self._rows.start(number) - 1))
            self._go(self._rows.first_change(number))

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint the rows between, where they are selected, else the two, and scroll to the cursor."""
        if self.selected_from is None:
            for row in (old, new):
                self.refresh_line(row)
        else:
            self.refresh()
        self._reveal()
        self.post_message(self.LineHighlighted(self))

    def watch_selected_from(self) -> None:
        """Repaint what was or is selected."""
        self.refresh()
        self.post_message(self.LineHighlighted(self))

    def on_resize(self) -> None:
        """The cursor stays in view, and what is longer than its place can be scrolled to."""
        if self._rows.shape.split:
            self.virtual_size = self.virtual_size.with_width(self._margin + self._rows.width + 1)
        self._reveal()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A press puts the cursor; with shift it selects as far as there."""
        if event.button == 1 and self._rows:
            self._go(event.y + self.scroll_offset.y, extend=event.shift)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Dragging selects."""
        row = max(0, min(event.y + self.scroll_offset.y, len(self._rows) - 1))
        if self.app.mouse_captured is self and event.button == 1 and row != self.cursor:
            self._go(row, extend=True)

    def on_mouse_up(self) -> None:
        """The drag is over."""
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """A double click opens."""
        if event.chain == 2 and event.button == 1 and event.y + self.scroll_offset.y < len(self._rows):
            self.post_message(self.LineOpened(self))

    def render_line(self, y: int) -> Strip:
        """Render one row of the view: old number, new number, sign, text."""
        if not self._rows:
            return self.empty_line(y)
        scroll_x, scroll_y = self.scroll_offset
        row, width = y + scroll_y, self.view_size.width
        if row >= len(self._rows):
            return Strip.blank(width, self.base)
        key = (row, scroll_x, width, self._state(row), self._coloured(row))
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._paint(row, scroll_x, width)
        return strip

    def action_move(self, rows: int, extend: bool = False) -> None:
        """Move the cursor by `rows`; `extend` selects on the way."""
        self._go(self.cursor + rows, extend=extend)

    def action_move_page(self, pages: int, extend: bool = False) -> None:
        """Move the cursor by `pages` of the view."""
        self._go(self.cursor + pages * max(1, self.view_size.height - 1), extend=extend)

    def action_first(self, extend: bool = False) -> None:
        """Go to the first row."""
        self._go(0, extend=extend)

    def action_last(self, extend: bool = False) -> None:
        """Go to the last row."""
        self._go(len(self._rows) - 1, extend=extend)

    def action_clear_selection(self) -> None:
        """Select nothing."""
        self.selected_from = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Escape is somebody else's while nothing is selected."""
        return self.selected_from is not None if action == "clear_selection" else True

    @property
    def _margin(self) -> int:
        """Cells that do not scroll sideways."""
        if self._rows.shape.wrap:
            return 0
        return self.view_size.width - min(self._rows.rooms(self.view_size.width))

    def _go(self, row: int, *, extend: bool = False) -> None:
        if not extend:
            self.selected_from = None
        elif self.selected_from is None:
            self.selected_from = self.cursor
        self.cursor = max(0, min(row, len(self._rows) - 1))

    def _reveal(self) -> None:
        if self.is_running and self.view_size.height and self._rows:
            region = Region(self.scroll_offset.x, self.cursor, 1, 1)
            self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def _state(self, row: int) -> str:
        return "selected" if row in self._selected_rows else "cursor" if row == self.cursor else ""

    def _paint(self, row: int, scroll_x: int, width: int) -> Strip:
        at, state = self._rows.at(row), self._state(row)
        if at.note:
            return self._note(at.note, width, state)
        if not at.lines:
            return self._heading(at.hunk, width, state)
        rooms = self._rows.rooms(width)
        if not self._rows.shape.split:
            line = at.lines[0]
            numbers = " ".join(map(_number, (line.old, line.new), self._rows.digits))
            return self._side(_Side(line, numbers, rooms[0], at.piece), scroll_x, state)
        old, new = (
            _Side(line, _number(line and getattr(line, name), digits), room, at.piece)
            for line, name, digits, room in zip(
                (at.line, at.beside), ("old", "new"), self._rows.digits, rooms, strict=True
            )
        )
        between = Strip([Segment("│", self.base + self.part("diff-view--number"))], 1)
        return Strip.join(
            [
                self._side(old, scroll_x, state),
                between,
                self._side(new, scroll_x, state),
            ]
        )

    def _side(self, side: _Side, scroll_x: int, state: str) -> Strip:
        """Render numbers, sign and text of one line; blank where the other side's line has no counterpart."""
        line = side.line
        kind = {"+": "added", "-": "deleted"}.get(line.sign) if line else None
        base = self.base + (self.part(f"diff-view--{kind}") if kind else Style())
        if state:
            base += self.part(f"diff-view--{state}")
        numbers = side.numbers if not side.piece else " " * len(side.numbers)
        sign = line.sign if line and not side.piece else " "
        gutter = Strip(
            [
                Segment(f"{_MARKS[state]}{numbers} ", base + self.part("diff-view--number")),
                Segment(f"{sign} ", base + self.part("diff-view--sign")),
            ]
        )
        if line is None:
            return gutter.extend_cell_length(gutter.cell_length + side.room, base)
        return Strip.join([gutter, self._text(line, side, scroll_x, base)])

    def _text(self, line: DiffLine, side: _Side, scroll_x: int, base: Style) -> Strip:
        shown = DisplayLine(line.text)
        start, room = scroll_x, side.room
        if self._rows.shape.wrap:
            breaks = shown.breaks(room)
            if side.piece >= len(breaks):
                return Strip.blank(room, base)
            ends = [*breaks, len(line.text)]
            start, end = (shown.cell(ends[side.piece + at]) for at in (0, 1))
            room = end - start
        strip = paint(shown, self._layers(line), window=(start, room), base=base)
        return strip.crop_extend(0, side.room, base)

    def _coloured(self, row: int) -> int:
        """How many of the lines of a row have their colours."""
        lines = self._rows.at(row).lines
        return sum(line.new in self._new if line.new else line.old in self._old for line in lines)

    def _layers(self, line: DiffLine) -> list[Layer]:
        spans = self._new.get(line.new, ()) if line.new else self._old.get(line.old or 0, ())
        layers = self.styled(spans, (0, len(line.text)))
        if line.sign != " ":
            words = self.part(f"diff-view--{'added' if line.new else 'deleted'}-words")
            layers += [Layer(start, end, words) for start, end in line.spans]
        return layers

    def _note(self, note: str, width: int, state: str) -> Strip:
        said = f"{_MARKS[state]} ┃ {visible(note)}"
        return Strip([Segment(fit(said, width), self.base + self.part("diff-view--note"))], width)

    def _heading(self, number: int, width: int, state: str) -> Strip:
        hunk, mark = self._rows.hunks[number], self._rows.mark(number)
        said = (
            f"{_MARKS[state]}@@ {number + 1} of {len(self._rows.hunks)}"
            f"  -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count}"
            f"{f'  ● {mark}' if mark else ''}  {visible(self._rows.heading(number))}"
        )
        style = self.base + self.part("diff-view--heading")
        return Strip([Segment(fit(said, width), style)], width)


class _Side(Struct, frozen=True):
    """Side of a row: its line, if any, the width of its text in cells, and the piece of the line."""

    line: DiffLine | None
    numbers: str
    room: int
    piece: int


def _number(number: int | None, digits: int) -> str:
    return f"{number or '':>{digits}}"
