"""As-you-type search of an index: the rows that the finder answers with, as symbols."""

from __future__ import annotations

import time

from services.index.core import IndexCore
from services.index.index_snapshot import IndexSnapshot
from services.model import SearchAnswer, SearchHit, SymbolRef


def search(core: IndexCore, query: str, *, limit: int) -> SearchAnswer:
    """The best symbols for what was typed (SPEC section 5)."""
    began = time.perf_counter()
    with core.reading() as now:
        return _answer(core, now, query, limit=limit, began=began)


def _answer(core: IndexCore, now: IndexSnapshot, query: str, *, limit: int, began: float) -> SearchAnswer:
    answer = now.finder.find(now.searched, query, limit=limit, recent=_recent_rows(core, now))
    hits: dict[str, SearchHit] = {}  # by id: a partial type has a row for each part
    with core.lock:
        for hit in answer.hits:
            ref = now.describer.row_ref(hit.number, hit.name)
            if ref is not None and ref.id not in hits:
                positions = _shifted(hit.name_positions, ref)
                hits[ref.id] = SearchHit(symbol=ref, score=hit.score, positions=positions)
            if len(hits) >= limit:
                break
    return SearchAnswer(
        query=query,
        hits=tuple(hits.values()),
        total=answer.total,
        searched=answer.searched,
        elapsed_ms=round((time.perf_counter() - began) * 1000, 2),
        advice="" if hits else _advice(now, query),
    )


def _advice(now: IndexSnapshot, query: str) -> str:
    from services.index.search import parse, unknown

    return unknown(parse(query), now.catalogue.projects)


def _recent_rows(core: IndexCore, now: IndexSnapshot) -> dict[int, float]:
    rows: dict[int, float] = {}
    with core.lock:
        for id_, weight in core.recent.items():
            found = now.resolver.resolve(id_).found
            if found:
                placed = found[0].member or found[0].whole.primary
                rows[now.catalogue.file(placed.file).rows[0] + placed.at] = weight
    return rows


def _shifted(positions: tuple[int, ...], ref: SymbolRef) -> tuple[int, ...]:
    """Positions in a simple name as positions in the label, which may begin with an explicit interface."""
    at = ref.label.find("(")
    head = ref.label if at < 0 else ref.label[:at]
    shift = head.rfind(".") + 1
    return tuple(position + shift for position in positions) if shift else positions
