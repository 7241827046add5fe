"""The list of symbols: pinned dot, kind, label with its matched letters lit, container, token cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual import events

from services.model import Kind, SearchHit
from widgets.format.display import fit, visible
from widgets.format.kinds import KIND_GLYPHS, kind_family
from widgets.format.shorten import gap_of, keep_end, token_count
from widgets.lists.row_view import RowView

_DOT_END = 3
"""Cells before the kind: the cursor's mark, the dot, a blank."""
_LEAST = 6
"""Cells below which nothing of a container helps."""
_ONLY_NAMES = 20
"""Cells of a row below which it says no cost."""
_LEAD = 4
"""Cells before the label: the dot, a blank, the kind, a blank."""


class SymbolRow(Struct, frozen=True):
    """A symbol as a row shows it. `positions`: 0-based offsets into `label` that matched; `tokens`: what its
    outline costs, None until known; `note`: a sign of what is written on it; `depth`: 1 for a member drawn under its
    type; `overloads`: labels of rows with the same name, this one's among them, from which its parameters have to tell
    it; `namesake`: another has the same label, so that the container has to be seen."""

    label: str
    kind: Kind
    container: str = ""
    positions: tuple[int, ...] = ()
    tokens: int | None = None
    approximate: bool = False
    pinned: bool = False
    note: str = ""
    depth: int = 0
    overloads: tuple[str, ...] = ()
    namesake: bool = False


