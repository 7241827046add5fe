"""Search over the symbols of a workspace as you type (SPEC section 5): segments in, the best symbols out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search.filter.segment import SearchSegment, SegmentSearch
from services.index.search.filter.segment_query import FEW, POOL, SegmentMatches, SegmentQuery, everything
from services.index.search.match.columns import Symbols
from services.index.search.match.query import SearchQuery, allowed_errors, parse
from services.index.search.rank import ranking

_LONG = 8
"""Letters of a word that is hardly typed as the initials of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredHit:
    """Hit of a search. `segment`, `row`: its place; `number`: its row counted over all segments in order; `name`: its
    simple name; `name_positions`, `container_positions`: the characters that matched, 0-based and ascending."""

    segment: int
    row: int
    number: int
    name: str
    score: float
    name_positions: tuple[int, ...] = ()
    container_positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedHits:
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
        self.replace(segments)

    def replace(self, segments: Sequence[SearchSegment]) -> None:
        """Replace the searched segments. Caches of unchanged symbols remain, so that a new overlay or more dead rows
        cost little."""
        known = {_texts_of(search.symbols): search for search in self._searches}
        self._searches = [_search(known.get(_texts_of(segment.symbols)), segment) for segment in segments]

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
        weights = self._weights(recent or {})
        found, meant, typos = self._found(query, [near for near, _ in weights], max(POOL, limit))
        parts = [
            ranking.score(search.symbols, (query, meant), part, near)
            for search, part, near in zip(self._searches, found, weights, strict=True)
        ]
        return RankedHits(
            hits=self._hits(ranking.SegmentRanking(query, parts), limit),
            total=sum(part.total for part in found),
            searched=sum(search.searched for search in self._searches),
            typos=typos,
        )

    def prepare(self) -> Iterator[str]:
        """Look up words in advance, one a step, yielding each: for idle time."""
        for search in self._searches:
            yield from search.prepare()

    def _found(
        self, query: SearchQuery, recent: list[NDArray[np.int64]], pool: int
    ) -> tuple[list[SegmentMatches], SearchQuery, bool]:
        """Return the matches of each segment, the query that was used, and whether typing errors were forgiven. The
        stems are used for several words, and for a single word where few names contain it as typed."""
        if not query.terms:
            pairs = zip(self._searches, recent, strict=True)
            return [everything(search, query, near, pool) for search, near in pairs], query, False
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
        found = [finding.found(near, pool) for finding, near in zip(findings, recent, strict=True)]
        return found, query, any(allowed_errors(len(query.terms[at].text)) for at in slips)

    def _closest(self, query: SearchQuery) -> tuple[list[SegmentQuery], int]:
        """A query over each segment, and how many symbols match it closely."""
        findings = [SegmentQuery(search, query) for search in self._searches]
        return findings, sum(finding.close for finding in findings)

    def _weights(self, recent: Mapping[int, float]) -> list[ranking.Recent]:
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

    def _hits(self, ranked: ranking.SegmentRanking, limit: int) -> tuple[ScoredHit, ...]:
        starts = np.cumsum([0, *(len(search.symbols) for search in self._searches)]).tolist()
        keys = [search.segment.keys for search in self._searches]
        return tuple(
            ScoredHit(
                segment=best.segment,
                row=best.row,
                number=starts[best.segment] + best.row,
                name=best.name,
                score=best.score,
                name_positions=best.name_positions,
                container_positions=best.container_positions,
            )
            for best in ranked.best(limit, _known_by(keys))
        )


def _known_by(keys: list[NDArray[np.integer] | None]) -> ranking.Key | None:
    """Return the key function of a segment's rows; None where each has its own."""
    by_segment = [own for own in keys if own is not None]
    if len(by_segment) < len(keys):
        return None
    return lambda segment, row: by_segment[segment].item(row)


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
