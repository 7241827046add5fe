"""Exact scores of the symbols that are worth one, in the order people see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search import evidence, joined
from services.index.search.alphabet import MATCH
from services.index.search.columns import Symbols
from services.index.search.evidence import Source
from services.index.search.query import Query
from services.index.search.segment import Found

Places = NDArray[np.int64]
Recent = tuple[Places, NDArray[np.float32]]
"""Places lately used, ascending, and their weights."""

SPAN_COST = 8
"""Points a match over container and name lies behind one in the name alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One segment's scored places. `points`: float32 (n,); `sources`: uint8 (terms, n)."""

    symbols: Symbols
    places: Places
    spanned: NDArray[np.bool_]
    points: NDArray[np.float32]
    sources: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """A ranked symbol; `segment` counts segments, `row` is the caller's."""

    segment: int
    row: int
    score: float
    name_positions: tuple[int, ...]
    container_positions: tuple[int, ...]


def score(symbols: Symbols, query: Query, found: Found, recent: Recent) -> Scored:
    """Score what was found in a segment: the sum of what each term earns, and what recent use adds."""
    places = found.places
    points = np.zeros(len(places), np.float32)
    sources = np.zeros((len(query.terms), len(places)), np.uint8)
    plain = np.flatnonzero(~found.spanned)
    for index, term in enumerate(query.terms):
        both = found.names[index], found.containers[index]
        earned = evidence.gather(symbols, places[plain], term, both)
        points[plain] += earned.points
        sources[index, plain] = earned.sources
    spanned = np.flatnonzero(found.spanned)
    if len(spanned):
        points[spanned] = joined.laid(symbols, places[spanned], query.terms[0]).scores - SPAN_COST
    if not query.terms:
        points += np.log2(1 + symbols.boost[places])
    lately = np.isin(recent[0], places)
    points[np.searchsorted(places, recent[0][lately])] += recent[1][lately] * MATCH
    return Scored(symbols, places, found.spanned, points, sources)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Scored segments to be ranked together."""

    query: Query
    parts: list[Scored]

    def best(self, limit: int) -> Iterator[Best]:
        """The best symbols: by score, then access, length of the name, boost, segment and row."""
        segments = np.repeat(np.arange(len(self.parts)), [len(part.places) for part in self.parts])
        columns = [_tie_columns(part) for part in self.parts]
        if not columns:
            return
        points, access, lengths, boost, rows = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )
        order = np.lexsort((rows, segments, -boost, lengths, access, -points))
        starts = np.cumsum([0, *(len(part.places) for part in self.parts)])
        for at in order[: max(0, limit)].tolist():
            segment = int(segments[at])
            yield self._shown(segment, at - int(starts[segment]))

    def _shown(self, segment: int, at: int) -> Best:
        part = self.parts[segment]
        name, container = self._spanned(part, at) if part.spanned[at] else self._found(part, at)
        return Best(
            segment=segment,
            row=int(part.symbols.order[part.places[at]]),
            score=float(part.points[at]),
            name_positions=name,
            container_positions=container,
        )

    def _spanned(self, part: Scored, at: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        places = part.places[at : at + 1]
        dot = int(joined.dot(part.symbols, places)[0])
        found = joined.laid(part.symbols, places, self.query.terms[0]).positions(0)
        return tuple(p - dot - 1 for p in found if p > dot), tuple(p for p in found if p < dot)

    def _found(self, part: Scored, at: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        symbols, place = part.symbols, int(part.places[at])
        found: tuple[set[int], set[int]] = (set(), set())
        for index, term in enumerate(self.query.terms):
            source = Source(part.sources[index, at])
            if source in {Source.NAME, Source.NAME_TYPO}:
                found[0].update(evidence.positions(symbols.names, int(symbols.name_id[place]), term, source))
            elif source is not Source.NOWHERE:
                own = int(symbols.container_id[place])
                found[1].update(evidence.positions(symbols.containers, own, term, source))
        return tuple(sorted(found[0])), tuple(sorted(found[1]))


def _tie_columns(part: Scored) -> tuple[NDArray, ...]:
    symbols, places = part.symbols, part.places
    lengths = symbols.names.lengths[symbols.name_id[places]]
    return part.points, symbols.access[places], lengths, symbols.boost[places], symbols.order[places]
