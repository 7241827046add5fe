"""An outline, as the text models get, with its names of types to follow."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip

from services.model import Span
from widgets.format.line_painter import Layer, paint
from widgets.text.line_view import LineView
from widgets.text.outline_text import OutlineLine, read_outline


class OutlineView(LineView):
    """Markdown of an outline, line by line as written. Links are followed by mouse, or selected by key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "step_link(1)", "Next link", show=False, id="outline.next-link"),
        Binding("N", "step_link(-1)", "Previous link", show=False, id="outline.previous-link"),
        Binding("enter", "follow_link", "Follow link", show=False, id="outline.follow-link"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"outline-view--link", "outline-view--current-link"}
    DEFAULT_CSS = """
    OutlineView { padding: 0 1; }
    OutlineView > .outline-view--link { text-style: underline; }
    OutlineView > .outline-view--current-link { text-style: reverse; }
    """

    link: reactive[tuple[int, int] | None] = reactive(None, repaint=False)
    """The link that Enter follows: its row and its place in it."""

    class LinkSelected(Message):
        """A name of a type was followed: `text`, as it is written."""

        def __init__(self, view: OutlineView, text: str) -> None:
            super().__init__()
            self.view = view
            self.text = text

        @property
        def control(self) -> OutlineView:
            """The view that sent the message."""
            return self.view

    def __init__(
        self,
        text: str = "",
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._read: list[OutlineLine] = []
        self.set_outline(text)

    def set_outline(self, text: str) -> None:
        """Show `text` from its beginning."""
        lines = [line.removesuffix("\r") for line in text.split("\n")] if text else []
        if lines and not lines[-1]:
            lines.pop()
        if self.is_running and self.text_selection is not None:
            self.screen.clear_selection()
        self._read = read_outline(lines)
        self.link = None
        self.set_lines(lines)

    def watch_link(self) -> None:
        """Repaint, and bring the link into view."""
        self.repaint()
        if self.link is not None:
            row, height = self.link[0], max(1, self.view_size.height)
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.jump(row - height // 3)

    def render_line(self, y: int) -> Strip:
        """Render one line of the view."""
        if not self.line_count:
            return self.empty_line(y)
        scroll_x, scroll_y = self.scroll_offset
        row, width = y + scroll_y, self.view_size.width
        if row >= self.line_count:
            return Strip.blank(width, self.base)
        selected = self.text_selection and self.text_selection.get_span(row)
        key = (row, scroll_x, width, selected)
        strip = self._strips.get(key)
        if strip is None:
            line = self.laid_out(row)
            layers = self._layers(row, line.columns(scroll_x, width)) + self._selected(row, selected)
            strip = paint(line, layers, window=(scroll_x, width), base=self.base)
            strip = self._strips[key] = strip.apply_offsets(line.columns(scroll_x, width)[0], row)
        return strip

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected part of the original text."""
        return selection.extract("\n".join(self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        """Repaint what is selected."""
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Follow the link under the mouse."""
        if text := event.style.meta.get("link"):
            self.post_message(self.LinkSelected(self, text))

    def action_step_link(self, places: int) -> None:
        """Go to the next link, or the one before, from what is in view."""
        links = [(row, place) for row, read in enumerate(self._read) for place in range(len(read.links))]
        if not links:
            return
        at = self.link or (self.scroll_offset.y, -1 if places > 0 else 0)
        ahead = [link for link in links if (link > at if places > 0 else link < at)]
        self.link = (ahead or links)[0 if places > 0 else -1]

    def action_follow_link(self) -> None:
        """Follow the link that was stepped to."""
        if self.link is not None:
            row, place = self.link
            self.post_message(self.LinkSelected(self, self._text(row, self._read[row].links[place])))

    def _text(self, row: int, span: Span) -> str:
        return self._lines[row][span.start : span.end]

    def _layers(self, row: int, window: tuple[int, int]) -> list[Layer]:
        read = self._read[row]
        layers = self.styled(read.spans, window)
        for place, span in enumerate(read.links):
            name = "current-link" if (row, place) == self.link else "link"
            style = self.part(f"outline-view--{name}") + Style(meta={"link": self._text(row, span)})
            layers.append(Layer(span.start, span.end, style))
        return layers

    def _selected(self, row: int, span: tuple[int, int] | None) -> list[Layer]:
        if span is None:
            return []
        start, end = span
        style = self.screen.get_component_rich_style("screen--selection")
        return [Layer(start, len(self._lines[row]) if end == -1 else end, style)]
