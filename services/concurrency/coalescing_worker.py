"""Work that a look leads to, on a thread of its own: however long it takes, the next look is on time."""

from __future__ import annotations

import threading
from collections.abc import Callable

_ENDS_WITHIN = 5.0
"""Seconds for which closing waits for work under way."""


class CoalescingWorker:
    """Works on a thread of its own; what is handed over meanwhile is taken together when that ends."""

    def __init__(self, work: Callable[[frozenset[str]], None]) -> None:
        """`work`: called with the topics handed over since the last call, on that thread, never twice at once."""
        self._work = work
        self._changing = threading.Condition()
        self._waiting: frozenset[str] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="coalescing worker", daemon=True)

    def hand(self, topics: frozenset[str]) -> None:
        """Leaves it to the other thread, and waits for nothing. Does nothing once closed."""
        with self._changing:
            if self._closed:
                return
            self._waiting = topics | (self._waiting or frozenset())
            if self._thread.ident is None:
                self._thread.start()
            self._changing.notify()

    def close(self) -> None:
        """Works no more: what waits is forgotten, what is under way may end."""
        with self._changing:
            self._closed = True
            self._changing.notify()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=_ENDS_WITHIN)

    def _run(self) -> None:
        while (topics := self._next()) is not None:
            self._work(topics)

    def _next(self) -> frozenset[str] | None:
        """What was handed over, once there is anything; None when closed."""
        with self._changing:
            self._changing.wait_for(lambda: self._closed or self._waiting is not None)
            topics, self._waiting = self._waiting, None
            return None if self._closed else topics
