"""Edges of files summed by type, both ways, in arrays: as a counter for each type they take ten times the memory.

numpy is imported where they are summed: stored sums are read without it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Self

import msgspec

from services.index.catalog.entries import NOTHING
from services.index.graph.by_file import FileEdges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEW = 500
_SHARE = 4
"""The arrays are rebuilt once more than this many numbers, and more than this part of all, are counted outside them.
"""
_LOW = 0xFFFFFFFF


class StoredCounts(msgspec.Struct, frozen=True, array_like=True):
    """Counts as bytes, 32 bits each. `numbers` ascend; the `others` of one, each with one of `counts`, are those
    between its place in `starts` and the next."""

    numbers: memoryview = NOTHING
    starts: memoryview = NOTHING
    others: memoryview = NOTHING
    counts: memoryview = NOTHING


class Counts(Mapping[int, "Counter[int]"]):
    """Counts of pairs of numbers below 2^31. A number without pairs is absent. Changes are counted in addition to the
    arrays, which forks share."""

    def __init__(self, stored: StoredCounts) -> None:
        """Counts that were stored, a result of `frozen`. Raises msgspec.ValidationError for other data."""
        self._stored = stored
        try:
            parts = (stored.numbers, stored.starts, stored.others, stored.counts)
            self._numbers, self._starts, self._others, self._counts = (part.cast("i") for part in parts)
        except TypeError as error:
            raise msgspec.ValidationError("These counts are cut off.") from error
        ends = (len(self._numbers) + 1, self._starts[-1] if self._starts else -1)
        if ends != (len(self._starts), len(self._others)) or len(self._others) != len(self._counts):
            raise msgspec.ValidationError("These counts do not belong together.")
        self._changed: dict[int, Counter[int]] = {}
        self._own = set[int]()  # whose counters no fork has

    def frozen(self) -> StoredCounts:
        """Return the counts as bytes, with all changes."""
        return self._merged() if self._changed else self._stored

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
            span = slice(self._starts[at], self._starts[at + 1])
            return Counter(dict(zip(self._others[span].tolist(), self._counts[span].tolist(), strict=True)))
        if not found:
            raise KeyError(number)
        return found

    def __iter__(self) -> Iterator[int]:
        yield from (number for number in self._numbers if number not in self._changed)
        yield from (number for number, counter in self._changed.items() if counter)

    def __len__(self) -> int:
        beside = (
            bool(counter) - (self._place(number) is not None) for number, counter in self._changed.items()
        )
        return len(self._numbers) + sum(beside)

    def sizes(self, numbers: Iterable[int]) -> list[int]:
        """How many others each of these has."""
        import numpy as np

        asked = np.array([*numbers], np.int32)
        if not len(self._numbers):
            found = [0] * len(asked)
        else:
            known = np.asarray(self._numbers)
            at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            found = np.where(known[at] == asked, np.diff(self._starts)[at], 0).tolist()
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
        few = len(self._changed) <= max(_FEW, len(self._numbers) // _SHARE)
        return self if few else Counts(self._merged())

    def _merged(self) -> StoredCounts:
        import numpy as np

        of = np.repeat(self._numbers, np.diff(self._starts))
        same = ~np.isin(of, np.fromiter(self._changed, np.int32, len(self._changed)))
        changed = _columns((a, b, n) for a, counter in self._changed.items() for b, n in counter.items())
        known = (of[same], np.asarray(self._others)[same], np.asarray(self._counts)[same])
        return pairs_counted(
            *(np.concatenate((a, b), dtype=np.int64) for a, b in zip(known, changed, strict=True))
        )

    def _place(self, number: int) -> int | None:
        at = bisect_left(self._numbers, number)
        return at if at < len(self._numbers) and self._numbers[at] == number else None


class StoredSums(msgspec.Struct, frozen=True, array_like=True):
    """Sums as bytes. `names`: of the types outside the workspace, by their numbers."""

    forward: StoredCounts
    reverse: StoredCounts
    outside: StoredCounts
    names: list[str]


class Sums:
    """How often each type names which (`forward`, and `outside` the workspace), and is named by which (`reverse`)."""

    def __init__(self, stored: StoredSums) -> None:
        """Sums that were stored, a result of `frozen`. Raises msgspec.ValidationError for other data."""
        self._ids = {name: at for at, name in enumerate(stored.names)}
        self.forward, self.reverse = Counts(stored.forward), Counts(stored.reverse)
        self._outside = Counts(stored.outside)

    @classmethod
    def of(cls, files: Iterable[FileEdges]) -> Self:
        """Sum the edges of some files."""
        inside, outside = array("q"), array("q")
        ids: dict[str, int] = {}
        for edges in files:
            for edge in edges.inside:
                inside.extend(edge)
            for source, name, count in edges.outside:
                outside.extend((source, ids.setdefault(name, len(ids)), count))
        ones, others, counts = _columns_of(inside)
        both = pairs_counted(ones, others, counts), pairs_counted(others, ones, counts)
        return cls(StoredSums(*both, pairs_counted(*_columns_of(outside)), [*ids]))

    def frozen(self) -> StoredSums:
        """Return the sums as bytes."""
        return StoredSums(self.forward.frozen(), self.reverse.frozen(), self._outside.frozen(), [*self._ids])

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


def pairs_counted(
    ones: NDArray[np.int64], others: NDArray[np.int64], counts: NDArray[np.int64]
) -> StoredCounts:
    """Count pairs, which may repeat; the others of a number stay in order of arrival."""
    import numpy as np

    pairs, first, which = np.unique((ones << 32) | others, return_index=True, return_inverse=True)
    order = np.lexsort((first, pairs >> 32))
    numbers, starts = np.unique(pairs >> 32, return_index=True)
    columns = (
        numbers,
        np.append(starts, len(pairs)),
        pairs[order] & _LOW,
        np.bincount(which, counts, len(pairs))[order],
    )
    return StoredCounts(*(memoryview(column.astype(np.int32).tobytes()) for column in columns))


def _columns(rows: Iterable[tuple[int, int, int]]) -> NDArray[np.int64]:
    return _columns_of(array("q", [number for row in rows for number in row]))


def _columns_of(flat: array[int]) -> NDArray[np.int64]:
    """Rows of three, one behind the other, as three columns."""
    import numpy as np

    return np.frombuffer(flat, np.int64).reshape(-1, 3).T
