"""Values that are kept while there is room, those that were asked for last the longest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Latest(Generic[K, V]):
    """Values by key; of what weighs more than `most` the one that was asked for longest ago goes, but never the last
    one. Not to be shared between threads."""

    def __init__(self, most: int, weigh: Callable[[V], int] | None = None) -> None:
        """`weigh`: what a value weighs, 1 where it is left out; a value weighs the same as long as it is kept."""
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def peek(self, key: K) -> V | None:
        """As `find`, for who does not count as asking."""
        return self._kept.get(key)

    def find(self, key: K) -> V | None:
        """The value that is kept, if there is one."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: K, value: V) -> V:
        """Keeps a value, as the last that was asked for, and answers it."""
        self.drop(key)
        self._kept[key] = value
        self._weight += self._weight_of(value)
        while self._weight > self._most and len(self._kept) > 1:
            self._weight -= self._weight_of(self._kept.popitem(last=False)[1])
        return value

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value that is kept, or else what `make` makes."""
        found = self.find(key)
        return self.keep(key, make()) if found is None else found

    def drop(self, key: K) -> None:
        """Lets go of one, if it is kept."""
        if key in self._kept:
            self._weight -= self._weight_of(self._kept.pop(key))

    def clear(self) -> None:
        """Lets go of all."""
        self._kept.clear()
        self._weight = 0

    def _weight_of(self, value: V) -> int:
        return 1 if self._weigh is None else self._weigh(value)
