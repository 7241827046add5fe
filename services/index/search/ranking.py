"""Exact scores of the candidate symbols, in display order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.alignment import align
from services.index.search.coverage import EXACT_NAME, MOST, is_beside, is_interface, look_closer
from services.index.search.evidence import Matched, MatchSource, TermEvidence, gather
from services.index.search.filter.segment_query import worth_alone
from services.index.search.filter.tiers import CandidatePool
from services.index.search.match import alphabet
from services.index.search.match.alphabet import MATCH, fold
from services.index.search.match.columns import ACCESSES, KINDS, TYPES, SymbolColumns
from services.index.search.match.query import SearchQuery, Term, Where
from services.index.search.match.sorted_arrays import among, distinct, first_by
from services.model import Kind


# Container and name as one text, for terms whose humps span both.
class QualifiedHits:
    """Term aligned with `container.name` of n places. `scores`: int16 (n,)."""

    def __init__(self, symbols: SymbolColumns, places: Places, term: Term) -> None:
        containers, names = symbols.container_id[places], symbols.name_id[places]
        left, left_classes = symbols.containers.characters(containers)
        right, right_classes = symbols.names.characters(names)
        shape = (len(places), left.shape[1] + 1 + right.shape[1])
        points, classes = np.zeros(shape, np.uint32), np.zeros(shape, np.uint8)
        points[:, : left.shape[1]], classes[:, : left.shape[1]] = left, left_classes
        self._dots = np.minimum(symbols.containers.lengths[containers], 255).astype(np.int64)
        rows = np.arange(len(places))
        points[rows, self._dots], classes[rows, self._dots] = ord("."), alphabet.PUNCTUATION
        columns = self._dots[:, None] + 1 + np.arange(right.shape[1])
        points[rows[:, None], columns], classes[rows[:, None], columns] = right, right_classes
        self._aligned = align((points, classes), [(term, len(places))])
        self.scores = self._aligned.scores

    def positions(self, at: Places) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """For some of the places, the characters the term matched in the name and in the container, ascending."""
        return [
            (tuple(p - dot - 1 for p in matched if p > dot), tuple(p for p in matched if p < dot))
            for matched, dot in zip(self._aligned.positions(at), self._dots[at].tolist(), strict=True)
        ]


Places = NDArray[np.int64]
_TWINS = 50
"""Number of symbols sorted beyond the limit, to replace others with the same key."""

SPAN_COST = 8
"""Points a match over container and name lies behind one in the name alone."""

EXACT_CASE = 500
"""Points of an exact name that is so in its capitals too, where any were typed."""

EXACT_STEM = EXACT_NAME - 20
"""Points of a type whose name the stems of several words make up."""

_SHORT = 2
"""Letters of which nobody makes the name of a type, and which too many names have."""

TYPE_OF_WORDS = 120
"""Points of a type that several words make up: more than a member of the same name has in its favour."""

WHOLE_WORD = 40
"""Points of a name that is one of several words that were typed."""

ALL_IN_NAME = 48
"""Points of a name that contains several words, relative to one that contains some in a type that contains the
others."""

AS_TYPED = 12
"""Points of a name that contains the words as they were typed, relative to one that contains their stems."""

VERY_NAME = 20
"""Points of a type whose name is what was typed, relative to one that has an `I` or `Attribute` beside it."""

PRIVATE_FIELD = 140
"""Points that a private field lies behind: it is mostly named after the type it holds, which is what is looked for."""

CONSTRUCTOR = 48
"""Points that a constructor lies behind: its type has the same name."""

_FIELD, _PRIVATE = KINDS.index(Kind.FIELD), ACCESSES.index("private")
_CONSTRUCTOR = KINDS.index(Kind.CONSTRUCTOR)
"""Constructors have the name of their type, which is what is looked for by it."""


class Scored(msgspec.Struct, frozen=True, eq=False):
    """Scored candidates. `points`: float32 (n,); `plain`, `spanned`: which of them match part by part, by the evidence
    of each term, and which over container and name."""

    pool: CandidatePool
    points: NDArray[np.float32]
    plain: NDArray[np.int64]
    evidence: list[TermEvidence]
    spanned: NDArray[np.int64]
    spans: QualifiedHits | None

    def best(self, limit: int) -> Iterator[Best]:
        """Iterate over the best candidates: by score, types, non-constructors, private last, length of the name, its
        highest boost, type parameters, boost, length of the container, name, container, project, origin, segment, row;
        of those with one key only the best."""
        pool = self.pool
        kept = _worthy(self.points, limit if pool.keys is None else limit + _TWINS)
        ties = list(_ties(pool.symbols, pool.places, self.points))
        order = kept[np.lexsort([column[kept] for column in (pool.rows, pool.segments, *reversed(ties))])]
        _part_equals(order, [column[order] for column in ties], _texts_at(pool), limit + _TWINS)
        if pool.keys is not None:
            order = _once(order, pool.keys[order].tolist(), limit)
        order = order[: max(0, limit)]
        for at, matched in zip(order.tolist(), self._matched(order), strict=True):
            yield Best(
                segment=int(pool.segments[at]),
                row=int(pool.rows[at]),
                name=pool.symbols.names.text(int(pool.symbols.name_id[pool.places[at]])),
                score=float(self.points[at]),
                name_positions=matched[0],
                container_positions=matched[1],
            )

    def _matched(self, at: NDArray[np.int64]) -> list[Matched]:
        """The characters of name and container that matched at some of the places, ascending."""
        found: list[tuple[set[int], set[int]]] = [(set(), set()) for _ in range(len(at))]
        kinds = [(self.plain, evidence.matched) for evidence in self.evidence]
        kinds += [(self.spanned, self.spans.positions)] if self.spans is not None else []
        for whole, positions in kinds:
            mine = np.flatnonzero(among(at, whole))
            matches = positions(np.searchsorted(whole, at[mine]))
            for index, (name, container) in zip(mine.tolist(), matches, strict=True):
                found[index][0].update(name)
                found[index][1].update(container)
        return [(tuple(sorted(name)), tuple(sorted(container))) for name, container in found]


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """A ranked symbol; `segment` counts segments, `row` is the caller's."""

    segment: int
    row: int
    name: str
    score: float
    name_positions: tuple[int, ...]
    container_positions: tuple[int, ...]


