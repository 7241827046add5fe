"""A unified diff as text: what would be written, coloured, each line still with its sign."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
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
    }
    DEFAULT_CSS = """
    DiffText { padding: 0 1; }
    DiffText > .diff-text--added { color: $text-success; }
    DiffText > .diff-text--removed { color: $text-error; }
    DiffText > .diff-text--place { color: $text-accent; }
    DiffText > .diff-text--file { color: $text-muted; text-style: bold; }
    """

    def set_diff(self, text: str) -> None:
        """Show a diff; the view stays where it was as far as there are lines."""
        y = self.scroll_offset.y
        lines = [line.removesuffix("\r") for line in text.split("\n")] if text else []
        if lines and not lines[-1]:
            lines.pop()
        self.set_lines(lines)
        if y and y < len(lines):
            self.jump(y)

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
            layers = [Layer(0, len(line), self._style(line))]
            strip = paint(self.laid_out(row), layers, window=(scroll_x, width), base=self.base)
            self._strips[key] = strip
        return strip

    def _style(self, line: str) -> Style:
        if line.startswith(_HEADS):
            return self.part("diff-text--file")
        name = {"+": "added", "-": "removed", "@": "place"}.get(line[:1])
        return self.part(f"diff-text--{name}") if name else Style.null()
