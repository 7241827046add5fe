"""Typing errors forgiven: texts in which a term occurs with one or two edits, beginning at a hump.

An edit is a missing, an extra or a wrong character, or two neighbours swapped (optimal string alignment). Candidates
come from Wu and Manber's automaton on the letter maps; rapidfuzz measures the few that are shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA, Levenshtein

from services.index.search import alphabet
from services.index.search.maps import LetterMaps, Words
from services.index.search.trail import up

ERROR_COST = 24
"""Points an edit costs beside those its character does not earn."""


def allowed_errors(length: int) -> int:
    """How many edits a term of this many characters may have: 1 from 4 characters, 2 from 8."""
    return 2 if length >= 8 else 1 if length >= 4 else 0


def near(maps: LetterMaps, text: str) -> NDArray[np.int32]:
    """Rows of the maps in which the term begins at a hump with no more edits than its length allows."""
    errors = allowed_errors(len(text))
    codes = [alphabet.code_of(char) for char in text]
    wanted = np.uint64(sum(1 << code for code in set(codes)))
    missing = len(set(codes)) - np.bitwise_count(maps.present & wanted)
    rows = np.flatnonzero(missing <= errors).astype(np.int32)
    letters = {code: maps.letters[code][:, rows] for code in set(codes)}
    ends = _automaton(maps.humps[:, rows], [letters[code] for code in codes], errors)
    return rows[_inside(ends, maps.lengths[rows])]


def _automaton(starts: Words, letters: list[Words], errors: int) -> Words:
    """Bits of the places where the next character would be read after the whole term, within `errors` edits."""
    states = [starts]
    for _ in range(errors):
        states.append(states[-1] | up(states[-1]))
    older: list[Words] = []
    previous = letters[0]
    for letter in letters:
        new = [up(states[0] & letter)]
        for error in range(1, errors + 1):
            found = up(states[error] & letter) | states[error - 1] | up(states[error - 1] | new[error - 1])
            if older:
                found |= up(up(older[error - 1] & letter) & previous)
            new.append(found)
        older, states, previous = states, new, letter
    return states[-1]


def _inside(ends: Words, lengths: NDArray[np.uint8]) -> NDArray[np.bool_]:
    found = np.zeros(len(lengths), np.bool_)
    for word, bits in enumerate(ends):
        places = lengths.astype(np.int64) - 64 * word
        valid = (np.uint64(2) << np.clip(places, 0, 63).astype(np.uint64)) - np.uint64(1)
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


def nearest(text: str, term: str) -> Near | None:
    """The best near match of a folded term in a text, beginning at a hump; None if it has too many edits."""
    folded = alphabet.fold(text)
    errors = allowed_errors(len(term))
    classes = np.array([alphabet.class_of(char) for char in text], np.uint8)
    humps = np.flatnonzero((alphabet.bonuses(classes) > 0) & (classes > alphabet.DELIMITER)).tolist()
    found: Near | None = None
    for start in humps:
        for end in range(start + len(term) - errors, min(len(text), start + len(term) + errors) + 1):
            distance = OSA.distance(term, folded[start:end], score_cutoff=errors)
            if distance <= errors and (found is None or distance < found.errors):
                found = Near(int(distance), start, end)
    return found
