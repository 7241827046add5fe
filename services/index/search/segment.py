"""One immutable set of symbols being searched: which of them match, and which are worth an exact score."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from services.index.search.columns import Symbols
from services.index.search.matcher import Closenesses, Matcher
from services.index.search.query import MAX_TERMS, Query, Term, Where
from services.index.search.spans import Heads
from services.index.search.trail import Closeness
from services.index.search.view import Filters, Mask, View, filter_mask

Places = NDArray[np.int64]

POOL = 256
"""How many names, and how many symbols, get an exact score: the best by closeness, length, access and boost."""

FEW = 10
"""Typing errors are forgiven when fewer symbols than this match better than as a scattered subsequence."""

_VIEWS = 8
_MANY = 20_000
_UNSOUGHT = np.uint8(1 << MAX_TERMS)


@dataclass(frozen=True, slots=True)
class Segment:
    """Symbols and which of their rows no longer count: `dead` is a bool array by row, or None."""

    symbols: Symbols
    dead: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """What a query found in one segment. `places`: those worth an exact score, ascending; `spanned`: which of them match
    by humps of container and name together; `names`, `containers`: closeness by text for each term; `total`: all
    that match; `close`: of these, closer than by scattered characters."""

    places: Places
    spanned: Mask
    names: list[Closenesses] = field(default_factory=list)
    containers: list[Closenesses] = field(default_factory=list)
    total: int = 0
    close: int = 0


class SegmentSearch:
    """Searches one segment and remembers recent terms and filters."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.symbols = segment.symbols
        self.names = Matcher(self.symbols.names)
        self.containers = Matcher(self.symbols.containers)
        self.heads = Heads(self.symbols.names)
        self._views: OrderedDict[Filters, View] = OrderedDict()

    @property
    def searched(self) -> int:
        """How many symbols count."""
        dead = self.segment.dead
        return len(self.symbols) - (0 if dead is None else int(np.count_nonzero(dead)))

    def with_dead(self, dead: NDArray[np.bool_] | None) -> SegmentSearch:
        """The same symbols with other dead rows; what is known of terms stays."""
        other = SegmentSearch(Segment(self.symbols, dead))
        other.names, other.containers, other.heads = self.names, self.containers, self.heads
        return other

    def find(self, query: Query, recent: Places, *, pool: int = POOL, with_typos: bool = False) -> Found:
        """Match a query. `recent`: places that are worth an exact score whenever they match."""
        view = self._view(query.filters)
        if not query.terms:
            return self._everything(view, recent, pool)
        return _Finding(self, query, view, pool=pool, with_typos=with_typos).run(recent)

    def _everything(self, view: View, recent: Places, pool: int) -> Found:
        places = np.arange(len(self.symbols)) if view.mask is None else np.flatnonzero(view.mask)
        best = _best(places, self.symbols.boost[places], pool)
        chosen = np.union1d(best, view.keep(recent))
        return Found(places=chosen, spanned=np.zeros(len(chosen), np.bool_), total=len(places), close=FEW)

    def _view(self, filters: Filters) -> View:
        view = self._views.get(filters)
        if view is None:
            dead = self.segment.dead
            alive = None if dead is None else ~dead[self.symbols.order]
            view = View(self.symbols, filter_mask(self.symbols, filters, alive))
            self._views[filters] = view
            if len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return view


