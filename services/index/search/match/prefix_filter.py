"""Prefix filter: the surviving texts of a term, cached per prefix, so that the next keystroke looks at the survivors
alone.

Three automata run side by side on the letter maps: the greedy subsequence, the substring (Shift-And), and the chain
of humps (every character continues the one before or starts a word)."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from services.concurrency.latest import LRUCache
from services.index.search.match.alphabet import LetterMaps, Words, code_of


class Closeness:
    """How a text matches a term, from not at all to exactly. Plain numbers: to compare bytes with the members of an
    `IntEnum` takes numpy fifteen times as long."""

    NONE: Final = 0
    SUBSEQUENCE: Final = 1
    TYPO: Final = 2
    SUBSTRING: Final = 3
    HUMPS: Final = 4
    WORD: Final = 5
    PREFIX: Final = 6
    EXACT: Final = 7


class Survivors(msgspec.Struct, frozen=True, eq=False):
    """Survivors of the first `length` characters. `rows`: int64, into the maps; the automata are (words, n):
    `after`: where the next character of the greedy match may be, None where scattered characters do not count; `run`:
    where a substring ends; `humps`: where a chain of humps ends."""

    length: int
    rows: NDArray[np.int64]
    after: Words | None
    run: Words
    humps: Words

    @property
    def nbytes(self) -> int:
        """Return the size in bytes."""
        scattered = 0 if self.after is None else self.after.nbytes
        return self.rows.nbytes + scattered + self.run.nbytes + self.humps.nbytes


def begin(maps: LetterMaps, char: str, *, scattered: bool = True) -> Survivors:
    """The survivors of a first character."""
    letter = maps.letters[code_of(char)]
    return _first(maps, where(some(letter)), char, scattered=scattered)


def begin_among(maps: LetterMaps, text: str, *, scattered: bool = True) -> Survivors:
    """The survivors of many characters at once: one look at which letters occur leaves few texts to follow."""
    wanted = np.uint64(sum(1 << code for code in {code_of(char) for char in text}))
    rows = where((maps.present & wanted) == wanted)
    if not len(rows):
        nothing = of_rows(maps.humps, rows)
        return Survivors(len(text), rows, nothing if scattered else None, nothing, nothing)
    if not scattered:
        trail = _first(maps, rows, text[0], scattered=False)
        for char in text[1:]:
            trail = extend(maps, trail, char)
        return trail
    return _followed(maps, *_scattered(maps, rows, text), text)


def _scattered(maps: LetterMaps, rows: NDArray[np.int64], text: str) -> tuple[NDArray[np.int64], Words]:
    """Return the rows that have the characters in this order, and where the next one may be."""
    free = after(of_rows(maps.letters[code_of(text[0])], rows))
    for char in text[1:]:
        found = of_rows(maps.letters[code_of(char)], rows) & free
        kept = where(some(found))
        if len(kept) < len(rows):
            rows, found = rows.take(kept), of_rows(found, kept)
        free = after(found)
        if not len(rows):
            break
    return rows, free


def _followed(maps: LetterMaps, rows: NDArray[np.int64], free: Words, text: str) -> Survivors:
    """Return where substrings and chains of humps end in surviving rows."""
    if not len(rows):
        return Survivors(len(text), rows, free, free, free)
    own = of_rows(maps.humps, rows)
    run = of_rows(maps.letters[code_of(text[0])], rows)
    humps = run & own
    for char in text[1:]:
        letter = of_rows(maps.letters[code_of(char)], rows)
        run = up(run) & letter
        humps = (up(humps) | (after(humps) & own)) & letter
    return Survivors(len(text), rows, free, run, humps)


def _first(maps: LetterMaps, rows: NDArray[np.int64], char: str, *, scattered: bool) -> Survivors:
    """Return the survivors among rows that have the character."""
    found = of_rows(maps.letters[code_of(char)], rows)
    return Survivors(1, rows, after(found) if scattered else None, found, found & of_rows(maps.humps, rows))


def begin_two(maps: LetterMaps, chars: str) -> Survivors:
    """The survivors of the first two characters. Quicker than `extend(begin(…))`, of which the first has so many
    survivors that it is better to look at all."""
    first, second = (maps.letters[code_of(char)] for char in chars)
    found = second & after(first)
    rows = where(some(found))
    first, second, own = of_rows(first, rows), of_rows(second, rows), of_rows(maps.humps, rows)
    humps = first & own
    chained = (up(humps) | (after(humps) & own)) & second
    return Survivors(2, rows, after(of_rows(found, rows)), up(first) & second, chained)


def extend(maps: LetterMaps, trail: Survivors, char: str) -> Survivors:
    """The survivors of one more character."""
    if not len(trail.rows):
        return replace(trail, length=trail.length + 1)
    letter = of_rows(maps.letters[code_of(char)], trail.rows)
    if trail.after is None:
        return _extended(maps, trail, letter)
    found = letter & trail.after
    kept = where(some(found))
    rows, letter = trail.rows.take(kept), of_rows(letter, kept)
    humps = of_rows(trail.humps, kept)
    chained = (up(humps) | (after(humps) & of_rows(maps.humps, rows))) & letter
    run = up(of_rows(trail.run, kept)) & letter
    return Survivors(trail.length + 1, rows, after(of_rows(found, kept)), run, chained)


def _extended(maps: LetterMaps, trail: Survivors, letter: Words) -> Survivors:
    """Extend survivors by a character, without scattered matches. `letter`: of the trail's rows."""
    run = up(trail.run) & letter
    chained = (up(trail.humps) | (after(trail.humps) & of_rows(maps.humps, trail.rows))) & letter
    kept = where(some(run | chained))
    rows = trail.rows.take(kept)
    return Survivors(trail.length + 1, rows, None, of_rows(run, kept), of_rows(chained, kept))


