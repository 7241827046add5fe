"""Humps of container and name together: `JCSO` for `JsonConvert.SerializeObject`.

A beginning of the term chains along humps of the container, and the rest along humps of the name from its first
character on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from services.concurrency.latest import LRUCache
from services.index.search.match import alphabet
from services.index.search.match.maps import LetterMaps, Words
from services.index.search.match.prefix_filter import after, of_rows, some, up, where
from services.index.search.match.texts import Texts

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
