"""What a writer needs to know of what was read (SAFETY, Writes): a token admits lines that were read under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from services.errors import CacheExpired, TokenMismatch
from services.source.actor import agent
from services.source.cache import Lines, SourceCache, joined
from services.source.reads import Reads
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


@dataclass(frozen=True, slots=True)
class _Seen:
    lines: Lines
    base: Text | None


class CacheMemory:
    """The cache of reads as a writer sees it, and what other processes have read. `user`: who writes where no agent
    does."""

    def __init__(self, cache: SourceCache, *, user: str, reads: Reads | None = None) -> None:
        self._cache = cache
        self._user = user
        self._reads = reads

    def seen(self, path: str, token: str) -> Seen:
        """As Memory.seen."""
        digest = parse_token(token).digest
        elsewhere = self._reads.lines(path, digest) if self._reads is not None else None
        try:
            entry = self._cache.seen(path, token)
        except (CacheExpired, TokenMismatch):
            if elsewhere is not None:
                return _Seen(elsewhere, None)
            self._refuse_other(path, token, digest)
            raise
        lines = entry.lines
        for first, last in elsewhere or ():
            lines = joined(lines, first, last)
        return _Seen(lines, entry.base)

    def wrote(
        self, path: str, text: Text, *, token: str, mtime_ns: int, lines: Sequence[tuple[int, int]]
    ) -> None:
        """As Memory.wrote."""
        digest = parse_token(token).digest
        acting = agent()
        self._cache.remember(
            path,
            digest,
            text,
            mtime_ns=mtime_ns,
            changed_by=acting.user if acting is not None else self._user,
            stamp=FileStamp(path, len(text.data), mtime_ns),
            lines=lines,
        )
        if self._reads is not None:
            self._reads.saw(path, digest, lines)

    def _refuse_other(self, path: str, token: str, digest: str) -> None:
        """Raises TokenMismatch for a token that another file was read under."""
        owner = self._reads.path_of(digest) if self._reads is not None else None
        if owner is not None and owner != path:
            message = f"The token {token} is of {owner}, not of {path}. Read {path} and use its own token."
            raise TokenMismatch(message, object=path, token=token, reason=f"it is of {owner}")


def shifted(
    lines: Sequence[tuple[int, int]], old: tuple[int, int], new: tuple[int, int]
) -> list[tuple[int, int]]:
    """The ranges known after lines `old` became lines `new`: those before stay, those after move, the new ones are
    known."""
    moved = new[1] - old[1]
    known = [(first, min(last, old[0] - 1)) for first, last in lines]
    known += [(max(first, old[1] + 1) + moved, last + moved) for first, last in lines]
    return [(first, last) for first, last in [*known, new] if first <= last]
