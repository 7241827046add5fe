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
from services.index.search.query import allowed_errors
from services.index.search.texts import Texts
from services.index.search.trail import some, up

ERROR_COST = 24
"""Points an edit costs beside those its character does not earn."""


def near(maps: LetterMaps, text: str) -> NDArray[np.int32]:
    """Rows of the maps in which the term begins at a hump with no more edits than its length allows."""
    errors = allowed_errors(len(text))
    codes = [alphabet.code_of(char) for char in text]
    wanted = np.uint64(sum(1 << code for code in set(codes)))
    missing = len(set(codes)) - np.bitwise_count(maps.present & wanted)
    rows = np.flatnonzero(missing <= errors).astype(np.int32)
    rows = rows[_has_piece(maps, rows, codes)]
    kept, ends = _automaton(maps, rows, codes, errors)
    return kept[_inside(ends, maps.lengths[kept])]


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


def _automaton(
    maps: LetterMaps, rows: NDArray[np.int32], codes: list[int], errors: int
) -> tuple[NDArray[np.int32], Words]:
    """The rows that may match, and bits of the places where their next character would be read after the whole term.

    `states[e]` has those places after some characters and e edits at most; rows that have none left are dropped."""
    states = [maps.humps[:, rows]]
    for _ in range(errors):
        states.append(states[-1] | up(states[-1]))
    older, previous = [np.zeros_like(states[0])] * (errors + 1), states[0]
    for code in codes:
        letter = maps.letters[code][:, rows]
        new = [up(states[0] & letter)]
        for error in range(1, errors + 1):
            swapped = up(up(older[error - 1] & letter) & previous)
            found = up((states[error] & letter) | states[error - 1] | new[error - 1])
            new.append(found | states[error - 1] | swapped)
        alive = np.flatnonzero(some(new[-1]))
        if len(alive) * 4 < len(rows) * 3:
            rows, letter = rows[alive], letter[:, alive]
            new, states = [bits[:, alive] for bits in new], [bits[:, alive] for bits in states]
        older, states, previous = states, new, letter
    return rows, states[-1]


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
