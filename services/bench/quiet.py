"""Work that waits for a quiet moment."""

from __future__ import annotations

import threading
from collections.abc import Callable

QUIET = 3.0
"""Seconds without a nudge that count as quiet."""


class Quiet:
    """Does something on a thread of its own once nothing has nudged it for a while. Thread-safe."""

    def __init__(self, act: Callable[[threading.Event], None], *, seconds: float = QUIET) -> None:
        """`act` is given what ends it early."""
        self._act = act
        self._seconds = seconds
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._timer: threading.Timer | None = None

    def nudge(self) -> None:
        """Starts the waiting, or starts it again."""
        with self._lock:
            if self._cancel.is_set():
                return
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._seconds, self._act, (self._cancel,))
            self._timer.daemon = True
            self._timer.start()

    def close(self) -> None:
        """Waits for nothing more, and for what is under way to end."""
        self._cancel.set()
        with self._lock:
            timer = self._timer
        if timer is not None:
            timer.cancel()
            timer.join()