def score(pool: CandidatePool, queries: tuple[SearchQuery, SearchQuery]) -> Scored:
    """Score candidates: the sum of what each term earns, and what recent use adds. `queries`: what was typed, and what
    it was found by."""
    typed, query = queries
    symbols, places = pool.symbols, pool.places
    points = np.zeros(len(places), np.float32)
    plain, spanned = np.flatnonzero(~pool.spanned), np.flatnonzero(pool.spanned)
    closeness = list(zip(pool.names, pool.containers, strict=True))
    earned = gather(symbols, places[plain], query.terms, closeness)
    for evidence in earned:
        points[plain] += evidence.points
    spans = QualifiedHits(symbols, places[spanned], query.terms[0]) if len(spanned) else None
    if spans is not None:
        points[spanned] = spans.scores - SPAN_COST
    points += _exactness(symbols, places, typed, query)
    if typed != query:
        points += AS_TYPED * _as_typed(symbols, places, typed)
    if not query.terms:
        points += worth_alone(symbols, places)
    else:
        if len(query.terms) > 1 and len(plain):
            in_name = [
                (each.sources == MatchSource.NAME) | (each.sources == MatchSource.NAME_TYPO)
                for each in earned
            ]
            points[plain] += ALL_IN_NAME * np.logical_and.reduce(in_name)
        look_closer(symbols, places, queries, points, _foremost(pool, points, MOST))
        if len(query.terms) > 1:
            points -= _named_after_types(symbols, places)
    points += pool.recent * np.float32(MATCH)
    return Scored(pool, points, plain, earned, spanned, spans)


def _exactness(
    symbols: SymbolColumns, places: Places, typed: SearchQuery, meant: SearchQuery
) -> NDArray[np.float32]:
    """Return the points of each place for the typed name: alone, with its container, or in several words."""
    points = np.zeros(len(places), np.float32)
    names = [term for term in typed.terms if term.where is not Where.CONTAINER]
    if not names:
        return points
    whole = "".join(term.text for term in names)
    capitals = tuple(capital for term in names for capital in term.capitals)
    ids = symbols.name_id[places]
    for id_ in distinct(ids[symbols.names.lengths[ids] == len(whole)])[0].tolist():
        name = symbols.names.text(id_)
        if fold(name) == whole:
            cased = any(capitals) and tuple(char.isupper() for char in name) == capitals
            points[ids == id_] = EXACT_NAME + EXACT_CASE * cased
    bonus = TYPE_OF_WORDS if len(names) > 1 else 0
    if len(whole) > _SHORT:
        stems = "".join(term.text for term in meant.terms)
        _add_types_of_words(points, symbols, places, (whole, stems), bonus)
    if bonus:
        _add_whole_words(points, symbols, ids, names)
    return points


def _add_types_of_words(
    points: NDArray[np.float32],
    symbols: SymbolColumns,
    places: Places,
    wholes: tuple[str, str],
    bonus: int,
) -> None:
    """Raise types that the words make up, also by their stems, and without the `I` of an interface or `Attribute`, to
    the points of an exact name. Several words are how people call a type: it gets the `bonus` before members of the
    name. Where one member alone has the very name, that is meant; types of tests are called otherwise. `wholes`: the
    words as typed, and their stems, in one."""
    by_stem = EXACT_STEM if not bonus or np.count_nonzero(points) == 1 else EXACT_STEM + bonus
    worth = {
        name: points_of_name
        for whole, points_of_name in ((wholes[1], by_stem), (wholes[0], EXACT_NAME + bonus))
        for name in (whole, f"i{whole}", f"{whole}attribute")
    }
    worth[wholes[0]] += VERY_NAME
    ids, owners = symbols.name_id[places], symbols.container_id[places]
    fit = np.isin(symbols.kind[places], TYPES)
    fit &= np.isin(symbols.names.lengths[ids], [len(text) for text in worth])
    for at in np.flatnonzero(fit).tolist():
        name = symbols.names.text(int(ids[at]))
        folded = fold(name)
        is_called_so = folded in wholes or folded.endswith("attribute") or is_interface(name)
        if folded in worth and is_called_so and not is_beside(symbols.containers.text(int(owners[at]))):
            points[at] = max(points[at], worth[folded])


