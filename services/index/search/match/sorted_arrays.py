"""Places of a segment: choosing among them as sorted arrays of int64, and those that were selected, as a list or as
marks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from services.index.search.filter.view import FilterView, Mask
from services.index.search.match.columns import Symbols

Places = NDArray[np.int64]
Number = TypeVar("Number", bound=np.integer)


class Ranked(NamedTuple):
    """Values, ascending, and the score of each."""

    values: NDArray[np.int64]
    worth: NDArray


def best(values: NDArray[np.int64], worth: NDArray, count: int) -> Ranked:
    """Return the `count` best values. `worth`: the score of each; ties are broken by value so that the choice is
    stable."""
    if len(values) <= count:
        return Ranked(values, worth)
    limit = np.partition(worth, len(worth) - count)[len(worth) - count]
    above = np.flatnonzero(worth > limit)
    equal = np.flatnonzero(worth == limit)[: count - len(above)]
    at = np.sort(np.concatenate((above, equal)))
    return Ranked(values[at], worth[at])


def first_by(columns: Iterable[NDArray], among: NDArray[np.int64], count: int) -> tuple[Places, Places]:
    """Return the `count` first of some indexes in the order of columns, of which a later one decides where those before
    are equal: those that are among them for sure, and those that are equal in all columns, of which some are."""
    sure: list[Places] = []
    for column in columns:
        if len(among) <= count:
            break
        values = column[among]
        limit = np.partition(values, count - 1)[count - 1]
        sure.append(among[values < limit])
        count -= len(sure[-1])
        among = among[values == limit]
    return np.concatenate([*sure, among[:0]]), among


def leading(levels: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """Return the indexes of the `count` highest levels above 0, and of all that equal the lowest of them;
    ascending."""
    return np.flatnonzero(levels >= (least_of_bytes if levels.itemsize == 1 else _least)(levels, count))


def least_of_bytes(levels: NDArray[np.integer], count: int) -> int:
    """The highest level above 0 that is reached so often, 1 if none is; few are tried, and bytes are compared at the
    memory's speed."""
    for level in range(int(levels.max(initial=0)), 1, -1):
        if np.count_nonzero(levels >= level) >= count:
            return level
    return 1


def _least(levels: NDArray[np.integer], count: int) -> int:
    totals = np.bincount(levels)
    totals[:1] = 0
    enough = np.flatnonzero(np.cumsum(totals[::-1])[::-1] >= count)
    return max(1, int(enough[-1]) if len(enough) else 1)


def among(few: NDArray[Number], many: NDArray[Number]) -> NDArray[np.bool_]:
    """Which of a few places are among many; `many` ascends."""
    if not len(many):
        return np.zeros(len(few), np.bool_)
    return many[np.minimum(np.searchsorted(many, few), len(many) - 1)] == few


def rows_of(many: NDArray[np.integer], few: NDArray[np.integer]) -> Places:
    """Return the indexes in `many` of the elements of `few`; both ascend."""
    if not len(many):
        return np.empty(0, np.int64)
    rows = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return rows[many[rows] == few]


def common(few: Places, many: Places) -> Places:
    """Return the intersection of few and many places; both ascend."""
    return few[among(few, many)]


def ascending(places: Places) -> Places:
    """The places sorted, each once."""
    ordered = np.sort(places)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered


def distinct(values: NDArray[Number]) -> tuple[NDArray[Number], NDArray[np.int64]]:
    """The values, ascending and each once, and which of these each of them is."""
    # As np.unique, which imports masked arrays first: 20 ms of the first search.
    order = np.argsort(values)
    ordered = values[order]
    fresh = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    inverse = np.empty(len(ordered), np.int64)
    inverse[order] = np.cumsum(fresh) - 1
    return ordered[fresh], inverse


_FEW_OF = 16
"""Places are few where they are less than one of so many."""

_PIECE = 1 << 15
"""Places that are looked at together: what is known of them fits in a cache."""


class PlaceSelection(Protocol):
    """Some places of a segment."""

    def __len__(self) -> int: ...

    def all(self) -> Places:
        """All of them, ascending."""
        ...

    def has(self, places: Places) -> Mask:
        """Which of these places are selected."""
        ...

    def left(self, view: FilterView) -> PlaceSelection:
        """Return the selection within a view."""
        ...

    def foremost(self, symbols: Symbols, levels: NDArray[np.uint8], count: int, *, slack: int) -> Places:
        """Return the places whose names have the highest levels, ascending: all of as many levels as necessary for
        `count` places, as far as there are, and of `slack` levels below. `levels`: by name."""
        ...


class Listed:
    """Few places."""

    def __init__(self, places: Places) -> None:
        """`places`: ascending."""
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    def all(self) -> Places:
        """Implement PlaceSelection.all."""
        return self.places

    def has(self, places: Places) -> Mask:
        """Implement PlaceSelection.has."""
        return among(places, self.places)

    def left(self, view: FilterView) -> Listed:
        """Implement PlaceSelection.left."""
        return self if view.mask is None else Listed(view.keep(self.places))

    def foremost(self, symbols: Symbols, levels: NDArray[np.uint8], count: int, *, slack: int) -> Places:
        """All of them: looking at each costs little."""
        del symbols, levels, count, slack
        return self.places


class Marked:
    """Many places."""

    def __init__(self, marks: Mask) -> None:
        """`marks`: by place."""
        self.marks = marks
        self._count = int(np.count_nonzero(marks))

    def __len__(self) -> int:
        return self._count

    def all(self) -> Places:
        """Implement PlaceSelection.all."""
        return np.flatnonzero(self.marks)

    def has(self, places: Places) -> Mask:
        """Implement PlaceSelection.has."""
        return self.marks.take(places)

    def left(self, view: FilterView) -> PlaceSelection:
        """Implement PlaceSelection.left."""
        return self if view.mask is None else selected(self.marks & view.mask)

    def foremost(self, symbols: Symbols, levels: NDArray[np.uint8], count: int, *, slack: int) -> Places:
        """Implement PlaceSelection.foremost."""
        found = np.empty(len(self.marks), np.uint8)
        for first in range(0, len(found), _PIECE):
            piece = slice(first, first + _PIECE)
            np.multiply(levels.take(symbols.name_id[piece]), self.marks[piece], out=found[piece])
        level = least_of_bytes(found, count)
        if level <= slack or np.count_nonzero(found >= level) < count:
            return np.flatnonzero(self.marks)
        return np.flatnonzero(found >= level - slack)


def selected(marks: Mask) -> PlaceSelection:
    """The marked places."""
    if np.count_nonzero(marks) * _FEW_OF < len(marks):
        return Listed(np.flatnonzero(marks))
    return Marked(marks)
