"""Typing errors forgiven: texts in which a term occurs with one or two edits, beginning at a hump.

An edit is a missing, an extra or a wrong character, or two neighbours swapped (optimal string alignment). Texts are
found by the tree of their words, and by reading on where a term is longer than the tree is deep; rapidfuzz measures the
few that are shown.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.match import alphabet, automaton
from services.index.search.match.automaton import Readers
from services.index.search.match.query import allowed_errors
from services.index.search.match.texts import LONGEST, TextColumn, Texts

ERROR_COST = 24
"""Points an edit costs in addition to those its character does not earn."""

Ids = NDArray[np.integer]


def near_ids(texts: Texts, term: str) -> NDArray[np.int64]:
    """The texts in which a word begins with the term with no more edits than its length allows, ascending. Characters
    without a letter map of their own count as one."""
    codes = [alphabet.code_of(char) for char in term[: automaton.LONGEST]]
    sought = automaton.Automaton(codes, allowed_errors(len(term)))
    reached, places, readers = texts.words.reached(sought)
    near = np.zeros(len(texts), np.bool_)
    near[reached] = True
    near[_read_on(texts, places, readers)] = True
    found = np.flatnonzero(near)
    cut = len(term) > automaton.LONGEST
    doubtful = np.flatnonzero(cut | (texts.lengths.take(found) > LONGEST[-1]))
    if len(doubtful):
        there = [near is not None for near in nearest(texts, found.take(doubtful), term)]
        found = np.delete(found, doubtful[np.logical_not(there)])
    return found


def _read_on(texts: Texts, places: NDArray[np.int64], readers: Readers) -> Ids:
    """The texts of some beginnings of words in which the whole term is read behind what the tree knows."""
    owners, at = texts.words.owners.take(places), texts.words.behind.take(places)
    ends = texts.offsets.take(owners + 1)
    found: list[Ids] = [owners[:0]]
    while len(owners):
        left = np.flatnonzero(at < ends)
        owners, at, ends = owners.take(left), at.take(left), ends.take(left)
        raw = texts.blob.take(at)
        inner = (raw & 0xC0) == 0x80
        read = readers.take(left).read(alphabet.byte_codes().take(raw))
        if inner.any():
            # A character of several bytes was read with its first.
            read = read.kept(inner, readers.take(left))
        ended = read.ended()
        found.append(owners[ended])
        going = np.flatnonzero(read.alive() & ~ended)
        owners, at, ends, readers = owners.take(going), at.take(going) + 1, ends.take(going), read.take(going)
    return np.concatenate(found)


class NearMatch(msgspec.Struct, frozen=True):
    """Match of a term with typing errors. `errors`: edits; `start`, `end`: the matched characters of the text; `lead`:
    the length of the `I` of an interface, or of another single capital, before its first word."""

    errors: int
    start: int
    end: int
    lead: int = 0

    @property
    def begins(self) -> bool:
        """Whether it begins where the text does, or its first word."""
        return self.start in (0, self.lead)

    def score(self, length: int) -> int:
        """The score of a term of `length` characters matched so, on the scale of rank/alignment.py."""
        bonus = alphabet.BOUNDARY_START if self.begins else alphabet.CAMEL
        earned = (alphabet.MATCH + bonus) * (length - self.errors) + bonus
        return max(0, earned - ERROR_COST * self.errors)

    def positions(self, folded: str, term: str) -> tuple[int, ...]:
        """The characters of the text that the term has too, ascending."""
        from rapidfuzz.distance import Levenshtein

        steps = Levenshtein.opcodes(term, folded[self.start : self.end])
        same = [range(step.dest_start, step.dest_end) for step in steps if step.tag == "equal"]
        return tuple(self.start + place for span in same for place in span)


def nearest(texts: TextColumn, ids: NDArray[np.integer], term: str) -> list[NearMatch | None]:
    """Return the best match with typing errors of a folded term in each text, beginning at a hump; None where it has
    too many edits."""
    if not len(ids):
        return []
    points, classes = texts.characters(ids)
    humps = (alphabet.bonuses(classes) > 0) & (classes > alphabet.DELIMITER)
    folded = ["".join(map(chr, row)).rstrip("\0") for row in points.tolist()]
    starts = [np.flatnonzero(row).tolist() for row in humps]
    return [_nearest(text, humped, term) for text, humped in zip(folded, starts, strict=True)]


def _nearest(folded: str, humps: list[int], term: str) -> NearMatch | None:
    from rapidfuzz.distance import OSA

    errors = allowed_errors(len(term))
    found: NearMatch | None = None
    lead = int(humps[:2] == [0, 1])
    for start in humps:
        for end in range(start + len(term) - errors, min(len(folded), start + len(term) + errors) + 1):
            distance = int(OSA.distance(term, folded[start:end], score_cutoff=errors))
            is_whole = start <= lead and end == len(folded)
            if distance < errors or (distance == errors and (found is None or is_whole)):
                found, errors = NearMatch(distance, start, end, lead), distance
            if found is not None and not errors:
                return found
    return found
