"""What one term earns a set of symbols, and by which of their characters.

A term counts where it fares best: in the name, else in the last segment of the container (the type a member is in),
else anywhere in the container at a discount, else as a typing error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from services.index.search import typos
from services.index.search.alphabet import fold
from services.index.search.columns import Symbols
from services.index.search.matcher import Closenesses
from services.index.search.query import Term
from services.index.search.score import Characters, Laid
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


class Trace(Protocol):
    """What a term earns in some texts: says by which of their characters."""

    def positions(self, at: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """The matched characters of these texts, ascending."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """For n places: `points`, float32 (n,), and `sources`, uint8 (n,). `traces`: by source, that of the texts found
    there, and which of these each place has, int64 (n,)."""

    points: NDArray[np.float32]
    sources: NDArray[np.uint8]
    traces: dict[Source, tuple[Trace, NDArray[np.int64]]] = field(default_factory=dict)

    def offer(self, at: NDArray[np.integer], texts: Offered, source: Source) -> None:
        """Take the points at these indices where they are better than what there is."""
        points, trace, inverse = texts
        points = points[inverse]
        better = points > self.points[at]
        self.points[at[better]] = points[better]
        self.sources[at[better]] = source
        owners = np.zeros(len(self.points), np.int64)
        owners[at] = inverse
        self.traces[source] = trace, owners

    def matched(self, at: NDArray[np.int64]) -> list[Matched]:
        """For each of these places, the characters of its name and of its container that matched, ascending."""
        found: list[Matched] = [((), ())] * len(at)
        sources = self.sources[at]
        for source, (trace, owners) in self.traces.items():
            chosen = np.flatnonzero(sources == source)
            texts, inverse = np.unique(owners[at[chosen]], return_inverse=True)
            matches = trace.positions(texts) if len(texts) else []
            in_name = source in {Source.NAME, Source.NAME_TYPO}
            for index, text in zip(chosen.tolist(), inverse.tolist(), strict=True):
                found[index] = (matches[text], ()) if in_name else ((), matches[text])
        return found


Offered = tuple[NDArray[np.float32], Trace, NDArray[np.int64]]
"""What each text earns, by which characters, and which text each place has."""


def gather(symbols: Symbols, places: Places, term: Term, found: tuple[Closenesses, Closenesses]) -> Evidence:
    """What a term earns at each place. `found`: its closeness by name and by container."""
    names, containers = symbols.name_id[places], symbols.container_id[places]
    evidence = Evidence(np.full(len(places), -1, np.float32), np.zeros(len(places), np.uint8))
    in_name, in_container = found[0][names], found[1][containers]
    own = np.flatnonzero(in_name)
    if len(own):
        unique, inverse = np.unique(names[own], return_inverse=True)
        laid = Laid(symbols.names.characters(unique), term)
        evidence.offer(own, (laid.scores.astype(np.float32), laid, inverse), Source.NAME)
    near = np.flatnonzero(in_name == Closeness.TYPO)
    _offer_near(evidence, near, (symbols.names, names[near]), (term, Source.NAME_TYPO))
    other = np.flatnonzero((in_container > 0) & (in_name < Closeness.SUBSTRING))
    _offer_containers(evidence, other, (symbols.containers, containers[other]), term)
    near = other[in_container[other] == Closeness.TYPO]
    _offer_near(evidence, near, (symbols.containers, containers[near]), (term, Source.CONTAINER_TYPO))
    return evidence


def _offer_near(
    evidence: Evidence, at: NDArray[np.int64], of: tuple[Texts, NDArray], as_: tuple[Term, Source]
) -> None:
    (texts, ids), (term, source) = of, as_
    if len(ids):
        unique, inverse = np.unique(ids, return_inverse=True)
        near = _Near(texts, unique, term.text)
        share = 1.0 if source is Source.NAME_TYPO else IN_CONTAINER
        evidence.offer(at, (near.points * np.float32(share), near, inverse), source)


def _offer_containers(
    evidence: Evidence, at: NDArray[np.int64], of: tuple[Texts, NDArray], term: Term
) -> None:
    texts, ids = of
    if not len(ids):
        return
    unique, inverse = np.unique(ids, return_inverse=True)
    whole = texts.characters(unique)
    last, begins = _last_segments(whole)
    laid = _Last(Laid(last, term), begins)
    earned = laid.laid.scores.astype(np.float32)
    earned += WHOLE_SEGMENT * ((earned >= 0) & (np.count_nonzero(last[0], axis=1) == len(term.text)))
    evidence.offer(at, (earned, laid, inverse), Source.TYPE)
    other = earned < 0
    if not other.any():
        return
    anywhere = Laid((whole[0][other], whole[1][other]), term)
    points = np.where(anywhere.scores < 0, -1, anywhere.scores * IN_CONTAINER).astype(np.float32)
    rest = np.flatnonzero(other[inverse])
    evidence.offer(at[rest], (points, anywhere, (np.cumsum(other) - 1)[inverse[rest]]), Source.CONTAINER)


@dataclass(frozen=True, slots=True, eq=False)
class _Last:
    """A term laid over the last segments of containers, which begin at `begins`."""

    laid: Laid
    begins: NDArray[np.int64]

    def positions(self, at: NDArray[np.int64]) -> list[tuple[int, ...]]:
        matches = zip(self.laid.positions(at), self.begins[at].tolist(), strict=True)
        return [tuple(begin + place for place in matched) for matched, begin in matches]


class _Near:
    """A term that is nearly in texts. `points`: -1 where it is not."""

    def __init__(self, texts: Texts, ids: NDArray[np.integer], term: str) -> None:
        self._texts, self._ids, self._term = texts, ids, term
        self._found = typos.nearest(texts, ids, term)
        earned = [-1 if near is None else near.score(len(term)) for near in self._found]
        self.points = np.array(earned, np.float32)

    def positions(self, at: NDArray[np.int64]) -> list[tuple[int, ...]]:
        pairs = [(self._found[index], int(self._ids[index])) for index in at.tolist()]
        return [
            near.positions(fold(self._texts.text(id_)), self._term) if near else () for near, id_ in pairs
        ]


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
