"""Index store: one SQLite file that all processes share and anyone may delete (SPEC section 4).

One row a file has its stamp and its record as the worker made it; `snapshot` has the catalogue as of the last
complete set of rows, so that a warm start need not read them all. A replaced record remains for a while in `earlier`:
readers of an older catalogue, in this process or another, find the records that it was made of. Each row has a
checksum: SQLite notices damage to its own structure alone, and a wrong record would be taken for a file's
declarations."""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from services.errors import WorkspaceError
from services.syntax.records.declaration import SYNTAX_VERSION, FileRecord
from services.workspace.files.databases import check_structure, lacks_its_end, lock_patience, making, opening

_FORMAT = 15
_VERSION = _FORMAT * 1000 + SYNTAX_VERSION
_UNFINISHED = 0
"""The version of a file of which the making did not come to its end: the process was killed, or the disk full."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT NOT NULL, variant TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, record BLOB NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (path, variant)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS earlier (
    path TEXT NOT NULL, variant TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, record BLOB NOT NULL,
    checksum INTEGER NOT NULL, since REAL NOT NULL, PRIMARY KEY (path, variant, size, mtime_ns)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER NOT NULL);
"""
_SUPERSEDE = """
INSERT OR REPLACE INTO earlier
SELECT path, variant, size, mtime_ns, record, checksum, ? FROM files WHERE path = ? AND variant = ?
"""
_PATIENCE = 600.0
"""Seconds for which an earlier record stays: no answer takes so long, and no process is so far behind."""
_REFUSALS = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""Errors by which the system or other processes refuse access. Any other error of our own statements is damage: a
page with other content may lack a table as well as be malformed."""

_EARLIER = """
SELECT size, mtime_ns, record, checksum FROM earlier WHERE path = ? AND variant = ? AND size = ? AND mtime_ns = ?
"""
_EVERY = """
SELECT path, variant, size, mtime_ns, record, checksum FROM files
UNION ALL SELECT path, variant, size, mtime_ns, record, checksum FROM earlier
"""

Stamp = tuple[int, int]
"""Size and mtime_ns."""
_Step = tuple[str, list[Any]]
"""A statement, and the values of each time that it is run."""


class StoredFile(NamedTuple):
    """Stored file. `variant`: the preprocessor symbols it was read with; empty where no `#if` depends on them."""

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
    """Store of the rows. Thread-safe. `renewed`: why the file was started afresh, or empty; `unkept`: why the rows
    are in memory alone: the disk is full, or the file cannot be opened. A lock of another process that lasts too long
    is a WorkspaceError."""

    def __init__(self, path: Path, *, reading: bool = False) -> None:
        """`reading`: never write; raises sqlite3.Error where it cannot be read."""
        self.path = path
        self.renewed = ""
        self.unkept = ""
        self._reading = reading
        self._lock = threading.RLock()  # one connection, which is in one transaction at a time
        self._decoder = msgspec.msgpack.Decoder(FileRecord)
        if reading:
            self._db = _to_read(path)
            return
        try:
            self._db = _opened(path)
        except (sqlite3.DatabaseError, DamagedError) as error:
            if is_refusal(error):
                # Locked by another process or not openable at all: it must not be removed.
                self.unkept = str(error)
                self._db = _in_memory()
            else:
                self.renewed = str(error)
                self._begin_anew()

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
        """Whether no file is stored."""
        with self._guarded():
            return self._db.execute("SELECT 1 FROM files LIMIT 1").fetchone() is None

    def raw(self, path: str, variant: str, stamp: Stamp | None = None) -> bytes | None:
        """Return a file's record as stored. `stamp`: of the file that it was made of, where that may not be the last
        one."""
        with self._guarded():
            found = self._db.execute(
                "SELECT size, mtime_ns, record, checksum FROM files WHERE path = ? AND variant = ?",
                (path, variant),
            ).fetchone()
            if stamp is not None and (found is None or found[:2] != stamp):
                found = self._db.execute(_EARLIER, (path, variant, *stamp)).fetchone()
            if found is None:
                return None
            size, mtime_ns, record, checksum = found
            if _checksum(StoredFile(path, variant, size, mtime_ns, record)) != checksum:
                raise DamagedError(f"the record of {path} is not the one that was written")
            return record

    def record(self, path: str, variant: str, stamp: Stamp | None = None) -> FileRecord | None:
        """Decode a file's record, as `raw` returns it."""
        found = self.raw(path, variant, stamp)
        return self.decode(found) if found is not None else None

    def decode(self, record: bytes) -> FileRecord:
        """A record from its stored bytes."""
        return self._decoder.decode(record)

    def put(self, rows: Iterable[StoredFile]) -> None:
        """Writes rows, all or none."""
        rows = list(rows)
        summed = [(*row, _checksum(row)) for row in rows]
        insert = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)"
        self._write(*_supersede([(row.path, row.variant) for row in rows]), (insert, summed))

    def forget(self, keys: Iterable[tuple[str, str]]) -> None:
        """Removes rows by (path, variant), all or none."""
        keys = list(keys)
        self._write(*_supersede(keys), ("DELETE FROM files WHERE path = ? AND variant = ?", keys))

    def value(self, name: str) -> bytes | None:
        """A named value, or None."""
        # Read straight into the bytes that are returned: of a large workspace's catalogue, half the time of a SELECT.
        with self._guarded(), self._one_moment():
            found = self._db.execute("SELECT rowid, checksum FROM kept WHERE name = ?", (name,)).fetchone()
            if found is None:
                return None
            with self._db.blobopen("kept", "value", found[0], readonly=True) as blob:
                value = blob.read()
            if zlib.crc32(value, zlib.crc32(name.encode())) != found[1]:
                raise DamagedError(f"the value {name} is not the one that was written")
            return value

    def keep(self, name: str, value: bytes) -> None:
        """Writes a named value."""
        checksum = zlib.crc32(value, zlib.crc32(name.encode()))
        self._write(("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", [(name, value, checksum)]))

    def drop(self, name: str) -> None:
        """Removes a named value."""
        self._write(("DELETE FROM kept WHERE name = ?", [(name,)]))

    def _write(self, *steps: _Step) -> None:
        """Write all or nothing. On a full disk the store continues in memory, and with a damaged file in a fresh one:
        later queries must be answered, and lost records are made again from source."""
        with self._lock:
            try:
                self._write_once(steps)
            except DamagedError as error:
                if self._reading or isinstance(error.__cause__, sqlite3.IntegrityError):
                    raise
                self.clear(str(error))
                self._write_once(steps)

    def _write_once(self, steps: Sequence[_Step]) -> None:
        with self._guarded():
            try:
                self._run(steps)
            except sqlite3.OperationalError as error:
                if self._reading or not self.is_lasting or not _is_about_room(error):
                    raise
                self._leave(str(error))
                self._run(steps)

    def _run(self, steps: Sequence[_Step]) -> None:
        with self._db:
            for statement, rows in steps:
                self._db.executemany(statement, rows)

    def _leave(self, why: str) -> None:
        """Continue in memory with the readable rows of the file."""
        memory = _in_memory()
        with suppress(sqlite3.Error):
            self._db.backup(memory)
        with suppress(sqlite3.Error):
            self._db.close()
        self._db, self.unkept = memory, why

    def verify(self) -> None:
        """Read everything that is stored, beside all other work. Raises DamagedError where it is not what was
        written, WorkspaceError where it cannot be read now."""
        if not self.is_lasting:
            return
        with _explained(self.path), closing(_to_read(self.path)) as db:
            db.execute("BEGIN")
            for *row, checksum in db.execute(_EVERY):
                if _checksum(StoredFile(*row)) != checksum:
                    raise DamagedError(f"the record of {row[0]} is not the one that was written")
            found = db.execute("PRAGMA quick_check(1)").fetchone()
            if found is None or found[0] != "ok":
                raise DamagedError("its structure is damaged")

    def clear(self, why: str) -> None:
        """Starts afresh, as at opening, when rows turn out to be unreadable."""
        with self._lock:
            self.renewed = why
            lasting = self.is_lasting
            with suppress(sqlite3.Error):
                self._db.close()
            if lasting:
                self._begin_anew()
            else:
                self._db = _in_memory()

    def _begin_anew(self) -> None:
        try:
            self._db = _afresh(self.path)
        except (OSError, sqlite3.DatabaseError) as error:
            self.unkept = str(error)
            self._db = _in_memory()

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """Read transaction: several reads with consistent answers, independent of writes of other processes."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.rollback()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with self._lock, _explained(self.path):
            yield


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into DamagedError, or WorkspaceError where the file is unusable for now."""
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if is_refusal(error):
            raise WorkspaceError(
                f"The index {path} cannot be used: {error}. Free space or let other processes finish.",
                path=str(path),
                reason=str(error),
            ) from error
        raise DamagedError(str(error)) from error


