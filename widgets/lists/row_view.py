"""List of one-line rows with a cursor, of which only the visible ones are painted: a million cost as much as fifty."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import Any, ClassVar, Self

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from widgets.format.display import fit, visible
from widgets.text.line_view import LineScroll

MARK, CURSOR_AND_MARK = "▌", "▶"
"""Before a row that is marked, and before one that is and has the cursor."""
CURSOR_MARK = "▸"
"""Before the row under the cursor, which some terminals and themes cannot tell by its background."""


_KEPT_ROWS = 500
"""Painted rows that are kept: some pages of them."""


class RowView(LineScroll, can_focus=True):
    """Base of the lists. A subclass sets the number of rows and paints one (`paint_row`).

    Rows are numbered from 0. The cursor is None only while there are no rows.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", "Up", show=False, id="rows.up"),
        Binding("down", "cursor_down", "Down", show=False, id="rows.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="rows.page-up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="rows.page-down"),
        Binding("home", "first", "First", show=False, id="rows.first"),
        Binding("end", "last", "Last", show=False, id="rows.last"),
        Binding("shift+up", "mark(-1)", "Mark up", show=False, id="rows.mark-up"),
        Binding("shift+down", "mark(1)", "Mark down", show=False, id="rows.mark-down"),
        Binding("enter", "select", "Open", show=False, id="rows.open"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-view--cursor",
        "row-view--hover",
        "row-view--marked",
        "row-view--dim",
    }
    DEFAULT_CSS = """
    RowView {
        background: $surface;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
    }
    RowView > .row-view--cursor {
        background: $block-cursor-blurred-background;
        text-style: $block-cursor-blurred-text-style;
    }
    RowView:focus > .row-view--cursor {
        color: $block-cursor-foreground;
        background: $block-cursor-background;
        text-style: $block-cursor-text-style;
    }
    RowView > .row-view--marked { background: $primary-muted; }
    RowView:ansi > .row-view--marked { background: transparent; text-style: reverse; }
    RowView > .row-view--hover { background: $block-hover-background; }
    RowView > .row-view--dim { color: $text-muted; }
    """

    cursor: reactive[int | None] = reactive(None, repaint=False)
    """The row under the cursor."""
    hover: reactive[int | None] = reactive(None, repaint=False)
    """The row under the mouse."""
    marked: reactive[frozenset[int]] = reactive(frozenset())
    """Rows that are acted on together."""
    row_count: reactive[int] = reactive(0, repaint=False)
    """How many rows there are."""
    empty: reactive[str] = reactive("")
    """What is said, centred, while there are no rows."""

    class RowMessage(Message):
        """Something about the row at `index`."""

        def __init__(self, view: RowView, index: int) -> None:
            super().__init__()
            self.view = view
            self.index = index

        @property
        def control(self) -> RowView:
            """The list that sent the message."""
            return self.view

    class Highlighted(RowMessage):
        """The cursor came to rest on a row, by key, by mouse or because the rows changed."""

        def can_replace(self, message: Message) -> bool:
            """The last row is what counts, however many come at a time."""
            return isinstance(message, RowView.Highlighted) and message.view is self.view

    class Selected(RowMessage):
        """A row was opened: Enter, or a double click."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Give each list `Highlighted` and `Selected` of its own, so that handlers are named after the list."""
        super().__init_subclass__(**options)
        if RowView in cls.__bases__:
            for message in (RowView.Highlighted, RowView.Selected):
                name = f"{cls.__name__}.{message.__name__}"
                setattr(cls, message.__name__, type(message.__name__, (message,), {"__qualname__": name}))

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._anchor = 0
        self._painted: LRUCache[tuple[object, ...], Strip] = LRUCache(_KEPT_ROWS)

    def paint_row(self, index: int, width: int) -> list[Segment]:
        """Return the segments of a row, at most `width` cells; they are padded and get the row's background."""
        raise NotImplementedError

    def notify_style_update(self) -> None:
        """A new theme, or the focus moved: nothing painted before holds."""
        self._painted.clear()
        super().notify_style_update()

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Repaint everything, as its content may have changed; or `regions`, where the same rows have only moved,
        or the cursor has."""
        if not regions:
            self._painted.clear()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def watch_cursor(self, old: int | None, new: int | None) -> None:
        """Scroll to the cursor and announce its position."""
        for row in (old, new):
            if row is not None:
                self.refresh_line(row)
        if new is not None:
            self.scroll_to_row(new)
            self.post_message(self.Highlighted(self, new))

    def validate_cursor(self, cursor: int | None) -> int | None:
        """Within the rows; None where there are none."""
        if self.row_count == 0 or cursor is None:
            return None
        return min(max(cursor, 0), self.row_count - 1)

    def watch_hover(self, old: int | None, new: int | None) -> None:
        """Repaint the two rows concerned."""
        for row in (old, new):
            if row is not None:
                self.refresh_line(row)

    def set_row_count(self, count: int, *, cursor: int | None = 0) -> None:
        """Set `count` new rows: the view scrolls to `cursor`, which is announced even if it did not move."""
        self.row_count = count
        self.hover = None
        self.marked = frozenset()
        self.virtual_size = Size(0, count)
        self.set_reactive(RowView.cursor, None)
        if count == 0 and self.is_running:
            self.scroll_to(y=0, animate=False, immediate=True)
        self.cursor = cursor
        self.refresh()

    def add_row_count(self, count: int) -> None:
        """Take `count` rows that begin with those there are."""
        before, self.row_count = self.row_count, count
        self.virtual_size = Size(0, count)
        if before < self.scroll_offset.y + self.size.height:
            self.refresh()

    def refresh_rows(self, rows: Iterable[int]) -> None:
        """Repaint rows whose content changed."""
        self._painted.clear()
        for row in rows:
            self.refresh_line(row)

    def scroll_to_row(self, index: int) -> None:
        """Scroll as little as brings the row into view."""
        if self.is_running and self.scrollable_content_region.height:
            self.scroll_to_region(Region(0, index, 1, 1), animate=False, force=True, immediate=True)

    def scroll_to_rows(self, first: int, last: int) -> None:
        """Scroll as little as brings these rows into view, or as many of them as fit, from the first on."""
        self.scroll_to_row(last)
        self.scroll_to_row(first)

    def on_resize(self) -> None:
        """The cursor stays in view."""
        if self.cursor is not None:
            self.scroll_to_row(self.cursor)

    def render_line(self, y: int) -> Strip:
        """Render one line of the view over its full width."""
        width, row = self.scrollable_content_region.width, y + self.scroll_offset.y
        if not self.row_count:
            return self._empty_line(y, width)
        if row >= self.row_count:
            return Strip.blank(width, self.base)
        key = (row, width, row == self.cursor, row == self.hover, row in self.marked, self.has_focus)
        strip = self._painted.get(key)
        if strip is None:
            strip = self._painted[key] = self._paint(row, width)
        return strip

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, a double click opens; with shift it marks up to there, with ctrl that row."""
        row = self._row_at(event)
        if row is None:
            return
        if event.shift and self.cursor is not None:
            self.mark_to(row)
            return
        if event.ctrl:
            self.marked ^= {row}
            self.cursor = row
            return
        self.marked = frozenset()
        self.cursor = row
        if event.chain == 2 and event.button == 1:
            self.action_select()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Light the row under the mouse."""
        self.hover = self._row_at(event)

    def on_leave(self) -> None:
        """Clear the highlight when the mouse has left."""
        self.hover = None

    def action_cursor_up(self) -> None:
        """Move up a row."""
        self.move_cursor(-1)

    def action_cursor_down(self) -> None:
        """Move down a row."""
        self.move_cursor(1)

    def action_page_up(self) -> None:
        """Move up a page."""
        self.move_cursor(-self._page())

    def action_page_down(self) -> None:
        """Move down a page."""
        self.move_cursor(self._page())

    def action_first(self) -> None:
        """Move to the first row."""
        self.marked = frozenset()
        self.cursor = 0

    def action_last(self) -> None:
        """Move to the last row."""
        self.marked = frozenset()
        self.cursor = self.row_count - 1

    def action_mark(self, rows: int) -> None:
        """Move the cursor by so many rows and mark the way."""
        if self.cursor is not None:
            self.mark_to(self.cursor + rows)

    def mark_to(self, row: int) -> None:
        """Mark from where marking began to `row`, and put the cursor there."""
        if self.cursor is None:
            return
        if not self.marked:
            self._anchor = self.cursor
        self.cursor = row
        first, last = sorted((self._anchor, self.cursor))
        self.marked = frozenset(range(first, last + 1))
        self.post_message(self.Highlighted(self, self.cursor))

    def action_select(self) -> None:
        """Open the row under the cursor."""
        if self.cursor is not None:
            self.post_message(self.Selected(self, self.cursor))

    def move_cursor(self, rows: int) -> None:
        """Move the cursor by so many rows, stopping at the ends; nothing is marked any more."""
        self.marked = frozenset()
        if self.row_count:
            self.cursor = (self.cursor if self.cursor is not None else -1) + rows

    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height - 1)

    def _row_at(self, event: events.MouseEvent) -> int | None:
        """Return the row under the mouse; None outside the rows, on the scrollbar for example."""
        at = event.get_content_offset(self)
        if at is None or at.x >= self.scrollable_content_region.width:
            return None
        row = at.y + self.scroll_offset.y
        return row if row < self.row_count else None

    def _paint(self, row: int, width: int) -> Strip:
        background = self._row_background(row)
        signs = (" ", CURSOR_MARK, MARK, CURSOR_AND_MARK)
        mark = signs[(row == self.cursor) + 2 * (row in self.marked)]
        segments = [Segment(mark), *self.paint_row(row, max(0, width - 1))]
        painted = Strip(Segment.apply_style(self._on_cursor(row, segments), background))
        return painted.adjust_cell_length(width, background)

    def _row_background(self, row: int) -> Style:
        if row == self.cursor:
            return self.base + self.part("row-view--cursor")
        if row in self.marked:
            return self.base + self.part("row-view--marked")
        if row == self.hover:
            return self.base + self.part("row-view--hover")
        return self.base

    def _on_cursor(self, row: int, painted: Iterable[Segment]) -> Iterable[Segment]:
        """The focused cursor has a colour of its own, which others need not be legible on."""
        if row != self.cursor or not self.has_focus:
            return painted
        return [Segment(text, style and style.without_color) for text, style, _ in painted]

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = wrap(visible(self.empty), max(1, width - 2))
        row = y - self.size.height // 3
        if not 0 <= row < len(lines):
            return Strip.blank(width, self.base)
        dim = self.base + self.part("row-view--dim")
        return Strip([Segment(fit(lines[row].center(width), width), dim)], width)
