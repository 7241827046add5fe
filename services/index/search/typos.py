"""Typing errors forgiven: texts in which a term occurs with one or two edits, beginning at a hump.

An edit is a missing, an extra or a wrong character, or two neighbours swapped (optimal string alignment). Candidates
come from Wu and Manber's automaton on the letter maps; rapidfuzz measures the few that are shown.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search import alphabet
from services.index.search.maps import LetterMaps, Words
from services.index.search.query import allowed_errors
from services.index.search.texts import Texts
from services.index.search.trail import moved, of_rows, some, up

_KEPT = 16
_LEAST_LEFT = 4
"""Texts are dropped from a reading when so many quarters of them, less one, or fewer have a place left."""

_ENOUGH = 4
"""Characters of a piece of a term that are looked for: they leave few texts, and the automaton decides."""

ERROR_COST = 24
"""Points an edit costs beside those its character does not earn."""

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """Where the automaton stands in the texts that may match what was read of a term. `rows`: into the maps;
    `states[e]`: the places where the next character would be read after e edits at most; `older`, `previous`: the
    states and the letter of one character before."""

    rows: Rows
    states: list[Words]
    older: list[Words]
    previous: Words


class Nears:
    """Texts that a term is nearly in, over one set of maps. A term of one character more goes on where its beginning
    ended, as long as that may have as many errors."""

    def __init__(self, maps: LetterMaps) -> None:
        self.maps = maps
        self._kept: OrderedDict[str, _Reading] = OrderedDict()
        self._starts: dict[tuple[int, bool], Words] = {}

    def rows(self, text: str, among: Rows | None = None) -> Rows:
        """Rows of the maps, of those in `among` if it is given, in which the term begins at a hump with no more edits
        than its length allows."""
        found = self._reading(text) if among is None else _read(self.maps, text, among)
        return found.rows[_inside(found.states[-1], self.maps.lengths.take(found.rows))]

    def _reading(self, text: str) -> _Reading:
        found = self._kept.get(text)
        if found is None:
            shorter = self._kept.get(text[:-1])
            if shorter is not None and allowed_errors(len(text)) == allowed_errors(len(text) - 1):
                found = _advanced(self.maps, shorter, alphabet.code_of(text[-1]))
            else:
                found = _read(self.maps, text, self._candidates(text))
            self._kept[text] = found
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(text)
        return found

    def _candidates(self, text: str) -> Rows:
        """Rows that have a part of the term unharmed about where it would be, and nearly all of its letters.

        An edit harms one of the parts at most, because a character between two of them keeps a swap out of one: of one
        part more than there may be edits one is unharmed."""
        errors = allowed_errors(len(text))
        codes = [alphabet.code_of(char) for char in text]
        found = np.zeros(len(self.maps.ids), np.bool_)
        for first, last in _parts(len(codes), errors + 1):
            run = moved(self._possible(errors, at_start=not first), max(0, first - errors))
            run = run & self.maps.letters[codes[first]]
            for code in codes[first + 1 : min(last, first + _ENOUGH)]:
                run = up(run) & self.maps.letters[code]
            found |= some(run)
        rows = np.flatnonzero(found)
        wanted = np.uint64(sum(1 << code for code in set(codes)))
        missing = len(set(codes)) - np.bitwise_count(self.maps.present.take(rows) & wanted)
        return rows[missing <= errors]

    def _possible(self, errors: int, *, at_start: bool) -> Words:
        """Places up to so many edits off a hump: behind it, for what a term starts with; else behind the place so many
        before it."""
        found = self._starts.get((errors, at_start))
        if found is None:
            found = self.maps.humps
            for _ in range(errors if at_start else 2 * errors):
                found = found | up(found)
            self._starts[errors, at_start] = found
        return found


def _parts(length: int, count: int) -> list[tuple[int, int]]:
    """A term of so many characters in parts, one character between two of them: (first, last), last exclusive."""
    room = length - (count - 1)
    ends = [(part + 1) * room // count + part for part in range(count)]
    return [(ends[part - 1] + 1 if part else 0, end) for part, end in enumerate(ends)]


def _read(maps: LetterMaps, text: str, rows: Rows) -> _Reading:
    """The whole term read in some rows."""
    states = [of_rows(maps.humps, rows)]
    for _ in range(allowed_errors(len(text))):
        states.append(states[-1] | up(states[-1]))
    found = _Reading(rows, states, [np.zeros_like(states[0])] * len(states), states[0])
    for char in text:
        found = _advanced(maps, found, alphabet.code_of(char))
    return found


def _advanced(maps: LetterMaps, reading: _Reading, code: int) -> _Reading:
    """One more character read; rows that have no place left are dropped."""
    if not len(reading.rows):
        return reading
    rows, states, older = reading.rows, reading.states, reading.older
    letter = of_rows(maps.letters[code], rows)
    new = [up(states[0] & letter)]
    for error in range(1, len(states)):
        swapped = up(up(older[error - 1] & letter) & reading.previous)
        found = up((states[error] & letter) | states[error - 1] | new[error - 1])
        new.append(found | states[error - 1] | swapped)
    alive = np.flatnonzero(some(new[-1]))
    if len(alive) * _LEAST_LEFT < len(rows) * (_LEAST_LEFT - 1):
        rows, letter = rows.take(alive), of_rows(letter, alive)
        new = [of_rows(bits, alive) for bits in new]
        states = [of_rows(bits, alive) for bits in states]
    return _Reading(rows, new, states, letter)


def _inside(ends: Words, lengths: NDArray[np.uint8]) -> NDArray[np.bool_]:
    found = np.zeros(len(lengths), np.bool_)
    for word, bits in enumerate(ends):
        places = lengths.astype(np.int64) - 64 * word
        valid = (np.uint64(2) << np.clip(places, 0, 63).astype(np.uint64)) - 1
        found |= (bits & np.where(places < 0, np.uint64(0), valid)) != 0
    return found


@dataclass(frozen=True, slots=True)
class Near:
    """Where a term nearly is. `errors`: edits; `start`, `end`: the characters of the text it stands for."""

    errors: int
    start: int
    end: int

    def score(self, length: int) -> int:
        """The score of a term of `length` characters matched so, on the scale of score.py."""
        bonus = alphabet.BOUNDARY_START if self.start == 0 else alphabet.CAMEL
        earned = (alphabet.MATCH + bonus) * (length - self.errors) + bonus
        return max(0, earned - ERROR_COST * self.errors)

    def positions(self, folded: str, term: str) -> tuple[int, ...]:
        """The characters of the text that the term has too, ascending."""
        from rapidfuzz.distance import Levenshtein

        steps = Levenshtein.opcodes(term, folded[self.start : self.end])
        same = [range(step.dest_start, step.dest_end) for step in steps if step.tag == "equal"]
        return tuple(self.start + place for span in same for place in span)


def nearest(texts: Texts, ids: NDArray[np.integer], term: str) -> list[Near | None]:
    """The best near match of a folded term in each text, beginning at a hump; None where it has too many edits."""
    if not len(ids):
        return []
    points, classes = texts.characters(ids)
    humps = (alphabet.bonuses(classes) > 0) & (classes > alphabet.DELIMITER)
    folded = ["".join(map(chr, row)).rstrip("\0") for row in points.tolist()]
    starts = [np.flatnonzero(row).tolist() for row in humps]
    return [_nearest(text, humped, term) for text, humped in zip(folded, starts, strict=True)]


def _nearest(folded: str, humps: list[int], term: str) -> Near | None:
    from rapidfuzz.distance import OSA

    errors = allowed_errors(len(term))
    found: Near | None = None
    for start in humps:
        for end in range(start + len(term) - errors, min(len(folded), start + len(term) + errors) + 1):
            distance = int(OSA.distance(term, folded[start:end], score_cutoff=errors))
            if distance <= errors:
                found, errors = Near(distance, start, end), distance - 1
    return found
