"""Database of locks and of the journal: one SQLite file shared by all processes of a workspace.

A write needs both in one transaction, so that its lock cannot be broken between the last check and the exchange."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from services.errors import Busy, ReadOnly
from services.source.journal.deltas import SCHEMA as BASES
from services.workspace.files.databases import (
    alone,
    check_structure,
    has_content,
    lacks_its_end,
    making,
    opening,
    to_read_alone,
)

FILE = "writes.db"
_PATIENCE = 20.0
_VERSION = 3
_PAGE = 4_096
_CHECKPOINT = 4_000_000
"""Bytes of the write-ahead log after which it is checkpointed and reused: flushing overwritten blocks takes half as
long as flushing appended ones."""
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS locks (
    key TEXT PRIMARY KEY, handle TEXT NOT NULL, fence INTEGER NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL,
    purpose TEXT NOT NULL, boot TEXT NOT NULL, until REAL NOT NULL, lease REAL NOT NULL, process TEXT,
    taken_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lock_log (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, action TEXT NOT NULL, key TEXT NOT NULL, fence INTEGER NOT NULL,
    handle_hash TEXT NOT NULL, owner TEXT NOT NULL, actor TEXT NOT NULL, reason TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS lock_log_handles ON lock_log (handle_hash);
CREATE TABLE IF NOT EXISTS groups (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at INTEGER NOT NULL, user TEXT NOT NULL,
    session TEXT NOT NULL, purpose TEXT NOT NULL, process TEXT NOT NULL, undoes INTEGER, undone_by INTEGER
);
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, grp INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    path TEXT NOT NULL, state TEXT NOT NULL, temp TEXT, fence INTEGER NOT NULL, size INTEGER NOT NULL,
    base_hash TEXT, new_hash TEXT
);
DROP INDEX IF EXISTS entries_paths;
CREATE INDEX IF NOT EXISTS entries_fences ON entries (path, fence);
CREATE INDEX IF NOT EXISTS entries_groups ON entries (grp);
CREATE INDEX IF NOT EXISTS entries_open ON entries (temp) WHERE temp IS NOT NULL;
CREATE TABLE IF NOT EXISTS known (
    entry INTEGER PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE, lines TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS staged (
    grp INTEGER PRIMARY KEY REFERENCES groups (id) ON DELETE CASCADE, before TEXT NOT NULL, after TEXT NOT NULL
);
{BASES}
"""
"""Every statement may be run again: so a file that was made with other ones gets what it lacks."""


