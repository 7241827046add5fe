"""Waiting for conditions, up to a limit that only a fault reaches: a busy machine is no fault."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import anyio

T = TypeVar("T")
LIMIT = 120.0
"""Seconds. It is met where something is wrong, and never where something is slow."""
_PAUSE = 0.02
"""Seconds between two looks; the first ones are closer."""


def _looks() -> Iterator[float]:
    """The pauses between two looks; AssertionError once the limit is over."""
    end, pause = time.monotonic() + LIMIT, 0.001
    while time.monotonic() < end:
        yield pause
        pause = min(1.5 * pause, _PAUSE)
    raise AssertionError(f"it did not come about within {LIMIT:.0f} s")


def eventually(holds: Callable[[], T]) -> T:
    """Return the answer of `holds`, as soon as it is true."""
    for pause in _looks():
        if found := holds():
            return found
        time.sleep(pause)
    raise AssertionError


async def until(holds: Callable[[], T]) -> T:
    """Return the answer of `holds`, as soon as it is true, while the event loop runs."""
    for pause in _looks():
        if found := holds():
            return found
        await anyio.sleep(pause)
    raise AssertionError