def closeness(maps: LetterMaps, trail: Survivors) -> NDArray[np.uint8]:
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
    if len(bits) == 1:
        return found
    lower = np.zeros(bits.shape[1], bits.dtype)
    for word in range(1, len(bits)):
        lower |= bits[word - 1]
        found[word] |= np.negative((lower != 0).astype(bits.dtype))
    return found


def up(bits: Words) -> Words:
    """Every position moved one to the right in the text."""
    moved = np.left_shift(bits, 1)
    if len(bits) > 1:
        moved[1:] |= bits[:-1] >> 63
    return moved


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
    return (bits[0] if len(bits) == 1 else np.bitwise_or.reduce(bits, axis=0)) != 0


def where(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the indexes that are set in a mask. Half the price of `flatnonzero` where there are few: a search calls
    it a hundred times."""
    return mask.nonzero()[0]


_FAR = 3
"""Characters past the longest known beginning of a term from which on it is followed from its first one."""


class PrefixFilter:
    """The trails of recent terms over one set of maps, oldest dropped when they hold more than `capacity` bytes.
    `scattered`: whether texts survive that have a term's characters somewhere in order."""

    def __init__(self, maps: LetterMaps, *, scattered: bool = True, capacity: int = 48_000_000) -> None:
        self.maps = maps
        self.scattered = scattered
        self._kept: LRUCache[str, Survivors] = LRUCache(capacity, lambda trail: trail.nbytes)

    def get(self, text: str) -> Survivors:
        """The trail of a folded text of one character or more, from its longest known prefix."""
        found = self._kept.find(text)
        if found is not None:
            return found
        if len(text) == 1:
            found = begin(self.maps, text, scattered=self.scattered)
        elif len(text) == 2 and self.scattered:
            found = begin_two(self.maps, text)
        elif not any(text[:length] in self._kept for length in range(len(text) - 1, len(text) - _FAR, -1)):
            found = begin_among(self.maps, text, scattered=self.scattered)
        else:
            found = extend(self.maps, self.get(text[:-1]), text[-1])
        return self._kept.keep(text, found)
