"""What was looked up of words before anybody asked: kept as the few texts that match, of thousands of words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.index.search.match.prefix_filter import Closeness

_BYTES = 24_000_000
"""What is kept for one column of a segment at most; a quarter of it for typing errors alone."""


class _Word(NamedTuple):
    """The texts that match one word. `scattered`: a bit each, whether its characters are in the text in this order and
    no closer; `ids`, int32, and `levels`, uint8: the `Closeness` of those that match closer. `near`, int32: those that
    match where typing errors are forgiven, None where nobody looked."""

    scattered: NDArray[np.uint8]
    ids: NDArray[np.int32]
    levels: NDArray[np.uint8]
    near: NDArray[np.int32] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        near = 0 if self.near is None else self.near.nbytes
        return self.scattered.nbytes + self.ids.nbytes + self.levels.nbytes + near


class ReadyWords:
    """Words of one column with `count` texts, as many as fit. Not to be shared between threads."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._words: dict[str, _Word] = {}
        self._left = _BYTES

    def wants(self, word: str) -> bool:
        """Whether to look it up."""
        return word not in self._words and self._left > _BYTES // 4

    def wants_near(self, word: str) -> bool:
        """Whether to look it up with typing errors."""
        kept = self._words.get(word)
        return kept is not None and kept.near is None and self._left > 0

    def add(self, word: str, closeness: NDArray[np.uint8]) -> None:
        """Takes its closeness to every text, uint8 (count,)."""
        ids = np.flatnonzero(closeness > Closeness.SUBSEQUENCE)
        scattered = np.packbits(closeness == Closeness.SUBSEQUENCE)
        self._take(word, _Word(scattered, ids.astype(np.int32), closeness.take(ids)))

    def add_near(self, word: str, ids: NDArray[np.integer]) -> None:
        """Takes the texts that match a word that is there where typing errors are forgiven."""
        self._take(word, self._words[word]._replace(near=ids.astype(np.int32)))

    def closeness(self, word: str, *, scattered: bool = True) -> NDArray[np.uint8] | None:
        """Its closeness to every text, uint8 (count,); None for a word that is not there. `scattered`: also to those in
        which its characters are only scattered."""
        kept = self._words.get(word)
        if kept is None:
            return None
        # A set bit is the number that `Closeness` has for scattered characters.
        found = (
            np.unpackbits(kept.scattered, count=self._count) if scattered else np.zeros(self._count, np.uint8)
        )
        found[kept.ids] = kept.levels
        return found

    def near(self, word: str) -> NDArray[np.int64] | None:
        """The texts that match where typing errors are forgiven, ascending; None where nobody looked."""
        kept = self._words.get(word)
        return kept.near.astype(np.int64) if kept is not None and kept.near is not None else None

    def _take(self, word: str, kept: _Word) -> None:
        before = self._words.get(word)
        self._left -= kept.nbytes - (before.nbytes if before is not None else 0)
        self._words[word] = kept
