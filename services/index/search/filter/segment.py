"""Immutable set of symbols being searched, with caches for recent terms and filters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from services.index.search.filter.view import Filter, Filters, FilterView, Mask
from services.index.search.match.columns import TYPES, Symbols
from services.index.search.match.matcher import LRUCache, Matcher
from services.index.search.match.spans import ChainHeads, Tails
from services.index.search.match.texts import hashes_of

_VIEWS = 8
_FAMOUS = 4_096


@dataclass(frozen=True, slots=True)
class SearchSegment:
    """Symbols and their dead rows: `dead` is a bool array by row, or None. `keys`: by row, its key: of the rows with
    one key only the best is a hit; None where each has its own. `origins`: uint32 by row, the order of rows that are
    equal in all that is searched; None for that of the rows. `shared`: int32 (project, first row, last row,
    exclusive) of rows that a project has in addition to that of their column; None for none."""

    symbols: Symbols
    dead: NDArray[np.bool_] | None = None
    keys: NDArray[np.integer] | None = None
    origins: NDArray[np.uint32] | None = None
    shared: NDArray[np.int32] | None = None


class SegmentSearch:
    """Searches one segment and remembers recent terms and filters."""

    def __init__(self, segment: SearchSegment) -> None:
        self.segment = segment
        self.symbols = segment.symbols
        self.names = Matcher(self.symbols.names)
        self.containers = Matcher(self.symbols.containers)
        self.heads = ChainHeads(self.symbols.containers)
        self.tails = Tails(self.symbols.names, self.heads)
        dead = segment.dead
        self.alive = FilterView(self.symbols, None if dead is None else ~dead[self.symbols.order])
        self.filter = Filter(self.symbols, segment.shared)
        self._masks: LRUCache[tuple[str, str], Mask] = LRUCache(_VIEWS)
        self._views: LRUCache[Filters, FilterView] = LRUCache(_VIEWS)

    @cached_property
    def searched(self) -> int:
        """How many symbols count."""
        dead = self.segment.dead
        return len(self.symbols) - (0 if dead is None else int(np.count_nonzero(dead)))

    @cached_property
    def famous(self) -> NDArray[np.int64]:
        """Return the places of the types with the highest boosts, ascending; none unless few of them are high."""
        boost = self.symbols.boost * np.isin(self.symbols.kind, TYPES)
        limit = boost.max(initial=0)
        while limit >= 1 and np.count_nonzero(boost >= limit) < _FAMOUS:
            limit /= 2
        places = np.flatnonzero(boost >= max(limit, 1))
        return places if len(places) * 4 < len(boost) else places[:0]

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """Return a hash of each name."""
        return hashes_of(self.symbols.names)

    def like(self, segment: SearchSegment) -> SegmentSearch:
        """Another segment with the same texts; what is known of terms stays."""
        other = SegmentSearch(segment)
        other.names, other.containers = self.names, self.containers
        other.heads, other.tails = self.heads, self.tails
        return other

    def with_dead(self, segment: SearchSegment) -> SegmentSearch:
        """Return the same symbols with other dead and shared rows; caches of terms remain."""
        other = self.like(segment)
        other.filter = self.filter.sharing(segment.shared)
        for known in ("famous", "hashes"):
            if known in self.__dict__:
                other.__dict__[known] = self.__dict__[known]
        return other

    def prepare(self) -> Iterator[str]:
        """Look up the most frequent words, one a step, yielding each, and then their matches with typing errors. A
        cached word is no step."""
        for with_typos in (False, True):
            for word in self.names.common:
                done = [each.prepare(word, with_typos=with_typos) for each in (self.names, self.containers)]
                if any(done):
                    yield word

    def view(self, filters: Filters) -> FilterView:
        """Return the view of the segment after filters."""
        return self._views.get(filters, lambda: self._left(filters)) if filters else self.alive

    def _left(self, filters: Filters) -> FilterView:
        masks = [self._masks.get(one, lambda one=one: self.filter.mask(*one)) for one in filters]
        masks += [] if self.alive.mask is None else [self.alive.mask]
        return FilterView(self.symbols, reduce(np.logical_and, masks))
