"""Lines of text painted as they come into view, and the base of all views that paint one line at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from textwrap import wrap
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from services.model import Span
from widgets.format.display import TAB_SIZE, fit, is_plain, is_safe, visible
from widgets.format.display_line import DisplayLine
from widgets.format.line_painter import Layer, Parts, within
from widgets.textual_private import follow_size


class LineScroll(ScrollView):
    """Base of lists and of views over text. A subclass paints a line (`render_line`); painted strips are cached, so
    that scrolling costs next to nothing."""

    virtual_size = Reactive(Size(0, 0))
    """Cells of all lines. A view has the room that is given to it: its lines lay nothing out anew, as Textual would."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._parts = Parts(self)

    @property
    def base(self) -> Style:
        """The widget's own style, which what is painted lies over."""
        return self._parts.base

    def part(self, name: str) -> Style:
        """The style of a component class, without what it takes from the widget."""
        return self._parts[name]

    def notify_style_update(self) -> None:
        """A new theme, or the focus moved."""
        self._parts.clear()
        super().notify_style_update()

    def watch_virtual_size(self, size: Size) -> None:
        """The scrollbars follow the number of lines, and their length."""
        follow_size(self, size)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in `crop` without what Textual puts round each of them, which takes longer than painting it:
        border, padding and opacity, which there mostly are none of."""
        if self.styles.gutter.totals != (0, 0) or self.opacity < 1:
            return super().render_lines(crop)
        filters, background = self.get_line_filters(), self.background_colors[1]
        width, strips = self.region.width, []
        for y in crop.line_range:
            strip = self.render_line(y)
            for each in filters:
                strip = strip.apply_filter(each, background)
            strip = strip.adjust_cell_length(width)
            strips.append(strip if crop.column_span == (0, width) else strip.crop(*crop.column_span))
        return strips


SYNTAX_STYLES = (
    "keyword",
    "type",
    "method",
    "string",
    "escape",
    "char",
    "number",
    "comment",
    "doc",
    "preprocessor",
    "attribute",
    "operator",
    "punctuation",
    "heading",
    "code",
)
"""The names a `Span.style` may have; each is the component class `syntax--NAME`. Others are painted plain."""

_STYLES = frozenset(SYNTAX_STYLES)
_CACHED_LINES = 1_000


def cursor_keys(view: str) -> list[BindingType]:
    """Keys that move the cursor of a view over lines, and with shift select on the way; their ids begin with `view`."""
    return [
        Binding(key, action, said, show=False, id=f"{view}.{name}")
        for key, action, said, name in (
            ("up", "move(-1)", "Up", "up"),
            ("down", "move(1)", "Down", "down"),
            ("pageup", "move_page(-1)", "Page up", "page-up"),
            ("pagedown", "move_page(1)", "Page down", "page-down"),
            ("home", "first", "First line", "first"),
            ("end", "last", "Last line", "last"),
            ("shift+up", "move(-1, True)", "Select up", "select-up"),
            ("shift+down", "move(1, True)", "Select down", "select-down"),
            ("shift+pageup", "move_page(-1, True)", "Select page up", "select-page-up"),
            ("shift+pagedown", "move_page(1, True)", "Select page down", "select-page-down"),
            ("shift+home", "first(True)", "Select to first", "select-first"),
            ("shift+end", "last(True)", "Select to last", "select-last"),
            ("escape", "clear_selection", "Select nothing", "select-none"),
        )
    ]


class LineView(LineScroll, can_focus=True):
    """Base of the views over lines. Long lines scroll sideways, or, if `wraps` is set, continue in the next row."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-view--dim", *(f"syntax--{name}" for name in SYNTAX_STYLES)}
    DEFAULT_CSS = """
    LineView {
        background: $surface;
        color: $foreground;
        overflow: auto auto;
        scrollbar-size: 1 1;
        scrollbar-background: $surface;
        scrollbar-corner-color: $surface;
    }
    LineView:ansi { scrollbar-corner-color: ansi_default; }
    LineView > .line-view--dim { color: $text-muted; }
    LineView > .syntax--keyword { color: $text-primary; text-style: bold; }
    LineView > .syntax--type { color: $text-accent; }
    LineView > .syntax--method { color: $foreground; text-style: bold; }
    LineView > .syntax--string { color: $text-success; }
    LineView > .syntax--escape { color: $text-success; text-style: bold; }
    LineView > .syntax--char { color: $text-success; }
    LineView > .syntax--number { color: $text-warning; }
    LineView > .syntax--comment { color: $text-muted; text-style: italic; }
    LineView > .syntax--doc { color: $text-muted; text-style: italic; }
    LineView > .syntax--preprocessor { color: $text-secondary; }
    LineView > .syntax--attribute { color: $text-secondary; }
    LineView > .syntax--operator { color: $foreground; }
    LineView > .syntax--punctuation { color: $text-muted; }
    LineView > .syntax--heading { color: $text-primary; text-style: bold; }
    LineView > .syntax--code { color: $text-accent; }
    """

    empty: reactive[str] = reactive("")
    """What is said, centred, while there are no lines."""
    wraps: reactive[bool] = reactive(False, repaint=False)
    """Whether long lines go on in the next row."""

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.set_reactive(LineView.empty, empty)
        self._lines: Sequence[str] = ()
        self._line_margin = self._widest = self._room = 0
        self._row_starts: Sequence[int] | None = None
        """The first row of each line and the row behind the last, where lines are wrapped."""
        self._laid_out: LRUCache[int, DisplayLine] = LRUCache(_CACHED_LINES)
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(_CACHED_LINES)

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    @property
    def view_size(self) -> Size:
        """The cells that show lines: without the scrollbars."""
        return self.scrollable_content_region.size

    def set_lines(self, lines: Sequence[str], *, margin: int = 0, width: int | None = None) -> None:
        """Take new lines, without their endings. `margin`: cells before each of them that do not scroll
        sideways; `width`: cells of the longest, counted here where nobody has."""
        self._lines, self._line_margin = lines, margin
        self._widest = widest(lines) if width is None else width
        self._laid_out.clear()
        self._lay_rows()
        self.jump(0, x=0)
        self.repaint()

    def rewrap(self) -> None:
        """Wrap the lines again for another width; the first visible line stays."""
        if self.wraps == (self._row_starts is not None) and (not self.wraps or self._room == self._wrap_room):
            return
        first = self.at_row(self.scroll_offset.y)[0] if self._lines else 0
        self._lay_rows()
        self.repaint()
        self.jump(self.row_of(first), x=0 if self.wraps else None)

    def watch_wraps(self) -> None:
        """Apply the other wrapping mode."""
        self.rewrap()

    def row_of(self, line: int, cell: int = 0) -> int:
        """The row of a line, both counted from 0; that of a cell of it where it takes several."""
        if self._row_starts is None:
            return line
        if not cell:
            return self._row_starts[line]
        breaks = self._breaks(line)
        ahead = sum(self.laid_out(line).cell(column) <= cell for column in breaks) - 1
        return self._row_starts[line] + ahead

    def at_row(self, row: int) -> tuple[int, int]:
        """Return the line of a row, and the piece of it, all counted from 0; the last line behind all rows."""
        last = len(self._lines) - 1
        if self._row_starts is None:
            return min(row, last), 0
        line = min(bisect_right(self._row_starts, row) - 1, last)
        return line, row - self._row_starts[line]

    def rows_of(self, line: int) -> range:
        """The rows that a line takes."""
        if self._row_starts is None:
            return range(line, line + 1)
        return range(self._row_starts[line], self._row_starts[line + 1])

    def piece(self, line: int, number: int) -> tuple[int, int]:
        """First cell and width of a piece of a line."""
        shown = self.laid_out(line)
        ends = [*map(shown.cell, self._breaks(line)), shown.width]
        return ends[number], ends[number + 1] - ends[number]

    def _breaks(self, line: int) -> Sequence[int]:
        """The columns at which the rows of a wrapped line begin."""
        return self.laid_out(line).breaks(self._room)

    def _pieces(self) -> Iterable[int]:
        """How many rows each line takes where lines are wrapped."""
        room = self._room
        return (
            max(1, -(-len(line) // room)) if is_plain(line) else len(DisplayLine(line).breaks(room))
            for line in self._lines
        )

    @property
    def _view_height(self) -> int:
        return max(1, self.view_size.height)

    @property
    def row_count(self) -> int:
        """How many rows all lines take."""
        return len(self._lines) if self._row_starts is None else self._row_starts[-1]

    @property
    def _wrap_room(self) -> int:
        """Cells for the text of a wrapped line: the scrollbar may come and go without other breaks."""
        return max(1, self.size.width - self._line_margin - self.styles.scrollbar_size_vertical)

    def _lay_rows(self) -> None:
        self._row_starts, width = None, self._line_margin + self._widest + 1
        if self.wraps:
            self._room = self._wrap_room
            self._row_starts, width = [0, *accumulate(self._pieces())], 0
        self.virtual_size = Size(width, self.row_count)

    def jump(self, y: int, *, x: int | None = None) -> None:
        """Scroll so that row `y` (and cell `x`) is first, as far as there is something below."""
        if self.is_running:
            self.scroll_to(x, y, animate=False, immediate=True, force=True)

    def action_sideways(self, cells: int) -> None:
        """Scroll sideways."""
        self.scroll_relative(x=cells, animate=False, immediate=True)

    def repaint(self) -> None:
        """Forget painted lines: their colours or marks changed."""
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """A new theme: nothing painted before holds."""
        self._strips.clear()
        super().notify_style_update()

    def laid_out(self, row: int) -> DisplayLine:
        """The line at `row` (from 0) with its cells."""
        line = self._laid_out.get(row)
        if line is None:
            line = self._laid_out[row] = DisplayLine(self._lines[row])
        return line

    def styled(self, spans: Sequence[Span], window: tuple[int, int]) -> list[Layer]:
        """Return the spans within columns `window` (end exclusive), with the styles of their names in the theme."""
        return [
            Layer(span.start, span.end, self._parts[f"syntax--{span.style}"])
            for span in within(spans, window)
            if span.style in _STYLES
        ]

    def empty_line(self, y: int) -> Strip:
        """Render a line of the empty view: the message begins at a third of the height."""
        width, height = self.view_size
        lines = wrap(visible(self.empty), max(1, width - 2))
        row = y - height // 3
        if not 0 <= row < len(lines):
            return Strip.blank(width, self.base)
        said = fit(lines[row].center(width), width)
        return Strip([Segment(said, self.base + self.part("line-view--dim"))], width)


_TAB = " " * TAB_SIZE
_WIDEST_SYMBOL = len("⟨U+10FFFF⟩")


def widest(lines: Sequence[str]) -> int:
    """Cells of the longest line; a line with tabs may count up to `TAB_SIZE - 1` too many for each."""
    text = "\n".join(lines)
    if text.isascii() and "\t" not in text:  # as nearly all files are
        return max(map(len, lines), default=0)
    most = 0
    for line in lines:
        if line.isascii() and "\t" not in line:
            most = max(most, len(line))
            continue
        text = line.replace("\t", _TAB)
        bound = len(text)
        if not text.isascii():
            # no safe character takes more cells than it has bytes in UTF-8
            bound = len(text.encode()) if is_safe(text) else _WIDEST_SYMBOL * bound
            if bound > most:
                bound = DisplayLine(text).width
        most = max(most, bound)
    return most


Spans = Sequence[Sequence[Span]]
"""The coloured stretches of some lines, one entry a line."""


class SourcePage(Struct, frozen=True):
    """Lines of a file, without their endings; `first_line` is the number of the first one.

    `spans` are theirs; they may be fewer than the lines, and may come later (`SourceView.colour`). `width`: the cells
    of the longest line (`line_view.widest`), where they have been counted.
    """

    first_line: int
    lines: Sequence[str]
    spans: Spans = ()
    width: int | None = None
