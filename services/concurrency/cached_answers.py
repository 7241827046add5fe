"""Cached answers: the last results by question, valid for one revision, shared by many callers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from services.concurrency.latest import LRUCache

T = TypeVar("T")

MOST = 512


class CachedAnswers(Generic[T]):
    """Cache of the last answers by question, valid while `moment` stays equal. Thread-safe."""

    def __init__(self, moment: Callable[[], object], *, most: int = MOST) -> None:
        self._moment = moment
        self._guard = threading.Lock()
        self._now: object = None
        self._answers: LRUCache[Hashable, tuple[T]] = LRUCache(most)

    def get(self, question: Hashable, make: Callable[[], T]) -> T:
        """Return the cached answer, or compute it with `make`."""
        now = self._moment()
        with self._guard:
            if now != self._now:
                self._now = now
                self._answers.clear()
            elif (known := self._answers.find(question)) is not None:
                return known[0]
        made = make()
        if self._moment() == now:
            self._keep(question, made, now)
        return made

    def _keep(self, question: Hashable, made: T, now: object) -> None:
        with self._guard:
            if self._now == now:
                self._answers.keep(question, (made,))
