"""Work that is to end by itself after a while."""

from __future__ import annotations

import threading
import time


class Deadline(threading.Event):
    """A wish to end that comes true after `seconds`, by a clock that cannot be set."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._ends = time.monotonic() + seconds

    def is_set(self) -> bool:
        """Whether it is time, or somebody wished it before."""
        return super().is_set() or time.monotonic() >= self._ends
