"""The database of a team: one schema for each workspace in PostgreSQL, by way of psycopg.

It has the interface of `services.source.journal.database.Database`, and takes the same statements."""

from __future__ import annotations

import contextlib
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from services.errors import Busy, CodeCortexError, ReadOnly, UsageError, WorkspaceError
from services.model import Notice
from services.source.journal.clock import BootClock, is_alive, this_process
from services.syntax.records.hashing import base32

if TYPE_CHECKING:
    import psycopg

_VERSION = 1
_TRIED_AGAIN = 1.0
"""Seconds after a failed connection for which nobody tries again: what reads does not wait for each attempt."""
_READ_AGAIN = 1.0
"""Seconds for which the database's clock is reckoned from one reading of it."""
_CONNECTION = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "application_name": "codecortex",
}
_TIMES = "SET lock_timeout = '20s'; SET statement_timeout = '60s'; SET idle_in_transaction_session_timeout = '30s';"
"""A client that froze within a transaction lets go of its rows."""
_CANNOT_BE_WRITTEN = {
    "53100": "its disk is full",
    "25006": "it takes no writes, as a replica does",
    "42501": "this user has no rights to it",
}
_CONTENDED = ("40001", "40P01", "55P03")


class DatabaseAway(Busy):
    """The database of the team cannot be reached; the call can be repeated. `details`: reason."""


class TeamConnection:
    """Connection that takes the statements of SQLite."""

    def __init__(self, db: psycopg.Connection[Any]) -> None:
        self._db = db

    def execute(self, query: str, values: Sequence[object] = ()) -> psycopg.Cursor[Any]:
        """Run a statement with `?` for each value."""
        return self._db.execute(_translated(query), _storable(values) if values else None)

    def executemany(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for each row."""
        with self._db.cursor() as cursor:
            cursor.executemany(_translated(query), [_storable(row) for row in rows])


class TeamDatabase:
    """The schema of one workspace. Thread-safe; one transaction at a time in a process, any number among them: what a
    transaction decides by, it locks with `row_lock`, or `skip_locked` where others may take it.

    A connection that broke is made again by the next call."""

    row_lock = " FOR UPDATE"
    skip_locked = " FOR UPDATE SKIP LOCKED"

    def __init__(self, address: str, workspace: str, *, tables: str) -> None:
        """`address`: `postgresql://…`; `workspace`: names what is shared, the same on every machine; `tables`: in the
        words of SQLite. Connects at the first call."""
        self._address = address
        self._schema = "codecortex_" + base32(sha256(workspace.encode()).digest(), 16).lower()
        self._tables = tables
        self._lock = threading.RLock()  # one connection, which is in one transaction at a time
        self._db: psycopg.Connection[Any] | None = None
        self._failed: tuple[float, CodeCortexError] | None = None
        self.clock = TeamClock(self._read_clock)

    def notices(self) -> tuple[Notice, ...]:
        """Return a notice where the last connection was not made."""
        if self._failed is None:
            return ()
        advice = "Reading goes on with what is here; what is shared waits. It is tried again by itself."
        return (Notice(severity="warning", message=self._failed[1].message, what_to_do=advice),)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    @contextlib.contextmanager
    def transaction(self, *, durable: bool) -> Iterator[TeamConnection]:
        """A transaction for the length of a block. `durable`: whether leaving it waits for the disk.

        Raises DatabaseAway, where the last of a block may have been committed; Busy, ReadOnly, WorkspaceError."""
        with self._lock, self._errors():
            db = self._connected()
            db.execute("BEGIN")
            try:
                if not durable:
                    db.execute("SET LOCAL synchronous_commit = off")
                yield TeamConnection(db)
                db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(Exception):
                    db.execute("ROLLBACK")
                raise

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Raises DatabaseAway, Busy, ReadOnly, WorkspaceError."""
        with self._lock, self._errors():
            return TeamConnection(self._connected()).execute(query, values).fetchall()

    def _read_clock(self) -> float:
        return self.rows("SELECT extract(epoch FROM clock_timestamp())::float8")[0][0]

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
                db = self._db
                if db is None or db.broken or db.closed or error.sqlstate is None:
                    self._drop()
            raise _refused(error) from error

    def _connected(self) -> psycopg.Connection[Any]:
        if self._db is not None:
            return self._db
        if self._failed is not None and time.monotonic() - self._failed[0] < _TRIED_AGAIN:
            raise self._failed[1]
        import psycopg

        try:
            self._db = self._opened()
        except psycopg.Error as error:
            refused = _refused(error)
            self._failed = (time.monotonic(), refused)
            raise refused from error
        except CodeCortexError as error:
            self._failed = (time.monotonic(), error)
            raise
        self._failed = None
        return self._db

    def _opened(self) -> psycopg.Connection[Any]:
        import psycopg
        from psycopg import errors

        try:
            db = psycopg.connect(self._address, autocommit=True, **_CONNECTION)  # pyright: ignore[reportArgumentType]
        except errors.ProgrammingError as error:
            raise UsageError(f"team.database is no address of PostgreSQL: {error}") from error
        try:
            db.execute(f"{_TIMES} SET search_path = {self._schema}".encode())
            self._bring_up(db)
        except BaseException:
            db.close()
            raise
        return db

    def _bring_up(self, db: psycopg.Connection[Any]) -> None:
        """Give the schema the tables of this version. Raises ReadOnly for one of a later."""
        digest = zlib.crc32(self._tables.encode())
        if self._made_by(db) == (_VERSION, digest):
            return
        with db.transaction():
            # Whoever comes second finds the tables.
            db.execute("SELECT pg_advisory_xact_lock(%s)", (zlib.crc32(self._schema.encode()),))
            if self._made_by(db) == (_VERSION, digest):
                return
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}".encode())
            for statement in _statements(self._tables):
                db.execute(statement)
            db.execute("DELETE FROM made_by")
            db.execute("INSERT INTO made_by VALUES (%s, %s)", (_VERSION, digest))

    def _made_by(self, db: psycopg.Connection[Any]) -> tuple[int, int] | None:
        found = db.execute("SELECT to_regclass(%s)", (f"{self._schema}.made_by",)).fetchone()
        row = db.execute("SELECT version, digest FROM made_by").fetchone() if found and found[0] else None
        if row is not None and row[0] > _VERSION:
            reason = f"it has the format {row[0]} of a later version of the program"
            raise ReadOnly(
                f"The database of the team cannot be used: {reason}. Update the program.", reason=reason
            )
        return row

    def _drop(self) -> None:
        if self._db is not None:
            with contextlib.suppress(Exception):
                self._db.close()
            self._db = None


