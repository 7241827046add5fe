"""The signals, and the ranking that they make together.

First what the words say (text, its first line, names, old commits) and what the seeds say (their text, what they name
and what names them, what changed with them, what is named like them); then what the best of these lead to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.concurrency.cancellation import job_checkpoint
from services.context.cochange import About, CoChange, CoChangeHistory
from services.context.query import ContextQuery, Seed, numbered, terms_as_said, terms_of_text, terms_of_unit
from services.context.structure import Edges, Structure
from services.context.text_index import TextIndex
from services.context.words import identifiers

_FIRST = 5
"""So many of what words lead to are walked on from: from ten of them a walk leads astray more often."""
_LIKELY = 60
"""So many of what seeds lead to tell which commits were like this change."""
_SEED = 2.0
_FEEDBACK = 60
_OF_EACH = 20
_TEST_SHARE = 0.3
_FEW_TESTS = 3
"""A word that more tests have is one of testing."""
_MOST_SEEDS = 12
"""Seeds whose text is looked at: of a full window the first."""


class Ranked(NamedTuple):
    """A unit, best first; `signals`: at which place each signal has it."""

    unit: int
    score: float
    signals: Mapping[str, int]


class RankingCorpus(msgspec.Struct, frozen=True, dict=True):
    """Ranked corpus: units at one revision, with their words and the history."""

    structure: Structure
    text: TextIndex
    history: CoChangeHistory

    @cached_property
    def lately(self) -> NDArray[np.float64]:
        """How much the newest commits changed each unit."""
        return self.structure.of_paths(self.history.lately())

    @cached_property
    def walk(self) -> RandomWalk:
        """Over what names what."""
        return RandomWalk(self.structure.edges, self.structure.size)


class ContextRanking:
    """Ranking of units for one query; the results of its signals are retained to explain it."""

    def __init__(self, ground: RankingCorpus, query: ContextQuery) -> None:
        self._ground = ground
        self.query = query
        self.together: dict[str, CoChange] = {}
        self.about: dict[str, About] = {}
        self._seeds = {seed.unit: seed.weight for seed in query.seeds}
        self.rankings: dict[str, list[int]] = {}

    def best(self) -> list[Ranked]:
        """Return everything that any signal found, best first; tests last unless the query is about them."""
        self._ask_words()
        self._ask_seeds()
        self._rank("linked", self._scored({at: 1 / n for n, at in enumerate(self.query.linked, 1)}))
        self._ask_use()
        self._ask_lately()
        first = fused(self.rankings)
        if first:
            (self._ask_alike if self._seeds else self._ask_around)(first)
            self._ask_lately()
        scores = fused(self.rankings)
        places = {
            name: {at: rank for rank, at in enumerate(ranking, 1)} for name, ranking in self.rankings.items()
        }
        order = last(scores, self._behind)
        told = [at for at in self.query.told if at not in self.query.shown]
        scores |= dict.fromkeys(
            told, max(scores.values(), default=1.0)
        )  # nothing comes before what was named
        return [
            Ranked(at, scores[at], {name: of[at] for name, of in places.items() if at in of})
            for at in dict.fromkeys([*told, *order])
        ]

    @cached_property
    def _behind(self) -> frozenset[int]:
        """Return the units to rank last: tests, unless the query is about them or they alone match a word of the
        title."""
        tests = self._ground.structure.tests
        if self.query.is_about_tests or not tests.isdisjoint(self._seeds):
            return frozenset()
        return tests - self._tests_alone(tests)

    def _tests_alone(self, tests: frozenset[int]) -> set[int]:
        """The tests that have a word of the title which nothing but a few of them has."""
        having = (self._ground.text.postings.having(word) for word in numbered(self.query.title))
        return {at for each in having if len(each) <= _FEW_TESTS and tests.issuperset(each) for at in each}

    def _rank(self, name: str, scores: NDArray[np.float64]) -> None:
        job_checkpoint()
        structure = self._ground.structure
        if len(scores) < structure.size:
            scores = np.concatenate([scores, np.zeros(structure.size - len(scores))])
        without = self.query.shown | self._seeds.keys()
        found = ranked(scores, structure.numbers, without)
        if found:
            self.rankings[name] = found

    # Words

    def _ask_words(self) -> None:
        ground, query = self._ground, self.query
        if not query.words:
            return
        asked, title = numbered(query.words), numbered(query.title)
        self._rank("text", ground.text.postings.scores(asked))
        self._rank("title", ground.text.postings.scores(title))
        self.about = ground.history.about(asked)
        self._rank(
            "subjects", ground.structure.of_paths({path: each.score for path, each in self.about.items()})
        )
        exact = iter(dict.fromkeys(identifiers(query.text)))
        self._rank("names", ground.structure.names.named(query.words, exact))
        self._rank("folder", ground.structure.folders.named(query.words))

    # Seeds

    def _ask_seeds(self) -> None:
        ground, seeds = self._ground, self.query.seeds
        if not seeds:
            return
        told = seeds[:_MOST_SEEDS]
        texts = [(seed.weight, terms_of_text(seed.text, ground.text)) for seed in told if seed.text]
        units = [(seed.weight, terms_of_unit(seed.unit, ground.text)) for seed in told]
        for name, terms in (("member", texts), ("type", units)):
            if terms:
                self._rank(name, ground.text.postings.scores(_joined(terms)))
        if texts:
            said = "\n".join([*(seed.text for seed in told), self.query.text])
            self._rank("said", ground.text.postings.scores(terms_as_said(said)))
        self._rank("graph", ground.walk.scores(self._starts(seeds)))
        self.together = ground.history.together(self._paths(self._seeds))
        self._rank(
            "together", ground.structure.of_paths({p: each.score for p, each in self.together.items()})
        )
        self._rank("like", ground.structure.names.like(self._seeds))

    def _starts(self, seeds: Iterable[Seed]) -> dict[int, float]:
        """Return the start nodes of the walk: the seeds, and with less weight what the text of a seed's member
        names."""
        structure = self._ground.structure
        found = dict(self._seeds)
        for seed in seeds:
            near = set(structure.used(seed.unit))
            for name in dict.fromkeys(identifiers(seed.text)):
                for at in structure.names.by_name.get(name, ()):
                    if at in near and at not in self._seeds:
                        found[at] = found.get(at, 0.0) + _NAMED * seed.weight
        return found

    def _ask_use(self) -> None:
        if self.rankings:  # use alone is no answer
            self._rank("use", self._scored(self.query.used))

    def _ask_lately(self) -> None:
        """Score what the newest commits changed, among the units that other signals found."""
        found = np.zeros(self._ground.structure.size, bool)
        found[[at for ranking in self.rankings.values() for at in ranking]] = True
        self._rank("lately", np.where(found, self._ground.lately, 0.0))

    def _scored(self, units: Mapping[int, float]) -> NDArray[np.float64]:
        """Scores of units, by number."""
        scores = np.zeros(self._ground.structure.size)
        for at, score in units.items():
            scores[at] = score
        return scores

    # What the best lead to

    def _ask_around(self, first: Mapping[int, float]) -> None:
        """Score the neighbours of the best word matches."""
        ground = self._ground
        best = self._best_of(first, _FIRST)
        self.together = ground.history.together(self._paths(best))
        self._rank("around", ground.structure.of_paths({p: each.score for p, each in self.together.items()}))
        self._rank("graph", ground.walk.scores(best))
        terms = [(weight, terms_of_unit(at, ground.text, _OF_EACH)) for at, weight in best.items()]
        self._rank("feedback", ground.text.postings.scores(_joined(terms, _FEEDBACK)))

    def _ask_alike(self, first: Mapping[int, float]) -> None:
        """Score files changed by the commits that changed most of the seeds and of their neighbours."""
        ground = self._ground
        likely = self._best_of(first, _LIKELY) | {at: _SEED * weight for at, weight in self._seeds.items()}
        self._rank("alike", ground.structure.of_paths(ground.history.alike(self._paths(likely))))

    def _best_of(self, scores: Mapping[int, float], most: int) -> dict[int, float]:
        """The best with their share of the best one's score; tests count less."""
        behind = self._behind
        worth = {at: score * (_TEST_SHARE if at in behind else 1.0) for at, score in scores.items()}
        best = sorted(worth, key=lambda at: (-worth[at], at))[:most]
        return {at: worth[at] / worth[best[0]] for at in best}

    def _paths(self, units: Mapping[int, float]) -> dict[str, float]:
        found: dict[str, float] = {}
        for at, weight in units.items():
            for path in self._ground.structure.units[at].paths:
                found[path] = max(found.get(path, 0.0), weight)
        return found


