"""Exact scores and matched positions by the rules of fzf's FuzzyMatchV2, for many short texts at once.

H[i][j] is the best score of the first i + 1 characters of a term within the first j + 1 of a text. A gap
costs 3 and 1 more for each further character. fzf's single pass forgets an open gap whenever a new match is
at least as good there, and may lose up to 2 points by it; here the best gap is found by a running maximum.

Beyond fzf, a typed capital that meets a capital counts 2; in a term of capitals only it counts 8, and one
that meets a small letter costs 8 (see query.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.match import alphabet
from services.index.search.match.query import Term
from services.index.search.match.sorted_arrays import ascending

CAPITAL, HUMP_CAPITAL = 2, 8
_LOW = -10_000

Scores = NDArray[np.int16]
Characters = tuple[NDArray[np.uint32], NDArray[np.uint8]]
"""Folded code points and classes of n texts, (n, width) each, as `Texts.characters` gives them."""

Counted = tuple[Term, int]
"""A term, and the number of successive texts it is aligned with."""


class Row(msgspec.Struct, frozen=True, eq=False):
    """Row of the recurrence, arrays (width, n): the running maximum along a text then is one of whole lines. `best`:
    H, preceded by a line for the position before a text; `chunk`, with such a line: bonus of the first character of
    the consecutive chunk that ends here, negative where none does; `joined`: whether that chunk has two characters or
    more; `allowed`: where the character may match."""

    best: Scores
    chunk: Scores
    joined: NDArray[np.bool_]
    allowed: NDArray[np.bool_]


class _Recurrence(msgspec.Struct, frozen=True, eq=False):
    """Inputs of the recurrence from the texts, (width, n) each. `letters`: code points; `capital`: whether they are
    capitals; `bonus`: the points of each; `needed`: the least first bonus of a chunk that the character can join;
    `joining`: the least points if it does; `places`, `gaps`: (width, 1), the place, and the cost of a gap that would
    reach there from the first."""

    letters: NDArray[np.uint32]
    capital: NDArray[np.bool_]
    bonus: Scores
    needed: Scores
    joining: Scores
    places: Scores
    gaps: Scores

    @classmethod
    def of(cls, characters: Characters) -> _Recurrence:
        """That of texts whose code points and classes are (n, width)."""
        points, classes = characters
        bonus = np.ascontiguousarray(alphabet.bonuses(classes).T)
        places = np.arange(points.shape[1], dtype=np.int16)[:, None]
        return cls(
            letters=np.ascontiguousarray(points.T),
            capital=np.ascontiguousarray((classes == alphabet.UPPER).T),
            bonus=bonus,
            needed=bonus * (bonus >= alphabet.BOUNDARY),
            joining=np.maximum(bonus, np.int16(alphabet.CONSECUTIVE)),
            places=places,
            gaps=places - np.int16(alphabet.GAP_START + 1),
        )

    def first(self, count: int) -> _Recurrence:
        """That of the first texts alone."""
        if count == self.letters.shape[1]:
            return self
        return _Recurrence(
            letters=self.letters[:, :count],
            capital=self.capital[:, :count],
            bonus=self.bonus[:, :count],
            needed=self.needed[:, :count],
            joining=self.joining[:, :count],
            places=self.places,
            gaps=self.gaps,
        )


class Aligned(msgspec.Struct, frozen=True, eq=False):
    """Terms aligned with n texts, one for each. `rows`: by character of the terms, of the texts whose term has it;
    `lengths`: of their terms, (n,), descending; `scores`: (n,), -1 where it is no subsequence."""

    rows: list[Row]
    lengths: NDArray[np.int64]
    scores: Scores

    def positions(self, at: NDArray[np.integer]) -> list[tuple[int, ...]]:
        """The matched character positions of some of the texts, ascending; empty where the term is no subsequence."""
        found: list[tuple[int, ...]] = [()] * len(at)
        lengths = self.lengths.take(at)
        for length in ascending(lengths).tolist():
            mine = np.flatnonzero(lengths == length)
            for index, places in zip(mine.tolist(), self._positions(at[mine], length), strict=True):
                found[index] = places
        return found

    def _positions(self, at: NDArray[np.integer], length: int) -> list[tuple[int, ...]]:
        rows = self.rows[:length]
        there = np.flatnonzero(self.scores.take(at) >= 0)
        found: list[tuple[int, ...]] = [()] * len(at)
        if not len(there):
            return found
        at = at.take(there)
        table = AlignmentTable(
            best=np.stack([row.best[1:].take(at, axis=1) for row in rows]),
            joined=np.stack([row.joined.take(at, axis=1) for row in rows]),
            firsts=np.stack([row.allowed.take(at, axis=1).argmax(axis=0) for row in rows]),
        )
        for text, places in zip(there.tolist(), traced(table).tolist(), strict=True):
            found[text] = tuple(places)
        return found


def align(characters: Characters, terms: Sequence[Counted]) -> Aligned:
    """Align terms with texts, the first with the first texts and so on; the longest terms come first."""
    ground = _Recurrence.of(characters)
    counts = [count for _, count in terms]
    lengths = np.repeat([len(term.text) for term, _ in terms], counts)
    typed = _typed(terms, counts)
    first = np.zeros(len(lengths), np.int16)
    matched = np.ones(len(lengths), np.bool_)
    scores = np.full(len(lengths), -1, np.int16)
    rows: list[Row] = []
    ending = {len(term.text) for term, _ in terms}
    for length, (codes, worth) in enumerate(typed, 1):
        own = ground.first(len(codes))
        allowed = own.letters == codes
        if rows:
            allowed &= own.places >= first[: len(codes)]
        matched[: len(codes)] &= np.logical_or.reduce(allowed, axis=0)
        first = allowed.argmax(axis=0).astype(np.int16) + np.int16(1)
        rows.append(_row(rows[-1] if rows else None, allowed, own, worth))
        if length in ending:
            ended = slice(np.searchsorted(-lengths, -length), len(codes))
            scores[ended] = np.where(matched[ended], rows[-1].best[:, ended].max(axis=0, initial=0), -1)
    return Aligned(rows, lengths, scores)


_Worth = tuple[Scores, Scores] | None
"""Points by text: of a typed character in addition to its bonus, and further ones where it meets a capital; None if
no text has a capital typed."""


def _typed(terms: Sequence[Counted], counts: list[int]) -> Iterator[tuple[NDArray[np.uint32], _Worth]]:
    """For each character of the longest term: the code point that each text is to have, and what it earns."""
    for at in range(max(len(term.text) for term, _ in terms)):
        left = [(term, count) for (term, _), count in zip(terms, counts, strict=True) if len(term.text) > at]
        many = [count for _, count in left]
        codes = np.repeat(np.array([ord(term.text[at]) for term, _ in left], np.uint32), many)
        if not any(term.capitals[at] for term, _ in left):
            yield codes, None
            continue
        earned = np.array([_worth(term, at) for term, _ in left], np.int16)
        yield codes, (np.repeat(earned[:, 0], many), np.repeat(earned[:, 1], many))


def _worth(term: Term, at: int) -> tuple[int, int]:
    """Return the points of a character in addition to its bonus, and further ones where it meets a capital."""
    if not term.capitals[at]:
        return alphabet.MATCH, 0
    return (alphabet.MATCH - HUMP_CAPITAL, 2 * HUMP_CAPITAL) if term.humps else (alphabet.MATCH, CAPITAL)


def _row(above: Row | None, allowed: NDArray[np.bool_], ground: _Recurrence, worth: _Worth) -> Row:
    width, count = allowed.shape
    chunk = np.empty((width + 1, count), np.int16)
    best = np.empty((width + 1, count), np.int16)
    chunk[0], best[0] = -1, 0
    if above is None:
        score = ground.bonus * np.int16(alphabet.FIRST_FACTOR)
        begun, joined = ground.bonus, np.zeros_like(allowed)
    else:
        started = above.chunk[:-1, :count]
        joined = started >= ground.needed
        score = _either(joined, np.maximum(started, ground.joining), ground.bonus)
        score += above.best[:-1, :count]
        begun = _either(joined, started, ground.bonus)
    score += np.int16(alphabet.MATCH) if worth is None else worth[0] + worth[1] * ground.capital
    score |= _unless(allowed)
    gap = np.empty((width + 1, count), np.int16)
    gap[0] = _LOW
    gap[1:] = _highest_so_far(score + ground.places)
    gap = gap[:-1] - ground.gaps
    ends = allowed & (score >= gap)
    np.maximum(score, gap, out=best[1:])
    np.maximum(best, np.int16(0), out=best)
    np.bitwise_or(begun, _unless(ends), out=chunk[1:])
    return Row(best, chunk, joined & ends, allowed)


# What follows is np.where and np.maximum.accumulate in a tenth and a third of their time.
def _either(first: NDArray[np.bool_], one: Scores, other: Scores) -> Scores:
    """Select `one` where the mask is set, `other` elsewhere."""
    return other ^ ((one ^ other) & np.negative(first.astype(np.int16)))


def _unless(mask: NDArray[np.bool_]) -> Scores:
    """Return -1 where the mask is not set, which stays -1 after any bitwise or; 0 elsewhere. From -1 no gap reaches a
    place with more than 0."""
    return mask.astype(np.int16) - np.int16(1)


def _highest_so_far(values: Scores) -> Scores:
    """Return the running maximum of each text along its places, each line of which is one."""
    step = 1
    while step < len(values):
        wider = np.empty_like(values)
        wider[:step] = values[:step]
        np.maximum(values[step:], values[:-step], out=wider[step:])
        values, step = wider, 2 * step
    return values


class SubstringHits(msgspec.Struct, frozen=True, eq=False):
    """Exact substring hits: a term that occurs in n texts in one piece, where no other alignment can score as much.
    `scores`: int16 (n,), -1 where it does not; `starts`: int64 (n,), where the piece begins."""

    scores: Scores
    starts: NDArray[np.int64]


def pieces(characters: Characters, term: Term) -> SubstringHits:
    """The first piece that begins with the highest bonus there is from the term's first character on, and meets every
    typed capital: all its characters earn what they can at most, and another way has a gap. A term of capitals may find
    humps."""
    points, classes = characters
    found = SubstringHits(np.full(len(points), -1, np.int16), np.zeros(len(points), np.int64))
    length = len(term.text)
    if term.humps or points.shape[1] < length:
        return found
    begins = points[:, : points.shape[1] - length + 1] == ord(term.text[0])
    first = begins.argmax(axis=1)
    for at, char in enumerate(term.text[1:], 1):
        begins &= points[:, at : at + begins.shape[1]] == ord(char)
    rows = np.flatnonzero(begins.any(axis=1))
    if not len(rows):
        return found
    begins, first, classes = begins[rows], first[rows], classes[rows]
    bonus = alphabet.bonuses(classes)
    bonus *= np.arange(bonus.shape[1]) >= first[:, None]
    highest = bonus.max(axis=1)
    begins &= bonus[:, : begins.shape[1]] == highest[:, None]
    met = _capitals_met(classes, term)
    if met is not None:
        begins &= met == sum(term.capitals)
    starts = begins.argmax(axis=1)
    there = np.flatnonzero(begins[np.arange(len(rows)), starts])
    rows, starts, highest = rows[there], starts[there], highest[there]
    earned = alphabet.MATCH * length + highest * alphabet.FIRST_FACTOR
    earned += np.maximum(highest, alphabet.CONSECUTIVE) * (length - 1)
    earned += CAPITAL * sum(term.capitals)
    found.scores[rows], found.starts[rows] = earned, starts
    return found


def _capitals_met(classes: NDArray[np.uint8], term: Term) -> NDArray[np.int16] | None:
    """How many typed capitals meet one where the term begins at each place; None if none was typed."""
    typed = np.flatnonzero(term.capitals).tolist()
    if not typed:
        return None
    capital = classes == alphabet.UPPER
    width = classes.shape[1] - len(term.text) + 1
    met = np.zeros((len(classes), width), np.int16)
    for at in typed:
        met += capital[:, at : at + width]
    return met


class AlignedTerm:
    """Term aligned with n texts. `scores`: int16 (n,), -1 where it is no subsequence."""

    def __init__(self, characters: Characters, term: Term) -> None:
        self.term = term
        whole = pieces(characters, term)
        self.scores, self._starts = whole.scores, whole.starts
        self._groups: list[tuple[NDArray[np.int64], Aligned, int]] = []

    def take(self, texts: NDArray[np.int64], aligned: Aligned, first: int) -> None:
        """Store the alignment of these texts, ascending, from index `first` on."""
        self.scores[texts] = aligned.scores[first : first + len(texts)]
        self._groups.append((texts, aligned, first))

    def positions(self, at: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """The matched character positions of some texts, ascending; empty where the term is no subsequence."""
        length = len(self.term.text)
        found = [tuple(range(start, start + length)) for start in self._starts[at].tolist()]
        for group, aligned, first in self._groups:
            mine = np.flatnonzero(np.isin(at, group))
            matched = aligned.positions(first + np.searchsorted(group, at[mine]))
            for index, places in zip(mine.tolist(), matched, strict=True):
                found[index] = places
        return found


# Which characters of texts a term matched: the way back through tables of scores, for many texts at once. From the
# place with the best score of the last character on, the path goes left as long as the character is not the one that
# was taken there, then on to the character before it, as in fzf's FuzzyMatchV2.
class AlignmentTable(NamedTuple):
    """Table of n texts, by character of the term and place: `best`, the scores, (characters, width, n); `joined`,
    whether a chunk of two characters or more ends there. `firsts`: the first occurrence of each character,
    (characters, n)."""

    best: NDArray[np.int16]
    joined: NDArray[np.bool_]
    firsts: NDArray[np.int64]


def traced(table: AlignmentTable) -> NDArray[np.int64]:
    """The place of each character in each text, (n, characters). All texts have the term."""
    best, joined, firsts = table
    length, width, count = best.shape
    places = np.arange(width, dtype=np.int16)[:, None]
    diagonal, left = np.zeros_like(best), np.zeros_like(best)
    diagonal[1:, 1:], left[:, 1:] = best[:-1, :-1], best[:, :-1]
    at_last = places <= firsts[:, None]
    better = best > diagonal
    taken, as_good = at_last | (better & (best > left)), better & (best == left)
    prefers = joined.copy()
    prefers[:-1, :-1] |= joined[1:, 1:]
    from_right = taken.copy()
    from_right[:, :-1] |= as_good[:, :-1] & prefers[:, 1:]
    stops = np.maximum.accumulate(from_right * places, axis=1)
    from_after = taken.copy()
    from_after[:-1, :-1] |= as_good[:-1, :-1] & prefers[1:, 1:]
    from_after[-1] |= as_good[-1]
    found, texts = np.empty((count, length), np.int64), np.arange(count)
    place = best[-1].argmax(axis=0)
    for at in range(length - 1, -1, -1):
        stays = from_after[at, place, texts]
        place = np.where(stays, place, stops[at, place - 1, texts])
        found[:, at] = place
        place = place - 1
    return found
