"""The lock that the patch editor holds, or somebody else does."""

from __future__ import annotations

import time

from msgspec import Struct


class HeldLock(Struct, frozen=True):
    """`owner`: `yours`, `free`, or who holds it; `ends`: on the monotonic clock."""

    owner: str = "free"
    handle: str = ""
    ends: float = 0.0

    @property
    def is_mine(self) -> bool:
        """Whether this editor holds it."""
        return bool(self.handle)

    @property
    def left(self) -> float:
        """Seconds until its lease ends."""
        return max(0.0, self.ends - time.monotonic())


FREE = HeldLock()