_NAMED = 0.3


def _joined(terms: Sequence[tuple[float, Mapping[int, float]]], most: int | None = None) -> dict[int, float]:
    """Several weighted queries as one; of each the weights sum up to its own."""
    found: defaultdict[int, float] = defaultdict(float)
    for weight, query in terms:
        total = sum(query.values()) or 1.0
        for term, each in query.items():
            found[term] += weight * each / total
    best = sorted(found, key=lambda term: (-found[term], term))[:most]
    return {term: found[term] for term in best}


# Several rankings made one: each gives what it ranks 1 / (5 + rank), all alike (reciprocal rank fusion, Cormack 2009),
# but for what changed lately, which is about no question, and what a folder is called, which is about all in it: these
# count half. Weights that were fitted to some repositories
# gained nothing on others, nor did trees that were boosted on them (benchmarks/context).

RANKED = 400
"""How far down a ranking counts."""
_BEFORE = 5
_HALF = frozenset({"lately", "folder"})


def ranked(scores: NDArray[np.float64], units: NDArray[np.int64], without: Collection[int] = ()) -> list[int]:
    """The units that have a score, best first, the first `RANKED` of them."""
    own = scores[units]
    order = np.argsort(-own, kind="stable")[: RANKED + len(without)]
    found = units[order[own[order] > 0]].tolist()
    return [at for at in found if at not in without][:RANKED]


def fused(rankings: Mapping[str, Sequence[int]]) -> dict[int, float]:
    """Scores of all that any of them, by signal, ranks, best first."""
    found: defaultdict[int, float] = defaultdict(float)
    for signal, ranking in rankings.items():
        weight = 0.5 if signal in _HALF else 1.0
        for rank, at in enumerate(ranking, 1):
            found[at] += weight / (_BEFORE + rank)
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def last(ranking: Mapping[int, float], behind: Collection[int]) -> list[int]:
    """The ranking with some of it behind all the rest."""
    return [*(at for at in ranking if at not in behind), *(at for at in ranking if at in behind)]


# Personalised PageRank over what names what (Haveliwala 2002): where a walk ends up that starts over and over at
# seeds. A step goes from a unit to one that it names or that names it, with a likelihood that grows with the
# logarithm of how often it does, and falls with how many others name it too: what everything names says nothing
# about anything.

_STAY = 0.6  # of the walk goes on, the rest starts over
_BACK = 0.8  # how much a user counts beside what is used
_ROUNDS = 10  # 0.6 ** 10 < 0.007


class RandomWalk:
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
