"""Postings of words by type, scored by BM25F (Robertson, Zaragoza, Taylor 2004) over numpy columns.

The columns are made once of all files; types that change are left out of them and stand in a dictionary beside, so that
one changed file is searchable at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from services.context.words import FIELDS, FileWords

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = (6.0, 2.0, 1.5, 1.0)
"""What a word counts in the name, the members' signatures, the docs and the bodies."""
LENGTHS = (0.3, 0.7, 0.7, 0.7)
"""How much the length of each field is made up for (b)."""
SATURATION = 1.6
_ROOT = 0.5


class WordPostings(NamedTuple):
    """Words of types, one row each: `word` and `type` numbers, `counts` by field."""

    word: NDArray[np.uint32]
    type: NDArray[np.int64]
    counts: NDArray[np.uint8]

    @classmethod
    def of(cls, files: Iterable[tuple[Mapping[int, int], FileWords]]) -> WordPostings:
        """Return the words of files, each with the types at its record positions; positions without a type are
        skipped."""
        words, types, counts = [], [], []
        for type_of, file in files:
            at = np.frombuffer(file.types, np.uint32).tolist()
            whose = np.array([type_of.get(each, -1) for each in at], np.int64)
            types.append(np.repeat(whose, np.frombuffer(file.sizes, np.uint32)))
            words.append(np.frombuffer(file.words, np.uint32))
            counts.append(np.frombuffer(file.counts, np.uint8).reshape(-1, FIELDS))
        if not words:
            return cls(np.zeros(0, np.uint32), np.zeros(0, np.int64), np.zeros((0, FIELDS), np.uint8))
        every = cls(np.concatenate(words), np.concatenate(types), np.concatenate(counts))
        known = every.type >= 0
        return every if bool(known.all()) else cls(every.word[known], every.type[known], every.counts[known])


class _Columns(NamedTuple):
    """Words of types by word and type, each pair once."""

    word: NDArray[np.uint32]
    type: NDArray[np.int64]
    counts: NDArray[np.float32]

    @classmethod
    def of(cls, words: WordPostings) -> _Columns:
        key = (words.word.astype(np.uint64) << np.uint64(32)) | words.type.astype(np.uint64)
        order = np.argsort(key, kind="stable")
        key, counts = key[order], words.counts[order].astype(np.float32)
        starts = _starts(key)
        if len(starts) != len(key):  # parts of one type
            key, counts = key[starts], np.add.reduceat(counts, starts, axis=0)
        return cls(
            (key >> np.uint64(32)).astype(np.uint32), (key & np.uint64(0xFFFFFFFF)).astype(np.int64), counts
        )

    def lengths(self, size: int) -> NDArray[np.float32]:
        """The words of each field, by type."""
        fields = [np.bincount(self.type, self.counts[:, field], size) for field in range(FIELDS)]
        return np.stack(fields, axis=1).astype(np.float32)


class Postings:
    """The types of each word. Not thread-safe while it is changed."""

    def __init__(self, words: WordPostings) -> None:
        columns = _Columns.of(words)
        self._type = columns.type.astype(np.int32)
        self._size = int(columns.type.max(initial=-1)) + 1
        lengths = columns.lengths(self._size)
        self._count = max(1, int((lengths.sum(axis=1) > 0).sum()))
        self._mean = np.maximum(lengths.sum(axis=0) / self._count, 1.0)
        self._amount = self._amounts(columns.counts, lengths[columns.type])
        starts = _starts(columns.word)
        self._words = columns.word[starts]
        self._starts = np.append(starts, len(columns.word)).astype(np.int32)
        self._gone = np.zeros(self._size, bool)
        self._beside: dict[int, dict[int, float]] = {}  # by word
        self._words_beside: dict[int, list[int]] = {}  # of each type
        self.pending = 0
        """How many words stand beside the columns."""

    def _amounts(self, counts: NDArray[np.float32], lengths: NDArray[np.float32]) -> NDArray[np.float32]:
        b = np.array(LENGTHS, np.float32)
        norm = 1 - b + b * lengths / self._mean
        return (np.array(WEIGHTS, np.float32) * counts / norm).sum(axis=1).astype(np.float32)

    def __len__(self) -> int:
        """How many words the columns have."""
        return len(self._type)

    @property
    def size(self) -> int:
        """Return one more than the highest number of a type."""
        return self._size

    def replace(self, types: Iterable[int], words: WordPostings) -> None:
        """Takes the words of types for what was known of them."""
        gone = set(types)
        for each in gone:
            known = self._words_beside.pop(each, ())
            self.pending -= len(known)
            for word in known:
                del self._beside[word][each]
        self._gone[[each for each in gone if each < len(self._gone)]] = True
        columns = _Columns.of(words)
        self._size = max(self._size, int(columns.type.max(initial=-1)) + 1)
        amounts = self._amounts(columns.counts, columns.lengths(self._size)[columns.type])
        rows = zip(columns.word.tolist(), columns.type.tolist(), amounts.tolist(), strict=True)
        for word, type_, amount in rows:
            self._beside.setdefault(word, {})[type_] = amount
            self._words_beside.setdefault(type_, []).append(word)
        self.pending += len(columns.word)

    def _of(self, word: int) -> tuple[NDArray[np.signedinteger], NDArray[np.float32]]:
        """(types, amounts) of a word."""
        at = int(np.searchsorted(self._words, np.uint32(word)))
        types, amounts = self._type[:0], self._amount[:0]
        if at < len(self._words) and int(self._words[at]) == word:
            span = slice(int(self._starts[at]), int(self._starts[at + 1]))
            types, amounts = self._type[span], self._amount[span]
            if self._beside:
                live = ~self._gone[types]
                types, amounts = types[live], amounts[live]
        more = self._beside.get(word)
        if more:
            types = np.r_[types, np.fromiter(more.keys(), np.int64, len(more))]
            amounts = np.r_[amounts, np.fromiter(more.values(), np.float32, len(more))]
        return types, amounts

    def rarity(self, word: int) -> float:
        """Return the rarity of a word: the logarithm of its inverse type frequency; 0 where no type has it."""
        return self._rarity(len(self._of(word)[0]))

    def _rarity(self, having: int) -> float:
        return math.log(1 + (self._count - having + _ROOT) / (having + _ROOT)) if having else 0.0

    def scores(self, query: Mapping[int, float]) -> NDArray[np.float64]:
        """How well each type, by number, answers to words with these weights."""
        out = np.zeros(self._size)
        for word, weight in query.items():
            types, amounts = self._of(word)
            if len(types):
                out[types] += weight * self._rarity(len(types)) * amounts / (SATURATION + amounts)
        return out

    def having(self, word: int) -> list[int]:
        """The types that have a word."""
        return self._of(word)[0].tolist()


def _starts(values: NDArray[np.uint64] | NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the start of each run of equal values."""
    return np.flatnonzero(np.r_[True, values[1:] != values[:-1]]) if len(values) else np.zeros(0, np.int64)
