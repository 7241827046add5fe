"""Layout of one line of text in cells: tabs expanded, wide characters two cells, unsafe ones as symbols."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len

from widgets.format.display import TAB_SIZE, is_plain, visible

_RUN = re.compile(r"(?P<plain>[ -~]+)|[\s\S]")


class DisplayLine:
    """A line and where its columns are on the screen. Columns count characters of the text, cells those of
    the screen.

    A line of printable ASCII costs nothing to lay out; any other one array of its length, once.
    """

    __slots__ = ("_cells", "text", "width")

    def __init__(self, text: str) -> None:
        self.text = text
        self._cells: array[int] | None = None if is_plain(text) else _lay_out(text)
        self.width: int = len(text) if self._cells is None else self._cells[-1]

    def cell(self, column: int) -> int:
        """The cell where `column` starts; past the end of the text, the cell behind it."""
        column = min(column, len(self.text))
        return column if self._cells is None else self._cells[column]

    def columns(self, cell: int, width: int) -> tuple[int, int]:
        """Columns (end exclusive) of which at least a part is within `width` cells from `cell` on."""
        if self._cells is None:
            return min(cell, self.width), min(cell + width, self.width)
        first = max(0, min(bisect_right(self._cells, cell) - 1, len(self.text)))
        return first, min(bisect_left(self._cells, cell + width), len(self.text))

    def breaks(self, width: int) -> Sequence[int]:
        """Return the columns at which rows begin when the line wraps at `width` cells: no character is cut."""
        if self._cells is None:
            return range(0, max(1, self.width), max(1, width))
        starts = [0]
        while self.width - self._cells[starts[-1]] > width:
            fits = bisect_right(self._cells, self._cells[starts[-1]] + width) - 1
            starts.append(max(fits, starts[-1] + 1))
        return starts

    def word_breaks(self, width: int, *, hang: int = 0) -> Sequence[int]:
        """Return the columns at which the line begins and is wrapped where it has `width` cells in the first row and
        `hang` fewer in the others: after blanks where they are not too far in front, else after a punctuation mark,
        anywhere only in a word that begins the row."""
        starts, room = [0], max(1, width)
        while self.width - self.cell(starts[-1]) > room:
            begin = starts[-1]
            fits = self._fitting(self.cell(begin) + room, begin)
            ends = [self.text.rfind(sign, begin, fits + (sign == " ")) + 1 for sign in " ,.(<"]
            near = next((end for end in ends if end - begin > room // 2), max(ends))
            starts.append(near if self.text[begin:near].strip() else fits)
            room = max(1, width - hang)
        return starts

    def _fitting(self, cell: int, begin: int) -> int:
        """The last column that begins at `cell` or before it, at least one behind `begin`."""
        fits = cell if self._cells is None else bisect_right(self._cells, cell) - 1
        return max(fits, begin + 1)

    def shown(self, start: int, end: int) -> str:
        """Columns `start` to `end` as they are painted."""
        text = self.text[start:end]
        if self._cells is None:
            return text
        if "\t" not in text:
            return visible(text)
        cells = self._cells
        return "".join(
            " " * (cells[column + 1] - cells[column]) if character == "\t" else visible(character)
            for column, character in enumerate(text, start)
        )


def _lay_out(text: str) -> array[int]:
    cells, at = array("I", [0]), 0
    for match in _RUN.finditer(text):
        start, end = match.span()
        if match.lastgroup == "plain":
            cells.extend(range(at + 1, at + end - start + 1))
            at += end - start
        else:
            character = match.group()
            at += TAB_SIZE - at % TAB_SIZE if character == "\t" else _width(character)
            cells.append(at)
    return cells


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    return cell_len(visible(character))
