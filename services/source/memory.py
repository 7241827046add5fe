"""What a writer needs to know of what was read (SAFETY, Writes): a token admits lines that were read under it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from services.source.cache import SourceCache
from services.source.token import parse_token
from services.workspace.stamp import FileStamp
from services.workspace.text import Text


class Seen(Protocol):
    """A content as it was read."""

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """Ranges that were read, sorted."""
        ...

    @property
    def base(self) -> Text | None:
        """All of it, if it is still kept."""
        ...


class Memory(Protocol):
    """Who remembers what was read."""

    def seen(self, path: str, token: str) -> Seen:
        """What was read of `path` under a token. Raises TokenInvalid, TokenMismatch, CacheExpired."""
        ...

    def wrote(
        self, path: str, text: Text, *, token: str, mtime_ns: int, lines: Sequence[tuple[int, int]]
    ) -> None:
        """`path` has a new content, of which the writer knows these lines."""
        ...


class CacheMemory:
    """The cache of reads as a writer sees it. `user`: who writes."""

    def __init__(self, cache: SourceCache, *, user: str) -> None:
        self._cache = cache
        self._user = user

    def seen(self, path: str, token: str) -> Seen:
        """As Memory.seen."""
        return self._cache.seen(path, token)

    def wrote(
        self, path: str, text: Text, *, token: str, mtime_ns: int, lines: Sequence[tuple[int, int]]
    ) -> None:
        """As Memory.wrote."""
        entry = self._cache.remember(
            path,
            parse_token(token).digest,
            text,
            mtime_ns=mtime_ns,
            changed_by=self._user,
            stamp=FileStamp(path, len(text.data), mtime_ns),
        )
        for first, last in lines:
            self._cache.saw(entry, first, last)


def shifted(
    lines: Sequence[tuple[int, int]], old: tuple[int, int], new: tuple[int, int]
) -> list[tuple[int, int]]:
    """The ranges known after lines `old` became lines `new`: those before stay, those after move, the new ones are
    known."""
    moved = new[1] - old[1]
    known = [(first, min(last, old[0] - 1)) for first, last in lines]
    known += [(max(first, old[1] + 1) + moved, last + moved) for first, last in lines]
    return [(first, last) for first, last in [*known, new] if first <= last]
