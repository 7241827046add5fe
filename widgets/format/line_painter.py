"""Coloured spans over a line, as the segments of the stretch of it that is in view.

A widget's own style, and those of its component classes as they are laid over a background of its choosing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from services.model import Span
from widgets.format.display_line import DisplayLine


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
