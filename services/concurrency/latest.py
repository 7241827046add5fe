"""Caches: least recently used values within a bound, and answers that are valid for one revision."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """LRU cache: beyond a weight of `most` the least recently used values are evicted, but never the newest. Not
    thread-safe."""

    def __init__(self, most: int, weigh: Callable[[V], int] | None = None) -> None:
        """`weigh`: the weight of a value, 1 by default; it must not change while the value is cached."""
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def peek(self, key: K) -> V | None:
        """Return the cached value without marking it as used."""
        return self._kept.get(key)

    def find(self, key: K) -> V | None:
        """Return the cached value, or None, and mark it as used."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: K, value: V) -> V:
        """Store a value as the most recently used, and return it."""
        self.drop(key)
        self._kept[key] = value
        self._weight += self._weight_of(value)
        while self._weight > self._most and len(self._kept) > 1:
            self._weight -= self._weight_of(self._kept.popitem(last=False)[1])
        return value

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the cached value, or create and store it with `make`."""
        found = self.find(key)
        return self.keep(key, make()) if found is None else found

    def drop(self, key: K) -> None:
        """Remove a value, if it is cached."""
        if key in self._kept:
            self._weight -= self._weight_of(self._kept.pop(key))

    def clear(self) -> None:
        """Lets go of all."""
        self._kept.clear()
        self._weight = 0

    def _weight_of(self, value: V) -> int:
        return 1 if self._weigh is None else self._weigh(value)


class MadeOnce(Generic[K, V]):
    """Values by key, each made by the first thread that asks for it, while others wait. Thread-safe; `make` may ask
    for other values."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._values: dict[K, V] = {}

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made now if there is none yet."""
        with self._lock:
            if key not in self._values:
                self._values[key] = make()
            return self._values[key]

    def peek(self, key: K) -> V | None:
        """Return the value of a key if it is made, without waiting."""
        return self._values.get(key)

    def values(self) -> tuple[V, ...]:
        """Return all values that are made."""
        with self._lock:
            return tuple(self._values.values())

    def clear(self, end: Callable[[V], object] = lambda _: None) -> None:
        """Forget all values, each given to `end` before."""
        with self._lock:
            for value in self._values.values():
                end(value)
            self._values.clear()


class SharedCache(LRUCache[K, V]):
    """LRU cache that several threads use at once: each call is atomic, and `get` may compute a value twice."""

    def __init__(self, most: int, weigh: Callable[[V], int] | None = None) -> None:
        super().__init__(most, weigh)
        self._guard = threading.RLock()  # storing a value drops the one before

    def find(self, key: K) -> V | None:
        """Return the cached value, or None, and mark it as used."""
        with self._guard:
            return super().find(key)

    def keep(self, key: K, value: V) -> V:
        """Store a value as the most recently used, and return it."""
        with self._guard:
            return super().keep(key, value)

    def drop(self, key: K) -> None:
        """Remove a value, if it is cached."""
        with self._guard:
            super().drop(key)

    def clear(self) -> None:
        """Remove all values."""
        with self._guard:
            super().clear()


T = TypeVar("T")

MOST = 512


class CachedAnswers(Generic[T]):
    """Cache of the last answers by question, valid while the revision key is unchanged. Thread-safe."""

    def __init__(self, moment: Callable[[], object], *, most: int = MOST) -> None:
        self._moment = moment
        self._guard = threading.Lock()
        self._now: object = None
        self._answers: LRUCache[Hashable, tuple[object, T]] = LRUCache(most)

    def get(self, question: Hashable, make: Callable[[], T], *, version: object = None) -> T:
        """Return the cached answer, or compute it with `make`. `version`: of what the question is about; only the
        answer of the last one is kept."""
        now = self._moment()
        with self._guard:
            if now != self._now:
                self._now = now
                self._answers.clear()
            elif (known := self._answers.find(question)) is not None and known[0] == version:
                return known[1]
        made = make()
        if self._moment() == now:
            self._keep(question, (version, made), now)
        return made

    def _keep(self, question: Hashable, answer: tuple[object, T], now: object) -> None:
        with self._guard:
            if self._now == now:
                self._answers.keep(question, answer)
