"""Cache of reads by token: the memory behind ranged reads and guarded writes (SPEC section 7).

An entry is the content of one file: a read of it as a file, as a symbol or as part of a type remembers lines of the
same entry, because a part is but a view over lines. Entries expire after a time (by a monotonic clock) and the least
recently used is evicted first. There is no background work: expired entries are removed by later calls, once the
interval has passed."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace

from services.errors import CacheExpired
from services.settings import CacheSettings
from services.source.read.token import of_another, parse_token, token_from
from services.source.text.ranges import Lines, joined
from services.workspace.files.root import FileStamp
from services.workspace.text import Text

BASE_BYTES = 64_000_000
"""Most bytes of cached contents in all, for reads that need not read and merges that need a base."""

_SETTLED_MS = 100
"""A file changed this short a time before it was read may be changed again within the same tick of its clock."""


class CachedContent(msgspec.Struct, frozen=True):
    """Content of a file. `digest`: as in its token; `token`: the last one returned; `lines`: sorted, separate (first,
    last) ranges that were read; `timestamp`, `expires_at`: ms since 1970, for people; `base`: the content, if it is
    still cached; `stamp`: with which the file is known to have it, None where its clock is too coarse to decide."""

    path: str
    digest: str
    token: str
    line_count: int
    changed_at: int
    changed_by: str
    timestamp: int
    expires_at: int
    deadline: int
    base: Text | None
    stamp: FileStamp | None
    lines: Lines = ()


class _Counts(msgspec.Struct):
    hits: int = 0
    misses: int = 0
    evictions: int = 0
    expired: int = 0
    digests: dict[str, str] = msgspec.field(default_factory=dict)


class SourceCache:
    """Entries by path and content. Thread-safe."""

    def __init__(
        self, settings: CacheSettings, *, clock: CacheClock | None = None, base_bytes: int = BASE_BYTES
    ) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self._base_bytes = base_bytes
        self._lock = threading.Lock()  # entries, their weight and the counts change together
        self._entries: OrderedDict[tuple[str, str], CachedContent] = OrderedDict()
        self._counts = _Counts()
        self._held = 0
        self._cleaned = self._clock.steady()

    def fresh(self, stamp: FileStamp) -> CachedContent | None:
        """The entry that a file with this stamp has, content included; counts a hit or a miss."""
        with self._lock:
            self._clean_up_if_due()
            digest = self._counts.digests.get(stamp.path)
            entry = self._live((stamp.path, digest)) if digest is not None else None
            if entry is None or entry.base is None or entry.stamp != stamp:
                self._counts.misses += 1
                return None
            self._counts.hits += 1
            return self._keep(self._renewed(entry))

    def remember(
        self,
        path: str,
        digest: str,
        text: Text,
        *,
        mtime_ns: int,
        changed_by: str,
        stamp: FileStamp | None,
        lines: Sequence[tuple[int, int]] = (),
    ) -> CachedContent:
        """Store a content that was read. `stamp`: the working file's; None for another version; `lines`: those that
        were shown. Lines read earlier under the same content stay known."""
        with self._lock:
            self._clean_up_if_due()
            known = self._live((path, digest))
            wall = self._clock.wall()
            ttl = self._settings.ttl
            settled = stamp is not None and wall - stamp.mtime_ns // 1_000_000 >= _SETTLED_MS
            if stamp is not None:
                self._counts.digests[path] = digest
            entry = CachedContent(
                path=path,
                digest=digest,
                token=token_from(digest, mtime_ns),
                line_count=text.line_count,
                changed_at=mtime_ns // 1_000_000,
                changed_by=_changer(known, mtime_ns) or changed_by,
                timestamp=wall,
                expires_at=wall + ttl,
                deadline=self._clock.steady() + ttl,
                base=text,
                stamp=stamp if settled else None,
                lines=joined(known.lines if known is not None else (), lines),
            )
            if stamp is None and known is not None and known.stamp is not None:
                # The working file's entry does not change; this result is about git's version alone.
                self._keep(self._renewed(known))
                return entry
            return self._keep(entry)

    def saw(self, entry: CachedContent, first: int, last: int) -> None:
        """Record that lines `first` to `last` were shown under the entry's token."""
        with self._lock:
            kept = self._entries.get((entry.path, entry.digest))
            if kept is not None and first <= last:
                lines = joined(kept.lines, [(first, last)])
                self._entries[(entry.path, entry.digest)] = replace(kept, lines=lines)

    def seen(self, path: str, token: str) -> CachedContent:
        """Return the reads of a file under a token; a token that differs in its time alone denotes the same bytes.

        Raises TokenInvalid (its form), TokenMismatch (it is another file's), CacheExpired (the entry expired or was
        evicted, or another process returned the token)."""
        digest = parse_token(token).digest
        with self._lock:
            entry = self._live((path, digest))
            if entry is not None:
                self._entries.move_to_end((path, digest))
                return entry
            owners = sorted(owner for owner, known in self._entries if known == digest and digest != "empty")
        if owners:
            raise of_another(path, token, owners[0])
        message = f"Nobody remembers which lines of {path} were read under {token}. Read them again and use that token."
        raise CacheExpired(message, object=path, token=token)

    def forget(self, path: str) -> None:
        """Drops everything known of a file."""
        with self._lock:
            for key in [key for key in self._entries if key[0] == path]:
                self._drop(key)

    def figures(self) -> dict[str, int]:
        """Return `{hits, misses, evictions, expired, entries, bytes}`: counts since the start, and the present size."""
        with self._lock:
            counts = self._counts
            return {
                "hits": counts.hits,
                "misses": counts.misses,
                "evictions": counts.evictions,
                "expired": counts.expired,
                "entries": len(self._entries),
                "bytes": self._held,
            }

    def _renewed(self, entry: CachedContent) -> CachedContent:
        ttl = self._settings.ttl
        return replace(entry, expires_at=self._clock.wall() + ttl, deadline=self._clock.steady() + ttl)

    def _live(self, key: tuple[str, str]) -> CachedContent | None:
        entry = self._entries.get(key)
        if entry is not None and self._clock.steady() >= entry.deadline:
            self._drop(key)
            self._counts.expired += 1
            return None
        return entry

    def _keep(self, entry: CachedContent) -> CachedContent:
        """Store an entry as the most recently used, and evict others."""
        key = (entry.path, entry.digest)
        self._drop(key, forget=False)
        self._entries[key] = entry
        self._held += _size(entry)
        while len(self._entries) > self._settings.size:
            self._drop(next(iter(self._entries)))
            self._counts.evictions += 1
        self._let_go_of_bases()
        return entry

    def _let_go_of_bases(self) -> None:
        """The oldest contents go first; what was read of them stays known."""
        if self._held <= self._base_bytes:
            return
        for key in list(self._entries):
            if self._held <= self._base_bytes:
                return
            self._held -= _size(self._entries[key])
            self._entries[key] = replace(self._entries[key], base=None)

    def _drop(self, key: tuple[str, str], *, forget: bool = True) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._held -= _size(entry)
            if forget and self._counts.digests.get(key[0]) == key[1]:
                del self._counts.digests[key[0]]

    def _clean_up_if_due(self) -> None:
        if self._clock.steady() - self._cleaned >= self._settings.cleanup_interval:
            self._clean_up()

    def _clean_up(self) -> None:
        now = self._cleaned = self._clock.steady()
        for key in [key for key, entry in self._entries.items() if now >= entry.deadline]:
            self._drop(key)
            self._counts.expired += 1


def _changer(known: CachedContent | None, mtime_ns: int) -> str:
    """Return the author of a content that is remembered already: its writer is known better than the file's owner."""
    return known.changed_by if known is not None and known.changed_at == mtime_ns // 1_000_000 else ""


def _size(entry: CachedContent) -> int:
    return len(entry.base.data) if entry.base is not None else 0


class CacheClock(Protocol):
    """Clock with two times in milliseconds: the time of day for people, and a monotonic one."""

    def wall(self) -> int:
        """Return ms since 1970; the system may set this clock at any time."""
        ...

    def steady(self) -> int:
        """Return ms since an arbitrary start; it never goes backwards and is never set."""
        ...


class SystemClock:
    """The machine's own."""

    def wall(self) -> int:
        """Implement CacheClock.wall."""
        return time.time_ns() // 1_000_000

    def steady(self) -> int:
        """Implement CacheClock.steady; it runs on while the machine sleeps, where the system has such a clock."""
        return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)) // 1_000_000