class _Finding:
    """One query over one segment."""

    def __init__(
        self, search: SegmentSearch, query: Query, view: View, *, pool: int = POOL, with_typos: bool = False
    ) -> None:
        self.search = search
        self.symbols = search.symbols
        self.query = query
        self.view = view
        self.pool = pool
        self.names = self._closeness(search.names, Where.CONTAINER, with_typos=with_typos)
        alone = len(query.terms) == 1 and query.terms[0].where is Where.ANY
        skipped = Where.ANY if alone else Where.NAME
        self.containers = self._closeness(search.containers, skipped, with_typos=with_typos)
        self.full = np.uint8((1 << len(query.terms)) - 1)
        self.named = any(term.where is not Where.CONTAINER for term in query.terms)

    def _closeness(self, matcher: Matcher, skipped: Where, *, with_typos: bool) -> list[Closenesses]:
        nothing = np.zeros(len(matcher.texts), np.uint8)

        def one(term: Term) -> Closenesses:
            return nothing if term.where is skipped else matcher.closeness(term.text, with_typos=with_typos)

        return [one(term) for term in self.query.terms]

    def run(self, recent: Places) -> Found:
        in_name, in_container = _bits(self.names), _bits(self.containers)
        whole = in_name == self.full
        partly = self._partly(in_name, in_container)
        close = self._close(whole, partly)
        spans = self._spans(whole, close)
        names = self._best_names(np.flatnonzero(whole & (self.view.counts > 0)))
        chosen = [self._first_places(names), self._best_places(partly), self._shortest(spans)]
        chosen += [self.view.keep(recent[whole[self.symbols.name_id[recent]]])]
        chosen += [_common(recent, partly), _common(recent, spans)]
        places = _ascending(np.concatenate(chosen))
        total = int(self.view.counts[whole].sum()) + len(partly) + len(spans)
        return Found(
            places=places,
            spanned=_among(places, spans),
            names=self.names,
            containers=self.containers,
            total=total,
            close=close + len(spans),
        )

    def _partly(self, in_name: NDArray[np.uint8], in_container: NDArray[np.uint8]) -> Places:
        """Places whose name matches some of the terms and whose container the others."""
        if not in_container.any():
            return np.empty(0, np.int64)
        sought = (in_name != self.full) & (self.view.counts > 0)
        if self.named:
            sought &= in_name != 0
        symbols = self.symbols
        if int(self.view.counts[sought].sum()) * 4 < len(symbols):
            places = symbols.places(np.flatnonzero(sought))
            bits = in_name[symbols.name_id[places]] | in_container[symbols.container_id[places]]
            return self.view.keep(places[bits == self.full])
        bits = np.where(sought, in_name, _UNSOUGHT)[symbols.name_id]
        bits |= in_container[symbols.container_id]
        return self.view.keep(np.flatnonzero(bits == self.full))

    def _spans(self, whole: Mask, close: int) -> Places:
        if not self.query.spanning or close >= self.pool:
            return np.empty(0, np.int64)
        term = self.query.terms[0].text
        tail = self.search.heads.tail(term, shortest=1 if self.query.terms[0].humps else 2)
        head = self.search.containers.hump_prefix(term)
        places = self.symbols.places(np.flatnonzero((tail > 0) & ~whole & (self.view.counts > 0)))
        reach = head[self.symbols.container_id[places]] + tail[self.symbols.name_id[places]]
        return self.view.keep(places[reach >= len(term)])

    def _close(self, whole: Mask, partly: Places) -> int:
        """How many symbols match closer than by scattered characters, counting no further than is asked for."""
        names = _bits([found > Closeness.TYPO for found in self.names])
        count = int(self.view.counts[whole & (names == self.full)].sum())
        if count >= FEW or not len(partly):
            return count
        partly = partly[:_MANY]
        containers = _bits([found > Closeness.TYPO for found in self.containers])
        bits = names[self.symbols.name_id[partly]] | containers[self.symbols.container_id[partly]]
        return count + int(np.count_nonzero(bits == self.full))

    def _best_names(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        closeness = sum((found[ids].astype(np.int32) for found in self.names), np.zeros(len(ids), np.int32))
        prefix = closeness >= Closeness.PREFIX * len(self.names)
        if len(self.names) == 1 and self.query.terms[0].humps:
            closeness[closeness == Closeness.HUMPS] = Closeness.EXACT
        tie = np.where(prefix, self.view.by_access[ids], self.view.by_length[ids])
        return _best(ids, (closeness << 17) | tie, self.pool)

    def _first_places(self, names: NDArray[np.int64]) -> Places:
        """The first places of each name, as many as can be asked for: a name's symbols score alike."""
        places = self.symbols.places(names)
        if self.view.mask is None:
            return places[places - self.symbols.starts[self.symbols.name_id[places]] < self.pool]
        left = self.view.keep(places)
        owner = self.symbols.name_id[left]
        return left[np.arange(len(left)) - np.searchsorted(owner, owner) < self.pool] if len(left) else left

    def _best_places(self, places: Places) -> Places:
        if len(places) <= self.pool:
            return places
        names = (_sum(self.names) << 19) | self.view.by_length
        worth = names[self.symbols.name_id[places]]
        worth += (_sum(self.containers) << 16)[self.symbols.container_id[places]]
        return _best(places, worth, self.pool)

    def _shortest(self, places: Places) -> Places:
        if len(places) <= self.pool:
            return places
        lengths = self.symbols.containers.lengths[self.symbols.container_id[places]].astype(np.int32)
        return _best(places, self.view.by_length[self.symbols.name_id[places]] - (lengths << 8), self.pool)


def _best(values: NDArray[np.int64], worth: NDArray, count: int) -> NDArray[np.int64]:
    """The `count` values worth most, ascending; equals are chosen by value so that the choice is stable."""
    if len(values) <= count:
        return values
    limit = np.partition(worth, len(worth) - count)[len(worth) - count]
    above = np.flatnonzero(worth > limit)
    equal = np.flatnonzero(worth == limit)[: count - len(above)]
    return values[np.sort(np.concatenate((above, equal)))]


def _among(few: Places, many: Places) -> Mask:
    """Which of a few places are among many; `many` ascends."""
    if not len(many):
        return np.zeros(len(few), np.bool_)
    return many[np.minimum(np.searchsorted(many, few), len(many) - 1)] == few


def _common(few: Places, many: Places) -> Places:
    """Those of a few places that are among many; both ascend."""
    return few[_among(few, many)]


def _ascending(places: Places) -> Places:
    """The places sorted, each once."""
    ordered = np.sort(places)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered


def _bits(found: list[Closenesses] | list[Mask]) -> NDArray[np.uint8]:
    """Bit t of each text: whether term t is in it."""
    return _reduce(found, lambda index, one: (one != 0).astype(np.uint8) << np.uint8(index))


def _sum(found: list[Closenesses]) -> NDArray[np.int32]:
    return sum((one.astype(np.int32) for one in found), np.zeros(len(found[0]), np.int32))


def _reduce(
    found: list[Closenesses] | list[Mask], bits: Callable[[int, NDArray], NDArray[np.uint8]]
) -> NDArray[np.uint8]:
    total = bits(0, found[0])
    for index, one in enumerate(found[1:], 1):
        total |= bits(index, one)
    return total
