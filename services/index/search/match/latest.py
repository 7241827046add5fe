"""What was asked for last, so many of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Latest(Generic[K, V]):
    """Values by key; of more than `most` the one that was asked for longest ago goes. Not to be shared between
    threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def find(self, key: K) -> V | None:
        """The value that is kept, if there is one."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: K, value: V) -> V:
        """Keeps a value, and answers it."""
        self._kept[key] = value
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value that is kept, or else what `make` makes."""
        found = self.find(key)
        return self.keep(key, make()) if found is None else found