def _add_whole_words(
    points: NDArray[np.float32], symbols: SymbolColumns, ids: NDArray[np.integer], names: Sequence[Term]
) -> None:
    """Add points where one of several words is the whole name, and the others match its container."""
    typed = {term.text for term in names}
    lengths = symbols.names.lengths[ids]
    for id_ in distinct(ids[np.isin(lengths, [len(text) for text in typed])])[0].tolist():
        if fold(symbols.names.text(id_)) in typed:
            points[ids == id_] += WHOLE_WORD


def _as_typed(symbols: SymbolColumns, places: Places, typed: SearchQuery) -> NDArray[np.bool_]:
    """Which places have every word in their name as it was typed."""
    ids, inverse = distinct(symbols.name_id[places])
    names = [fold(symbols.names.text(id_)) for id_ in ids.tolist()]
    found = [all(term.text in name for term in typed.terms) for name in names]
    return np.array(found, np.bool_)[inverse]


def _named_after_types(symbols: SymbolColumns, places: Places) -> NDArray[np.float32]:
    """Return the points that private fields and constructors lie behind other symbols that several words find."""
    kinds = symbols.kind[places]
    private_field = (kinds == _FIELD) & (symbols.access[places] == _PRIVATE)
    return (PRIVATE_FIELD * private_field + CONSTRUCTOR * (kinds == _CONSTRUCTOR)).astype(np.float32)


def _ties(symbols: SymbolColumns, places: Places, points: NDArray[np.float32]) -> Iterator[NDArray]:
    """Yield the columns by which places are ordered, the first deciding most."""
    yield -points
    yield ~np.isin(symbols.kind[places], TYPES)
    yield symbols.kind[places] == _CONSTRUCTOR
    yield symbols.access[places] == _PRIVATE
    yield symbols.names.lengths[symbols.name_id[places]]
    yield -symbols.fame[symbols.name_id[places]].astype(np.int16)
    yield symbols.arity[places]
    yield -symbols.boost[places]
    yield symbols.containers.lengths[symbols.container_id[places]]


def _texts_at(pool: CandidatePool) -> Callable[[int], tuple[str, str, str, int]]:
    """Return what orders candidates that are alike in all columns: rows and segments are numbered as they came, which
    is another order after other changes."""
    symbols = pool.symbols

    def texts(at: int) -> tuple[str, str, str, int]:
        place = pool.places[at]
        return (
            symbols.names.text(int(symbols.name_id[place])),
            symbols.containers.text(int(symbols.container_id[place])),
            symbols.projects[symbols.project_id[place]],
            0 if pool.origins is None else int(pool.origins[at]),
        )

    return texts


def _foremost(pool: CandidatePool, points: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Return the indexes of the `most` best candidates so far."""
    every = np.arange(len(points))
    if len(every) <= most:
        return every
    sure, equal = first_by(_ties(pool.symbols, pool.places, points), every, most)
    left = most - len(sure)
    rest = equal if len(equal) <= left else sorted(equal.tolist(), key=_texts_at(pool))[:left]
    return np.concatenate((sure, np.asarray(rest, np.int64)))


def _part_equals(
    order: Places, ties: Sequence[NDArray], texts: Callable[[int], tuple[str, str, str, int]], most: int
) -> None:
    """Sort those of `order` whose `ties` are equal by their texts, as far as the first `most`."""
    equal = np.logical_and.reduce([column[1:] == column[:-1] for column in ties])
    begins = np.flatnonzero(np.concatenate(([True], ~equal)))
    for begin, end in zip(begins.tolist(), np.append(begins[1:], len(order)).tolist(), strict=False):
        if begin < most and end - begin > 1:
            order[begin:end] = sorted(order[begin:end].tolist(), key=texts)


def _once(order: Places, keys: Iterable[object], limit: int) -> Places:
    """The first of each key, up to `limit`."""
    firsts: dict[object, int] = {}
    for at, key in zip(order.tolist(), keys, strict=False):
        firsts.setdefault(key, at)
        if len(firsts) >= limit:
            break
    return np.array(list(firsts.values()), np.int64)


def _worthy(points: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Return the indexes of the points that can be among the best `limit`, ascending: only few are sorted."""
    if not 0 < limit < len(points):
        return np.arange(len(points))
    return np.flatnonzero(points >= np.partition(points, len(points) - limit)[len(points) - limit])
