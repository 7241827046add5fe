"""Characters as search sees them: folded, coded, classed for the bonuses, and mapped to their positions in every
text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

MATCH = 16
GAP_START = -3
GAP_EXTENSION = -1
BOUNDARY = MATCH // 2
BOUNDARY_START = BOUNDARY + 2
BOUNDARY_DELIMITER = BOUNDARY + 1
CAMEL = BOUNDARY + GAP_EXTENSION
CONSECUTIVE = -(GAP_START + GAP_EXTENSION)
FIRST_FACTOR = 2

CODES = 39
OTHER = CODES - 1
"""The code of every character that is neither an ASCII letter, digit, `_` nor a separator."""

START, PUNCTUATION, DELIMITER, LOWER, UPPER, LETTER, NUMBER = range(7)

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789_."
_SEPARATORS = "+/"


def fold_char(char: str) -> str:
    """Fold the case of a character; one that would fold to several (`ß`) is unchanged, so that positions are stable.
    `+` and `/`, as in nested types, fold to `.`."""
    if char in _SEPARATORS:
        return "."
    folded = char.casefold()
    return folded if len(folded) == 1 else char


def fold(text: str) -> str:
    """The text folded character by character: as long as `text`."""
    if text.isascii():
        return text.lower().replace("+", ".").replace("/", ".")
    return "".join(map(fold_char, text))


def code_of(char: str) -> int:
    """The letter-map column of a folded character."""
    found = _ALPHABET.find(char)
    return found if found >= 0 else OTHER


def class_of(char: str) -> int:
    """fzf's character class of an unfolded character."""
    if char.islower():
        return LOWER
    if char.isupper():
        return UPPER
    if char.isnumeric():
        return NUMBER
    if char.isalpha():
        return LETTER
    return DELIMITER if char in "/,:;|" else PUNCTUATION


@cache
def ascii_codes() -> NDArray[np.uint8]:
    """Letter-map column by ASCII value, shape (128,)."""
    return np.array([code_of(fold_char(chr(value))) for value in range(128)], np.uint8)


@cache
def byte_codes() -> NDArray[np.uint8]:
    """Letter-map column by byte of UTF-8, shape (256,); a byte of no ASCII character has that of all others."""
    codes = np.full(256, OTHER, np.uint8)
    codes[:128] = ascii_codes()
    return codes


@cache
def ascii_folds() -> NDArray[np.uint8]:
    """Folded value by ASCII value, shape (128,)."""
    return np.array([ord(fold_char(chr(value))) for value in range(128)], np.uint8)


@cache
def ascii_classes() -> NDArray[np.uint8]:
    """Character class by ASCII value, shape (128,)."""
    return np.array([class_of(chr(value)) for value in range(128)], np.uint8)


@cache
def byte_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Folded value and character class by byte of UTF-8, shape (256,) each; a byte of no ASCII character counts as the
    character zero."""
    folds, classes = np.zeros(256, np.uint8), np.full(256, class_of("\0"), np.uint8)
    folds[:128], classes[:128] = ascii_folds(), ascii_classes()
    return folds, classes


def _bonus(before: int, current: int) -> int:
    if current > DELIMITER and before <= DELIMITER:
        return (BOUNDARY_START, BOUNDARY, BOUNDARY_DELIMITER)[before]
    if (before in {LOWER, NUMBER} and current == UPPER) or (before != NUMBER and current == NUMBER):
        return CAMEL
    return BOUNDARY if current in {PUNCTUATION, DELIMITER} else 0


@cache
def bonus_table() -> NDArray[np.int16]:
    """Bonus by class of the character before and class of the character, flattened: index 7 * before + current."""
    return np.array([_bonus(before, current) for before in range(7) for current in range(7)], np.int16)


def bonuses(classes: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Bonus of every position of texts whose classes fill the last axis (padding is class START)."""
    before = np.zeros_like(classes)
    before[..., 1:] = classes[..., :-1]
    found = bonus_table()[before * np.uint8(7) + classes]
    word = (classes[..., :-1] == UPPER) & (before[..., :-1] == UPPER) & (classes[..., 1:] == LOWER)
    found[..., :-1][word] = CAMEL
    if classes.shape[-1] > 1:
        found[..., 1][leads(classes)] = BOUNDARY_START
    return found


def leads(classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which texts have the `I` of an interface, or another single capital, before their first word, which counts as
    their beginning."""
    if classes.shape[-1] < 3:
        return np.zeros(classes.shape[:-1], np.bool_)
    return (classes[..., 0] == UPPER) & (classes[..., 1] == UPPER) & (classes[..., 2] == LOWER)


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
        around[begins, 0] = START
        around[begins[1:] - 1, 2] = START
        humps = (bonuses(around)[:, 1] > 0) & (classes > DELIMITER)
        codes = np.where(points < 128, ascii_codes()[points & 127], np.uint8(OTHER))
        return cls(codes, humps)


def build_maps(marks: Marks, starts: NDArray, ids: NDArray, *, longest: int) -> LetterMaps:
    """Maps of the texts `ids`, whose characters are `marks[starts[id]:starts[id + 1]]`. `longest`: how many of them
    are mapped: 31, 63, 127 or 255, so that there is a bit for the place behind the last."""
    words, kind = (longest + 1) // 64 or 1, np.dtype(np.uint32 if longest < 32 else np.uint64)
    lengths = np.minimum(starts[ids + 1] - starts[ids], longest) if len(ids) else starts[ids]
    letters = np.zeros((CODES, words, len(ids)), kind)
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
    for code in range(CODES):
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
    found = ascii_classes()[points & 127]
    for index in np.flatnonzero(points > 127):
        found[index] = class_of(chr(points[index]))
    return found
