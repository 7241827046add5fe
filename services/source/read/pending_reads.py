"""Pending reads: lines that were read for an answer count as read once the answer has been delivered (SAFETY,
Writes).

A server cuts long answers into pages, and rendering the prompt window reads lines that its text may leave out. A
write needs lines to have been shown; lines that were merely read for an answer have not been."""

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
        """Record lines of a file; `count` is later called with the delivered ones."""
        self._stretches.append((path, *lines, count))

    def delivered(self, path: str, first: int, last: int) -> None:
        """Count lines of a file as read, as far as they were recorded for this answer."""
        for file, start, end, count in self._stretches:
            if file == path and max(first, start) <= min(last, end):
                count(max(first, start), min(last, end))


@contextmanager
def withheld() -> Iterator[PendingReads]:
    """Defer the reads of the block on this thread: only delivered lines count as read."""
    reading = PendingReads()
    token = _UNDER_WAY.set(reading)
    try:
        yield reading
    finally:
        _UNDER_WAY.reset(token)


def under_way() -> PendingReads | None:
    """The reading that lines are to be added to; None where they count at once."""
    return _UNDER_WAY.get()
