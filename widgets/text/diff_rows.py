"""Rows of a diff: the heading of each hunk and its lines. Computed on demand from the hunks: a diff of many
thousand lines is ready as soon as its hunks are. Side by side, or wrapped, they are laid out once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import overload

from msgspec import Struct

from services.model import DiffLine, Hunk
from widgets.format.display_line import DisplayLine
from widgets.text.line_view import widest

GUTTER, SIDE_GUTTER = 5, 4
"""Cells before the text beside the digits: mark, blanks, sign; of one side of two."""


class DiffRow(Struct, frozen=True, gc=False):
    """Row of a diff: a line of hunk `hunk` (counted from 0), or, without any line, its heading. `beside`: the new
    side's line, in the split layout; `piece`: the piece of a wrapped line, from 0 on; `note`: a note on the line
    `about` of the new side, under it."""

    hunk: int
    line: DiffLine | None = None
    beside: DiffLine | None = None
    piece: int = 0
    note: str = ""
    about: int | None = None

    @property
    def lines(self) -> tuple[DiffLine, ...]:
        """Return the lines in the row, the old side first."""
        return tuple(line for line in (self.line, self.beside) if line is not None)

    @property
    def old(self) -> int | None:
        """The number on the old side."""
        return self.line.old if self.line else None

    @property
    def new(self) -> int | None:
        """The number on the new side."""
        shown = self.beside or self.line
        return shown.new if shown else self.about

    @property
    def is_change(self) -> bool:
        """Whether a line was added or deleted here."""
        return any(line.sign != " " for line in self.lines)


class DiffShape(Struct, frozen=True):
    """Layout of a diff. `split`: the sides side by side; `wrap`: long lines continue in the next row, at `width`
    cells in all; `marks`: a label for each hunk's heading; `headings`: the members that each changes; `notes`: notes on
    lines of the new side, by their numbers."""

    split: bool = False
    wrap: bool = False
    width: int = 80
    marks: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    notes: Mapping[int, tuple[str, ...]] = {}


class DiffRows(Sequence[str]):
    """The text of each row, empty for a heading; `at` is the row itself. To be made in a thread: it looks at every line
    once, for the width."""

    def __init__(self, hunks: Sequence[Hunk] = (), shape: DiffShape | None = None) -> None:
        self.hunks = hunks
        self.shape = shape or DiffShape()
        ends = [(hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count) for hunk in hunks]
        self.digits = tuple(len(str(max(side))) for side in zip(*ends, strict=True)) if ends else (1, 1)
        """Of the highest number on either side."""
        self._laid: list[list[DiffRow]] | None = None
        if self.shape.split or self.shape.wrap or self.shape.notes:
            rooms = self.rooms(self.shape.width) if self.shape.wrap else None
            self._laid = [list(_laid_out(at, hunk, self.shape, rooms)) for at, hunk in enumerate(hunks)]
        counts = (len(hunk.lines) + 1 for hunk in hunks) if self._laid is None else map(len, self._laid)
        self._starts = [0, *accumulate(counts)]
        self.width = 0 if self.shape.wrap else widest([line.text for hunk in hunks for line in hunk.lines])
        """Cells of the longest line; 0 where none goes beyond its place."""

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[str]: ...
    def __getitem__(self, row: int | slice) -> str | Sequence[str]:
        """The text of a row (from 0), or of several."""
        if isinstance(row, slice):
            return [self[at] for at in range(*row.indices(len(self)))]
        at = self.at(row)
        return at.line.text if at.line else at.note

    def at(self, row: int) -> DiffRow:
        """A row, counted from 0. Raises IndexError."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        number = bisect_right(self._starts, row) - 1
        at = row - self._starts[number]
        if self._laid is not None:
            return self._laid[number][at]
        return DiffRow(number, self.hunks[number].lines[at - 1] if at else None)

    def rooms(self, width: int) -> tuple[int, int]:
        """The cells that the text of a line has on either side of a view of `width`; of the one column there is, twice,
        where the sides are not apart."""
        if not self.shape.split:
            room = max(1, width - sum(self.digits) - GUTTER)
            return room, room
        half = (width - 1) // 2
        return max(1, half - self.digits[0] - SIDE_GUTTER), max(
            1, width - 1 - half - self.digits[1] - SIDE_GUTTER
        )

    def find(self, row: DiffRow) -> int:
        """Return the row with the lines of a row of another layout; their heading where they are hidden."""
        rows = self._rows_of(row.hunk)
        return next(
            (at for at, each in rows if any(line is one for line in each.lines for one in row.lines)),
            self._starts[row.hunk],
        )

    def start(self, hunk: int) -> int:
        """The row of a hunk's heading."""
        return self._starts[hunk]

    def mark(self, hunk: int) -> str:
        """Return the label of a hunk's heading."""
        marks = self.shape.marks
        return marks[hunk] if hunk < len(marks) else ""

    def heading(self, hunk: int) -> str:
        """Return the members that a hunk changes, or else what the diff itself says."""
        headings = self.shape.headings
        return (headings[hunk] if hunk < len(headings) else "") or self.hunks[hunk].heading

    def first_change(self, hunk: int) -> int:
        """The row of the first line of a hunk that changed; 0 where there is no hunk."""
        if not self.hunks:
            return 0
        return next((at for at, row in self._rows_of(hunk) if row.is_change), self._starts[hunk])

    def new_line(self, row: int) -> int | None:
        """The line of the new side at a row, or at the next one that has some."""
        number = bisect_right(self._starts, row) - 1
        rows = (each for hunk in range(number, len(self.hunks)) for each in self._rows_of(hunk, start=row))
        return next((each.new for _, each in rows if each.new is not None), None)

    def row_of(self, line: int) -> int:
        """The row of a line of the new side, or of the one before that is shown; of the first where there is none, 0
        where nothing has a new side."""
        found: int | None = None
        for number in range(self._hunk_before(line), len(self.hunks)):
            for at, row in self._rows_of(number):
                if row.new is None or row.piece:
                    continue
                if row.new > line:
                    return at if found is None else found
                found = at
        return found or 0

    def _rows_of(self, hunk: int, *, start: int = 0) -> Iterator[tuple[int, DiffRow]]:
        """The rows of a hunk from `start` on, each with its number."""
        first = self._starts[hunk]
        return ((at, self.at(at)) for at in range(max(first, start), self._starts[hunk + 1]))

    def _hunk_before(self, line: int) -> int:
        """The last hunk that begins at a line of the new side or before it, and has one."""
        at = bisect_right(self.hunks, line, key=lambda hunk: hunk.new_start) - 1
        while at > 0 and not self.hunks[at].new_count:
            at -= 1
        return max(0, at)


