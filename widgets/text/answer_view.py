"""Streamed Markdown answer of a model: the layout of finished blocks is cached, new text is cheap."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from itertools import accumulate
from typing import ClassVar, NamedTuple

from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from widgets.format.display import visible_lines
from widgets.text.markdown_lines import Block, Painter, Splitter

_PIECE = 1_000
"""Characters that are cut into blocks at once."""
_SLICE = 0.008
"""Seconds of work at a time, between which keys are heard."""
_SHOW_EVERY = 0.15
"""Seconds between two pictures of what is laid out in slices."""


class Replacement(NamedTuple):
    """Range of the source, in characters, and its replacement."""

    start: int
    end: int
    text: str


class AnswerView(Widget):
    """View as high as its text. Added text is on the screen with the next frame; a long text, or another width, is
    laid out in slices between keys, and until then the former lines are shown."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "answer--heading",
        "answer--code",
        "answer--link",
        "answer--quote",
        "answer--mark",
    }
    DEFAULT_CSS = """
    AnswerView { width: 1fr; height: auto; }
    AnswerView > .answer--heading { color: $text-primary; text-style: bold; }
    AnswerView > .answer--code { color: $text-accent; }
    AnswerView > .answer--link { color: $text-secondary; text-style: underline; }
    AnswerView > .answer--quote { color: $text-muted; text-style: italic; }
    AnswerView > .answer--mark { color: $text-primary; }
    """

    virtual_size = Reactive(Size(0, 0))
    """As Textual's, but that nothing round it is laid out once more for it: its height did that already."""

    class LinkClicked(Message):
        """A link was clicked; nothing is opened by itself."""

        def __init__(self, href: str) -> None:
            super().__init__()
            self.href = href

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._splitter = Splitter()
        self._waiting: deque[str] = deque()
        self._blocks: list[Block] = []
        self._lines: list[list[Strip]] = []
        """Of each block, as it is shown, and last those of the open one."""
        self._ends: list[int] = []
        """How many lines there are up to the end of each block."""
        self._tail: list[Strip] = []
        self._stale: deque[int] = deque()
        """Blocks that have to be laid out again."""
        self._fresh: dict[int, list[Strip]] = {}
        self._painter: Painter | None = None
        self._width = 0
        self._height_shown = 0
        self._next_show = 0.0
        self._pump: Timer | None = None
        self.append(text)

    @property
    def source(self) -> str:
        """The Markdown of all that was added, with visible signs for what a terminal would obey."""
        return "".join((*(each.source for each in self._blocks), self._splitter.open.source, *self._waiting))

    @property
    def is_settled(self) -> bool:
        """Whether the layout of all added text is done."""
        return not (self._waiting or self._stale)

    def append(self, text: str) -> None:
        """Add to the end."""
        shown = visible_lines(text.replace("\r\n", "\n"))
        self._waiting.extend(shown[at : at + _PIECE] for at in range(0, len(shown), _PIECE))
        self._work()

    def replace(self, replacements: Iterable[Replacement]) -> None:
        """Put other text in place of stretches of the source, none of which overlap, in their order."""
        while self._waiting:
            self._absorb()
        starts = [0, *accumulate(len(each.source) for each in self._blocks)]
        blocks = [*self._blocks, self._splitter.open]
        changed: dict[int, list[Replacement]] = {}
        for each in replacements:
            number = bisect_right(starts, each.start) - 1
            start = starts[number]
            if each.end - start <= len(blocks[number].source):
                changed.setdefault(number, []).append(each)
        for number, found in changed.items():
            source = blocks[number].source
            for each in reversed(found):
                start = starts[number]
                source = source[: each.start - start] + each.text + source[each.end - start :]
            blocks[number] = blocks[number]._replace(source=source)
        *self._blocks, last = blocks
        self._splitter = Splitter(last)
        self._stale.extend(number for number in changed if number < len(self._blocks))
        self._work(tail=True)

    # What Textual asks

    def on_mount(self) -> None:
        """Format the text that was added before the width was known."""
        self._work()

    def notify_style_update(self) -> None:
        """Repaint everything with the new colours."""
        super().notify_style_update()
        self._painter = None
        self._again()

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's names
        """All there is."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the height in lines. The first call for a width does the layout."""
        if width != self._width:
            self._width = width
            self._again()
        return max(1, self._height)

    def render_line(self, y: int) -> Strip:
        """Render one line, as wide as the view."""
        strip = self._line(y).adjust_cell_length(self.size.width, self.rich_style)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(y)) is not None:
            start, end = span
            end = strip.cell_length if end == -1 else end
            chosen = strip.crop(start, end).apply_style(
                self.screen.get_component_rich_style("screen--selection")
            )
            strip = Strip.join([strip.crop(0, start), chosen, strip.crop(end)])
        return strip.apply_offsets(0, y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text, as shown."""
        rows = (self._line(y).text.rstrip() for y in range(self._height))
        return selection.extract("\n".join(rows)), "\n"

    def action_link(self, href: str) -> None:
        """A link was clicked."""
        self.post_message(self.LinkClicked(href))

    # Private

    @property
    def _height(self) -> int:
        return (self._ends[-1] if self._ends else 0) + len(self._tail)

    def _line(self, y: int) -> Strip:
        number = bisect_right(self._ends, y)
        if number < len(self._ends):
            lines = self._lines[number]
            return lines[y - (self._ends[number] - len(lines))]
        at = y - (self._ends[-1] if self._ends else 0)
        return self._tail[at] if 0 <= at < len(self._tail) else Strip([])

    def _again(self) -> None:
        self._fresh.clear()
        self._stale = deque(range(len(self._blocks)))
        self._work(tail=True)

    def _work(self, *, tail: bool = False) -> None:
        """Work for a slice, and go on later where there is more to do."""
        if not self.is_attached or not self._width:
            return
        began, added = time.monotonic(), bool(self._waiting)
        ends = began + _SLICE
        first = len(self._blocks)
        while self._waiting and time.monotonic() < ends:
            self._absorb()
        while self._stale and time.monotonic() < ends:
            number = self._stale.popleft()
            self._fresh[number] = self._laid(number)
        if self._fresh and not self._stale:
            self._swap()
        if self.is_settled or began >= self._next_show:
            self._next_show = time.monotonic() + _SHOW_EVERY
            self._tail = self._shown(self._splitter.open, is_first=not self._blocks)
            self._show(only_end=added and not tail and first == len(self._blocks))
        if not self.is_settled and self._pump is None:
            self._pump = self.set_timer(0.001, self._go_on)

    def _go_on(self) -> None:
        self._pump = None
        self._work()

    def _show(self, *, only_end: bool) -> None:
        if self._height_shown != self._height:
            self._height_shown = self._height
            self.refresh(layout=True)
        elif only_end:
            top = self._height - len(self._tail)
            self.refresh(Region(0, top, self.outer_size.width, len(self._tail)))
        else:
            self.refresh()

    def _absorb(self) -> None:
        for block in self._splitter.take(self._waiting.popleft()):
            self._blocks.append(block)
            self._lines.append(self._laid(len(self._blocks) - 1))
            self._ends.append((self._ends[-1] if self._ends else 0) + len(self._lines[-1]))

    def _swap(self) -> None:
        """Show the finished layout."""
        for number, lines in self._fresh.items():
            self._lines[number] = lines
        self._fresh.clear()
        self._ends = [*accumulate(map(len, self._lines))]

    def _laid(self, number: int) -> list[Strip]:
        return self._shown(self._blocks[number], is_first=number == 0)

    def _shown(self, block: Block, *, is_first: bool) -> list[Strip]:
        if self._width <= 0 or not block.source.strip():
            return []
        lines = self._paint().lines(block, self._width)
        return lines if is_first or block.joined or not lines else [Strip([]), *lines]

    def _paint(self) -> Painter:
        if self._painter is None:
            heading, code, link, quote, mark = (
                self.get_component_rich_style(f"answer--{name}", partial=True)
                for name in ("heading", "code", "link", "quote", "mark")
            )
            styles = {f"h{level}": heading for level in range(1, 8)}
            styles |= {"code": code, "link": link, "link_url": link, "block_quote": quote, "hr": quote}
            styles |= {
                "item.bullet": mark,
                "item.number": mark,
                "table.border": quote,
                "table.header": heading,
            }
            self._painter = Painter(self.rich_style, styles, is_dark=self.app.current_theme.dark)
        return self._painter
