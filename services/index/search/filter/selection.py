"""Places of a segment that were selected: a list of them where they are few, a mark at each where they are many."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from services.index.search.filter.view import FilterView, Mask
from services.index.search.match.columns import Symbols
from services.index.search.match.sorted_arrays import Places, among, least_of_bytes

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
