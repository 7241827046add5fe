"""Matcher of a term over a column's unique texts, exactly or with typing errors, with caches: the last terms, and
words looked up in advance, each as the few texts that match.

Words looked up in advance are those that most names contain: queries in a workspace's own words use these most
often.

Typing errors are forgiven at a hump: texts in which a term occurs with one or two edits. An edit is a missing, an
extra or a wrong character, or two neighbours swapped (optimal string alignment). Texts are found by the tree of
their words, and by reading on where a term is longer than the tree is deep; rapidfuzz measures the few that are
shown.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from services.concurrency.latest import LRUCache
from services.index.search.match import alphabet
from services.index.search.match.alphabet import CODES, OTHER, code_of, fold
from services.index.search.match.prefix_filter import Closeness, PrefixFilter, closeness, single
from services.index.search.match.query import allowed_errors
from services.index.search.match.texts import LONGEST, LONGEST_TERM, Automaton, Readers, TextColumn, Texts

ERROR_COST = 24
"""Points an edit costs in addition to those its character does not earn."""

Ids = NDArray[np.integer]


def near_ids(texts: Texts, term: str) -> NDArray[np.int64]:
    """The texts in which a word begins with the term with no more edits than its length allows, ascending. Characters
    without a letter map of their own count as one."""
    codes = [alphabet.code_of(char) for char in term[:LONGEST_TERM]]
    sought = Automaton(codes, allowed_errors(len(term)))
    reached, places, readers = texts.words.reached(sought)
    near = np.zeros(len(texts), np.bool_)
    near[reached] = True
    near[_read_on(texts, places, readers)] = True
    found = np.flatnonzero(near)
    cut = len(term) > LONGEST_TERM
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


_BYTES = 24_000_000
"""Limit of the cache of one column of a segment in bytes; a quarter of it for typing errors alone."""


class _Word(NamedTuple):
    """Texts that match one word. `scattered`: a bit each, whether its characters are in the text in this order and no
    closer; `ids`, int32, and `levels`, uint8: the `Closeness` of those that match closer. `near`, int32: those that
    match with typing errors forgiven, None where that was not looked up."""

    scattered: NDArray[np.uint8]
    ids: NDArray[np.int32]
    levels: NDArray[np.uint8]
    near: NDArray[np.int32] | None = None

    @property
    def nbytes(self) -> int:
        """Return the size in bytes."""
        near = 0 if self.near is None else self.near.nbytes
        return self.scattered.nbytes + self.ids.nbytes + self.levels.nbytes + near


class ReadyWords:
    """Words of one column with `count` texts, as many as fit. Not to be shared between threads."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._words: dict[str, _Word] = {}
        self._left = _BYTES

    def wants(self, word: str) -> bool:
        """Whether to look it up."""
        return word not in self._words and self._left > _BYTES // 4

    def wants_near(self, word: str) -> bool:
        """Whether to look it up with typing errors."""
        kept = self._words.get(word)
        return kept is not None and kept.near is None and self._left > 0

    def add(self, word: str, closeness: NDArray[np.uint8]) -> None:
        """Takes its closeness to every text, uint8 (count,)."""
        ids = np.flatnonzero(closeness > Closeness.SUBSEQUENCE)
        scattered = np.packbits(closeness == Closeness.SUBSEQUENCE)
        self._take(word, _Word(scattered, ids.astype(np.int32), closeness.take(ids)))

    def add_near(self, word: str, ids: NDArray[np.integer]) -> None:
        """Takes the texts that match a word that is there where typing errors are forgiven."""
        self._take(word, self._words[word]._replace(near=ids.astype(np.int32)))

    def closeness(self, word: str, *, scattered: bool = True) -> NDArray[np.uint8] | None:
        """Its closeness to every text, uint8 (count,); None for a word that is not there. `scattered`: also to those in
        which its characters are only scattered."""
        kept = self._words.get(word)
        if kept is None:
            return None
        # A set bit is the number that `Closeness` has for scattered characters.
        found = (
            np.unpackbits(kept.scattered, count=self._count) if scattered else np.zeros(self._count, np.uint8)
        )
        found[kept.ids] = kept.levels
        return found

    def near(self, word: str) -> NDArray[np.int64] | None:
        """Return the texts that match with typing errors forgiven, ascending; None where that was not looked up."""
        kept = self._words.get(word)
        return kept.near.astype(np.int64) if kept is not None and kept.near is not None else None

    def _take(self, word: str, kept: _Word) -> None:
        before = self._words.get(word)
        self._left -= kept.nbytes - (before.nbytes if before is not None else 0)
        self._words[word] = kept


_WORD = re.compile(r"[A-Z]?[a-z]{2,}")
_LOOKED_AT = 50_000
"""Number of texts that are sampled for common words, evenly from all."""


