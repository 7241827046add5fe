"""Known lines, as a writer needs them (SAFETY, Writes): a token admits lines that were read under it, in any process
of the workspace.

Lines that were read for an answer count as read once the answer has been delivered.

One shell command reads, another one writes, and a model's client runs at the same time: the lines that a token
admits must not depend on the process that read. Stored by path and content, the longest unused being removed first,
independent of any clock. The reads have a database of their own: a read neither waits for a write nor looks like one
to observers of the journal. The lines that a write leaves known are in the journal with it.

The author of a content, in whichever process, comes from the journal.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import msgspec

from services.errors import Busy, CacheExpired, ReadOnly, TokenMismatch
from services.model import Notice
from services.source.journal.actor import agent
from services.source.journal.database import Database
from services.source.read.cache import SourceCache
from services.source.read.token import of_another, parse_token
from services.source.text.ranges import Lines, covers, from_text, joined, to_text
from services.workspace.files.openers import is_utf8
from services.workspace.files.root import FileStamp
from services.workspace.text import Text

FILE = "reads.db"
MOST = 10_000
"""Contents remembered."""
_PATIENCE = 0.5
_MOST_TOLD = 256
_SCHEMA = """
CREATE TABLE IF NOT EXISTS reads (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, digest TEXT NOT NULL, lines TEXT NOT NULL, UNIQUE (path, digest)
);
CREATE INDEX IF NOT EXISTS reads_digests ON reads (digest);
"""


class ReadLog:
    """Shared reads. Thread-safe. Where the database is unusable nothing is remembered for other processes; reads
    never fail because of it."""

    def __init__(self, path: Path, *, most: int = MOST) -> None:
        self._path = path
        self._most = most
        self._guard = threading.Lock()  # one connection, opened by the first reader
        self._database: Database | None = None
        self._was_damaged = False
        self._told: dict[tuple[str, str], Lines] = {}

    def notices(self) -> tuple[Notice, ...]:
        """That what was read before is forgotten, where it is."""
        with self._guard:
            database = self._opened(create=False)
            if not self._was_damaged and not (database is not None and database.renewed):
                return ()
        message = (
            f"Damaged, and begun anew: the log of reads ({FILE}). Tokens of earlier reads admit no write."
        )
        return (Notice(severity="information", message=message, what_to_do="Read again before writing."),)

    def close(self) -> None:
        """Lets go of the database; a later call opens it again."""
        with self._guard:
            self._let_go()

    def saw(self, path: str, digest: str, ranges: Sequence[tuple[int, int]]) -> None:
        """Record that these (first, last) lines of a content were shown."""
        if not is_utf8(path):  # it is never written, so the record has no use
            return
        with self._guard:
            told = self._told.get((path, digest), ())
            new = [each for each in ranges if each[0] <= each[1] and not covers(told, *each)]
            if not new:
                return
            database = self._opened(create=True)
            if database is None:
                return
            try:
                with database.transaction(durable=False) as db:
                    lines = joined(_lines(db, path, digest) or (), new)
                    self._keep(db, path, digest, lines)
            except Busy:
                return
            except ReadOnly:
                self._let_go()
                return
            self._note((path, digest), lines)

    def lines(self, path: str, digest: str) -> Lines | None:
        """Return sorted, separate (first, last) ranges that were read of a content; None where nothing is recorded."""
        query = "SELECT lines FROM reads WHERE path = ? AND digest = ?"
        rows = self._rows(query, path, digest) if is_utf8(path) else []
        return from_text(rows[0][0]) if rows else None

    def path_of(self, digest: str) -> str | None:
        """A file that was read with that content, if there is one."""
        rows = self._rows("SELECT path FROM reads WHERE digest = ? ORDER BY path LIMIT 1", digest)
        return rows[0][0] if rows else None

    def _rows(self, query: str, *values: str) -> list[tuple[str, ...]]:
        with self._guard:
            database = self._opened(create=False)
            if database is None:
                return []
            try:
                return database.rows(query, *values)
            except (Busy, ReadOnly):
                return []

    def _keep(self, db: sqlite3.Connection, path: str, digest: str, lines: Lines) -> None:
        # Replacing gives the row a new number: the order of numbers is the order of use.
        query = "INSERT OR REPLACE INTO reads (path, digest, lines) VALUES (?, ?, ?)"
        number = db.execute(query, (path, digest, to_text(lines))).lastrowid or 0
        db.execute("DELETE FROM reads WHERE id <= ?", (number - self._most,))

    def _note(self, key: tuple[str, str], lines: Lines) -> None:
        """Reading the same lines again costs no transaction."""
        self._told.pop(key, None)
        self._told[key] = lines
        if len(self._told) > _MOST_TOLD:
            del self._told[next(iter(self._told))]

    def _opened(self, *, create: bool) -> Database | None:
        if self._database is None and (create or self._path.exists()):
            with contextlib.suppress(Busy, ReadOnly):
                self._database = Database(self._path, schema=_SCHEMA, patience=_PATIENCE)
        return self._database

    def _let_go(self) -> None:
        if self._database is not None:
            self._was_damaged |= bool(self._database.renewed)
            self._database.close()
        self._database = None


def _lines(db: sqlite3.Connection, path: str, digest: str) -> Lines | None:
    row = db.execute("SELECT lines FROM reads WHERE path = ? AND digest = ?", (path, digest)).fetchone()
    return None if row is None else from_text(row[0])


_JOURNAL_PATIENCE = 0.5
_LAST = """SELECT e.new_hash, g.user FROM entries e JOIN groups g ON g.id = e.grp
    WHERE e.path = ? AND e.state = 'committed' ORDER BY e.id DESC LIMIT 1"""


class Authors:
    """The journal (`path`) for readers. Thread-safe. It is opened for the one question and cannot be changed by it: a
    read waits for no write, and what is wrong with the journal is found by who writes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, path: str, digest: str) -> str:
        """Return the user or agent who wrote these bytes (SHA-256 in hex), if that was the last write of `path`
        through this program; empty where unknown."""
        if not self._path.exists() or not is_utf8(path):
            return ""
        try:
            with closing(self._opened()) as db:
                last = db.execute(_LAST, (path,)).fetchone()
        except sqlite3.Error:
            return ""
        return str(last[1]) if last is not None and last[0] == digest else ""

    def _opened(self) -> sqlite3.Connection:
        name = f"file:{quote(str(self._path))}?mode=ro"
        return sqlite3.connect(name, uri=True, timeout=_JOURNAL_PATIENCE, isolation_level=None)


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
