"""One line of text in cells: tabs expanded, wide characters two cells, and coloured spans, for the stretch of it that
is in view."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from services.model import Span
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


class Layer(Struct, frozen=True):
    """A style over columns `start` to `end` (exclusive) of a line. Later layers lie over earlier ones."""

    start: int
    end: int
    style: Style


_START, _END = attrgetter("start"), attrgetter("end")


def within(spans: Sequence[Span], window: tuple[int, int]) -> Sequence[Span]:
    """Return the spans, sorted and disjoint, that overlap columns `window` (end exclusive)."""
    first = bisect_right(spans, window[0], key=_END)
    return spans[first : bisect_left(spans, window[1], lo=first, key=_START)]


def paint(line: DisplayLine, layers: Sequence[Layer], *, window: tuple[int, int], base: Style) -> Strip:
    """The strip of `line` in `window` (first cell, width), exactly that wide, over `base`."""
    cell, width = window
    start, end = line.columns(cell, width)
    segments = [Segment(line.shown(a, b), base + style) for a, b, style in _runs(layers, start, end)]
    strip = Strip(segments)
    lead = cell - line.cell(start)
    return strip.crop_extend(lead, lead + width, base) if start < end else Strip.blank(width, base)


def _runs(layers: Sequence[Layer], start: int, end: int) -> Iterator[tuple[int, int, Style]]:
    """Stretches of one style each that cover `start` to `end` without a gap."""
    cuts = {start, end}
    live = [layer for layer in layers if layer.start < end and layer.end > start]
    for layer in live:
        cuts.update((max(start, layer.start), min(end, layer.end)))
    edges = sorted(cuts)
    for a, b in pairwise(edges):
        yield a, b, sum((layer.style for layer in live if layer.start <= a and layer.end >= b), Style.null())


class Parts:
    """Styles of a widget's component classes: colours, text style, and nothing it inherits.

    Kept until `clear`, which a widget calls when its styles change: a row is painted from half a dozen of
    them.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[str, Style] = {}
        self._base: Style | None = None

    @property
    def base(self) -> Style:
        """The style of the widget itself."""
        if self._base is None:
            self._base = self._widget.rich_style
        return self._base

    def __getitem__(self, name: str) -> Style:
        """The style of the component class `name`."""
        style = self._styles.get(name)
        if style is None:
            style = self._styles[name] = self._reckon(name)
        return style

    def clear(self) -> None:
        """Forget them: there is a new theme, or the focus moved."""
        self._styles.clear()
        self._base = None

    def _reckon(self, name: str) -> Style:
        """Colours that depend on what is behind them (`$text-muted`, any with an alpha) are reckoned on the
        widget's own background: a partial style has them raw."""
        partial = self._widget.get_component_rich_style(name, partial=True)
        whole = self._widget.get_component_rich_style(name)
        return partial + Style(
            color=whole.color if partial.color else None, bgcolor=whole.bgcolor if partial.bgcolor else None
        )