def part_of(hunk: Hunk, lines: Collection[DiffLine]) -> Hunk | None:
    """Return the part of a hunk whose lines are among `lines`, as a hunk; None where there are none."""
    wanted = set(map(id, lines))
    at = [number for number, line in enumerate(hunk.lines) if id(line) in wanted]
    if not at:
        return None
    part, before = [hunk.lines[number] for number in at], hunk.lines[: at[0]]
    old = _range_of(
        [line.old for line in part], [line.old for line in before], (hunk.old_start, hunk.old_count)
    )
    new = _range_of(
        [line.new for line in part], [line.new for line in before], (hunk.new_start, hunk.new_count)
    )
    return Hunk(
        old_start=old[0], old_count=old[1], new_start=new[0], new_count=new[1], lines=tuple(part),
        heading=hunk.heading,
    )  # fmt: skip


def _range_of(
    part: Sequence[int | None], before: Sequence[int | None], whole: tuple[int, int]
) -> tuple[int, int]:
    """First line and count of a part of one side; the line before, and 0, where none of its lines is of that side."""
    there = [number for number in part if number is not None]
    if there:
        return there[0], len(there)
    start, count = whole
    return next(
        (number for number in reversed(before) if number is not None), start - 1 if count else start
    ), 0


def _laid_out(number: int, hunk: Hunk, shape: DiffShape, rooms: tuple[int, int] | None) -> Iterator[DiffRow]:
    """Yield the heading and the lines of a hunk, each as many rows as it takes in the widths `rooms`, one without
    them."""
    yield DiffRow(number)
    pairs = _beside(hunk.lines) if shape.split else ((line, None) for line in hunk.lines)
    for pair in pairs:
        rows = max(map(_pieces, pair, rooms)) if rooms else 1
        for piece in range(rows):
            yield DiffRow(number, *pair, piece)
        for about in {line.new for line in pair if line and line.new is not None}:
            for note in shape.notes.get(about, ()):
                yield DiffRow(number, piece=1, note=note, about=about)


def _pieces(line: DiffLine | None, room: int) -> int:
    return len(DisplayLine(line.text).breaks(room)) if line is not None else 1


def _beside(lines: Sequence[DiffLine]) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    """Pair the old and the new side; deleted lines are paired with those added in their place."""
    deleted: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines:
        if line.sign == "-" and not added:
            deleted.append(line)
        elif line.sign == "+":
            added.append(line)
        else:
            yield from zip_longest(deleted, added)
            deleted, added = ([line], []) if line.sign == "-" else ([], [])
            if line.sign == " ":
                yield line, line
    yield from zip_longest(deleted, added)
