"""Letter maps: for every text and letter, the positions of the letter as bits of machine words.

A subsequence, a substring or a chain of camel humps is then tested on all texts with a few operations per typed
character (Baeza-Yates and Gonnet's Shift-And, one automaton per text).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search import alphabet

Words = NDArray[np.uint64]
ONE = np.uint64(1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LetterMaps:
    """Maps of n texts. `ids`: int32 (n,), ascending, into their column; `letters`: uint64 (codes, words, n), bit p of
    word w is position 64 w + p; `humps`: uint64 (words, n), positions that start a word; `present`: uint64 (n,), which
    letters occur; `lengths`: uint8 (n,), characters that are mapped."""

    ids: NDArray[np.int32]
    letters: Words
    humps: Words
    present: Words
    lengths: NDArray[np.uint8]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray], prefix: str) -> LetterMaps:
        """The maps whose arrays `arrays()` named."""
        return cls(**{name: arrays[f"{prefix}{name}"] for name in cls.__slots__})

    def arrays(self, prefix: str) -> dict[str, NDArray]:
        """Every array by name."""
        return {f"{prefix}{name}": getattr(self, name) for name in self.__slots__}


def build_maps(points: NDArray, starts: NDArray, ids: NDArray, *, words: int = 1) -> LetterMaps:
    """Maps of the texts `ids`, whose code points are `points[starts[id]:starts[id + 1]]`."""
    first = starts[ids]
    lengths = np.minimum(starts[ids + 1] - first, 64 * words - 1) if len(ids) else first
    letters = np.zeros((alphabet.CODES, words, len(ids)), np.uint64)
    humps = np.zeros((words, len(ids)), np.uint64)
    for place in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > place)
        word, bit = divmod(place, 64)
        codes, hump = _at(points, first[rows] + place, place, starts[ids[rows] + 1])
        letters[codes, word, rows] |= ONE << np.uint64(bit)
        humps[word, rows[hump]] |= ONE << np.uint64(bit)
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


def _at(points: NDArray, where: NDArray, place: int, ends: NDArray) -> tuple[NDArray, NDArray]:
    here = points[where]
    classes = np.zeros((len(where), 3), np.uint8)
    classes[:, 1] = _classes(here)
    if place:
        classes[:, 0] = _classes(points[where - 1])
    more = where + 1 < ends
    classes[more, 2] = _classes(points[where[more] + 1])
    hump = (alphabet.bonuses(classes)[:, 1] > 0) & (classes[:, 1] > alphabet.DELIMITER)
    return np.where(here < 128, alphabet.ascii_codes()[here & 127], alphabet.OTHER), hump


def _classes(points: NDArray) -> NDArray[np.uint8]:
    found = alphabet.ascii_classes()[points & 127]
    for index in np.flatnonzero(points > 127):
        found[index] = alphabet.class_of(chr(points[index]))
    return found
