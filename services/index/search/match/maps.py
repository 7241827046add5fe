"""Letter maps: for every text and letter, the positions of the letter as bits of machine words.

A subsequence, a substring or a chain of camel humps is then tested on all texts with a few operations per typed
character (Baeza-Yates and Gonnet's Shift-And, one automaton per text).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.match import alphabet

_PIECE = 1 << 14

Words = NDArray[np.unsignedinteger]
"""Bits by position, (words, n): one word of 32 bits, or one, two or four of 64."""


class LetterMaps(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Maps of n texts. `ids`: int32 (n,), ascending, into their column; `letters`: (codes, words, n), bit p of word w
    is position 64 w + p; `humps`: (words, n), positions that start a word; `present`: uint64 (n,), which letters occur;
    `lengths`: uint8 (n,), characters that are mapped."""

    ids: NDArray[np.int32]
    letters: Words
    humps: Words
    present: Words
    lengths: NDArray[np.uint8]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray], prefix: str) -> LetterMaps:
        """The maps whose arrays `arrays()` named."""
        return cls(**{name: arrays[f"{prefix}{name}"] for name in cls.__struct_fields__})

    def arrays(self, prefix: str) -> dict[str, NDArray]:
        """Every array by name."""
        return {f"{prefix}{name}": getattr(self, name) for name in self.__struct_fields__}


class Marks(NamedTuple):
    """Marks of every character of a column: `codes`, uint8, its letter map; `humps`, bool, whether it starts a
    word."""

    codes: NDArray[np.uint8]
    humps: NDArray[np.bool_]

    @classmethod
    def of(cls, points: NDArray, starts: NDArray) -> Marks:
        """Compute the marks of texts end to end as code points; text i is `points[starts[i]:starts[i + 1]]`."""
        classes = _classes(points)
        around = np.zeros((len(points), 3), np.uint8)
        around[:, 1] = classes
        around[1:, 0] = classes[:-1]
        around[:-1, 2] = classes[1:]
        begins = starts[:-1][starts[:-1] < starts[1:]]
        around[begins, 0] = alphabet.START
        around[begins[1:] - 1, 2] = alphabet.START
        humps = (alphabet.bonuses(around)[:, 1] > 0) & (classes > alphabet.DELIMITER)
        codes = np.where(points < 128, alphabet.ascii_codes()[points & 127], np.uint8(alphabet.OTHER))
        return cls(codes, humps)


def build_maps(marks: Marks, starts: NDArray, ids: NDArray, *, longest: int) -> LetterMaps:
    """Maps of the texts `ids`, whose characters are `marks[starts[id]:starts[id + 1]]`. `longest`: how many of them
    are mapped: 31, 63, 127 or 255, so that there is a bit for the place behind the last."""
    words, kind = (longest + 1) // 64 or 1, np.dtype(np.uint32 if longest < 32 else np.uint64)
    lengths = np.minimum(starts[ids + 1] - starts[ids], longest) if len(ids) else starts[ids]
    letters = np.zeros((alphabet.CODES, words, len(ids)), kind)
    humps = np.zeros((words, len(ids)), kind)
    for begin in range(0, len(ids), _PIECE):
        rows, places = _characters(lengths[begin : begin + _PIECE])
        where = starts[ids[begin + rows]] + places
        word, bits = places >> 6, kind.type(1) << (places & 63).astype(kind)
        # Every character has a bit of its own, so that adding is setting.
        cells = (marks.codes[where] * np.int64(words) + word) * len(ids) + begin + rows
        np.add.at(letters.reshape(-1), cells, bits)
        np.add.at(humps.reshape(-1), word * len(ids) + begin + rows, bits * marks.humps[where])
    present = np.zeros(len(ids), np.uint64)
    for code in range(alphabet.CODES):
        present |= (letters[code] != 0).any(axis=0).astype(np.uint64) << np.uint64(code)
    return LetterMaps(
        ids=ids.astype(np.int32),
        letters=letters,
        humps=humps,
        present=present,
        lengths=lengths.astype(np.uint8),
    )


def _characters(lengths: NDArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every character of texts with these lengths: its text and its place in it."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    ends = np.cumsum(lengths)
    return rows, np.arange(len(rows)) - (ends - lengths)[rows]


def _classes(points: NDArray) -> NDArray[np.uint8]:
    found = alphabet.ascii_classes()[points & 127]
    for index in np.flatnonzero(points > 127):
        found[index] = alphabet.class_of(chr(points[index]))
    return found
