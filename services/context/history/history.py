"""Commit history of a repository as evidence of which files change together."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import NamedTuple

import msgspec
import numpy as np

from services.context.history.log import MOST_FILES, Commit

_SHORT = 3  # words that are added to each subject: one word alone is not all that a commit is about
HALF_LIFE = 3 * 365 * 24 * 3600.0
"""Seconds after which a commit counts half."""
_LATELY, _HALF_OF_LATELY = 60, 8
"""The newest commits that tell what is being worked on, and how many before one counts half."""


class Together(NamedTuple):
    """How a file changed with others. `score`: commits, those long ago and those of many files counting less; `times`:
    in so many commits with `other`, which changed in `of`."""

    score: float
    times: int
    of: int
    other: str


class About(NamedTuple):
    """Similarity of a file to words: it changed in `times` of the commits whose messages match them."""

    score: float
    times: int


class StoredHistory(msgspec.Struct, array_like=True):
    """Serialised history. `commits`: (time, terms, files by number), the oldest first."""

    tip: str
    names: list[str]
    commits: list[tuple[int, tuple[int, ...], tuple[int, ...]]]


class History:
    """Commits up to `tip`, under the names that files have now. Not thread-safe while it is added to."""

    def __init__(self, kept: StoredHistory | None = None) -> None:
        self.tip = kept.tip if kept else ""
        self._names = list(kept.names) if kept else []
        self._commits = list(kept.commits) if kept else []
        self._index()

    def __len__(self) -> int:
        return len(self._commits)

    def stored(self) -> StoredHistory:
        """Return the history in its serialised form."""
        return StoredHistory(self.tip, self._names, self._commits)

    def add(self, tip: str, commits: Iterable[Commit]) -> None:
        """Takes commits, the newest first, that come after those it has."""
        now: dict[str, str] = {}  # by the name of then
        number = {name: at for at, name in enumerate(self._names)}
        new: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
        for commit in commits:
            files = tuple(dict.fromkeys(now.get(path, path) for path in commit.files))
            for old, moved in commit.moved:
                now[old] = now.get(moved, moved)
            if 0 < len(files) <= MOST_FILES:
                numbers = tuple(number.setdefault(path, len(number)) for path in files)
                new.append((commit.time, commit.terms, numbers))
        self._names = [now.get(name, name) for name in number]
        self._commits += reversed(new)
        self.tip = tip
        self._unite()
        self._index()

    def _unite(self) -> None:
        """Merge the numbers of files that have the same name by now."""
        number: dict[str, int] = {}
        to = [number.setdefault(name, len(number)) for name in self._names]
        if len(number) != len(to):
            self._names = list(number)
            self._commits = [
                (time, terms, tuple(dict.fromkeys(to[at] for at in files)))
                for time, terms, files in self._commits
            ]

    def _index(self) -> None:
        self._number = {name: at for at, name in enumerate(self._names)}
        self._of_file: dict[int, array[int]] = defaultdict(lambda: array("I"))
        self._of_term: dict[int, array[int]] = defaultdict(lambda: array("I"))
        for at, (_, terms, files) in enumerate(self._commits):
            for file in files:
                self._of_file[file].append(at)
            for term in terms:
                self._of_term[term].append(at)
        self._now = self._commits[-1][0] if self._commits else 0
        self._worth = np.array(
            [self._weight(at) / math.sqrt(len(files)) for at, (_, _, files) in enumerate(self._commits)]
        )

    def _weight(self, commit: int) -> float:
        return 0.5 ** (max(0, self._now - self._commits[commit][0]) / HALF_LIFE)

    def lately(self) -> dict[str, float]:
        """The files that the newest commits changed, the newest commit and those of few files counting most."""
        score: defaultdict[int, float] = defaultdict(float)
        for age, (_, _, files) in enumerate(reversed(self._commits[-_LATELY:])):
            for file in files:
                score[file] += 0.5 ** (age / _HALF_OF_LATELY) / math.sqrt(len(files))
        return {self._names[file]: each for file, each in score.items()}

    def together(self, seeds: Mapping[str, float]) -> dict[str, Together]:
        """The files that changed together with any of these, which count as they weigh; of these themselves, those that
        changed with each other."""
        score: defaultdict[int, float] = defaultdict(float)
        best: dict[int, tuple[int, int, int]] = {}
        for path, weight in seeds.items():
            at = self._number.get(path)
            commits = self._of_file.get(at) if at is not None else None
            if at is None or not commits:
                continue
            times: Counter[int] = Counter()
            for commit in commits:
                files = self._commits[commit][2]
                share = weight * self._weight(commit) / max(1, len(files) - 1)
                for file in files:
                    if file != at:
                        score[file] += share
                        times[file] += 1
            for file, count in times.items():
                best[file] = max(best.get(file, (0, 0, 0)), (count, len(commits), at))
        told = ((file, *best[file]) for file in score)
        return {self._names[f]: Together(score[f], n, of, self._names[at]) for f, n, of, at in told}

    def alike(self, likely: Mapping[str, float], *, most: int = 60) -> dict[str, float]:
        """The files of the `most` commits that changed most of these, which count as they weigh; commits long ago and
        those of many files count less."""
        likeness = np.zeros(len(self._commits))
        for path, weight in likely.items():
            if path in self._number:
                likeness[np.asarray(self._of_file[self._number[path]], np.intp)] += weight
        likeness *= self._worth
        score: defaultdict[int, float] = defaultdict(float)
        for commit in np.argsort(-likeness, kind="stable")[:most].tolist():
            files = self._commits[commit][2]
            if likeness[commit] and len(files) > 1:
                for file in files:
                    score[file] += float(likeness[commit]) ** 2
        return {self._names[file]: each for file, each in score.items()}

    def about(self, query: Mapping[int, float], *, most: int = 60) -> dict[str, About]:
        """The files of the `most` commits whose subjects have most of these words, which count as they weigh."""
        found: defaultdict[int, float] = defaultdict(float)
        count = max(1, len(self._commits))
        for term, weight in query.items():
            commits = self._of_term.get(term, ())
            rarity = math.log(1 + count / len(commits)) if commits else 0.0
            for commit in commits:
                found[commit] += weight * rarity
        score: defaultdict[int, float] = defaultdict(float)
        times: Counter[int] = Counter()
        for commit, worth in nlargest(most, found.items(), key=lambda pair: (pair[1], pair[0])):
            _, terms, files = self._commits[commit]
            share = worth * worth * self._weight(commit) / math.sqrt(len(files) * (_SHORT + len(terms)))
            for file in files:
                score[file] += share
                times[file] += 1
        return {self._names[file]: About(each, times[file]) for file, each in score.items()}
