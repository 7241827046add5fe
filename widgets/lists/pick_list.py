"""Things to pick one of: a label with its matched letters lit, and what it is, dimmed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from widgets.format.display import clip, fit, visible
from widgets.format.shorten import keep_end
from widgets.lists.row_view import RowView


class PickRow(Struct, frozen=True):
    """A row. `value`: what picking it means; `sign`: one character before it; `positions`: offsets into `label` that
    matched; `tail`: at the right edge; `off`: it can be picked, but only says why not."""

    value: str
    label: str
    detail: str = ""
    sign: str = " "
    tail: str = ""
    positions: tuple[int, ...] = ()
    off: bool = False


class PickList(RowView):
    """Rows to pick from."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"pick-list--match", "pick-list--sign"}
    DEFAULT_CSS = """
    PickList > .pick-list--match { color: $text-accent; text-style: bold underline; }
    PickList > .pick-list--sign { color: $text-accent; text-style: bold; }
    """

    def __init__(self, rows: Sequence[PickRow] = (), *, empty: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: Sequence[PickRow] = ()
        self.set_reactive(PickList.empty, empty)
        self.set_rows(rows)

    @property
    def rows(self) -> Sequence[PickRow]:
        """All that are shown."""
        return self._rows

    @property
    def current(self) -> PickRow | None:
        """The row under the cursor."""
        return None if self.cursor is None else self._rows[self.cursor]

    @property
    def chosen(self) -> list[PickRow]:
        """The marked rows, or the one under the cursor."""
        if self.marked:
            return [self._rows[row] for row in sorted(self.marked)]
        return [self.current] if self.current else []

    def set_rows(self, rows: Sequence[PickRow], *, at: int = 0) -> None:
        """Show `rows`, the cursor on the one at `at`; the view moves no further than that takes."""
        self._rows = rows
        self.set_row_count(len(rows), cursor=at)

    def paint_row(self, index: int, width: int) -> list[Segment]:
        """`C Basket  Shop   src/Basket.cs`."""
        row, dim = self._rows[index], self.part("row-view--dim")
        tail = f" {self._tail(row, width - 4)} " if row.tail else ""
        room = max(0, width - 2 - cell_len(tail))
        label = self._label(row, room)
        rest = max(0, room - sum(cell_len(part.text) for part in label))
        return [
            Segment(f"{row.sign} ", self.part("pick-list--sign")),
            *label,
            Segment(fit(f"  {row.detail}" if row.detail and rest > 6 else "", rest), dim),
            Segment(tail, dim),
        ]

    def _tail(self, row: PickRow, room: int) -> str:
        """Return the text at the right edge: of a path as much of its end as the label leaves free."""
        if "/" not in row.tail:
            return visible(row.tail)
        return keep_end(row.tail, max(room - cell_len(visible(row.label)), room // 4))

    def _label(self, row: PickRow, room: int) -> list[Segment]:
        plain = self.part("row-view--dim") if row.off else None
        if cell_len(visible(row.label)) > room or not row.positions:
            return [Segment(clip(row.label, room), plain)]
        lit = self.part("pick-list--match")
        matched = frozenset(row.positions)
        return [Segment(visible(sign), lit if at in matched else plain) for at, sign in enumerate(row.label)]
