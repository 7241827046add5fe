"""Typing errors forgiven: texts in which a term occurs with one or two edits, beginning at a hump.

An edit is a missing, an extra or a wrong character, or two neighbours swapped (optimal string alignment). Candidates
come from Wu and Manber's automaton on the letter maps; rapidfuzz measures the few that are shown.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA, Levenshtein

from services.index.search import alphabet
from services.index.search.maps import LetterMaps, Words
from services.index.search.query import allowed_errors
from services.index.search.texts import Texts
from services.index.search.trail import some, up

_SETTLED = 8
_KEPT = 16
ERROR_COST = 24
"""Points an edit costs beside those its character does not earn."""


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """Where the automaton stands in the texts that may match what was read of a term. `rows`: int32, into the maps;
    `states[e]`: the places where the next character would be read after e edits at most; `older`, `previous`: the
    states and the letter of one character before."""

    rows: NDArray[np.int32]
    states: list[Words]
    older: list[Words]
    previous: Words


class Nears:
    """Texts that a term is nearly in, over one set of maps. From the eighth character on, when the number of errors
    grows no more, a longer term goes on where its beginning ended."""

    def __init__(self, maps: LetterMaps) -> None:
        self.maps = maps
        self._kept: OrderedDict[str, _Reading] = OrderedDict()

    def rows(self, text: str) -> NDArray[np.int32]:
        """Rows of the maps in which the term begins at a hump with no more edits than its length allows."""
        found = self._reading(text) if len(text) >= _SETTLED else _read(self.maps, text)
        return found.rows[_inside(found.states[-1], self.maps.lengths[found.rows])]

    def _reading(self, text: str) -> _Reading:
        found = self._kept.get(text)
        if found is None:
            longer = len(text) > _SETTLED
            found = (
                _advanced(self.maps, self._reading(text[:-1]), alphabet.code_of(text[-1]))
                if longer
                else _read(self.maps, text)
            )
            self._kept[text] = found
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def _read(maps: LetterMaps, text: str) -> _Reading:
    errors = allowed_errors(len(text))
    codes = [alphabet.code_of(char) for char in text]
    wanted = np.uint64(sum(1 << code for code in set(codes)))
    missing = len(set(codes)) - np.bitwise_count(maps.present & wanted)
    rows = np.flatnonzero(missing <= errors).astype(np.int32)
    rows = rows[_has_piece(maps, rows, codes)]
    states = [maps.humps[:, rows]]
    for _ in range(errors):
        states.append(states[-1] | up(states[-1]))
    found = _Reading(rows, states, [np.zeros_like(states[0])] * (errors + 1), states[0])
    for code in codes:
        found = _advanced(maps, found, code)
    return found


def _has_piece(maps: LetterMaps, rows: NDArray[np.int32], codes: list[int]) -> NDArray[np.bool_]:
    """Which rows have one of the three thirds of the term unharmed: two edits harm two, or three when both are swaps of
    characters in different thirds, which is given up for speed."""
    found = np.zeros(len(rows), np.bool_)
    for piece in range(3):
        part = codes[piece * len(codes) // 3 : (piece + 1) * len(codes) // 3]
        run = maps.letters[part[0]][:, rows]
        for code in part[1:]:
            run = up(run) & maps.letters[code][:, rows]
        found |= some(run)
    return found


def _advanced(maps: LetterMaps, reading: _Reading, code: int) -> _Reading:
    """One more character read; rows that have no place left are dropped."""
    rows, states, older = reading.rows, reading.states, reading.older
    letter = maps.letters[code][:, rows]
    new = [up(states[0] & letter)]
    for error in range(1, len(states)):
        swapped = up(up(older[error - 1] & letter) & reading.previous)
        found = up((states[error] & letter) | states[error - 1] | new[error - 1])
        new.append(found | states[error - 1] | swapped)
    alive = np.flatnonzero(some(new[-1]))
    if len(alive) * 4 < len(rows) * 3:
        rows, letter = rows[alive], letter[:, alive]
        new, states = [bits[:, alive] for bits in new], [bits[:, alive] for bits in states]
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
    errors = allowed_errors(len(term))
    found: Near | None = None
    for start in humps:
        for end in range(start + len(term) - errors, min(len(folded), start + len(term) + errors) + 1):
            distance = int(OSA.distance(term, folded[start:end], score_cutoff=errors))
            if distance <= errors:
                found, errors = Near(distance, start, end), distance - 1
    return found
