"""The items of the prompt window, in the order they will be copied, under what put them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.message import Message

from services.model import ItemFlag, Level, WindowItem
from widgets.format.display import fit
from widgets.format.shorten import grouped, shorten_member, token_count
from widgets.lists.row_view import RowView

FLAG_GLYPHS: Mapping[ItemFlag, str] = MappingProxyType(
    {
        ItemFlag.STALE: "⟳",
        ItemFlag.CUT: "✂",
        ItemFlag.LOWERED: "▾",
        ItemFlag.VANISHED: "✗",
        ItemFlag.SECRET: "⚠",
    }
)
"""What a flag looks like behind a label."""

LEVEL_LETTERS: Mapping[Level | None, str] = MappingProxyType(
    {
        Level.SIGNATURE: "S",
        Level.USED: "U",
        Level.OUTLINE: "O",
        Level.DECLARATIONS: "D",
        Level.BODIES: "B",
        Level.RANGE: "L",
        Level.WHOLE: "W",
        None: "–",
    }
)
"""How much is shown of an item: its signature, the members others use, its outline, all declarations, bodies, lines,
the whole, or nothing."""
_ONLY_NAMES = 20
"""Cells of a row below which it says a name and its flags alone."""
PINNED, RECENT = "pinned", "recent"


class WindowList(RowView):
    """Pinned and recent items, each group under a heading that folds it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "window-list--heading",
        "window-list--pin",
        "window-list--level",
        "window-list--flag",
    }
    DEFAULT_CSS = """
    WindowList > .window-list--heading { color: $text-muted; text-style: bold; }
    WindowList > .window-list--pin { color: $text-success; }
    WindowList > .window-list--level { color: $text-accent; }
    WindowList > .window-list--flag { color: $text-warning; text-style: bold; }
    """

    class ItemOpened(Message):
        """Show `item`."""

        def __init__(self, view: WindowList, item: WindowItem) -> None:
            super().__init__()
            self.view = view
            self.item = item

        @property
        def control(self) -> WindowList:
            """The list that sent the message."""
            return self.view

    def __init__(
        self,
        items: Sequence[WindowItem] = (),
        *,
        empty: str = "Nothing in the window yet",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._items: tuple[WindowItem, ...] = ()
        self._approximate = False
        self._rows: list[str | WindowItem] = []
        self._folded: frozenset[str] = frozenset()
        self.set_reactive(WindowList.empty, empty)
        self.set_items(items)

    @property
    def current(self) -> WindowItem | None:
        """The item under the cursor."""
        row = None if self.cursor is None else self._rows[self.cursor]
        return row if isinstance(row, WindowItem) else None

    def set_items(self, items: Sequence[WindowItem], *, approximate: bool = False) -> None:
        """Show `items`, their costs marked if they are `approximate`.

        The cursor stays with its item by key, or at its place where the item has gone.
        """
        key, place = (self.current.key if self.current else None), self.cursor
        self._items = tuple(items)
        self._approximate = approximate
        self._lay_out()
        keys = [row.key if isinstance(row, WindowItem) else None for row in self._rows]
        if key is not None and key in keys:
            place = keys.index(key)
        self.set_row_count(len(self._rows), cursor=1 if place is None else place)

    def action_select(self) -> None:
        """Open the item under the cursor; fold or unfold a heading."""
        if self.cursor is None:
            return
        row = self._rows[self.cursor]
        if isinstance(row, WindowItem):
            self.post_message(self.ItemOpened(self, row))
        else:
            self.fold(row)

    def fold(self, group: str) -> None:
        """Hide the items of `group` (`pinned` or `recent`), or show them again."""
        self._folded ^= {group}
        self._lay_out()
        self.set_row_count(len(self._rows), cursor=self._rows.index(group))

    def paint_row(self, index: int, width: int) -> list[Segment]:
        """`▾ pinned 4`, or `● O JsonReader ⟳  640`."""
        row = self._rows[index]
        if isinstance(row, WindowItem):
            return self._paint_item(row, width)
        members = sum(item.pinned == (row == PINNED) for item in self._items)
        sign = "▸" if row in self._folded else "▾"
        listed = any(not item.copied for item in self._items) and row == RECENT and width >= _ONLY_NAMES
        said = f"{sign} {row} {grouped(members)}{', not copied' if listed else ''}"
        return [Segment(fit(said, width), self.part("window-list--heading"))]

    def _paint_item(self, item: WindowItem, width: int) -> list[Segment]:
        if width < _ONLY_NAMES:
            return self._paint_name(item, width)
        cost = token_count(item.tokens, approximate=self._approximate)
        flags = "".join(f" {FLAG_GLYPHS[flag]}" for flag in item.flags)
        room = max(0, width - 4 - len(cost) - 2)
        label = shorten_member(item.label, max(0, room - len(flags)))
        rest = max(0, room - cell_len(label) - len(flags))
        by = f"by {item.by} ·" if item.by else ""
        detail = " ".join(part for part in (by, _level(item), item.detail) if part)
        return [
            Segment("● " if item.pinned else "  ", self.part("window-list--pin")),
            Segment(f"{LEVEL_LETTERS[item.level] if item.wanted else ' '} ", self.part("window-list--level")),
            Segment(label),
            Segment(flags, self.part("window-list--flag")),
            Segment(fit("  " + detail if rest > 6 else "", rest), self.part("row-view--dim")),
            Segment(f" {cost} ", self.part("row-view--dim")),
        ]

    def _paint_name(self, item: WindowItem, width: int) -> list[Segment]:
        flags = "".join(f" {FLAG_GLYPHS[flag]}" for flag in item.flags)
        label = shorten_member(item.label.rpartition(".")[2], max(0, width - 2 - len(flags)))
        pin = Segment("● " if item.pinned else "  ", self.part("window-list--pin"))
        return [pin, Segment(label), Segment(flags, self.part("window-list--flag"))]

    def _lay_out(self) -> None:
        self._rows = []
        for group in (PINNED, RECENT):
            members = [item for item in self._items if item.pinned == (group == PINNED)]
            if members:
                self._rows.append(group)
                self._rows.extend(() if group in self._folded else members)


def _level(item: WindowItem) -> str:
    """Return `instead of outline` where less is shown than was chosen; a letter shows the current level."""
    return "" if item.wanted is None or item.level is item.wanted else f"instead of {item.wanted}"
