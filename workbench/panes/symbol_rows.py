"""Results of a search as rows: which is drawn under which, what is pinned, what is known of costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from services.model import SearchHit
from widgets.lists.symbol_list import SymbolRow


def rows_of(
    hits: Sequence[SearchHit], *, pinned: Collection[str], costs: Mapping[str, int | None]
) -> list[SymbolRow]:
    """One row a hit, in the order of the hits. A member right below its type is drawn under it, without its
    container."""
    names = Counter(_name(hit) for hit in hits)
    return [
        SymbolRow(
            label=hit.symbol.label,
            kind=hit.symbol.kind,
            container="" if depth else hit.symbol.container,
            positions=hit.positions,
            tokens=costs.get(hit.symbol.id),
            pinned=hit.symbol.id in pinned,
            depth=depth,
            overloaded=names[_name(hit)] > 1,
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