def team_process() -> str:
    """Names this process among those of all machines."""
    return f"{BootClock().boot()}|{this_process()}"


def is_team_process_alive(process: str) -> bool:
    """Whether the process of that name still runs; one of another machine counts as running: its lease decides."""
    boot, _, name = process.partition("|")
    return boot != BootClock().boot() or is_alive(name)


class TeamClock:
    """The database's clock, which all machines share. It is read at most once a second, and reckoned on from there by
    the time since boot, which nobody sets."""

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read
        self._here = BootClock()
        self._offset: tuple[float, float] | None = None

    def now(self) -> float:
        """Seconds since 1970. Raises DatabaseAway."""
        here = self._here.now()
        known = self._offset
        if known is None or here - known[0] >= _READ_AGAIN:
            known = self._offset = (here, self._read() - here)
        return here + known[1]

    def boot(self) -> str:
        """One for all: leases outlive a start of the database."""
        return "team"


def _refused(error: psycopg.Error) -> CodeCortexError:
    import psycopg

    state, reason = error.sqlstate or "", " ".join(str(error).split())
    if why := _CANNOT_BE_WRITTEN.get(state):
        message = f"The database of the team cannot be written: {why}. Nothing was changed; ask who runs it."
        return ReadOnly(message, reason=reason)
    if state in _CONTENDED:
        return Busy("Others keep rows of the team's database. Try again in a moment.", reason=reason)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        message = f"The database of the team cannot be reached: {reason}. Try again when it is back."
        return DatabaseAway(message, reason=reason)
    return WorkspaceError(f"The database of the team failed: {reason}.", reason=reason)


@cache
def _translated(query: str) -> bytes:
    return query.replace("?", "%s").encode()


def _storable(values: Sequence[object]) -> list[object]:
    """The values; PostgreSQL has no text with NUL."""
    return [
        each.replace("\0", "\ufffd") if isinstance(each, str) and "\0" in each else each for each in values
    ]


def _statements(tables: str) -> Iterator[bytes]:
    """The statements that make tables, in the words of PostgreSQL: text sorts by code points, as ids do."""
    made = "CREATE TABLE IF NOT EXISTS made_by (version INTEGER NOT NULL, digest INTEGER NOT NULL);" + tables
    for here, there in (
        (" WITHOUT ROWID", ""),
        ("INTEGER", "BIGINT"),
        (" REAL", " DOUBLE PRECISION"),
        (" BLOB", " BYTEA"),
        (" TEXT", ' TEXT COLLATE "C"'),
    ):
        made = made.replace(here, there)
    yield from (each.encode() for each in made.split(";") if each.strip())
