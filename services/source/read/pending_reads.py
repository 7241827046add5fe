"""Lines that were read for an answer which has yet to reach whoever asked: they count as read when they do (SAFETY,
Writes).

A server cuts long answers into pages, and rendering the prompt window reads what its text may leave out. A write needs
lines to have been shown; what was merely read on the way to an answer has not been.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Count = Callable[[int, int], None]
"""Counts lines, first to last, as read."""

_UNDER_WAY: ContextVar[PendingReads | None] = ContextVar("reading", default=None)


class PendingReads:
    """Lines read for one answer."""

    def __init__(self) -> None:
        self._stretches: list[tuple[str, int, int, Count]] = []

    def add(self, path: str, lines: tuple[int, int], count: Count) -> None:
        """Lines of a file were read; `count` is told which of them were delivered."""
        self._stretches.append((path, *lines, count))

    def delivered(self, path: str, first: int, last: int) -> None:
        """Lines of a file have reached whoever asked: they count as far as they were read for this answer."""
        for file, start, end, count in self._stretches:
            if file == path and max(first, start) <= min(last, end):
                count(max(first, start), min(last, end))


@contextmanager
def withheld() -> Iterator[PendingReads]:
    """Nothing that is read inside, on this thread, counts as read but what is said to be delivered."""
    reading = PendingReads()
    token = _UNDER_WAY.set(reading)
    try:
        yield reading
    finally:
        _UNDER_WAY.reset(token)


def under_way() -> PendingReads | None:
    """The reading that lines are to be added to; None where they count at once."""
    return _UNDER_WAY.get()
