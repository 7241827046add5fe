"""Known lines, as a writer needs them (SAFETY, Writes): a token admits lines that were read under it.

Lines that were read for an answer count as read once the answer has been delivered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import msgspec

from services.errors import CacheExpired, TokenMismatch
from services.source.journal.actor import agent
from services.source.read.cache import SourceCache
from services.source.read.read_log import ReadLog
from services.source.read.token import of_another, parse_token
from services.source.text.ranges import Lines, covers, joined
from services.workspace.files.root import FileStamp
from services.workspace.text import Text

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


class ContentReads(Protocol):
    """A content as it was read."""

    @property
    def lines(self) -> Lines:
        """Return the lines that were read."""
        ...

    @property
    def base(self) -> Text | None:
        """Return the whole content, if it is still cached."""
        ...


class Memory(Protocol):
    """Memory of reads."""

    def seen(self, path: str, token: str, wanted: tuple[int, int] | None) -> ContentReads:
        """Return the reads of `path` under a token, including at least the lines `wanted` (first, last; None for all)
        as far as they were read. Raises TokenInvalid, TokenMismatch, CacheExpired."""
        ...

    def wrote(self, path: str, text: Text, *, token: str, mtime_ns: int, lines: Lines) -> None:
        """`path` has a new content, of which the writer knows these lines. Others learn that from the journal."""
        ...


class _Seen(msgspec.Struct, frozen=True):
    lines: Lines
    base: Text | None


class CacheMemory:
    """The cache of reads as a writer sees it, and what other processes have read. `user`: who writes where no agent
    does."""

    def __init__(self, cache: SourceCache, *, user: str, reads: ReadLog | None = None) -> None:
        self._cache = cache
        self._user = user
        self._reads = reads

    def seen(self, path: str, token: str, wanted: tuple[int, int] | None) -> ContentReads:
        """Implement Memory.seen."""
        digest = parse_token(token).digest
        try:
            entry = self._cache.seen(path, token)
        except (CacheExpired, TokenMismatch):
            elsewhere = self._elsewhere(path, digest)
            if elsewhere is not None:
                return _Seen(elsewhere, None)
            self._refuse_other(path, token, digest)
            raise
        if covers(entry.lines, *(wanted or (1, entry.line_count))):
            return _Seen(entry.lines, entry.base)
        return _Seen(joined(entry.lines, self._elsewhere(path, digest) or ()), entry.base)

    def wrote(self, path: str, text: Text, *, token: str, mtime_ns: int, lines: Lines) -> None:
        """Implement Memory.wrote."""
        acting = agent()
        self._cache.remember(
            path,
            parse_token(token).digest,
            text,
            mtime_ns=mtime_ns,
            changed_by=acting.user if acting is not None else self._user,
            stamp=FileStamp(path, len(text.data), mtime_ns),
            lines=lines,
        )

    def _elsewhere(self, path: str, digest: str) -> Lines | None:
        return self._reads.lines(path, digest) if self._reads is not None else None

    def _refuse_other(self, path: str, token: str, digest: str) -> None:
        """Raises TokenMismatch for a token that another file was read under."""
        owner = self._reads.path_of(digest) if self._reads is not None else None
        if owner is not None and owner != path:
            raise of_another(path, token, owner)
