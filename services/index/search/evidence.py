"""Score of one term over a set of symbols, and the characters that earn it.

A term counts where it fares best: in the name, else in the last segment of the container (the type a member is in),
else anywhere in the container at a discount, else as a typing error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.alignment import AlignedTerm, Characters, align
from services.index.search.match.alphabet import fold, leads
from services.index.search.match.columns import SymbolColumns
from services.index.search.match.matcher import Closenesses, nearest
from services.index.search.match.prefix_filter import Closeness
from services.index.search.match.query import Term
from services.index.search.match.sorted_arrays import ascending, distinct
from services.index.search.match.texts import TextColumn

_WIDTHS = (32, 64)
"""Texts up to these lengths are handled together, and longer ones separately: a table is as wide as its widest
text."""

_PAYS = 4_000
"""Cells of tables. A pass of its own costs as much as so many cells, which the texts have to save that are not
handled with longer ones."""

_Piece = tuple[int, NDArray[np.int64]]
"""Some texts of a part: its number, and their places in it, ascending."""


def align_all(parts: Sequence[tuple[Characters, Term]]) -> list[AlignedTerm]:
    """Align each term with its texts."""
    found = [AlignedTerm(characters, term) for characters, term in parts]
    longest_first = sorted(range(len(parts)), key=lambda at: -len(parts[at][1].text))
    groups: list[list[_Piece]] = [[] for _ in range(len(_WIDTHS) + 1)]
    widths = [0] * len(groups)
    for at in longest_first:
        others = np.flatnonzero(found[at].scores < 0)
        lengths = np.count_nonzero(parts[at][0][0][others], axis=1)
        sizes = np.searchsorted(_WIDTHS, lengths)
        for size in ascending(sizes).tolist():
            mine = sizes == size
            groups[size].append((at, others[mine]))
            widths[size] = max(widths[size], int(lengths[mine].max()), 1)
    for group in _joined(groups, widths):
        _lay(parts, found, group)
    return found


def _joined(groups: list[list[_Piece]], widths: list[int]) -> list[list[_Piece]]:
    """The groups of texts, the shorter with the longer where a pass of its own does not pay."""
    made: list[list[_Piece]] = []
    held: list[_Piece] = []
    width = 0
    for size, group in enumerate(groups):
        if not group:
            continue
        count = sum(len(texts) for _, texts in held)
        if held and count * (widths[size] - width) > _PAYS:
            made.append(held)
            held = []
        held, width = [*held, *group], widths[size]
    return [_by_part(group) for group in (*made, held) if group]


def _by_part(group: list[_Piece]) -> list[_Piece]:
    """Return one piece a part, in order of first occurrence."""
    texts: dict[int, list[NDArray[np.int64]]] = {}
    for at, mine in group:
        texts.setdefault(at, []).append(mine)
    return [(at, np.sort(np.concatenate(mine))) for at, mine in texts.items()]


def _lay(parts: Sequence[tuple[Characters, Term]], found: list[AlignedTerm], group: list[_Piece]) -> None:
    group = sorted(group, key=lambda piece: -len(parts[piece[0]][1].text))
    texts = [tuple(part[mine] for part in parts[at][0]) for at, mine in group]
    width = max(int(np.count_nonzero(points, axis=1).max()) for points, _ in texts) or 1
    total = sum(len(points) for points, _ in texts)
    points, classes = np.zeros((total, width), np.uint32), np.zeros((total, width), np.uint8)
    first = 0
    for own in texts:
        last, wide = first + len(own[0]), min(width, own[0].shape[1])
        points[first:last, :wide], classes[first:last, :wide] = own[0][:, :wide], own[1][:, :wide]
        first = last
    aligned = align((points, classes), [(parts[at][1], len(mine)) for at, mine in group])
    first = 0
    for at, mine in group:
        found[at].take(mine, aligned, first)
        first += len(mine)


Places = NDArray[np.int64]
Matched = tuple[tuple[int, ...], tuple[int, ...]]
"""Matched characters of a name and of its container."""

IN_CONTAINER = 0.5
"""Weight of a term anywhere in the container, relative to one in the name or the type."""

IN_TYPE = 8
"""Points a term in the type lies behind one in the name: `retry opt` is `RetryOptions` before `RetryTests._options`."""

WHOLE_NEAR = 40
"""Points of a text that equals the term but for typing errors, relative to one with the term's letters scattered."""

WHOLE_SEGMENT = 8
"""Points for a term that is the whole last segment: `JsonConvert.` before `JsonConverter.`."""


class MatchSource:
    """Source of a match: where a term was found. Plain numbers, as `Closeness`."""

    NOWHERE: Final = 0
    NAME: Final = 1
    TYPE: Final = 2
    CONTAINER: Final = 3
    NAME_TYPO: Final = 4
    CONTAINER_TYPO: Final = 5


