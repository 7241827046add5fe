"""The time, as everything that expires asks for it."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Two times in milliseconds: one to tell people, one to reckon with."""

    def wall(self) -> int:
        """Since 1970; it may be set to anything at any moment."""
        ...

    def steady(self) -> int:
        """Since some moment; it never goes back and is never set."""
        ...


class SystemClock:
    """The machine's own."""

    def wall(self) -> int:
        """As Clock.wall."""
        return time.time_ns() // 1_000_000

    def steady(self) -> int:
        """As Clock.steady; it goes on while the machine sleeps, where the system has such a clock."""
        return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)) // 1_000_000
