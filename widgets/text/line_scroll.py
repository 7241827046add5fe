"""Base of views that paint one line at a time: styles looked up once, lines taken as they are painted."""

from __future__ import annotations

from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from widgets.format.line_painter import Parts
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
