"""The kept index: one SQLite file that all processes share and anyone may delete (SPEC section 4).

One row a file holds its stamp and its record as the worker made it; `snapshot` holds the catalogue as it was when
the rows last stood still, so that a warm start need not read them all. A record that another takes the place of stays
for a while in `earlier`: whoever holds a catalogue, in this process or another, finds the records that it was made of.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from services.errors import WorkspaceError
from services.syntax.records.declaration import SYNTAX_VERSION, FileRecord

_FORMAT = 3
_VERSION = _FORMAT * 1000 + SYNTAX_VERSION
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT NOT NULL, variant TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY (path, variant)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS earlier (
    path TEXT NOT NULL, variant TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, record BLOB NOT NULL,
    since REAL NOT NULL, PRIMARY KEY (path, variant, size, mtime_ns)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
_PUT_ASIDE = """
INSERT OR REPLACE INTO earlier
SELECT path, variant, size, mtime_ns, record, ? FROM files WHERE path = ? AND variant = ?
"""
_PATIENCE = 600.0
"""Seconds for which an earlier record stays: no answer takes so long, and no process is so far behind."""

Stamp = tuple[int, int]
"""Size and mtime_ns."""


class StoredFile(NamedTuple):
    """A row. `variant`: which preprocessor symbols it was read with; empty where no `#if` asks for them."""

    path: str
    variant: str
    size: int
    mtime_ns: int
    record: bytes


class StoredKey(NamedTuple):
    """A row without its record."""

    path: str
    variant: str
    size: int
    mtime_ns: int


class DamagedError(Exception):
    """The file is no database of ours; only `Store` sees it, and starts afresh."""


class Store:
    """The rows. Thread-safe. `renewed` says why the file was started afresh, or is empty. What the system refuses (no
    space, held too long) is a WorkspaceError."""

    def __init__(self, path: Path, *, reading: bool = False) -> None:
        """`reading`: nothing is written, whatever is found; raises sqlite3.Error where it cannot be read."""
        self.path = path
        self.renewed = ""
        self._lock = threading.RLock()
        self._decoder = msgspec.msgpack.Decoder(FileRecord)
        if reading:
            self._db = _to_read(path)
            return
        try:
            self._db = _opened(path)
        except sqlite3.OperationalError as error:
            # Held by another process or not to be opened at all: it is not ours to remove.
            self.renewed = str(error)
            self._db = _in_memory()
        except (sqlite3.DatabaseError, DamagedError) as error:
            self.renewed = str(error)
            self._db = _afresh(path)

    @property
    def is_lasting(self) -> bool:
        """Whether other processes can read it."""
        return bool(self._db.execute("PRAGMA database_list").fetchone()[2])

    def close(self) -> None:
        """Closes the file; what was written stays."""
        with self._lock:
            self._db.close()

    def listed(self) -> list[StoredKey]:
        """Every row without its record, by path."""
        with self._guarded():
            rows = self._db.execute("SELECT path, variant, size, mtime_ns FROM files ORDER BY path, variant")
            return [StoredKey._make(row) for row in rows]

    def is_empty(self) -> bool:
        """Whether no file is kept."""
        with self._guarded():
            return self._db.execute("SELECT 1 FROM files LIMIT 1").fetchone() is None

    def raw(self, path: str, variant: str, stamp: Stamp | None = None) -> bytes | None:
        """One file's record as stored. `stamp`: of the file that it was made of, where that may not be the last one."""
        with self._guarded():
            found = self._db.execute(
                "SELECT record, size, mtime_ns FROM files WHERE path = ? AND variant = ?", (path, variant)
            ).fetchone()
            if stamp is None or (found is not None and found[1:] == stamp):
                return found[0] if found else None
            found = self._db.execute(
                "SELECT record FROM earlier WHERE path = ? AND variant = ? AND size = ? AND mtime_ns = ?",
                (path, variant, *stamp),
            ).fetchone()
        return found[0] if found else None

    def record(self, path: str, variant: str, stamp: Stamp | None = None) -> FileRecord | None:
        """One file's record, as `raw`."""
        found = self.raw(path, variant, stamp)
        return self.decode(found) if found is not None else None

    def decode(self, record: bytes) -> FileRecord:
        """A record from its stored bytes."""
        return self._decoder.decode(record)

    def put(self, rows: Iterable[StoredFile]) -> None:
        """Writes rows, all or none."""
        rows = list(rows)
        with self._guarded(), self._db:
            self._put_aside([(row.path, row.variant) for row in rows])
            self._db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", rows)

    def forget(self, keys: Iterable[tuple[str, str]]) -> None:
        """Removes rows by (path, variant), all or none."""
        keys = list(keys)
        with self._guarded(), self._db:
            self._put_aside(keys)
            self._db.executemany("DELETE FROM files WHERE path = ? AND variant = ?", keys)

    def _put_aside(self, keys: Iterable[tuple[str, str]]) -> None:
        now = time.time()
        self._db.execute("DELETE FROM earlier WHERE since < ?", (now - _PATIENCE,))
        self._db.executemany(_PUT_ASIDE, [(now, *key) for key in keys])

    def kept(self, name: str) -> bytes | None:
        """A named value, or None."""
        # Read straight into the bytes that are returned: of a large workspace's catalogue, half the time of a SELECT.
        with self._guarded(), self._one_moment():
            found = self._db.execute("SELECT rowid FROM kept WHERE name = ?", (name,)).fetchone()
            if found is None:
                return None
            with self._db.blobopen("kept", "value", found[0], readonly=True) as value:
                return value.read()

    def keep(self, name: str, value: bytes) -> None:
        """Writes a named value."""
        with self._guarded(), self._db:
            self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, value))

    def drop(self, name: str) -> None:
        """Removes a named value."""
        with self._guarded(), self._db:
            self._db.execute("DELETE FROM kept WHERE name = ?", (name,))

    def clear(self, why: str) -> None:
        """Starts afresh, as at opening, when rows turn out to be unreadable."""
        with self._lock:
            self.renewed = why
            self._db.close()
            self._db = _afresh(self.path)

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """Several reads with the same answers, whatever other processes write meanwhile."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.rollback()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise WorkspaceError(
                        f"The index {self.path} cannot be used: {error}. Free space or let other processes finish.",
                        path=str(self.path),
                        reason=str(error),
                    ) from error
                raise DamagedError(str(error)) from error


def _opened(path: Path) -> sqlite3.Connection:
    fresh = not path.exists()
    db = sqlite3.connect(path, check_same_thread=False, timeout=10)
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if not fresh and version != _VERSION:
            raise DamagedError("it was made by another version")
        db.execute("PRAGMA journal_mode = WAL")
        _prepare(db)
    except BaseException:
        db.close()
        raise
    return db


def _to_read(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False, timeout=10
    )


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(_SCHEMA)
    db.execute(f"PRAGMA user_version = {_VERSION}")


def _in_memory() -> sqlite3.Connection:
    """A store that lasts as long as the process: better than none where no file can be had."""
    db = sqlite3.connect(":memory:", check_same_thread=False)
    _prepare(db)
    return db


def _afresh(path: Path) -> sqlite3.Connection:
    try:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return _opened(path)
    except (OSError, sqlite3.DatabaseError):
        return _in_memory()
