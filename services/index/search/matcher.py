"""Which of a column's unique texts match a term, and how closely."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from services.index.search import typos
from services.index.search.alphabet import OTHER, code_of, fold
from services.index.search.query import allowed_errors
from services.index.search.texts import Texts
from services.index.search.trail import Closeness, Trails, closeness, some

Closenesses = NDArray[np.uint8]

_KEPT = 32


class Matcher:
    """Answers for one column, remembering recent terms."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self._trails = (Trails(texts.short), Trails(texts.long))
        self._heads: dict[str, NDArray[np.uint8]] = {}
        self._kept: OrderedDict[tuple[str, bool], Closenesses] = OrderedDict()

    def closeness(self, term: str, *, with_typos: bool = False) -> Closenesses:
        """`Closeness` of every text to a folded term, uint8 (n,); not to be written to."""
        found = self._kept.get((term, with_typos))
        if found is None:
            found = self._with_typos(term) if with_typos else self._exactly(term)
            self._kept[term, with_typos] = found
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def hump_prefix(self, term: str) -> NDArray[np.uint8]:
        """By text, how many leading characters of the term chain along its humps, uint8 (n,)."""
        found = self._heads.get(term)
        if found is None:
            shorter = len(term) > 1
            found = self.hump_prefix(term[:-1]).copy() if shorter else np.zeros(len(self.texts), np.uint8)
            for trails in self._trails:
                trail = trails.get(term)
                found[trails.maps.ids[trail.rows[some(trail.humps)]]] = len(term)
            if len(self._heads) > _KEPT:
                self._heads.clear()
            self._heads[term] = found
        return found

    def _exactly(self, term: str) -> Closenesses:
        found = np.zeros(len(self.texts), np.uint8)
        for trails in self._trails:
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
        for trails in self._trails:
            ids = trails.maps.ids[typos.near(trails.maps, term)]
            ids = ids[found[ids] <= Closeness.SUBSEQUENCE]
            if any(code_of(char) == OTHER for char in term):
                ids = ids[[near is not None for near in typos.nearest(self.texts, ids, term)]]
            found[ids] = Closeness.TYPO
        return found
