"""Query over one segment: the matching symbols, and the candidates for an exact score.

The search for similar texts costs more than anything else, and all terms have to match: once a term has left few
symbols, the next one is looked up in their names and containers alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, reduce

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.filter.segment import SegmentSearch
from services.index.search.filter.view import FilterView, Mask
from services.index.search.match.columns import TYPES, SymbolColumns, Symbols
from services.index.search.match.matcher import Closenesses, Matcher
from services.index.search.match.prefix_filter import Closeness
from services.index.search.match.query import MAX_TERMS, SearchQuery, Term, Where, allowed_errors
from services.index.search.match.sorted_arrays import (
    Listed,
    Places,
    PlaceSelection,
    Ranked,
    ascending,
    best,
    common,
    leading,
    selected,
)

Pair = tuple[Closenesses, Closenesses]
"""Closeness of names and of containers to a term."""

Ids = NDArray[np.int64]

_FEW = 16
"""A term has left few symbols when it has left less than one of so many."""


def forgiven(search: SegmentSearch, query: SearchQuery, known: Mapping[int, Pair]) -> list[Pair]:
    """For each term, how close names and containers are to it, as far as they can belong to a symbol that matches all
    terms; 0 elsewhere. `known`: that of the terms in which nothing is forgiven, by their places in the query."""
    found = dict(known)
    places: NDArray[np.int64] | None = None
    for pair in known.values():
        places = _left(search.symbols, pair, places)
    rest = [at for at in range(len(query.terms)) if at not in known]
    for at in sorted(rest, key=lambda at: _turn(search, query.terms[at])):
        term = query.terms[at]
        found[at] = (
            _closeness(
                search.names, term, query.skipped[0], _ids(search.names, search.symbols.name_id, places)
            ),
            _closeness(
                search.containers,
                term,
                query.skipped[1],
                _ids(search.containers, search.symbols.container_id, places),
            ),
        )
        if len(found) < len(query.terms):
            places = _left(search.symbols, found[at], places)
    return [found[at] for at in range(len(query.terms))]


def _turn(search: SegmentSearch, term: Term) -> tuple[bool, bool, int]:
    """Order of the terms: cached results first, then cheap terms, then selective ones."""
    known = search.names.knows(term.text) and search.containers.knows(term.text)
    return not known, allowed_errors(len(term.text)) > 0, -len(term.text)


def _closeness(matcher: Matcher, term: Term, skipped: Where, ids: Ids | None) -> Closenesses:
    if term.where is skipped:
        return np.zeros(len(matcher.texts), np.uint8)
    return matcher.closeness(term.text, with_typos=True, among=ids)


def _ids(matcher: Matcher, column: NDArray[np.int32], places: NDArray[np.int64] | None) -> Ids | None:
    """Return the ids of the places, ascending, each once."""
    if places is None:
        return None
    there = np.zeros(len(matcher.texts), np.bool_)
    there[column.take(places)] = True
    return np.flatnonzero(there)


def _left(symbols: Symbols, found: Pair, places: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Return those of the places (None: all) that match by name or container; None where there are many."""
    names, containers = found
    if places is not None:
        return places[
            (names.take(symbols.name_id[places]) | containers.take(symbols.container_id[places])) != 0
        ]
    return symbols.having(names, containers, most=len(symbols) // _FEW)


POOL = 128
"""How many names, and how many symbols, get an exact score: the best by closeness, length, access and
boost. Spans are looked for when fewer symbols than this match closely without them."""

FEW = 10
"""Limit of close matches below which typing errors and characters scattered over a container are forgiven: in all
terms where none match, else in those that begin a word of fewer names than this. A word of so many names is no typing
error, and its matches are the intended ones."""

_MANY = 20_000
_FEW_OF = 16
_PIECE = 1 << 15
_FAR = 64
"""Penalty of members without a query, which puts them below every type."""
_UNSOUGHT = np.uint8(1 << MAX_TERMS)
_NO_PLACES = np.empty(0, np.int64)


class Candidates(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Symbols of one segment that may get an exact score, each list the best of their kind. `names`: names that match
    all terms; `first`: their first places; `partly`: places that match by name and container; `spans`: by humps of
    both together; `recent`: lately used ones that match, whatever they are worth; `total`: the number of all matches.
    """

    names: Ranked
    first: Places
    partly: Ranked
    spans: Ranked
    recent: Places
    total: int


class SegmentQuery:
    """A query with terms, being answered from one segment. Filters and accessibility never change what else
    is looked for: `close` counts without filters, so that a filter can only narrow."""

    def __init__(
        self, search: SegmentSearch, query: SearchQuery, pairs: Sequence[Pair] | None = None
    ) -> None:
        """`pairs`: closeness of names and containers to each term, where it is not to be strict."""
        self.search = search
        self.symbols = search.symbols
        self.query = query
        pairs = [self._closeness(term) for term in query.terms] if pairs is None else pairs
        self.names = [names for names, _ in pairs]
        self.containers = [containers for _, containers in pairs]
        self.full = np.uint8((1 << len(query.terms)) - 1)
        self.in_name = _bits(self.names)
        self.whole = self.in_name == self.full
        self.partly = self._partly()
        self.spans = _NO_PLACES

    def relaxed(self, slips: Collection[int]) -> SegmentQuery:
        """Return the query with typing errors forgiven in the terms at these indexes."""
        pairs = enumerate(zip(self.names, self.containers, strict=True))
        known = {at: pair for at, pair in pairs if at not in slips}
        return SegmentQuery(self.search, self.query, forgiven(self.search, self.query, known))

    def words(self, at: int) -> int:
        """How many symbols have a word in their name that begins with the term at this place of the query; counted to
        the end only if they are few."""
        return self._counted(self.names[at] >= Closeness.WORD)

    def _counted(self, names: Mask) -> int:
        """How many symbols have one of these names, counted to the end only if they are few."""
        if self.search.alive.mask is None and (count := int(np.count_nonzero(names))) >= POOL:
            return count  # each is the name of one symbol at least
        return self.search.alive.count(names)

    def _closeness(self, term: Term) -> Pair:
        """To names, and to containers, in which characters are not to be scattered."""
        search, skipped = self.search, self.query.skipped
        names = _nothing(search.names) if term.where is skipped[0] else search.names.closeness(term.text)
        if term.where is skipped[1]:
            return names, _nothing(search.containers)
        return names, search.containers.close(term.text)

    def _partly(self) -> PlaceSelection:
        """Places alive whose name matches some of the terms and whose container the others."""
        in_container = _bits(self.containers)
        if not in_container.any():
            return Listed(_NO_PLACES)
        alive, symbols = self.search.alive, self.symbols
        sought = ~self.whole
        if any(term.where is not Where.CONTAINER for term in self.query.terms):
            sought &= self.in_name != 0
        in_name = self.in_name | (~sought).view(np.uint8) * _UNSOUGHT
        places = self._few()
        if places is None:
            return selected(self._scanned(in_name, in_container))
        bits = in_name[symbols.name_id[places]]
        bits |= in_container[symbols.container_id[places]]
        return Listed(alive.keep(ascending(places[bits == self.full])))

    def _few(self) -> Places | None:
        """Places among which all those are that match partly, by a term that few symbols match; None where each is
        matched by many."""
        most = len(self.symbols) // _FEW_OF
        for names, containers in sorted(
            zip(self.names, self.containers, strict=True), key=lambda pair: np.count_nonzero(pair[0])
        ):
            places = self.symbols.having(names, containers, most=most)
            if places is not None:
                return places
        return None

    def _scanned(self, in_name: NDArray[np.uint8], in_container: NDArray[np.uint8]) -> Mask:
        """Return by place whether it is alive and name and container together contain all terms; computed in pieces
        that fit in a cache."""
        symbols = self.symbols
        found = np.empty(len(symbols), np.bool_)
        for first in range(0, len(symbols), _PIECE):
            bits = in_name.take(symbols.name_id[first : first + _PIECE])
            bits |= in_container.take(symbols.container_id[first : first + _PIECE])
            np.equal(bits, self.full, out=found[first : first + _PIECE])
        alive = self.search.alive.mask
        return found if alive is None else found & alive

    @cached_property
    def close_names(self) -> int:
        """How many symbols match by their names closer than by scattered characters; counted to the end only if they
        are few."""
        return self._counted(reduce(np.logical_and, [found > Closeness.TYPO for found in self.names]))

    @cached_property
    def close_parts(self) -> int:
        """How many match so by name and container; counted to the end only if they are few."""
        terms = [
            (found > Closeness.TYPO, inside)
            for found, inside in zip(self.names, self.containers, strict=True)
        ]
        partly = self.partly.all() if len(self.partly) else _NO_PLACES
        count = 0
        for begin in range(0, len(partly), _MANY):
            places = partly[begin : begin + _MANY]
            ids, owners = self.symbols.name_id.take(places), self.symbols.container_id.take(places)
            either = [names.take(ids) | (inside.take(owners) > Closeness.TYPO) for names, inside in terms]
            count += int(np.count_nonzero(reduce(np.logical_and, either)))
            if count >= POOL:
                break
        return count

    def span(self) -> int:
        """Look for humps of container and name together too; how many symbols match so."""
        term = self.query.terms[0]
        symbols = self.symbols
        tail = self.search.tails.lengths(term.text, shortest=1 if term.humps else 2) * ~self.whole
        longest = int(tail.max(initial=0))
        if not longest:
            return 0
        head = self.search.heads.lengths(term.text, shortest=len(term.text) - longest)
        names = np.flatnonzero(tail != 0)
        places = symbols.places_in(np.flatnonzero(head != 0), most=len(names))
        places = symbols.places(names) if places is None else places
        ends = tail.take(symbols.name_id.take(places))
        reach = head.take(symbols.container_id.take(places)) + ends
        self.spans = self.search.alive.keep(places[(reach >= len(term.text)) & (ends > 0)])
        return len(self.spans)

    def found(self, view: FilterView, recent: Places, pool: int) -> Candidates:
        """Return the matches after the filters of a view. `recent`: places that are candidates for an exact score
        whenever they match; `pool`: how many of each kind are."""
        partly, spans = self.partly.left(view), view.keep(self.spans)
        whole = self.whole if view.mask is None else self.whole & (view.counts > 0)
        names = self._best_names(view, whole, pool)
        lately = [view.keep(recent[self.whole[self.symbols.name_id[recent]]])]
        lately += [recent[partly.has(recent)], common(recent, spans)]
        return Candidates(
            names=names,
            first=self._first_places(view, names.values, pool),
            partly=self._best_places(view, partly, pool),
            spans=self._shortest(view, spans, pool),
            recent=ascending(np.concatenate(lately)),
            total=view.count(whole) + len(partly) + len(spans),
        )

    def _best_names(self, view: FilterView, whole: Mask, pool: int) -> Ranked:
        closeness = _sum(self.names)
        levels = closeness * whole
        if len(self.names) == 1 and self.query.terms[0].humps:
            levels[levels == Closeness.HUMPS] = Closeness.EXACT
        ids = leading(levels, pool)
        prefix = closeness[ids] >= Closeness.PREFIX * len(self.names)
        by_length = (
            view.by_fame if len(self.query.terms) == 1 and self.query.terms[0].humps else view.by_length
        )
        tie = np.where(prefix, view.by_access[ids], by_length[ids])
        return best(ids, (levels[ids].astype(np.int32) << 17) | tie, pool)

    def _first_places(self, view: FilterView, names: Ids, pool: int) -> Places:
        """Return the first places of each name, as many as can be requested: a name's symbols score alike."""
        places = self.symbols.places(names)
        if view.mask is None:
            return places[places - self.symbols.starts[self.symbols.name_id[places]] < pool]
        left = view.keep(places)
        owner = self.symbols.name_id[left]
        return left[np.arange(len(left)) - np.searchsorted(owner, owner) < pool]

    def _best_places(self, view: FilterView, partly: PlaceSelection, pool: int) -> Ranked:
        if not len(partly):
            return best(_NO_PLACES, _NO_PLACES, pool)
        symbols, closeness, inside = self.symbols, _sum(self.names), _sum(self.containers)
        # A container may outweigh some levels of a name.
        slack = int(inside.max(initial=0)) >> 3
        places = partly.foremost(symbols, closeness, pool, slack=slack)
        levels = closeness.take(symbols.name_id[places]).astype(np.uint16) << 3
        levels += inside.astype(np.uint16).take(symbols.container_id[places])
        at = leading(levels, pool)
        tie = view.by_length[symbols.name_id[places[at]]]
        return best(places[at], (levels[at].astype(np.int32) << 16) | tie, pool)

    def _shortest(self, view: FilterView, places: Places, pool: int) -> Ranked:
        if not len(places):
            return best(places, places, pool)
        lengths = self.symbols.containers.lengths[self.symbols.container_id[places]].astype(np.int32)
        return best(places, view.by_length[self.symbols.name_id[places]] - (lengths << 8), pool)


def _nothing(matcher: Matcher) -> Closenesses:
    return np.zeros(len(matcher.texts), np.uint8)


def everything(search: SegmentSearch, view: FilterView, recent: Places, pool: int) -> Candidates:
    """Return the result of a query without terms: all places after its filters, the best by what they are worth
    alone."""
    total = len(search.symbols) if view.mask is None else int(np.count_nonzero(view.mask))
    places = view.keep(search.famous)
    if len(places) < min(pool, total):
        places = np.arange(total) if view.mask is None else np.flatnonzero(view.mask)
    return Candidates(
        names=best(_NO_PLACES, _NO_PLACES, pool),
        first=_NO_PLACES,
        partly=best(places, worth_alone(search.symbols, places), pool),
        spans=best(_NO_PLACES, _NO_PLACES, pool),
        recent=view.keep(recent),
        total=total,
    )


def worth_alone(symbols: SymbolColumns, places: Places) -> NDArray[np.float32]:
    """Return the scores of symbols where there is no query: types by their references, before all members, which
    they represent."""
    fame = np.log2(1 + symbols.boost[places])
    return np.where(np.isin(symbols.kind[places], TYPES), fame + 1, fame / _FAR)


def _bits(found: list[Closenesses]) -> NDArray[np.uint8]:
    """Bit t of each text: whether term t is in it."""
    total = (found[0] != 0).view(np.uint8)
    for index, one in enumerate(found[1:], 1):
        total |= (one != 0).view(np.uint8) << np.uint8(index)
    return total


def _sum(found: list[Closenesses]) -> NDArray[np.uint8]:
    """Closeness of each text to all terms together: seven of seven at most."""
    return reduce(np.add, found)