def _supersede(keys: Iterable[tuple[str, str]]) -> list[_Step]:
    now = time.time()
    return [
        ("DELETE FROM earlier WHERE since < ?", [(now - _PATIENCE,)]),
        (_SUPERSEDE, [(now, *key) for key in keys]),
    ]


def _is_about_room(error: sqlite3.OperationalError) -> bool:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return code in (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
    )


def is_refusal(error: Exception) -> bool:
    """Whether an error of SQLite means that the file is unusable now, rather than damaged."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _REFUSALS


def _checksum(row: StoredFile) -> int:
    head = f"{row.path}\0{row.variant}\0{row.size}\0{row.mtime_ns}"
    return zlib.crc32(row.record, zlib.crc32(head.encode("utf-8", "surrogateescape")))


def _opened(path: Path) -> sqlite3.Connection:
    with making(path) as was_emptied:
        if was_emptied:
            raise DamagedError("it was empty")
        if lacks_its_end(path):
            raise DamagedError("its end is missing")
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    with opening(path), ExitStack() as stack:
        db = sqlite3.connect(path, check_same_thread=False, timeout=lock_patience(path.parent, 10))
        stack.callback(db.close)
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (_UNFINISHED, _VERSION):
            raise DamagedError("it was made by another version")
        db.execute("PRAGMA journal_mode = WAL")
        _prepare(db)
        check_structure(db, path)  # else damage is found at the next change, which may be long after
        stack.pop_all()
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
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return _opened(path)
