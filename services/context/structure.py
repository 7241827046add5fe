"""The units of a workspace and which of them names which, at one revision of the index.

A *unit* is an outermost type with all that is nested in it, by the number of its home in the catalogue: what changes
together is declared together."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.context.words import humps, stem

_TESTS = re.compile(
    r"(?<![a-z])(?:unit|integration|functional)?(?:tests?|testing|testers?|specs?|benchmarks?|perf)(?![a-z])",
    re.IGNORECASE,
)
_BEFORE_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class RankedUnit(NamedTuple):
    """An outermost type. `name`: without namespace and arity; `paths`: of its files."""

    name: str
    fqn: str
    paths: tuple[str, ...]
    is_test: bool


class Edges(NamedTuple):
    """Unit `source[n]` names unit `target[n]`, `times[n]` times in signatures, bases and bodies; in the order of their
    numbers, each pair once."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    times: NDArray[np.float64]

    @classmethod
    def of(cls, named: Mapping[int, Mapping[int, int]]) -> Edges:
        """Return the edges of units, from a map of each unit to the units that it names."""
        rows = [
            (source, target, n) for source in sorted(named) for target, n in sorted(named[source].items())
        ]
        pairs = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2)
        return cls(pairs[:, 0], pairs[:, 1], np.array([row[2] for row in rows], np.float64))

    def with_those(self, named: Mapping[int, Mapping[int, int]], size: int) -> Edges:
        """These, where some units, each with what it names by now, had others. `size`: as of the structure."""
        new, stays = Edges.of(named), np.ones(size, bool)
        stays[list(named)] = False
        left = stays[self.source]
        old = Edges(self.source[left], self.target[left], self.times[left])
        places = np.searchsorted(old.source, new.source)
        return Edges(
            np.insert(old.source, places, new.source),
            np.insert(old.target, places, new.target),
            np.insert(old.times, places, new.times),
        )


class Structure(msgspec.Struct, frozen=True, dict=True):
    """Units by number, what they name, and the units of each file. `size`: one more than the highest number;
    `unit_of`: the unit of each type; `names`: the words of all units' names."""

    units: Mapping[int, RankedUnit]
    edges: Edges
    size: int
    at_path: Mapping[str, Sequence[int]]
    unit_of: Mapping[int, int]
    names: UnitNames

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The units' numbers, in order."""
        return np.sort(np.fromiter(self.units, np.int64, len(self.units)))

    @cached_property
    def tests(self) -> frozenset[int]:
        """The units that test others."""
        return frozenset(at for at, unit in self.units.items() if unit.is_test)

    def used(self, unit: int) -> list[int]:
        """The units that a unit names, in order."""
        first, last = np.searchsorted(self.edges.source, (unit, unit + 1))
        return self.edges.target[first:last].tolist()

    def users(self, unit: int) -> list[int]:
        """The units that name a unit, in order."""
        first, last = np.searchsorted(self._targets, (unit, unit + 1))
        return self.edges.source[self._by_target[first:last]].tolist()

    @cached_property
    def _by_target(self) -> NDArray[np.int64]:
        return np.argsort(self.edges.target, kind="stable")

    @cached_property
    def _targets(self) -> NDArray[np.int64]:
        return self.edges.target[self._by_target]

    @cached_property
    def folders(self) -> Folders:
        """Return the folders of the units."""
        units: defaultdict[str, list[int]] = defaultdict(list)
        for path, declared in self.at_path.items():
            units[path.rpartition("/")[0]] += declared
        return Folders(units, self.size)

    def of_paths(self, scores: Mapping[str, float]) -> NDArray[np.float64]:
        """Scores of files as scores of the units in them: the best of its files."""
        out = np.zeros(self.size)
        for path, score in scores.items():
            for at in self.at_path.get(path, ()):
                out[at] = max(out[at], score)
        return out


class Folders:
    """The folders of units, word by word. Never changed."""

    def __init__(self, units: Mapping[str, Sequence[int]], size: int) -> None:
        """`units`: of each folder, by its path; `size`: as of the structure."""
        self._units = {path: np.array(declared, np.int64) for path, declared in units.items()}
        self._words = {path: words_of(path) for path in units}
        self._size = size
        having = Counter[str]()
        for path, words in self._words.items():
            having.update(dict.fromkeys(words, len(units[path])))
        every = sum(map(len, units.values()))
        self._rarity = {word: math.log(every / count) for word, count in having.items() if count}

    def named(self, words: Mapping[str, float]) -> NDArray[np.float64]:
        """How much of a folder's path each unit has among words, rare ones counting most: the best of its folders."""
        out = np.zeros(self._size)
        for path, own in self._words.items():
            score = sum(words[word] * self._rarity.get(word, 0.0) for word in sorted(own & words.keys()))
            if score:
                out[self._units[path]] = np.maximum(out[self._units[path]], score)
        return out


class UnitNames:
    """The names of units, word by word: which are like which, and which words mean. Its answers never change."""

    def __init__(self, units: Mapping[int, str]) -> None:
        """`units`: the name of each."""
        self._names: dict[int, str] = {}
        self._having: dict[str, set[int]] = {}
        self.by_name: dict[str, set[int]] = {}
        self._take(units)

    def with_those(self, units: Mapping[int, str | None]) -> UnitNames:
        """These, where some units have other names by now, or none."""
        changed = {at: name for at, name in units.items() if self._names.get(at) != name}
        if not changed:
            return self
        other: UnitNames = copy(self)
        other._names, other._having, other.by_name = dict(self._names), dict(self._having), dict(self.by_name)
        other._take(changed)
        return other

    def _take(self, units: Mapping[int, str | None]) -> None:
        gone = {at: name for at in units if (name := self._names.pop(at, None)) is not None}
        come = {at: name for at, name in units.items() if name is not None}
        self._names |= come
        for sets, keys in ((self._having, words_of), (self.by_name, lambda name: (name,))):
            own = set[str]()  # whose sets nobody else has
            for at, name in (*gone.items(), *come.items()):
                for key in keys(name):
                    if key not in own:
                        sets[key] = set(sets.get(key, ()))
                        own.add(key)
                    (sets[key].add if come.get(at) == name else sets[key].discard)(at)
            for key in own:
                if not sets[key]:
                    del sets[key]
        self._size = max(self._names, default=-1) + 1
        self._totals: dict[int, float] = {}

    def _words(self, at: int) -> frozenset[str]:
        return words_of(self._names[at]) if at in self._names else frozenset()

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._names) / len(self._having[word])) if word in self._having else 0.0

    def like(self, seeds: Mapping[int, float]) -> NDArray[np.float64]:
        """How much of its name each unit has in common with these, rare words counting most."""
        out = np.zeros(self._size)
        for seed, weight in seeds.items():
            shared: defaultdict[int, float] = defaultdict(float)
            for word in self._words(seed):
                for at in self._having[word]:
                    shared[at] += self._rarity(word)
            for at, common in shared.items():
                out[at] += weight * common / math.sqrt(self._total(seed) * self._total(at))
        return out

    def _total(self, at: int) -> float:
        if at not in self._totals:
            self._totals[at] = sum(map(self._rarity, sorted(self._words(at))))
        return self._totals[at]

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


@lru_cache(maxsize=131_072)
def words_of(name: str) -> frozenset[str]:
    """The words of a unit's name, or of a path."""
    return frozenset(stem(hump.lower()) for hump in humps(name))


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Whether a file is about testing others, by its folders' names and its own."""
    return any(_TESTS.search(_BEFORE_HUMP.sub("_", part)) for part in path.removesuffix(".cs").split("/"))
