"""The units of a workspace and which of them names which, at one revision of the index.

A *unit* is an outermost type with all that is nested in it, by the number of its home in the catalogue: what changes
together is declared together."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.context.words import humps, stem
from services.index.catalog.catalogue import Catalogue
from services.index.compiled import home_of
from services.index.graph.graph import Graph

_TESTS = re.compile(
    r"(?<![a-z])(?:unit|integration|functional)?(?:tests?|testing|testers?|specs?|benchmarks?|perf)(?![a-z])",
    re.IGNORECASE,
)
_BEFORE_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Unit(NamedTuple):
    """An outermost type. `name`: without namespace and arity; `paths`: of its files."""

    name: str
    fqn: str
    paths: tuple[str, ...]
    is_test: bool


class Edges(NamedTuple):
    """Unit `source[n]` names unit `target[n]`, `times[n]` times in signatures, bases and bodies."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    times: NDArray[np.float64]


@dataclass(frozen=True)
class Structure:
    """Units by number, what they name, and the units of each file. `size`: one more than the highest number;
    `unit_of`: the unit of each type."""

    units: Mapping[int, Unit]
    edges: Edges
    size: int
    at_path: Mapping[str, list[int]]
    unit_of: Mapping[int, int]

    @classmethod
    def of(cls, catalogue: Catalogue, graph: Graph) -> Structure:
        """That of a revision, as far as its dependencies have been worked out."""
        unit_of = _units_of(catalogue)
        units: dict[int, Unit] = {}
        at_path: dict[str, list[int]] = defaultdict(list)
        for at in sorted(set(unit_of.values())):
            entry = catalogue.type(at)
            paths = tuple(dict.fromkeys(catalogue.file(file).path for file, _ in entry.parts))
            name = entry.fqn.rpartition(".")[2].partition("`")[0]
            units[at] = Unit(name, entry.fqn, paths, all(map(is_test, paths)))
            for path in paths:
                at_path[path].append(at)
        return cls(units, _edges(graph, unit_of), catalogue.type_count, dict(at_path), unit_of)

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The units' numbers, in order."""
        return np.fromiter(self.units, np.int64, len(self.units))

    @cached_property
    def tests(self) -> frozenset[int]:
        """The units that test others."""
        return frozenset(at for at, unit in self.units.items() if unit.is_test)

    @cached_property
    def neighbours(self) -> Mapping[int, tuple[set[int], set[int]]]:
        """(units that name it, units that it names) of each unit that has any."""
        found: dict[int, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
        for source, target in zip(self.edges.source.tolist(), self.edges.target.tolist(), strict=True):
            found[source][1].add(target)
            found[target][0].add(source)
        return dict(found)

    @cached_property
    def names(self) -> UnitNames:
        """The words of all units' names."""
        return UnitNames(self)

    def of_paths(self, scores: Mapping[str, float]) -> NDArray[np.float64]:
        """Scores of files as scores of the units in them: the best of its files."""
        out = np.zeros(self.size)
        for path, score in scores.items():
            for at in self.at_path.get(path, ()):
                out[at] = max(out[at], score)
        return out


class UnitNames:
    """The names of units, word by word: which are like which, and which words mean."""

    def __init__(self, structure: Structure) -> None:
        self._words = {
            at: frozenset(stem(hump.lower()) for hump in humps(unit.name))
            for at, unit in structure.units.items()
        }
        self._having: dict[str, list[int]] = defaultdict(list)
        for at, words in self._words.items():
            for word in words:
                self._having[word].append(at)
        self._size = structure.size
        self.by_name: dict[str, list[int]] = defaultdict(list)
        for at, unit in structure.units.items():
            self.by_name[unit.name].append(at)

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._words) / len(self._having[word])) if word in self._having else 0.0

    def like(self, seeds: Mapping[int, float]) -> NDArray[np.float64]:
        """How much of its name each unit has in common with these, rare words counting most."""
        out = np.zeros(self._size)
        for seed, weight in seeds.items():
            shared: defaultdict[int, float] = defaultdict(float)
            for word in self._words.get(seed, ()):
                for at in self._having[word]:
                    shared[at] += self._rarity(word)
            for at, common in shared.items():
                out[at] += weight * common / math.sqrt(self._total(seed) * self._total(at))
        return out

    def _total(self, at: int) -> float:
        return sum(map(self._rarity, self._words[at]))

    def named(self, words: Mapping[str, float], exact: Iterator[str]) -> NDArray[np.float64]:
        """How much of its name each unit has among words; most where its whole name is among `exact`."""
        out = np.zeros(self._size)
        for word, weight in words.items():
            for at in self._having.get(word, ()):
                out[at] += weight * self._rarity(word)
        for at in np.flatnonzero(out).tolist():
            out[at] /= math.sqrt(self._total(at))
        for name in exact:
            for at in self.by_name.get(name, ()):
                out[at] += _WHOLE
        return out


_WHOLE = 10.0
"""A whole name counts more than all its words."""


def _units_of(catalogue: Catalogue) -> dict[int, int]:
    found: dict[int, int] = {}
    for at, entry in catalogue.live_types():
        outer = at
        if "+" in entry.fqn:
            outermost = entry.project, entry.fqn.partition("+")[0], entry.local
            outer = catalogue.type_at.get(outermost, at)
        found[at] = home_of(catalogue, outer) if catalogue.type(outer).parts else at
    return found


def _edges(graph: Graph, unit_of: Mapping[int, int]) -> Edges:
    found: Counter[tuple[int, int]] = Counter()
    for edges in (graph.edges(), graph.body_edges()):
        for source, target, count in edges:
            pair = (unit_of.get(source, -1), unit_of.get(target, -1))
            if pair[0] != pair[1] and -1 not in pair:
                found[pair] += count
    pairs = np.array(list(found), np.int64).reshape(-1, 2)
    return Edges(pairs[:, 0], pairs[:, 1], np.fromiter(found.values(), np.float64, len(found)))


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Whether a file is about testing others, by its folders' names and its own."""
    return any(_TESTS.search(_BEFORE_HUMP.sub("_", part)) for part in path.removesuffix(".cs").split("/"))
