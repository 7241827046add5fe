"""Characters as search sees them: folded, coded for the letter maps, and classed for the bonuses.

The classes and bonuses are those of fzf's `algo.go` (FuzzyMatchV2), with two rules added for C#: a capital that
starts a word after a run of capitals (`P` of `XMLParser`, `E` of `IEnumerable`) is a hump too, and so is one behind a
digit (`J` of `Utf8JsonReader`).
"""

from __future__ import annotations

from functools import cache

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
