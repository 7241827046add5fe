"""Personalised PageRank over the dependency graph (Haveliwala 2002): where a walk ends up that starts over and over at
what is pinned.

A step goes from a type to one that it names or that names it, with a likelihood that grows with the logarithm of how
often it does, and falls with how many others name it too: what everything names says nothing about anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from services.index.graph.graph import Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STAY = 0.7  # of the walk goes on, the rest starts over
_BACK = 0.6  # how much a user counts beside what is used
_ROUNDS = 14  # 0.7 ** 14 < 0.007


class Walk:
    """Over one version of a graph."""

    def __init__(self, graph: Graph) -> None:
        """Costs some milliseconds per thousand types; `scores` then costs little."""
        import numpy as np

        edges = np.array(list(graph.edges()), dtype=np.int64).reshape(-1, 3)
        source, target, count = edges[:, 0], edges[:, 1], edges[:, 2]
        self._size = int(max(edges[:, :2].max(initial=-1) + 1, 0))
        users = np.bincount(target, minlength=self._size)
        weight = np.log1p(count)
        start = np.concatenate([source, target])
        end = np.concatenate([target, source])
        likely = np.concatenate([weight, _BACK * weight]) / np.sqrt(1.0 + users[end])
        total = np.bincount(start, weights=likely, minlength=self._size)
        self._start, self._end = start, end
        self._share = likely / total[start]
        self._dead = total == 0

    def scores(self, seeds: Mapping[int, float]) -> NDArray[np.float64]:
        """How likely the walk is at each type, by its index; seeds by index with their weights."""
        import numpy as np

        begin = np.zeros(self._size)
        for at, weight in seeds.items():
            if at < self._size:
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