class Database:
    """Open database. Thread-safe; one transaction at a time in a process, one writer at a time among them. `renewed`:
    why an earlier file was put aside because it was damaged, or empty; `schema`: its tables; `patience`: seconds to
    wait for other processes; `ensure`: makes the folder again where it was deleted; `in_memory`: where the disk holds
    no file, use one in memory, for this process alone.

    `row_lock`, `skip_locked`: empty, since its one writer has no rows to lock."""

    row_lock = skip_locked = ""

    def __init__(
        self,
        path: Path,
        *,
        schema: str = _SCHEMA,
        patience: float = _PATIENCE,
        ensure: Callable[[], None] | None = None,
        in_memory: bool = False,
    ) -> None:
        self.path = path
        self._in_memory = in_memory
        self._name = str(path)
        self._ensure = ensure
        self._schema = schema
        self._patience = patience
        self._lock = threading.RLock()  # one connection, which is in one transaction at a time
        self._log: int | None = None
        self._open()

    def _open(self) -> None:
        try:
            if self._ensure is not None:
                self._ensure()
            self._db, self.renewed = _usable(self.path, self._schema, self._patience)
        except (sqlite3.OperationalError, OSError, ReadOnly) as error:
            refused = _refused(self.path, error) if isinstance(error, sqlite3.Error) else error
            if isinstance(refused, Busy):
                raise refused from error
            there = _to_read(self.path, self._schema)
            if there is None and not self._in_memory:
                raise refused from error
            self._db, self.renewed = there or _of_memory(self._schema), ""
        self._file = _identity(self._name)
        self._durable: bool | None = None

    def _look(self) -> None:
        """Reopen the file where it, or its folder, was deleted: other processes then share locks in a new one."""
        if not self._db.in_transaction and _identity(self._name) != self._file:
            before = self._db
            self._open()
            before.close()
            self._close_log()

    def close(self) -> None:
        """Closes the file; what was committed stays."""
        with self._lock:
            self._close_log()
            self._db.close()

    def _close_log(self) -> None:
        if self._log is not None:
            os.close(self._log)
            self._log = None

    @contextlib.contextmanager
    def transaction(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """The only writer of the database for the length of a block. `durable`: whether leaving it waits for the disk;
        if not, what was written outlives this process, though perhaps not a loss of power.

        Raises Busy if others hold it too long, ReadOnly if it cannot be written."""
        with self._lock:
            try:
                self._look()
                if durable is not self._durable:
                    self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    self._durable = durable
                self._db.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                raise self._failed(error) from error
            try:
                yield self._db
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back()
                raise self._failed(error) from error
            except BaseException:
                self._roll_back()
                raise

    def flush(self) -> None:
        """Waits until everything committed so far is on the disk, as leaving a durable transaction does: the log holds
        it. Other transactions need not wait meanwhile. Raises OSError."""
        with self._lock:
            if self._log is None:
                self._log = os.open(f"{self.path}-wal", os.O_RDONLY | os.O_CLOEXEC)
            descriptor = self._log
        _flush(descriptor)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Raises ReadOnly, Busy."""
        with self._lock:
            try:
                self._look()
                return self._db.execute(query, values).fetchall()
            except sqlite3.Error as error:
                failed = self._failed(error)
                if not isinstance(failed, ReadOnly) or not self._in_memory:
                    raise failed from error
                self._db.close()
                self._db = _of_memory(self._schema)
                return self._db.execute(query, values).fetchall()

    def _failed(self, error: sqlite3.Error) -> Busy | ReadOnly:
        """Return the exception for an error. A damaged file is put aside for a fresh one, with which the caller tries
        again."""
        if not is_damage(error) or self._db.in_transaction:
            return _refused(self.path, error)
        with alone(self.path.parent):
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._close_log()
            if _identity(self._name) == self._file:
                _quarantine(self.path)
            self._open()
        self.renewed = str(error)
        return Busy(
            f"{self.path.name} was damaged ({error}) and is put aside. Try again.", file=str(self.path)
        )

    def _roll_back(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("ROLLBACK")


_flush = getattr(os, "fdatasync", os.fsync)
"""The time at which the log was changed is nothing to wait for."""


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is damaged."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def now_ms() -> int:
    """Milliseconds since 1970, for people to read; nothing is decided by it."""
    return time.time_ns() // 1_000_000


def _opened(path: Path, schema: str, patience: float) -> sqlite3.Connection:
    if lacks_its_end(path):
        raise sqlite3.DatabaseError("its end is missing")
    with opening(path), contextlib.ExitStack() as stack:
        db = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        stack.callback(db.close)
        db.execute(f"PRAGMA page_size = {_PAGE}")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT // _PAGE}")
        db.execute("PRAGMA foreign_keys = ON")
        _bring_up(db, path, schema)
        check_structure(db, path)
        stack.pop_all()
    return db


def _bring_up(db: sqlite3.Connection, path: Path, schema: str) -> None:
    """Give a file the tables of this version. Raises ReadOnly for one of a later."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (made_by,) = db.execute("PRAGMA application_id").fetchone()
    if version > _VERSION:
        # Not put aside: a later version may be at work in it, and its locks must hold.
        reason = f"it has the format {version} of a later version of the program"
        raise ReadOnly(f"{path} cannot be used: {reason}. Update the program.", path=str(path), reason=reason)
    digest = zlib.crc32(schema.encode()) >> 1
    if version < _VERSION or made_by != digest:
        marks = f"PRAGMA user_version = {_VERSION}; PRAGMA application_id = {digest};"
        db.executescript(f"BEGIN IMMEDIATE; {schema} {marks} COMMIT;")


def _to_read(path: Path, schema: str) -> sqlite3.Connection | None:
    """The file as it is, where nothing can be written beside it, as on a full disk; None where it cannot be read."""
    with contextlib.suppress(sqlite3.Error, OSError), contextlib.ExitStack() as stack:
        if (uri := to_read_alone(path)) is None:
            return None
        db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        stack.callback(db.close)
        (made_by,) = db.execute("PRAGMA application_id").fetchone()
        if made_by == zlib.crc32(schema.encode()) >> 1:
            stack.pop_all()
            return db
    return None


def _of_memory(schema: str) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA foreign_keys = ON")
    db.executescript(schema)
    return db


def _identity(path: str) -> tuple[int, int] | None:
    """Device and number of the file of that name; None where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - asked before every query, and half as long as path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _usable(path: Path, schema: str, patience: float) -> tuple[sqlite3.Connection, str]:
    """The file, or a fresh one in the place of a damaged one, and what was wrong with that."""
    if not has_content(path):
        with making(path) as was_emptied:
            return _opened(path, schema, patience), "it was empty" if was_emptied else ""
    try:
        return _opened(path, schema, patience), ""
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        with alone(path.parent):
            return _renewed(path, schema, patience), str(error)


def _renewed(path: Path, schema: str, patience: float) -> sqlite3.Connection:
    """Looks once more: what another process has renewed meanwhile may hold its locks already."""
    try:
        return _opened(path, schema, patience)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        _quarantine(path)
    return _opened(path, schema, patience)


def _quarantine(path: Path) -> None:
    """Put a damaged file aside: it contains the bytes of old writes, which a person may still want."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            file = path.with_name(path.name + suffix)
            file.rename(file.with_name(f"{path.stem}.damaged-{now_ms()}.db{suffix}"))


def _refused(path: Path, error: sqlite3.Error) -> Busy | ReadOnly:
    if "locked" in str(error) or "busy" in str(error):
        return Busy(f"Other processes keep {path.name} busy. Try again in a moment.", file=str(path))
    message = f"The journal {path} cannot be used: {error}. Check its permissions and the space on the disk."
    return ReadOnly(message, path=str(path), reason=str(error))
