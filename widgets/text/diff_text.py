"""A unified diff as text: what would be written, coloured, each line still with its sign."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip

from widgets.format.line_painter import Layer, paint
from widgets.text.line_view import LineView

_HEADS = ("--- ", "+++ ")


class DiffText(LineView):
    """Diff of one file or several. Colour only repeats the sign at the head of a line."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "diff-text--added",
        "diff-text--removed",
        "diff-text--place",
        "diff-text--file",
        "diff-text--left-out",
    }
    DEFAULT_CSS = """
    DiffText { padding: 0 1; }
    DiffText > .diff-text--added { color: $text-success; }
    DiffText > .diff-text--removed { color: $text-error; }
    DiffText > .diff-text--place { color: $text-accent; }
    DiffText > .diff-text--file { color: $text-muted; text-style: bold; }
    DiffText > .diff-text--left-out { color: $text-muted; text-style: strike; }
    """

    hunk: reactive[int | None] = reactive(None)
    """The hunk that was stepped to, from 0."""
    left_out: reactive[frozenset[int]] = reactive(frozenset())
    """The hunks that are not taken."""
    _heads: Sequence[int] = ()
    """The rows at which hunks begin."""

    def set_diff(self, text: str) -> None:
        """Show a diff; the view stays where it was as far as there are lines."""
        y = self.scroll_offset.y
        lines = [line.removesuffix("\r") for line in text.split("\n")] if text else []
        if lines and not lines[-1]:
            lines.pop()
        self._heads = [row for row, line in enumerate(lines) if line.startswith("@@ ")]
        self.hunk, self.left_out = None, frozenset()
        self.set_lines(lines)
        if y and y < len(lines):
            self.jump(y)

    @property
    def hunk_count(self) -> int:
        """How many hunks there are."""
        return len(self._heads)

    def step_hunk(self, steps: int) -> None:
        """Go to the next hunk, or the one before (-1)."""
        if self._heads:
            at = (0 if steps > 0 else len(self._heads) - 1) if self.hunk is None else self.hunk + steps
            self.hunk = min(max(at, 0), len(self._heads) - 1)
            self.jump(self._heads[self.hunk])

    def watch_hunk(self) -> None:
        """Paint the heads again."""
        self._strips.clear()

    def watch_left_out(self) -> None:
        """Paint the hunks again."""
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """Render one line of the view."""
        if not self.line_count:
            return self.empty_line(y)
        scroll_x, scroll_y = self.scroll_offset
        row, width = y + scroll_y, self.view_size.width
        if row >= self.line_count:
            return Strip.blank(width, self.base)
        key = (row, scroll_x, width)
        strip = self._strips.get(key)
        if strip is None:
            line = self._lines[row]
            layers = [Layer(0, len(line), self._style_at(row, line))]
            strip = paint(self.laid_out(row), layers, window=(scroll_x, width), base=self.base)
            self._strips[key] = strip
        return strip

    def _style_at(self, row: int, line: str) -> Style:
        hunk = bisect_right(self._heads, row) - 1
        style = self.part("diff-text--left-out") if hunk in self.left_out else self._style(line)
        is_head = hunk == self.hunk and row in self._heads
        return style + Style(reverse=True) if is_head else style

    def _style(self, line: str) -> Style:
        if line.startswith(_HEADS):
            return self.part("diff-text--file")
        name = {"+": "added", "-": "removed", "@": "place"}.get(line[:1])
        return self.part(f"diff-text--{name}") if name else Style.null()
