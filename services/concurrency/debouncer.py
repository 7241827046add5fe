"""Debouncer: runs work once no request has arrived for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable

from services.concurrency.cancellation import BackgroundCancel

QUIET_SECONDS = 3.0
"""Seconds without a nudge that count as quiet."""


class Debouncer:
    """Does something on a thread of its own once nothing has nudged it for a while. Thread-safe."""

    def __init__(
        self,
        act: Callable[[BackgroundCancel], None],
        *,
        seconds: float = QUIET_SECONDS,
        timer: Callable[[float, Callable[[], None]], threading.Timer] = threading.Timer,
    ) -> None:
        """`act` receives a BackgroundCancel, which ends it early and pauses it at its checkpoints."""
        self._act = act
        self._seconds = seconds
        self._new_timer = timer
        self._lock = threading.Lock()
        self._cancel = BackgroundCancel(patience=0.0)
        self._closed = False
        self._timer: threading.Timer | None = None

    def nudge(self) -> None:
        """Starts the waiting, or starts it again."""
        with self._lock:
            if self._closed:
                return
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._new_timer(self._seconds, self._fire)
            self._timer.daemon = True
            self._timer.start()

    def pause(self, seconds: float) -> None:
        """Pause running work, and work that begins meanwhile, for `seconds` from now, within its patience."""
        self._cancel.pause(seconds)

    def resume(self) -> None:
        """End the pause."""
        self._cancel.patience = 0.0

    def close(self) -> None:
        """Waits for nothing more, and for what is under way to end."""
        self._cancel.set()
        with self._lock:
            self._closed = True
            timer = self._timer
        if timer is not None:
            timer.cancel()
            timer.join()

    def _fire(self) -> None:
        self._cancel.patience = 0.0
        self._act(self._cancel)
