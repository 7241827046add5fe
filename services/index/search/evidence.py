"""What one term earns a set of symbols, and by which of their characters.

A term counts where it fares best: in the name, else in the last segment of the container (the type a member is in),
else anywhere in the container at a discount, else as a typing error.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from services.index.search import typos
from services.index.search.alphabet import fold
from services.index.search.columns import Symbols
from services.index.search.matcher import Closenesses
from services.index.search.query import Term
from services.index.search.score import Aligned, align, scores
from services.index.search.score import positions as positions_in
from services.index.search.texts import Texts
from services.index.search.trail import Closeness

Places = NDArray[np.int64]
Matched = tuple[tuple[int, ...], tuple[int, ...]]
"""Matched characters of a name and of its container."""

IN_CONTAINER = 0.5
"""What a term is worth anywhere in the container, beside in the name or the type."""

WHOLE_SEGMENT = 8
"""Points for a term that is the whole last segment: `JsonConvert.` before `JsonConverter.`."""


class Source(IntEnum):
    """Where a term was found."""

    NOWHERE = 0
    NAME = 1
    TYPE = 2
    CONTAINER = 3
    NAME_TYPO = 4
    CONTAINER_TYPO = 5


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """For n places: `points`, float32 (n,), and `sources`, uint8 (n,)."""

    points: NDArray[np.float32]
    sources: NDArray[np.uint8]

    def offer(self, at: NDArray[np.integer], points: NDArray, source: Source) -> None:
        """Take the points at these indices where they are better than what there is."""
        better = points > self.points[at]
        self.points[at[better]] = points[better]
        self.sources[at[better]] = source


def gather(symbols: Symbols, places: Places, term: Term, found: tuple[Closenesses, Closenesses]) -> Evidence:
    """What a term earns at each place. `found`: its closeness by name and by container."""
    names, containers = symbols.name_id[places], symbols.container_id[places]
    evidence = Evidence(np.full(len(places), -1, np.float32), np.zeros(len(places), np.uint8))
    in_name, in_container = found[0][names], found[1][containers]
    own = np.flatnonzero(in_name)
    evidence.offer(own, scores(symbols.names, names[own], term), Source.NAME)
    near = np.flatnonzero(in_name == Closeness.TYPO)
    evidence.offer(near, _near(symbols.names, names[near], term.text), Source.NAME_TYPO)
    other = np.flatnonzero((in_container > 0) & (in_name < Closeness.SUBSTRING))
    _offer_containers(evidence, other, (symbols.containers, containers[other]), term)
    near = other[in_container[other] == Closeness.TYPO]
    evidence.offer(near, _near(symbols.containers, containers[near], term.text) / 2, Source.CONTAINER_TYPO)
    return evidence


def _offer_containers(
    evidence: Evidence, at: NDArray[np.int64], of: tuple[Texts, NDArray], term: Term
) -> None:
    texts, ids = of
    if not len(ids):
        return
    unique, inverse = np.unique(ids, return_inverse=True)
    whole, last = _laid(texts, unique, term)
    complete = last.widths == len(term.text)
    in_type = np.where(last.laid.scores < 0, -1, last.laid.scores + WHOLE_SEGMENT * complete)
    evidence.offer(at, in_type[inverse], Source.TYPE)
    evidence.offer(at, np.where(whole.scores < 0, -1, whole.scores * IN_CONTAINER)[inverse], Source.CONTAINER)


@dataclass(frozen=True, slots=True, eq=False)
class _Last:
    laid: Aligned
    widths: NDArray[np.int64]


def _laid(texts: Texts, ids: NDArray[np.integer], term: Term) -> tuple[Aligned, _Last]:
    """The term laid over whole containers and over their last segments alone."""
    points, classes = texts.characters(ids)
    width = points.shape[1]
    dots = points == ord(".")
    begin = np.where(dots.any(axis=1), width - dots[:, ::-1].argmax(axis=1), 0)
    ends = np.minimum(texts.lengths[ids], width).astype(np.int64)
    last = np.where(np.arange(width) >= begin[:, None], points, 0).astype(np.uint32)
    return align(points, classes, term), _Last(align(last, classes, term), ends - begin)


def _near(texts: Texts, ids: NDArray[np.integer], term: str) -> NDArray[np.float32]:
    unique, inverse = np.unique(ids, return_inverse=True)
    found = typos.nearest(texts, unique, term)
    earned = [-1.0 if near is None else near.score(len(term)) for near in found]
    return np.array(earned, np.float32)[inverse]


def positions(symbols: Symbols, places: Places, term: Term, sources: NDArray[np.uint8]) -> list[Matched]:
    """For each place, the characters a term matched in its name and in its container, ascending."""
    found: list[Matched] = [((), ())] * len(places)
    for source in Source:
        at = np.flatnonzero(sources == source)
        if source is Source.NOWHERE or not len(at):
            continue
        in_name = source in {Source.NAME, Source.NAME_TYPO}
        texts, owner = (
            (symbols.names, symbols.name_id) if in_name else (symbols.containers, symbols.container_id)
        )
        for index, matched in zip(at.tolist(), _matched(texts, owner[places[at]], term, source), strict=True):
            found[index] = (matched, ()) if in_name else ((), matched)
    return found


def _matched(texts: Texts, ids: NDArray[np.integer], term: Term, source: Source) -> list[tuple[int, ...]]:
    if source in {Source.NAME_TYPO, Source.CONTAINER_TYPO}:
        found = zip(ids.tolist(), typos.nearest(texts, ids, term.text), strict=True)
        return [near.positions(fold(texts.text(index)), term.text) if near else () for index, near in found]
    if source is Source.NAME:
        return positions_in(texts, ids, term)
    whole, last = _laid(texts, ids, term)
    return (last.laid if source is Source.TYPE else whole).positions()
