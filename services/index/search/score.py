"""Exact scores and matched positions by the rules of fzf's FuzzyMatchV2, for many short texts at once.

H[i][j] is the best score of the first i + 1 characters of a term within the first j + 1 of a text. A gap
costs 3 and 1 more for each further character. fzf's single pass forgets an open gap whenever a new match is
at least as good there, and may lose up to 2 points by it; here the best gap is found by a running maximum.

Beyond fzf, a typed capital that meets a capital counts 2; in a term of capitals only it counts 8, and one
that meets a small letter costs 8 (see query.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search import alphabet
from services.index.search.query import Term

CAPITAL, HUMP_CAPITAL = 2, 8
_LOW = -10_000
_WIDTHS = (32, 64)
"""Texts up to these lengths are laid out together, and longer ones for themselves: a table is as wide as its widest."""

Scores = NDArray[np.int16]
Characters = tuple[NDArray[np.uint32], NDArray[np.uint8]]
"""Folded code points and classes of n texts, (n, width) each, as `Texts.characters` gives them."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One row of the recurrence, arrays (width, n): the running maximum along a text then is one of whole lines.
    `best`: H; `chunk`: bonus of the first character of the consecutive chunk that ends here, negative where none does;
    `joined`: whether that chunk has two characters or more; `allowed`: where the character may match."""

    best: Scores
    chunk: Scores
    joined: NDArray[np.bool_]
    allowed: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Bonuses:
    """What the recurrence asks of the bonuses of all characters, int16 (width, n) each. `bonus`: as they are; `needed`:
    what a chunk must have begun with for the character to join it; `joining`: what it earns at least if it does."""

    bonus: Scores
    needed: Scores
    joining: Scores

    @classmethod
    def of(cls, classes: NDArray[np.uint8]) -> _Bonuses:
        """Those of texts whose classes are (n, width)."""
        bonus = np.ascontiguousarray(alphabet.bonuses(classes).T)
        needed = bonus * (bonus >= alphabet.BOUNDARY)
        return cls(bonus, needed, np.maximum(bonus, np.int16(alphabet.CONSECUTIVE)))


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """A term laid over n texts. `scores`: (n,), -1 where it is no subsequence."""

    rows: list[Row]
    scores: Scores

    def positions(self, at: NDArray[np.integer]) -> list[tuple[int, ...]]:
        """The matched character positions of some of the texts, ascending; empty where the term is no subsequence."""
        if not len(at):
            return []
        best: list[list[list[int]]] = _by_text([row.best[:, at] for row in self.rows])
        joined: list[list[list[bool]]] = _by_text([row.joined[:, at] for row in self.rows])
        firsts = np.stack([row.allowed[:, at].argmax(axis=0) for row in self.rows]).T.tolist()
        ends = self.rows[-1].best[:, at].argmax(axis=0).tolist()
        return [
            self._traced(best[text], joined[text], (firsts[text], ends[text])) if score >= 0 else ()
            for text, score in enumerate(self.scores[at].tolist())
        ]

    def _traced(
        self, best: list[list[int]], joined: list[list[bool]], ends: tuple[list[int], int]
    ) -> tuple[int, ...]:
        firsts, place = ends
        found, prefer = [], True
        for i in range(len(best) - 1, -1, -1):
            while not self._taken(best, firsts, (i, place), prefer=prefer):
                prefer = joined[i][place] or _joins_next(joined, i, place)
                place -= 1
            found.append(place)
            prefer = joined[i][place] or _joins_next(joined, i, place)
            place -= 1
        return tuple(reversed(found))

    @staticmethod
    def _taken(best: list[list[int]], firsts: list[int], at: tuple[int, int], *, prefer: bool) -> bool:
        i, j = at
        if j <= firsts[i]:
            return True
        here, left = best[i][j], best[i][j - 1]
        diagonal = best[i - 1][j - 1] if i else 0
        return here > diagonal and (here > left or (here == left and prefer))


def _by_text(rows: list[NDArray]) -> list:
    """Tables (width, n), one for each character of the term, as lists: text by text, character by character."""
    return np.stack(rows).transpose(2, 0, 1).tolist()


def _joins_next(joined: list[list[bool]], i: int, place: int) -> bool:
    return i + 1 < len(joined) and place + 1 < len(joined[0]) and joined[i + 1][place + 1]


def align(points: NDArray[np.uint32], classes: NDArray[np.uint8], term: Term) -> Aligned:
    """Lay a term over texts given as folded code points and classes, (n, width) each (`Texts.characters`)."""
    bonuses, letters = _Bonuses.of(classes), np.ascontiguousarray(points.T)
    capital = np.ascontiguousarray((classes == alphabet.UPPER).T)
    places = np.arange(points.shape[1], dtype=np.int16)[:, None]
    first = np.zeros(len(points), np.int16)
    matched = np.ones(len(points), np.bool_)
    rows: list[Row] = []
    for char, typed_capital in zip(term.text, term.capitals, strict=True):
        allowed = (letters == np.uint32(ord(char))) & (places >= first)
        matched &= allowed.any(axis=0)
        first = (allowed.argmax(axis=0) + 1).astype(np.int16)
        worth = _worth(capital, typed=typed_capital, humps=term.humps)
        rows.append(_row(rows[-1] if rows else None, allowed, (bonuses, worth)))
    scores = np.where(matched, rows[-1].best.max(axis=0), -1).astype(np.int16)
    return Aligned(rows, scores)


def _worth(capital: NDArray[np.bool_], *, typed: bool, humps: bool) -> Scores | np.int16:
    """What a character earns beside its bonus."""
    if not typed:
        return np.int16(alphabet.MATCH)
    if humps:
        return capital * np.int16(2 * HUMP_CAPITAL) + np.int16(alphabet.MATCH - HUMP_CAPITAL)
    return capital * np.int16(CAPITAL) + np.int16(alphabet.MATCH)


def _row(above: Row | None, allowed: NDArray[np.bool_], earned: tuple[_Bonuses, Scores | np.int16]) -> Row:
    bonuses, worth = earned
    if above is None:
        score = bonuses.bonus * np.int16(alphabet.FIRST_FACTOR) + worth
        chunk, joined = bonuses.bonus, np.zeros_like(allowed)
    else:
        started = _down(above.chunk, -1)
        joined = started >= bonuses.needed
        score = np.where(joined, np.maximum(started, bonuses.joining), bonuses.bonus)
        score += _down(above.best, 0)
        score += worth
        chunk = np.where(joined, started, bonuses.bonus)
    score = np.where(allowed, score, np.int16(_LOW))
    places = np.arange(len(score), dtype=np.int16)[:, None]
    gap = _down(np.maximum.accumulate(score + places, axis=0), _LOW)
    gap -= places - np.int16(alphabet.GAP_START + 1)
    ends = allowed & (score >= gap)
    best = np.maximum(score, gap)
    np.maximum(best, np.int16(0), out=best)
    return Row(best, np.where(ends, chunk, np.int16(-1)), joined & ends, allowed)


def _down(values: Scores, fill: int) -> Scores:
    """Every value moved to the next place of its text."""
    moved = np.empty_like(values)
    moved[0] = fill
    moved[1:] = values[:-1]
    return moved


def begun(points: NDArray[np.uint32], classes: NDArray[np.uint8], term: Term) -> NDArray[np.int16]:
    """Score of the term in each text that begins with it, (n,), else -1. Nothing can score higher than a
    beginning, whose chunk has the highest bonus throughout; but a term of capitals may find humps."""
    length = len(term.text)
    if term.humps or points.shape[1] < length:
        return np.full(len(points), -1, np.int16)
    begins = (points[:, :length] == [ord(char) for char in term.text]).all(axis=1)
    begins &= classes[:, 0] > alphabet.DELIMITER
    capitals = ((classes[:, :length] == alphabet.UPPER) & term.capitals).sum(axis=1)
    earned = (
        (alphabet.MATCH + alphabet.BOUNDARY_START) * length + alphabet.BOUNDARY_START + CAPITAL * capitals
    )
    return np.where(begins, earned, -1).astype(np.int16)


class Laid:
    """A term laid over n texts. `scores`: int16 (n,), -1 where it is no subsequence."""

    def __init__(self, characters: Characters, term: Term) -> None:
        points, classes = characters
        self.scores = begun(points, classes, term)
        self._length = len(term.text)
        others = np.flatnonzero(self.scores < 0)
        sizes = np.searchsorted(_WIDTHS, np.count_nonzero(points[others], axis=1))
        self._groups: list[tuple[NDArray[np.int64], Aligned]] = []
        for size, width in enumerate((*_WIDTHS, points.shape[1])):
            group = others[sizes == size]
            if len(group):
                aligned = align(points[group, :width], classes[group, :width], term)
                self.scores[group] = aligned.scores
                self._groups.append((group, aligned))

    def positions(self, at: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """The matched character positions of some texts, ascending; empty where the term is no subsequence."""
        found = [tuple(range(self._length))] * len(at)
        for group, aligned in self._groups:
            mine = np.flatnonzero(np.isin(at, group))
            matched = aligned.positions(np.searchsorted(group, at[mine]))
            for index, places in zip(mine.tolist(), matched, strict=True):
                found[index] = places
        return found
