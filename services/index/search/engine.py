"""Search over the symbols of a workspace as you type (SPEC section 5): segments in, the best symbols out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search import ranking
from services.index.search.filter.segment import SearchSegment, SegmentSearch
from services.index.search.filter.segment_query import FEW, POOL, Candidates, SegmentQuery, everything
from services.index.search.filter.tiers import Recent, Tiers
from services.index.search.match.columns import Symbols
from services.index.search.match.query import SearchQuery, allowed_errors, parse

_LONG = 8
"""Letters of a word that is hardly typed as the initials of others."""


class ScoredHit(msgspec.Struct, frozen=True, kw_only=True):
    """Hit of a search. `segment`, `row`: its place; `number`: its row counted over all segments in order; `name`: its
    simple name; `name_positions`, `container_positions`: the characters that matched, 0-based and ascending."""

    segment: int
    row: int
    number: int
    name: str
    score: float
    name_positions: tuple[int, ...] = ()
    container_positions: tuple[int, ...] = ()


class RankedHits(msgspec.Struct, frozen=True, kw_only=True):
    """Hits, best first. `total`: symbols that match; `searched`: symbols there are; `typos`: whether typing errors
    were forgiven because few symbols matched."""

    hits: tuple[ScoredHit, ...]
    total: int
    searched: int
    typos: bool = False


class SymbolSearch:
    """Searches segments, usually a large one and a small one of changed files. Not to be shared between threads."""

    def __init__(self, segments: Sequence[SearchSegment] = ()) -> None:
        self._searches: list[SegmentSearch] = []
        self._tiers = Tiers(())
        self.replace(segments)

    def replace(self, segments: Sequence[SearchSegment]) -> None:
        """Replace the searched segments. Caches of unchanged symbols remain, so that a new overlay or more dead rows
        cost little."""
        known = {_texts_of(search.symbols): search for search in self._searches}
        self._searches = [_search(known.get(_texts_of(segment.symbols)), segment) for segment in segments]
        self._tiers = Tiers(self._searches)

    def search(
        self,
        text: str,
        *,
        limit: int = 50,
        recent: Mapping[int, float] | None = None,
    ) -> RankedHits:
        """Return the best `limit` symbols for the typed text (query.py has the language). `recent`: by symbol number,
        how much it was used lately, 0 to 1; a weight of 1 counts as much as a matched letter. Order: score,
        non-constructors first, access, length of the name, boost, row. Up to 128 hits, a smaller limit gives the head
        of a larger one's result."""
        query = parse(text)
        if not self._searches:
            return RankedHits(hits=(), total=0, searched=0)
        used, most = self._used(recent or {}), max(POOL, limit)
        findings, meant, typos = self._found(query)
        candidates = self._candidates(query, findings, [near for near, _ in used], most)
        scored = ranking.score(self._tiers.pool(candidates, findings, used, most), (query, meant))
        starts = np.cumsum([0, *(len(search.symbols) for search in self._searches)]).tolist()
        return RankedHits(
            hits=tuple(_hit(best, starts[best.segment]) for best in scored.best(limit)),
            total=sum(each.total for each in candidates),
            searched=sum(search.searched for search in self._searches),
            typos=typos,
        )

    def prepare(self) -> Iterator[str]:
        """Look up words in advance, one a step, yielding each: for idle time."""
        for search in self._searches:
            yield from search.prepare()

    def _candidates(
        self, query: SearchQuery, findings: list[SegmentQuery], recent: list[NDArray[np.int64]], most: int
    ) -> list[Candidates]:
        views = self._tiers.views(query.filters)
        if not query.terms:
            whole = zip(self._searches, views, recent, strict=True)
            return [everything(search, view, near, most) for search, view, near in whole]
        whole = zip(findings, views, recent, strict=True)
        return [finding.found(view, near, most) for finding, view, near in whole]

    def _found(self, query: SearchQuery) -> tuple[list[SegmentQuery], SearchQuery, bool]:
        """Return what was found in each segment, the query that was used, and whether typing errors were forgiven. The
        stems are used for several words, and for a single word where few names contain it as typed."""
        if not query.terms:
            return [], query, False
        stemmed = query.stemmed
        if stemmed is not None and len(query.terms) > 1:
            query, stemmed = stemmed, None
        findings, close = self._closest(query)
        if close < FEW and stemmed is not None:
            others, more = self._closest(stemmed)
            if more > close:
                findings, close, query = others, more, stemmed
        if query.spanning and close < POOL:
            close += sum(finding.span() for finding in findings)
        slips = _slips(findings, query, close)
        if slips:
            findings = [finding.relaxed(slips) for finding in findings]
            for finding in findings if query.spanning else ():
                finding.span()
        return findings, query, any(allowed_errors(len(query.terms[at].text)) for at in slips)

    def _closest(self, query: SearchQuery) -> tuple[list[SegmentQuery], int]:
        """A query over each segment, and how many symbols match it closely; counted to the end only if they are few."""
        findings = [SegmentQuery(search, query) for search in self._searches]
        close = sum(finding.close_names for finding in findings)
        return findings, close if close >= FEW else close + sum(finding.close_parts for finding in findings)

    def _used(self, recent: Mapping[int, float]) -> list[Recent]:
        """Return what was used lately in each segment."""
        numbers = np.fromiter(recent.keys(), np.int64, len(recent))
        weights = np.fromiter(recent.values(), np.float32, len(recent))
        found, start = [], 0
        for search in self._searches:
            own = (numbers >= start) & (numbers < start + len(search.symbols))
            places = search.symbols.position[numbers[own] - start].astype(np.int64)
            order = np.argsort(places)
            found.append((places[order], weights[own][order]))
            start += len(search.symbols)
        return found


def _hit(best: ranking.Best, start: int) -> ScoredHit:
    """`start`: the number of the first row of its segment."""
    return ScoredHit(
        segment=best.segment,
        row=best.row,
        number=start + best.row,
        name=best.name,
        score=best.score,
        name_positions=best.name_positions,
        container_positions=best.container_positions,
    )


def _texts_of(symbols: Symbols) -> tuple[int, int]:
    """Return the identity of the texts, valid as long as both are alive."""
    return id(symbols.names), id(symbols.containers)


def _search(known: SegmentSearch | None, segment: SearchSegment) -> SegmentSearch:
    if known is None:
        return SegmentSearch(segment)
    if known.symbols is not segment.symbols or known.segment.keys is not segment.keys:
        return known.like(segment)
    return known if known.segment.dead is segment.dead else known.with_dead(segment)


def _slips(findings: Sequence[SegmentQuery], query: SearchQuery, close: int) -> frozenset[int]:
    """The places of the terms in which slips are to be forgiven. `close`: how many symbols match without that. Where a
    long word begins no word of a name, its letters scattered over longer names are no better than a slip."""
    if not query.relaxable:
        return frozenset()
    places = range(len(query.terms))
    if close >= FEW:
        long = [at for at in places if len(query.terms[at].text) >= _LONG]
        return frozenset(at for at in long if not any(finding.words(at) for finding in findings))
    if not close:
        return frozenset(places)
    return frozenset(at for at in places if sum(finding.words(at) for finding in findings) < FEW)


def dead_rows(symbols: int, rows: Sequence[int] | NDArray[np.integer]) -> NDArray[np.bool_]:
    """A dead-row array of a segment with so many symbols."""
    dead = np.zeros(symbols, np.bool_)
    dead[np.asarray(rows, np.int64)] = True
    return dead
