"""Personalised PageRank over what names what (Haveliwala 2002): where a walk ends up that starts over and over at
seeds.

A step goes from a unit to one that it names or that names it, with a likelihood that grows with the logarithm of how
often it does, and falls with how many others name it too: what everything names says nothing about anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from services.context.structure import Edges

_STAY = 0.6  # of the walk goes on, the rest starts over
_BACK = 0.8  # how much a user counts beside what is used
_ROUNDS = 10  # 0.6 ** 10 < 0.007


class Walk:
    """Over the edges of one revision."""

    def __init__(self, edges: Edges, size: int) -> None:
        """`size`: one more than the highest number of a unit."""
        self._size = size
        users = np.bincount(edges.target, minlength=size)
        weight = np.log1p(edges.times)
        start = np.concatenate([edges.source, edges.target])
        end = np.concatenate([edges.target, edges.source])
        likely = np.concatenate([weight, _BACK * weight]) / np.sqrt(1.0 + users[end])
        total = np.bincount(start, weights=likely, minlength=size)
        self._start, self._end = start, end
        self._share = likely / total[start]
        self._dead = total == 0

    def scores(self, seeds: Mapping[int, float]) -> NDArray[np.float64]:
        """How likely the walk is at each unit, by number; seeds with their weights."""
        begin = np.zeros(self._size)
        for at, weight in seeds.items():
            begin[at] += weight
        if not begin.any():
            return begin
        begin /= begin.sum()
        here: Any = begin
        for _ in range(_ROUNDS):
            moved = np.bincount(self._end, weights=here[self._start] * self._share, minlength=self._size)
            lost = here[self._dead].sum()
            here = _STAY * (moved + lost * begin) + (1 - _STAY) * begin
        return here