class SymbolList(RowView):
    """List of symbols to choose from. Rows are a sequence, or are requested as they become visible."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "symbol-list--match",
        "symbol-list--pin",
        "symbol-list--type",
        "symbol-list--contract",
        "symbol-list--value",
        "symbol-list--data",
        "symbol-list--callable",
    }
    DEFAULT_CSS = """
    SymbolList > .symbol-list--match { color: $text-accent; text-style: bold underline; }
    SymbolList > .symbol-list--pin { color: $text-success; }
    SymbolList > .symbol-list--type { color: $text-primary; text-style: bold; }
    SymbolList > .symbol-list--contract { color: $text-secondary; text-style: bold; }
    SymbolList > .symbol-list--value { color: $text-warning; text-style: bold; }
    SymbolList > .symbol-list--data { color: $text-success; text-style: bold; }
    SymbolList > .symbol-list--callable { color: $text-accent; text-style: bold; }
    """

    class PinToggled(RowView.RowMessage):
        """The row at `index` is to be pinned, or unpinned if it was."""

    def __init__(
        self,
        rows: Sequence[SymbolRow] = (),
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._row: Callable[[int], SymbolRow] = rows.__getitem__
        self.set_reactive(SymbolList.empty, empty)
        self.set_rows(rows)

    def set_rows(self, rows: Sequence[SymbolRow], *, cursor: int = 0) -> None:
        """Show `rows`, with the cursor on the given one."""
        self.set_provider(len(rows), rows.__getitem__, cursor=cursor)

    def set_provider(self, count: int, row: Callable[[int], SymbolRow], *, cursor: int = 0) -> None:
        """Show `count` rows; `row(index)` is called for those in view, each time they are painted."""
        self._row = row
        self.set_row_count(count, cursor=cursor)

    def row_at(self, index: int) -> SymbolRow:
        """The row at `index` as it would be painted now."""
        return self._row(index)

    def update_rows(self, rows: Sequence[SymbolRow]) -> None:
        """Take new values of the same rows (costs came in, a pin changed): cursor and scroll stay, nothing
        is said."""
        if len(rows) != self.row_count:
            raise ValueError(f"{len(rows)} values for {self.row_count} rows")
        self._take(rows)

    def add_rows(self, rows: Sequence[SymbolRow]) -> None:
        """Set the same rows with more below them: cursor, marks and scroll stay, no message is posted."""
        if len(rows) < self.row_count:
            raise ValueError(f"{len(rows)} rows in place of {self.row_count}")
        self._take(rows)
        self.add_row_count(len(rows))

    def _take(self, rows: Sequence[SymbolRow]) -> None:
        """Take rows of which most are as they were: only the others are painted."""
        before, self._row = self._row, rows.__getitem__
        top = self.scroll_offset.y
        in_view = range(top, min(self.row_count, top + self.size.height))
        self.refresh_rows([index for index in in_view if before(index) != rows[index]])

    def action_toggle_pin(self) -> None:
        """Request that the row under the cursor is pinned or unpinned."""
        if self.cursor is not None:
            self.post_message(self.PinToggled(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """A click on the dot pins."""
        row = self._row_at(event)
        if row is not None and event.x < _DOT_END:
            self.cursor = row
            self.post_message(self.PinToggled(self, row))
            event.prevent_default()

    def paint_row(self, index: int, width: int) -> list[Segment]:
        """`● C JsonConvert  Newtonsoft.Json  812`."""
        row = self._row(index)
        cost = "" if width < _ONLY_NAMES else token_count(row.tokens, approximate=row.approximate)
        cost = f"{row.note} {cost}" if row.note else cost
        room = max(0, width - _LEAD - len(cost) - 2)
        lead = [
            Segment("● " if row.pinned else "  ", self.part("symbol-list--pin")),
            Segment(KIND_GLYPHS[row.kind] + " ", self.part(f"symbol-list--{kind_family(row.kind)}")),
        ]
        label = self._label(row, room - _owner(row, room))
        rest = room - sum(cell_len(part.text) for part in label)
        dim = self.part("row-view--dim")
        container = fit("  " + keep_end(row.container, rest - 2), rest) if rest > _LEAST else " " * rest
        return [*lead, *label, Segment(container, dim), Segment(f" {cost} ", dim)]

    def _label(self, row: SymbolRow, room: int) -> list[Segment]:
        parts = [Segment("├ ", self.part("row-view--dim"))] if row.depth else []
        start, after, end = gap_of(row.label, room - 2 * row.depth, overloads=row.overloads)
        if after:
            in_tail = tuple(position - after for position in row.positions if position >= after)
            head, tail = row.label[:start], row.label[after:end]
            parts += [*self._lit(head, row.positions), Segment("…"), *self._lit(tail, in_tail)]
            if row.overloads and end < len(row.label):
                parts.append(Segment("…"))
            return _cut(parts, room, cut=False)
        parts += self._lit(row.label[:room], row.positions)
        return _cut(parts, room, cut=len(row.label) > room)

    def _lit(self, shown: str, positions: tuple[int, ...]) -> list[Segment]:
        parts: list[Segment] = []
        lit, start = self.part("symbol-list--match"), 0
        for position in sorted(set(positions)):
            if position >= len(shown) or position < start:
                continue
            parts.append(Segment(visible(shown[start:position])))
            parts.append(Segment(visible(shown[position]), lit))
            start = position + 1
        parts.append(Segment(visible(shown[start:])))
        return parts


def _owner(row: SymbolRow, room: int) -> int:
    """Return the cells reserved for the container where it has to be seen: as many as leave the label whole where
    that is possible, else half of them."""
    if not row.namesake:
        return 0
    left = room - cell_len(visible(row.label))
    return min(len(row.container) + 2, left if left > _LEAST + 1 else room // 2)


def _cut(parts: list[Segment], room: int, *, cut: bool) -> list[Segment]:
    total = sum(cell_len(part.text) for part in parts)
    if total <= room and not cut:
        return [part for part in parts if part.text]
    kept = list(Segment.adjust_line_length(parts, max(0, room - 1), pad=False))
    return [*kept, Segment(fit("…", min(1, room)))]


NOTE_SIGNS: Mapping[str, str] = {"cached": "¶", "stale": "⟳", "pending": "…", "generating": "…"}
"""By the state of a note: it holds, may not hold any more, is being made."""


def rows_of(
    hits: Sequence[SearchHit],
    *,
    pinned: Collection[str],
    costs: Mapping[str, int | None],
    notes: Mapping[str, str] = MappingProxyType({}),
) -> list[SymbolRow]:
    """Return one row for each hit, in order. A member right below its type is drawn under it, without its
    container."""
    overloads: dict[tuple[str, str], list[str]] = {}
    for hit in hits:
        overloads.setdefault(_name(hit), []).append(hit.symbol.label)
    labels = Counter(hit.symbol.label for hit in hits)
    return [
        SymbolRow(
            label=hit.symbol.label,
            kind=hit.symbol.kind,
            container="" if depth else hit.symbol.container,
            positions=hit.positions,
            tokens=costs.get(hit.symbol.id),
            pinned=hit.symbol.id in pinned,
            note=notes.get(hit.symbol.id, ""),
            depth=depth,
            overloads=tuple(alike) if len(alike := overloads[_name(hit)]) > 1 else (),
            namesake=labels[hit.symbol.label] > 1,
        )
        for hit, depth in zip(hits, _depths(hits), strict=True)
    ]


def _name(hit: SearchHit) -> tuple[str, str]:
    symbol = hit.symbol
    return symbol.container, symbol.label.partition("(")[0]


def _depths(hits: Sequence[SearchHit]) -> Iterator[int]:
    above = None
    for hit in hits:
        type_id = hit.symbol.id.rpartition("_")[0]
        depth = int(type_id == above)
        if not depth:
            above = hit.symbol.id
        yield depth
