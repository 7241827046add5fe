"""Immutable set of symbols being searched, with caches for recent terms and filters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, reduce

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.concurrency.latest import LRUCache
from services.index.search.filter.view import Filter, Filters, FilterView, Mask
from services.index.search.match import alphabet
from services.index.search.match.alphabet import LetterMaps, Words
from services.index.search.match.columns import TYPES, Symbols
from services.index.search.match.matcher import Matcher
from services.index.search.match.prefix_filter import after, of_rows, some, up, where
from services.index.search.match.texts import Texts, hashes_of

_Chain = tuple[NDArray[np.int64], Words]
"""Rows of a set of maps whose humps some characters chain along, and the places where the next one may be: behind the
last, or at a later hump."""

_KEPT = 192
_KEPT_TAILS = 16
_KEPT_PAIRS = 128


class ChainHeads:
    """Beginnings of terms along the humps of texts, from any hump on."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self._maps = texts.used
        self._kept: LRUCache[tuple[int, str], _Chain] = LRUCache(_KEPT)

    def lengths(self, term: str, *, shortest: int) -> NDArray[np.uint8]:
        """Return by text how many leading characters of the term chain along its humps, uint8 (n,); 0 below
        `shortest`."""
        found = np.zeros(len(self.texts), np.uint8)
        for at, maps in enumerate(self._maps):
            for length in range(shortest, len(term) + 1):
                found[maps.ids.take(self._chain(at, term[:length])[0])] = length
        return found

    def any(self, text: str) -> bool:
        """Whether all of it chains along the humps of any text."""
        return any(len(self._chain(at, text)[0]) for at in range(len(self._maps)))

    def _chain(self, at: int, text: str) -> _Chain:
        # Not by `get`: a long term would take three calls within each other for each of its characters.
        found = self._kept.find((at, text))
        if found is None:
            maps = self._maps[at]
            longer = len(text) > 1
            found = _extended(maps, self._chain(at, text[:-1]), text[-1]) if longer else _begun(maps, text)
            self._kept.keep((at, text), found)
        return found


class Tails:
    """Ends of terms along the humps of texts, from their first character on."""

    def __init__(self, texts: Texts, heads: ChainHeads) -> None:
        """`heads`: an end counts where what is before it is a beginning somewhere."""
        self.texts = texts
        self._maps = texts.used
        self._heads = heads
        self._kept: LRUCache[str, list[dict[int, _Chain]]] = LRUCache(_KEPT_TAILS)
        self._firsts: dict[tuple[int, str], _Chain] = {}
        self._pairs: LRUCache[tuple[int, str], _Chain] = LRUCache(_KEPT_PAIRS)

    def lengths(self, term: str, *, shortest: int) -> NDArray[np.uint8]:
        """Return by text the length of the longest proper end of the term that chains along its humps, uint8 (n,); 0
        below `shortest`."""
        found = np.zeros(len(self.texts), np.uint8)
        for maps, ends in zip(self._maps, self._ends(term), strict=True):
            for start in sorted(ends, reverse=True):
                if len(term) - start >= shortest:
                    found[maps.ids[ends[start][0]]] = len(term) - start
        return found

    def _ends(self, term: str) -> list[dict[int, _Chain]]:
        """For each set of maps, by where they start in the term: the ends that chain along the humps of any text. Most
        die out after a few characters, so the next character has few to go on with."""
        found = self._kept.find(term)
        if found is None:
            found = self._longer(term) if len(term) > 1 else [{} for _ in self._maps]
            self._kept.keep(term, found)
        return found

    def _longer(self, term: str) -> list[dict[int, _Chain]]:
        begins = self._heads.any(term[:-1])
        found: list[dict[int, _Chain]] = []
        for at, ends in enumerate(self._ends(term[:-1])):
            maps = self._maps[at]
            chains = {
                start: _extended(maps, chain, term[-1])
                for start, chain in ends.items()
                if start < len(term) - 2
            }
            if len(term) - 2 in ends:
                chains[len(term) - 2] = self._pair(at, term[-2:])
            if begins:
                chains[len(term) - 1] = self._first(at, term[-1])
            found.append({start: chain for start, chain in chains.items() if len(chain[0])})
        return found

    def _first(self, at: int, char: str) -> _Chain:
        """Every text that begins with this character."""
        found = self._firsts.get((at, char))
        if found is None:
            maps = self._maps[at]
            rows = np.flatnonzero((_letter(maps, char)[0] & 1) != 0)
            ended = np.zeros((len(maps.humps), len(rows)), maps.humps.dtype)
            ended[0] = 1
            found = self._firsts[at, char] = _ended(maps, rows, ended)
        return found

    def _pair(self, at: int, chars: str) -> _Chain:
        """Return every text that begins with the first of two characters and continues with the other. Many begin
        with one, so this is most of the work, and other terms have the same two."""
        return self._pairs.get(
            (at, chars), lambda: _extended(self._maps[at], self._first(at, chars[0]), chars[1])
        )


def _extended(maps: LetterMaps, chain: _Chain, char: str) -> _Chain:
    rows, may = chain
    if not len(rows):
        return chain
    ended = may & of_rows(_letter(maps, char), rows)
    kept = where(some(ended))
    return _ended(maps, rows.take(kept), of_rows(ended, kept))


def _begun(maps: LetterMaps, char: str) -> _Chain:
    """Every text with a hump that is this character."""
    humps = _letter(maps, char) & maps.humps
    rows = where(some(humps))
    return _ended(maps, rows, of_rows(humps, rows))


def _ended(maps: LetterMaps, rows: NDArray[np.int64], ended: Words) -> _Chain:
    """The chain of rows in which its last character is at these places."""
    return rows, up(ended) | (after(ended) & of_rows(maps.humps, rows))


def _letter(maps: LetterMaps, char: str) -> Words:
    return maps.letters[alphabet.code_of(char)]


_VIEWS = 8
_FAMOUS = 4_096


class SearchSegment(msgspec.Struct, frozen=True):
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