class Trace(Protocol):
    """Trace of a term's score in some texts: the matched characters."""

    def positions(self, at: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """The matched characters of these texts, ascending."""
        ...


class TermEvidence(msgspec.Struct, frozen=True, eq=False):
    """For n places: `points`, float32 (n,), and `sources`, uint8 (n,). `traces`: by source, that of the texts found
    there, and which of these each place has, int64 (n,)."""

    points: NDArray[np.float32]
    sources: NDArray[np.uint8]
    traces: dict[int, tuple[Trace, NDArray[np.int64]]] = msgspec.field(default_factory=dict)

    def offer(self, at: NDArray[np.integer], texts: Offered, source: int) -> None:
        """Take the points at these indices where they are better than what there is."""
        if not len(at):
            return
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
            texts, inverse = distinct(owners[at[chosen]])
            matches = trace.positions(texts) if len(texts) else []
            in_name = source in {MatchSource.NAME, MatchSource.NAME_TYPO}
            for index, text in zip(chosen.tolist(), inverse.tolist(), strict=True):
                found[index] = (matches[text], ()) if in_name else ((), matches[text])
        return found


Offered = tuple[NDArray[np.float32], Trace, NDArray[np.int64]]
"""Points of each text, its trace, and the text of each place."""


def gather(
    symbols: SymbolColumns,
    places: Places,
    terms: Sequence[Term],
    found: Sequence[tuple[Closenesses, Closenesses]],
) -> list[TermEvidence]:
    """Return the evidence of each term at each place. `found`: their closeness by name and by container."""
    of = [_OfTerm(symbols, places, term, pair) for term, pair in zip(terms, found, strict=False)]
    laid = align_all([part for each in of for part in each.parts])
    rest = [each.offer(*pair) for each, pair in zip(of, zip(laid[::2], laid[1::2], strict=True), strict=True)]
    for each, anywhere in zip(of, align_all(rest), strict=True):
        each.offer_anywhere(anywhere)
    return [each.evidence for each in of]


class _OfTerm:
    """Evidence of one term. `parts`: the texts it is first aligned with, names and last segments of containers."""

    def __init__(
        self, symbols: SymbolColumns, places: Places, term: Term, found: tuple[Closenesses, Closenesses]
    ) -> None:
        self.evidence = TermEvidence(np.full(len(places), -1, np.float32), np.zeros(len(places), np.uint8))
        self._symbols, self._term = symbols, term
        self._ids = symbols.name_id[places], symbols.container_id[places]
        self._close = found[0][self._ids[0]], found[1][self._ids[1]]
        self._own = np.flatnonzero(self._close[0])
        self._other = np.flatnonzero((self._close[1] > 0) & (self._close[0] < Closeness.SUBSTRING))
        names, self._names = distinct(self._ids[0][self._own])
        containers, self._containers = distinct(self._ids[1][self._other])
        self._whole = symbols.containers.characters(containers)
        self._last, self._begins = _last_segments(self._whole)
        self.parts = [(symbols.names.characters(names), term), (self._last, term)]

    def offer(self, names: AlignedTerm, ends: AlignedTerm) -> tuple[Characters, Term]:
        """Takes what names and last segments earn; the containers in which it is nowhere so far, and the term."""
        points = names.scores.astype(np.float32)
        self.evidence.offer(self._own, (points, names, self._names), MatchSource.NAME)
        self._offer_near(np.flatnonzero(self._close[0] == Closeness.TYPO), MatchSource.NAME_TYPO)
        laid = _Last(ends, self._begins)
        earned = ends.scores.astype(np.float32)
        lead = leads(self._last[1]).astype(np.int64)  # of a type and its interface the one as typed is before
        whole = np.count_nonzero(self._last[0], axis=1) - lead == len(self._term.text)
        earned = np.where(earned < 0, -1, np.maximum(earned + (WHOLE_SEGMENT - lead) * whole - IN_TYPE, 0))
        self.evidence.offer(self._other, (earned, laid, self._containers), MatchSource.TYPE)
        self._nowhere = earned < 0
        return (self._whole[0][self._nowhere], self._whole[1][self._nowhere]), self._term

    def offer_anywhere(self, laid: AlignedTerm) -> None:
        """Takes what the term earns anywhere in the other containers."""
        points = np.where(laid.scores < 0, -1, laid.scores * IN_CONTAINER).astype(np.float32)
        rest = np.flatnonzero(self._nowhere[self._containers])
        owners = (np.cumsum(self._nowhere) - 1)[self._containers[rest]]
        self.evidence.offer(self._other[rest], (points, laid, owners), MatchSource.CONTAINER)
        near = self._other[self._close[1][self._other] == Closeness.TYPO]
        self._offer_near(near, MatchSource.CONTAINER_TYPO)

    def _offer_near(self, at: NDArray[np.int64], source: int) -> None:
        if not len(at):
            return
        in_name = source == MatchSource.NAME_TYPO
        texts = self._symbols.names if in_name else self._symbols.containers
        unique, inverse = distinct(self._ids[not in_name][at])
        near = _Near(texts, unique, self._term.text)
        share = np.float32(1.0 if in_name else IN_CONTAINER)
        self.evidence.offer(at, (near.points * share, near, inverse), source)


class _Last(msgspec.Struct, frozen=True, eq=False):
    """Term aligned with the last segments of containers, which begin at `begins`."""

    laid: AlignedTerm
    begins: NDArray[np.int64]

    def positions(self, at: NDArray[np.int64]) -> list[tuple[int, ...]]:
        matches = zip(self.laid.positions(at), self.begins[at].tolist(), strict=True)
        return [tuple(begin + place for place in matched) for matched, begin in matches]


class _Near:
    """A term that is nearly in texts. `points`: -1 where it is not."""

    def __init__(self, texts: TextColumn, ids: NDArray[np.integer], term: str) -> None:
        self._texts, self._ids, self._term = texts, ids, term
        self._found = nearest(texts, ids, term)
        earned = [-1 if near is None else near.score(len(term)) for near in self._found]
        self.points = np.array(earned, np.float32)
        ends = np.array([near.end if near is not None and near.begins else -1 for near in self._found])
        self.points[ends == texts.lengths[ids]] += WHOLE_NEAR

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
