"""The rows of a diff: the heading of each hunk and its lines. Made of the hunks as they are asked for: a diff of many
thousand lines is there as soon as its hunks are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, islice
from typing import overload

from msgspec import Struct

from services.model import DiffLine, Hunk
from widgets.text.line_view import widest


class DiffRow(Struct, frozen=True, gc=False):
    """A row: a line of hunk `hunk` (counted from 0), or, without one, its heading."""

    hunk: int
    line: DiffLine | None = None


class DiffRows(Sequence[str]):
    """The text of each row, empty for a heading; `at` is the row itself. To be made in a thread: it looks at every line
    once, for the width."""

    def __init__(self, hunks: Sequence[Hunk] = ()) -> None:
        self.hunks = hunks
        self._starts = [0, *accumulate(len(hunk.lines) + 1 for hunk in hunks)]
        self.width = widest([line.text for hunk in hunks for line in hunk.lines])
        """Cells of the longest."""
        ends = [(hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count) for hunk in hunks]
        self.digits = tuple(len(str(max(side))) for side in zip(*ends, strict=True)) if ends else (1, 1)
        """Of the highest number on either side."""

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
        line = self.at(row).line
        return line.text if line else ""

    def at(self, row: int) -> DiffRow:
        """A row, counted from 0. Raises IndexError."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        number = bisect_right(self._starts, row) - 1
        at = row - self._starts[number]
        return DiffRow(number, self.hunks[number].lines[at - 1] if at else None)

    def start(self, hunk: int) -> int:
        """The row of a hunk's heading."""
        return self._starts[hunk]

    def first_change(self, hunk: int) -> int:
        """The row of the first line of a hunk that changed; 0 where there is no hunk."""
        if not self.hunks:
            return 0
        start = self._starts[hunk]
        changed = (at for at, line in enumerate(self.hunks[hunk].lines, start + 1) if line.sign != " ")
        return next(changed, start)

    def new_line(self, row: int) -> int | None:
        """The line of the new side at a row, or at the next one that has some."""
        number = bisect_right(self._starts, row) - 1
        here = islice(self.hunks[number].lines, max(0, row - self._starts[number] - 1), None)
        after = (line for hunk in islice(self.hunks, number + 1, None) for line in hunk.lines)
        return next((line.new for line in chain(here, after) if line.new is not None), None)

    def row_of(self, line: int) -> int:
        """The row of a line of the new side, or of the one before that is shown; of the first where there is none, 0
        where nothing has a new side."""
        found: int | None = None
        for number in range(self._hunk_before(line), len(self.hunks)):
            for at, each in enumerate(self.hunks[number].lines, self._starts[number] + 1):
                if each.new is None:
                    continue
                if each.new > line:
                    return at if found is None else found
                found = at
        return found or 0

    def _hunk_before(self, line: int) -> int:
        """The last hunk that begins at a line of the new side or before it, and has one."""
        at = bisect_right(self.hunks, line, key=lambda hunk: hunk.new_start) - 1
        while at > 0 and not self.hunks[at].new_count:
            at -= 1
        return max(0, at)
