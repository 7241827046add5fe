"""Types related to those of the window, ranked by a walk over the graph, each with a reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from services.index.catalog.catalogue import Catalogue
from services.index.graph.graph import Graph
from services.prompt.completeness.walk import Walk
from services.prompt.outline.names import short_names

_NAMED = 2


class Related(NamedTuple):
    """A type by its index. `score`: of the best one's; `reason`: a clause."""

    at: int
    score: float
    reason: str


def related(
    walk: Walk,
    graph: Graph,
    catalogue: Catalogue,
    *,
    seeds: Mapping[int, float],
    shown: Collection[int],
    limit: int,
) -> list[Related]:
    """The best related types, best first; those that are shown are left out."""
    scores = walk.scores(seeds)
    why = _Reasons(graph, catalogue, seeds)
    found: list[Related] = []
    top = 0.0
    for at in map(int, scores.argsort()[::-1]):
        score = float(scores[at])
        if score <= 0 or len(found) >= limit:
            break
        if at in shown or not catalogue.types[at].parts:
            continue
        top = top or score
        found.append(Related(at, round(score / top, 4), why.of(at)))
    return found


class _Reasons:
    """Why types are related: what of the window names them or is named by them, else through what they are."""

    def __init__(self, graph: Graph, catalogue: Catalogue, seeds: Mapping[int, float]) -> None:
        self._graph = graph
        self._catalogue = catalogue
        self._seeds = sorted(seeds, key=lambda at: (-seeds[at], at))
        self._beside: dict[int, frozenset[int]] = {}

    def of(self, at: int) -> str:
        """A clause."""
        users, used = self._graph.neighbours(at)
        if named := [seed for seed in self._seeds if seed in users]:
            return f"used by {self._names(named)}"
        if named := [seed for seed in self._seeds if seed in used]:
            return f"uses {self._names(named)}"
        if at in self._seeds:
            return "named in the source of the window"
        for seed in self._seeds:
            common = [each for each in self._around(seed) if each in users or each in used]
            if common:
                name = self._name(min(common, key=lambda each: (len(self._graph.neighbours(each)[0]), each)))
                return f"related to {self._name(seed)} through {name}"
        return "related to the window at some distance"

    def _around(self, at: int) -> frozenset[int]:
        known = self._beside.get(at)
        if known is None:
            users, used = self._graph.neighbours(at)
            known = self._beside[at] = frozenset((*users, *used))
        return known

    def _names(self, types: list[int]) -> str:
        """Two names, and how many more."""
        names = [self._name(at) for at in types]
        if len(names) <= _NAMED:
            return " and ".join(names)
        return f"{len(names)} types of the window: {', '.join(names[:_NAMED])} …"

    def _name(self, at: int) -> str:
        fqn = self._catalogue.types[at].fqn
        return short_names((fqn,))[fqn]
