"""The texts that survive a term, kept per prefix: the next keystroke looks at the survivors alone.

Three automata run side by side on the letter maps: the greedy subsequence, the substring (Shift-And), and the chain of
humps (every character continues the one before or starts a word).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from services.index.search.alphabet import code_of
from services.index.search.maps import LetterMaps, Words


class Closeness(IntEnum):
    """How a text matches a term, from not at all to exactly."""

    NONE = 0
    SUBSEQUENCE = 1
    TYPO = 2
    SUBSTRING = 3
    HUMPS = 4
    WORD = 5
    PREFIX = 6
    EXACT = 7


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """Survivors of the first `length` characters. `rows`: int64, into the maps; the automata are (words, n):
    `after`: where the next character of the greedy match may be; `run`: where a substring ends; `humps`: where a chain
    of humps ends."""

    length: int
    rows: NDArray[np.int64]
    after: Words
    run: Words
    humps: Words

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.rows.nbytes + self.after.nbytes + self.run.nbytes + self.humps.nbytes


def begin(maps: LetterMaps, char: str) -> Trail:
    """The survivors of a first character."""
    letter = maps.letters[code_of(char)]
    return _first(maps, np.flatnonzero(some(letter)), char)


def begin_among(maps: LetterMaps, text: str) -> Trail:
    """The survivors of many characters at once: one look at which letters occur leaves few texts to follow."""
    wanted = np.uint64(sum(1 << code for code in {code_of(char) for char in text}))
    trail = _first(maps, np.flatnonzero((maps.present & wanted) == wanted), text[0])
    for char in text[1:]:
        trail = extend(maps, trail, char)
    return trail


def _first(maps: LetterMaps, rows: NDArray[np.int64], char: str) -> Trail:
    """Of rows that have the character."""
    found = of_rows(maps.letters[code_of(char)], rows)
    return Trail(1, rows, after(found), found, found & of_rows(maps.humps, rows))


def begin_two(maps: LetterMaps, chars: str) -> Trail:
    """The survivors of the first two characters. Quicker than `extend(begin(…))`, of which the first has so many
    survivors that it is better to look at all."""
    first, second = (maps.letters[code_of(char)] for char in chars)
    found = second & after(first)
    rows = np.flatnonzero(some(found))
    first, second, own = of_rows(first, rows), of_rows(second, rows), of_rows(maps.humps, rows)
    humps = first & own
    chained = (up(humps) | (after(humps) & own)) & second
    return Trail(2, rows, after(of_rows(found, rows)), up(first) & second, chained)


def extend(maps: LetterMaps, trail: Trail, char: str) -> Trail:
    """The survivors of one more character."""
    letter = of_rows(maps.letters[code_of(char)], trail.rows)
    found = letter & trail.after
    kept = np.flatnonzero(some(found))
    rows, letter = trail.rows.take(kept), of_rows(letter, kept)
    humps = of_rows(trail.humps, kept)
    chained = (up(humps) | (after(humps) & of_rows(maps.humps, rows))) & letter
    run = up(of_rows(trail.run, kept)) & letter
    return Trail(trail.length + 1, rows, after(of_rows(found, kept)), run, chained)


def closeness(maps: LetterMaps, trail: Trail) -> NDArray[np.uint8]:
    """`Closeness` of every survivor, uint8 (n,)."""
    begins = down(trail.run, trail.length - 1)
    prefix = ((begins[0] & 1) != 0).view(np.uint8)
    complete = (maps.lengths.take(trail.rows) == trail.length).view(np.uint8)
    found = prefix * np.uint8(Closeness.PREFIX) + (prefix & complete)
    begins &= of_rows(maps.humps, trail.rows)
    for bits, level in (
        (begins, Closeness.WORD),
        (trail.humps, Closeness.HUMPS),
        (trail.run, Closeness.SUBSTRING),
    ):
        np.maximum(found, some(bits).view(np.uint8) * np.uint8(level), out=found)
    return np.maximum(found, np.uint8(Closeness.SUBSEQUENCE), out=found)


def single(maps: LetterMaps, code: int) -> NDArray[np.uint8]:
    """`Closeness` of every text to one character, by its code, uint8 (n,)."""
    letter = maps.letters[code]
    first = ((letter[0] & 1) != 0).view(np.uint8)
    exact = first * (maps.lengths == 1)
    found = first * np.uint8(Closeness.PREFIX) + exact
    np.maximum(found, some(letter & maps.humps).view(np.uint8) * np.uint8(Closeness.WORD), out=found)
    return np.maximum(found, some(letter).view(np.uint8) * np.uint8(Closeness.SUBSTRING), out=found)


def of_rows(bits: Words, rows: NDArray[np.int64]) -> Words:
    """The bits of some rows."""
    # Half the time of `bits[:, rows]`, a quarter where there are four words; indexes of 32 bits would be widened.
    return bits.take(rows, axis=1)


def after(bits: Words) -> Words:
    """All positions after the lowest bit set, none where no bit is."""
    found = ~(bits ^ (bits - 1))
    for word in range(1, len(bits)):
        found[word:, bits[word - 1] != 0] = ~np.uint64(0)
    return found


def up(bits: Words) -> Words:
    """Every position moved one to the right in the text."""
    moved = np.left_shift(bits, 1)
    if len(bits) > 1:
        moved[1:] |= bits[:-1] >> 63
    return moved


def moved(bits: Words, places: int) -> Words:
    """Every position moved some places to the right in the text."""
    if len(bits) == 1 and places < 8 * bits.itemsize:
        return np.left_shift(bits, places)
    skipped, shift = divmod(places, 64)
    found = np.zeros_like(bits)
    kept = bits[: max(0, len(bits) - skipped)]
    found[skipped:] = kept << shift
    if shift and len(kept) > 1:
        found[skipped + 1 :] |= kept[:-1] >> (64 - shift)
    return found


def down(bits: Words, places: int) -> Words:
    """Every position moved some places to the left in the text."""
    if len(bits) == 1 and places < 8 * bits.itemsize:
        return np.right_shift(bits, places)
    skipped, shift = divmod(places, 64)
    moved = np.zeros_like(bits)
    kept = bits[skipped:]
    moved[: len(kept)] = kept >> shift
    if shift and len(kept) > 1:
        moved[: len(kept) - 1] |= kept[1:] << (64 - shift)
    return moved


def some(bits: Words) -> NDArray[np.bool_]:
    """Which texts have a bit set."""
    return bits[0] != 0 if len(bits) == 1 else (bits != 0).any(axis=0)


_FAR = 3
"""Characters past the longest known beginning of a term from which on it is followed from its first one."""


class Trails:
    """The trails of recent terms over one set of maps, oldest dropped when they hold more than `capacity` bytes."""

    def __init__(self, maps: LetterMaps, *, capacity: int = 48_000_000) -> None:
        self.maps = maps
        self.capacity = capacity
        self._kept: OrderedDict[str, Trail] = OrderedDict()
        self._bytes = 0

    def get(self, text: str) -> Trail:
        """The trail of a folded text of one character or more, from its longest known prefix."""
        found = self._kept.get(text)
        if found is not None:
            self._kept.move_to_end(text)
            return found
        if len(text) == 1:
            found = begin(self.maps, text)
        elif len(text) == 2:
            found = begin_two(self.maps, text)
        elif not any(text[:length] in self._kept for length in range(len(text) - 1, len(text) - _FAR, -1)):
            found = begin_among(self.maps, text)
        else:
            found = extend(self.maps, self.get(text[:-1]), text[-1])
        self._keep(text, found)
        return found

    def _keep(self, text: str, trail: Trail) -> None:
        self._kept[text] = trail
        self._bytes += trail.nbytes
        while self._bytes > self.capacity and len(self._kept) > 1:
            self._bytes -= self._kept.popitem(last=False)[1].nbytes
