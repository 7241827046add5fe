"""What one term earns a set of symbols, and by which of their characters.

A term counts where it fares best: in the name, else in the last segment of the container (the type a member is in),
else anywhere in the container at a discount, else as a typing error.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from services.index.search import score, typos
from services.index.search.alphabet import fold
from services.index.search.columns import Symbols
from services.index.search.matcher import Closenesses
from services.index.search.query import Term
from services.index.search.score import Characters, scores
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
    unique, inverse = np.unique(names[own], return_inverse=True)
    evidence.offer(own, scores(symbols.names.characters(unique), term)[inverse], Source.NAME)
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
    whole = texts.characters(unique)
    last, _ = _last_segments(whole)
    earned = scores(last, term).astype(np.float32)
    earned += WHOLE_SEGMENT * ((earned >= 0) & (np.count_nonzero(last[0], axis=1) == len(term.text)))
    evidence.offer(at, earned[inverse], Source.TYPE)
    other = np.flatnonzero(earned < 0)
    earned = np.full(len(unique), -1, np.float32)
    found = scores((whole[0][other], whole[1][other]), term)
    earned[other] = np.where(found < 0, -1, found * IN_CONTAINER)
    evidence.offer(at, earned[inverse], Source.CONTAINER)


def _last_segments(whole: Characters) -> tuple[Characters, NDArray[np.int64]]:
    """The characters of the last segments of containers, and where in its container each begins."""
    points, classes = whole
    width = points.shape[1]
    dots = points == ord(".")
    begins = np.where(dots.any(axis=1), width - dots[:, ::-1].argmax(axis=1), 0)
    longest = int((np.count_nonzero(points, axis=1) - begins).max(initial=1)) or 1
    columns = begins[:, None] + np.arange(longest)
    inside, columns = columns < width, np.minimum(columns, width - 1)
    own = tuple(np.where(inside, np.take_along_axis(part, columns, axis=1), 0) for part in (points, classes))
    return (own[0].astype(np.uint32), own[1].astype(np.uint8)), begins


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
    characters = texts.characters(ids)
    if source is not Source.TYPE:
        return score.positions(characters, term)
    last, begins = _last_segments(characters)
    matches = zip(score.positions(last, term), begins.tolist(), strict=True)
    return [tuple(begin + place for place in matched) for matched, begin in matches]
