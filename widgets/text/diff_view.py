"""The hunks of one file, with the number each line has on either side in a column of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from services.model import DiffLine, Hunk, Span
from widgets.format.display import fit
from widgets.format.line_painter import Layer, paint
from widgets.text.diff_rows import DiffRow, DiffRows
from widgets.text.line_view import LineView

Spans = Mapping[int, Sequence[Span]]
"""Coloured stretches by line number."""


class DiffView(LineView):
    """A diff to step through. A deleted line has a number in the old column alone, an added one in the new."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="diff.up"),
        Binding("down", "move(1)", "Down", show=False, id="diff.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="diff.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="diff.page-down"),
        Binding("home", "first", "First line", show=False, id="diff.first"),
        Binding("end", "last", "Last line", show=False, id="diff.last"),
        Binding("left", "sideways(-8)", "Left", show=False, id="diff.left"),
        Binding("right", "sideways(8)", "Right", show=False, id="diff.right"),
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
    }
    DEFAULT_CSS = """
    DiffView > .diff-view--heading { color: $text-accent; text-style: bold; background: $panel; }
    DiffView > .diff-view--number { color: $text-muted; }
    DiffView > .diff-view--added { background: $success 14%; }
    DiffView > .diff-view--deleted { background: $error 14%; }
    DiffView > .diff-view--added-words { background: $success 36%; text-style: bold underline; }
    DiffView > .diff-view--deleted-words { background: $error 36%; text-style: bold underline; }
    DiffView > .diff-view--sign { text-style: bold; }
    DiffView > .diff-view--cursor { background: $block-hover-background; }
    DiffView:ansi > .diff-view--added { background: transparent; color: ansi_green; }
    DiffView:ansi > .diff-view--deleted { background: transparent; color: ansi_red; }
    DiffView:ansi > .diff-view--added-words { background: transparent; text-style: bold reverse; }
    DiffView:ansi > .diff-view--deleted-words { background: transparent; text-style: bold reverse; }
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    """The row under the cursor."""

    class Highlighted(Message):
        """The cursor is on another row."""

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

    class Opened(Highlighted):
        """A line was double-clicked."""

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(empty=empty, id=id)
        self._rows = DiffRows()
        self._old: dict[int, Sequence[Span]] = {}
        self._new: dict[int, Sequence[Span]] = {}

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
    def line(self) -> DiffLine | None:
        """The line under the cursor, or the first that changed of the hunk whose heading is."""
        if self.hunk is None:
            return None
        return self._rows.at(self.cursor).line or next(line for line in self.hunk.lines if line.sign != " ")

    @property
    def new_line(self) -> int:
        """The line of the new side that the cursor is on, or, on one that was deleted, that now stands there."""
        if self.hunk is None:
            return 1
        return self._rows.new_line(self.cursor) or self.hunk.new_range[1]

    def set_rows(self, rows: DiffRows, *, line: int | None = None) -> None:
        """Show `rows`, the cursor on the first change, or on the row at `line` of the new side."""
        self._rows, self._old, self._new = rows, {}, {}
        self.set_reactive(DiffView.cursor, 0)
        self.set_lines(rows, margin=self._gutter, width=rows.width)
        self._go(rows.row_of(line) if line is not None else rows.first_change(0))

    @property
    def rows_in_view(self) -> Sequence[DiffRow]:
        """What can be seen, and a page on either side."""
        top, height = self.scroll_offset.y, max(1, self.view_size.height)
        rows = range(max(0, top - height), min(len(self._rows), top + 2 * height))
        return [self._rows.at(row) for row in rows]

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
        """Repaint the two rows and keep the cursor in view."""
        for row in (old, new):
            self.refresh_line(row)
        self._reveal()
        self.post_message(self.Highlighted(self))

    def on_resize(self) -> None:
        """The cursor stays in view."""
        self._reveal()

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor, a double click opens."""
        row = event.y + self.scroll_offset.y
        if row < len(self._rows):
            self.cursor = row
            if event.chain == 2:
                self.post_message(self.Opened(self))

    def render_line(self, y: int) -> Strip:
        """One row of the view: old number, new number, sign, text."""
        if not self._rows:
            return self.empty_line(y)
        scroll_x, scroll_y = self.scroll_offset
        row, width = y + scroll_y, self.view_size.width
        if row >= len(self._rows):
            return Strip.blank(width, self.base)
        key = (row, scroll_x, width, row == self.cursor, self._is_coloured(row))
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._paint(row, scroll_x, width)
        return strip

    def action_move(self, rows: int) -> None:
        """Move the cursor by `rows`."""
        self._go(self.cursor + rows)

    def action_move_page(self, pages: int) -> None:
        """Move the cursor by `pages` of the view."""
        self._go(self.cursor + pages * max(1, self.view_size.height - 1))

    def action_first(self) -> None:
        """Go to the first row."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the last row."""
        self._go(len(self._rows) - 1)

    def action_sideways(self, cells: int) -> None:
        """Scroll sideways."""
        self.scroll_relative(x=cells, animate=False, immediate=True)

    @property
    def _gutter(self) -> int:
        return sum(self._rows.digits) + 5

    def _go(self, row: int) -> None:
        self.cursor = max(0, min(row, len(self._rows) - 1))

    def _reveal(self) -> None:
        if self.is_running and self.view_size.height and self._rows:
            region = Region(self.scroll_offset.x, self.cursor, 1, 1)
            self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def _paint(self, row: int, scroll_x: int, width: int) -> Strip:
        at = self._rows.at(row)
        if at.line is None:
            return self._heading(at.hunk, width, on_cursor=row == self.cursor)
        line = at.line
        kind = {"+": "added", "-": "deleted"}.get(line.sign)
        base = self.base + (self.part(f"diff-view--{kind}") if kind else Style())
        if row == self.cursor:
            base += self.part("diff-view--cursor")
        old, new = (
            f"{number or '':>{digits}}"
            for number, digits in zip((line.old, line.new), self._rows.digits, strict=True)
        )
        mark = "▸" if row == self.cursor else " "
        gutter = [
            Segment(f"{mark}{old} {new} ", base + self.part("diff-view--number")),
            Segment(f"{line.sign} ", base + self.part("diff-view--sign")),
        ]
        room = max(0, width - self._gutter)
        strip = paint(self.laid_out(row), self._layers(row, line, kind), window=(scroll_x, room), base=base)
        return Strip([*gutter, *strip]).crop_extend(0, width, base)

    def _is_coloured(self, row: int) -> bool:
        line = self._rows.at(row).line
        return line is not None and (line.new in self._new if line.new else line.old in self._old)

    def _layers(self, row: int, line: DiffLine, kind: str | None) -> list[Layer]:
        spans = self._new.get(line.new, ()) if line.new else self._old.get(line.old or 0, ())
        layers = self.styled(spans, (0, len(self._lines[row])))
        if kind:
            words = self.part(f"diff-view--{kind}-words")
            layers += [Layer(start, end, words) for start, end in line.spans]
        return layers

    def _heading(self, number: int, width: int, *, on_cursor: bool) -> Strip:
        hunk = self._rows.hunks[number]
        said = (
            f"{'▸' if on_cursor else ' '}@@ {number + 1} of {len(self._rows.hunks)}"
            f"  -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count}  {hunk.heading}"
        )
        style = self.base + self.part("diff-view--heading")
        return Strip([Segment(fit(said, width), style)], width)