def common_words(texts: Texts, most: int) -> list[str]:
    """The most common words, folded, most common first; up to so many."""
    counts: Counter[str] = Counter()
    for index in range(0, len(texts), 1 + len(texts) // _LOOKED_AT):
        counts.update(_WORD.findall(texts.text(index)))
    folded: Counter[str] = Counter()
    for word, count in counts.items():
        folded[fold(word)] += count
    return [word for word, _ in folded.most_common(most)]


Closenesses = NDArray[np.uint8]

_KEPT, _KEPT_BYTES = 32, 8_000_000
"""Limits of the cache of terms: their number, and more as long as they take no more than so many bytes. Words come
again in other queries, above all with several clients at once."""
_COMMON = 2_000
_RARE_BYTES = 1_000_000
"""Limit in bytes of the data that remains of words prepared in advance: their prefixes are not typed."""


class Matcher:
    """Answers for one column, remembering recent terms and what was prepared."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self._trails = tuple(map(PrefixFilter, texts.used))
        self._rare_trails = tuple(PrefixFilter(maps, capacity=_RARE_BYTES) for maps in texts.used)
        self._close_trails = tuple(PrefixFilter(maps, scattered=False) for maps in texts.used)
        most = max(_KEPT, min(_KEPT_BYTES // max(1, len(texts)), 8 * _KEPT))
        self._singles: dict[str, Closenesses] = {}
        self._ready = ReadyWords(len(texts))
        self._kept: LRUCache[tuple[str, bool], Closenesses] = LRUCache(most)
        self._kept_close: LRUCache[str, Closenesses] = LRUCache(most)
        self._kept_near: LRUCache[str, NDArray[np.int64]] = LRUCache(most)

    def closeness(
        self, term: str, *, with_typos: bool = False, among: NDArray[np.integer] | None = None
    ) -> Closenesses:
        """Return the `Closeness` of every text to a folded term, uint8 (n,); not to be written to. `among`: with
        typing errors, the texts of interest, ascending; the others count as far apart."""
        if len(term) == 1 and code_of(term) != OTHER:
            return self._single(term)
        if with_typos and among is not None and (term, with_typos) not in self._kept:
            return self._near(term, among)
        return self._kept.get(
            (term, with_typos),
            lambda: self._with_typos(term) if with_typos else self._exact(term),
        )

    def close(self, term: str) -> Closenesses:
        """Return `closeness`, but texts in which the characters are only scattered count as far apart: for a fraction
        of the time, as few texts have two of the characters side by side."""
        if len(term) == 1 and code_of(term) != OTHER:
            return self._single(term)
        return self._kept_close.get(term, lambda: self._closely(term))

    @cached_property
    def common(self) -> list[str]:
        """The words that most of the texts have, most common first."""
        return common_words(self.texts, _COMMON)

    def prepare(self, word: str, *, with_typos: bool = False) -> bool:
        """Look up a word in advance, once; returns whether there was anything to do. `with_typos`: look up matches
        with typing errors of a word that was prepared."""
        if with_typos:
            wanted = allowed_errors(len(word)) > 0 and self._ready.wants_near(word)
            if wanted:
                self._ready.add_near(word, near_ids(self.texts, word))
        else:
            wanted = len(word) > 1 and self._ready.wants(word)
            if wanted:
                self._ready.add(word, self._exactly(word, self._rare_trails))
        return wanted

    def knows(self, term: str) -> bool:
        """Whether closeness with typing errors costs nothing."""
        return (
            not allowed_errors(len(term)) or (term, True) in self._kept or self._ready.near(term) is not None
        )

    def _single(self, char: str) -> Closenesses:
        """Return the closeness to one character: most typing begins with one, so it is cached, or stored with the
        texts."""
        if self.texts.singles is not None:
            return self.texts.singles[code_of(char)]
        found = self._singles.get(char)
        if found is None:
            found = self._singles[char] = single_closeness(self.texts, code_of(char))
        return found

    def _exact(self, term: str) -> Closenesses:
        found = self._ready.closeness(term)
        return self._exactly(term, self._trails) if found is None else found

    def _closely(self, term: str) -> Closenesses:
        found = self._ready.closeness(term, scattered=False)
        return self._exactly(term, self._close_trails) if found is None else found

    def _exactly(self, term: str, each: tuple[PrefixFilter, ...]) -> Closenesses:
        found = np.zeros(len(self.texts), np.uint8)
        for trails in each:
            trail = trails.get(term)
            found[trails.maps.ids[trail.rows]] = closeness(trails.maps, trail)
        if any(code_of(char) == OTHER for char in term):
            self._verify(found, term)
        return found

    def _verify(self, found: Closenesses, term: str) -> None:
        """Characters without a letter map of their own share one: look at the survivors themselves."""
        for index in np.flatnonzero(found):
            rest = iter(fold(self.texts.text(int(index))))
            if not all(char in rest for char in term):
                found[index] = Closeness.NONE

    def _with_typos(self, term: str) -> Closenesses:
        found = self.closeness(term)
        if not allowed_errors(len(term)):
            return found
        found = found.copy()
        self._add_near(found, term, self._near_ids(term))
        return found

    def _near(self, term: str, among: NDArray[np.integer]) -> Closenesses:
        """With typing errors, to some texts alone."""
        exact = self.closeness(term)
        found = np.zeros(len(self.texts), np.uint8)
        found[among] = exact.take(among)
        if allowed_errors(len(term)):
            asked = np.zeros(len(found), np.bool_)
            asked[among] = True
            ids = self._near_ids(term)
            self._add_near(found, term, ids[asked.take(ids)])
        return found

    def _near_ids(self, term: str) -> NDArray[np.int64]:
        found = self._ready.near(term)
        return self._kept_near.get(term, lambda: near_ids(self.texts, term)) if found is None else found

    def _add_near(self, found: Closenesses, term: str, ids: NDArray[np.int64]) -> None:
        ids = ids[found.take(ids) <= Closeness.SUBSEQUENCE]
        if any(code_of(char) == OTHER for char in term):
            ids = ids[[near is not None for near in nearest(self.texts, ids, term)]]
        found[ids] = Closeness.TYPO


def single_closeness(texts: Texts, code: int) -> Closenesses:
    """`Closeness` of every text to one character, by its code, uint8 (n,)."""
    found = np.zeros(len(texts), np.uint8)
    for maps in texts.maps:
        found[maps.ids] = single(maps, code)
    return found


def with_singles(texts: Texts) -> Texts:
    """The texts with their closeness to every single character."""
    if texts.singles is not None:
        return texts
    return replace(texts, singles=np.stack([single_closeness(texts, code) for code in range(CODES)]))
