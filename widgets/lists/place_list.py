"""Places in files as rows: grep results and usages, under the files they are in, what matched lit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from widgets.format.display import clip, fit
from widgets.format.display_line import DisplayLine
from widgets.format.line_painter import Layer, paint
from widgets.format.shorten import grouped
from widgets.lists.row_view import RowView

_IN_WORD, _NO_WORD = re.compile(r"\w\w"), re.compile(r"\W")
_LEAST_TEXT = 24
"""Cells of the line that are shown before a note has any."""


class PlaceRow(Struct, frozen=True):
    """A row. A file's has no `line` and `count` of places under it; a place's has the line's `text`, the `spans` of it
    (columns, end exclusive) that matched, a `sign` before and a `note` behind. `dim`: a line that only lies around."""

    file: str
    line: int | None = None
    text: str = ""
    count: int = 0
    spans: tuple[tuple[int, int], ...] = ()
    sign: str = ""
    note: str = ""
    dim: bool = False


class PlaceList(RowView):
    """Places to go to. `digits`: cells of the widest line number."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "place-list--file",
        "place-list--number",
        "place-list--hit",
        "place-list--sign",
        "place-list--text",
    }
    DEFAULT_CSS = """
    PlaceList > .place-list--file { color: $text-primary; text-style: bold; }
    PlaceList > .place-list--text { color: $foreground; }
    PlaceList > .place-list--number { color: $text-muted; }
    PlaceList > .place-list--hit { color: $text-warning; text-style: bold underline; }
    PlaceList > .place-list--sign { color: $text-accent; text-style: bold; }
    """

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: Sequence[PlaceRow] = ()
        self._digits = 1
        self.set_reactive(PlaceList.empty, empty)

    @property
    def rows(self) -> Sequence[PlaceRow]:
        """Return the shown rows."""
        return self._rows

    @property
    def current(self) -> PlaceRow | None:
        """The row under the cursor."""
        return None if self.cursor is None else self._rows[self.cursor]

    @property
    def chosen(self) -> list[PlaceRow]:
        """The marked rows, or the one under the cursor."""
        if self.marked:
            return [self._rows[row] for row in sorted(self.marked)]
        return [self.current] if self.current else []

    def set_rows(self, rows: Sequence[PlaceRow], *, cursor: int = 0) -> None:
        """Show `rows`, the cursor on one of them."""
        self._rows = rows
        self._digits = max((len(str(row.line)) for row in rows if row.line), default=1)
        self.set_row_count(len(rows), cursor=cursor)

    def add_rows(self, rows: Sequence[PlaceRow]) -> None:
        """Show more rows behind those that are shown; cursor, marks and scroll stay."""
        if not self._rows:
            self.set_rows(rows)
            return
        self._rows = [*self._rows, *rows]
        self._digits = max(self._digits, max((len(str(row.line)) for row in rows if row.line), default=1))
        self.row_count = len(self._rows)
        self.virtual_size = self.virtual_size.with_height(self.row_count)
        self.refresh()

    def step(self, places: int) -> PlaceRow | None:
        """Go to the next place (-1: the one before), round the end; files and lines around are passed over."""
        hits = [at for at, row in enumerate(self._rows) if row.line is not None and not row.dim]
        if not hits:
            return None
        at = -1 if self.cursor is None else self.cursor
        ahead = [hit for hit in hits if (hit - at) * places > 0]
        self.cursor = (ahead or hits)[0 if places > 0 else -1]
        return self.current

    def paint_row(self, index: int, width: int) -> list[Segment]:
        """`src/A.cs  3`, or `  12 text of the line   note`."""
        row = self._rows[index]
        if row.line is None:
            return self._paint_file(row, width)
        number = Segment(f"{row.line:>{self._digits}} ", self.part("place-list--number"))
        sign = Segment(f"{row.sign} " if row.sign else "", self.part("place-list--sign"))
        room = max(0, width - self._digits - 1 - cell_len(sign.text))
        note = (
            fit(f"  {row.note}", min(cell_len(row.note) + 2, room - _LEAST_TEXT)).rstrip() if row.note else ""
        )
        lead = len(row.text) - len(row.text.lstrip())
        return [
            number,
            sign,
            *self._text(row, lead, room - cell_len(note)),
            Segment(note, self.part("row-view--dim")),
        ]

    def _paint_file(self, row: PlaceRow, width: int) -> list[Segment]:
        count = f"  {grouped(row.count)} "
        folder, _, name = row.file.rpartition("/")
        room = max(0, width - len(count))
        shown = clip(name, room)
        rest = fit(f"  {folder}", max(0, room - cell_len(shown)))
        return [
            Segment(shown, self.part("place-list--file")),
            Segment(rest, self.part("row-view--dim")),
            Segment(count, self.part("row-view--dim")),
        ]

    def _text(self, row: PlaceRow, lead: int, room: int) -> list[Segment]:
        """The line without its indentation, scrolled so far that what matched first is in view."""
        base, hit = (
            self.part("row-view--dim" if row.dim else "place-list--text"),
            self.part("place-list--hit"),
        )
        line = DisplayLine(row.text)
        first = line.cell(lead)
        cut: list[Segment] = []
        if row.spans and line.cell(row.spans[0][1]) > first + room:
            aim, _ = line.columns(max(first, line.cell(row.spans[0][0]) - room // 3), 1)
            first, room = line.cell(_word_start(row.text, aim, row.spans[0][0])), room - 1
            cut = [Segment("…", self.part("row-view--dim"))]
        layers = [Layer(start, end, hit) for start, end in row.spans]
        return [*cut, *paint(line, layers, window=(first, max(0, room)), base=base)]


def _word_start(text: str, column: int, most: int) -> int:
    """The first column from `column` on, and at most `most`, that is within no word and no blank."""
    if column and _IN_WORD.match(text, column - 1):
        found = _NO_WORD.search(text, column)
        column = found.start() if found else most
    while column < most and text[column].isspace():
        column += 1
    return min(column, most)
