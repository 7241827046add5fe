"""Edges of files summed by type, both ways, in arrays: as a counter for each type they take ten times the memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Self

import numpy as np

from services.index.graph.by_file import FileEdges

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 500
_SHARE = 4
"""The arrays are rebuilt once more than this many numbers, and more than this part of all, are counted outside them.
"""
_LOW = 0xFFFFFFFF


class Counts(Mapping[int, "Counter[int]"]):
    """Counts of pairs of numbers below 2^31. A number without pairs is absent. Changes are counted in addition to the
    arrays, which forks share."""

    def __init__(self, ones: NDArray[np.int64], others: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Build from pairs, which may repeat; the others of a number stay in order of arrival."""
        pairs, first, which = np.unique((ones << 32) | others, return_index=True, return_inverse=True)
        order = np.lexsort((first, pairs >> 32))
        numbers, starts = np.unique(pairs >> 32, return_index=True)
        self._numbers = numbers.astype(np.int32)
        self._starts = np.append(starts, len(pairs)).astype(np.int32)
        self._others = (pairs[order] & _LOW).astype(np.int32)
        self._counts = np.bincount(which, counts, len(pairs))[order].astype(np.int32)
        self._changed: dict[int, Counter[int]] = {}
        self._own = set[int]()  # whose counters no fork has

    def fork(self) -> Counts:
        """Return a copy, to be added to while others read these. Each counter is copied on its first change."""
        other: Counts = copy(self)
        other._changed, other._own = dict(self._changed), set()
        return other

    def __getitem__(self, number: int) -> Counter[int]:
        """The others of a number. Raises KeyError."""
        found = self._changed.get(number)
        if found is None:
            at = self._place(number)
            if at is None:
                raise KeyError(number)
            span = slice(int(self._starts[at]), int(self._starts[at + 1]))
            return Counter(dict(zip(self._others[span].tolist(), self._counts[span].tolist(), strict=True)))
        if not found:
            raise KeyError(number)
        return found

    def __iter__(self) -> Iterator[int]:
        yield from (number for number in self._numbers.tolist() if number not in self._changed)
        yield from (number for number, counter in self._changed.items() if counter)

    def __len__(self) -> int:
        beside = (
            bool(counter) - (self._place(number) is not None) for number, counter in self._changed.items()
        )
        return len(self._numbers) + sum(beside)

    def sizes(self, numbers: Iterable[int]) -> list[int]:
        """How many others each of these has."""
        asked = np.array([*numbers], np.int32)
        if not len(self._numbers):
            found = [0] * len(asked)
        else:
            at = np.minimum(np.searchsorted(self._numbers, asked), len(self._numbers) - 1)
            found = np.where(self._numbers[at] == asked, np.diff(self._starts)[at], 0).tolist()
        if self._changed:
            changed = self._changed
            pairs = zip(asked.tolist(), found, strict=True)
            return [len(changed[number]) if number in changed else size for number, size in pairs]
        return found

    def add(self, number: int, other: int, count: int) -> None:
        """Counts a pair so many times more, or less."""
        counter = self._changed.get(number)
        if counter is None or number not in self._own:
            counter = self._changed[number] = Counter(self.get(number, ()))
            self._own.add(number)
        counter[other] += count
        if not counter[other]:
            del counter[other]

    def settled(self) -> Counts:
        """Return the counts with the changes merged into the arrays, if there are many."""
        if len(self._changed) <= max(_FEW, len(self._numbers) // _SHARE):
            return self
        of = np.repeat(self._numbers, np.diff(self._starts))
        same = ~np.isin(of, np.fromiter(self._changed, np.int32, len(self._changed)))
        changed = _columns((a, b, n) for a, counter in self._changed.items() for b, n in counter.items())
        known = (of[same], self._others[same], self._counts[same])
        return Counts(*(np.concatenate((a, b), dtype=np.int64) for a, b in zip(known, changed, strict=True)))

    def _place(self, number: int) -> int | None:
        at = int(np.searchsorted(self._numbers, number))
        return at if at < len(self._numbers) and self._numbers[at] == number else None


class Sums:
    """How often each type names which (`forward`, and `outside` the workspace), and is named by which (`reverse`)."""

    def __init__(self, files: Iterable[FileEdges]) -> None:
        """Sum the edges of some files."""
        inside, outside = array("q"), array("q")
        self._ids: dict[str, int] = {}
        for edges in files:
            for edge in edges.inside:
                inside.extend(edge)
            for source, name, count in edges.outside:
                outside.extend((source, self._id(name), count))
        ones, others, counts = _columns_of(inside)
        self.forward = Counts(ones, others, counts)
        self.reverse = Counts(others, ones, counts)
        self._outside = Counts(*_columns_of(outside))

    def fork(self) -> Self:
        """Return a copy, to be added to while others read these."""
        other: Self = copy(self)
        other._ids = dict(self._ids)
        other.forward, other.reverse = self.forward.fork(), self.reverse.fork()
        other._outside = self._outside.fork()
        return other

    def add(self, edges: FileEdges, *, sign: int = 1) -> None:
        """Adds the edges of a file, or takes them out."""
        for source, target, count in edges.inside:
            self.forward.add(source, target, sign * count)
            self.reverse.add(target, source, sign * count)
        for source, name, count in edges.outside:
            self._outside.add(source, self._id(name), sign * count)
        self.forward, self.reverse = self.forward.settled(), self.reverse.settled()
        self._outside = self._outside.settled()

    def outside(self, index: int) -> Counter[str]:
        """How often a type names each type outside the workspace, by their full names."""
        found = self._outside.get(index, {})
        names = [*self._ids]
        return Counter({names[id_]: count for id_, count in found.items()})

    def _id(self, name: str) -> int:
        return self._ids.setdefault(name, len(self._ids))


def _columns(rows: Iterable[tuple[int, int, int]]) -> NDArray[np.int64]:
    return _columns_of(array("q", [number for row in rows for number in row]))


def _columns_of(flat: array[int]) -> NDArray[np.int64]:
    """Rows of three, one behind the other, as three columns."""
    return np.frombuffer(flat, np.int64).reshape(-1, 3).T
