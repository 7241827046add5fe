"""The tables of jobs, in SQLite or PostgreSQL, and their rows as values."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from services.decoding import decode
from services.errors import UsageError
from services.ops.jobs import JobRequest, Op, OpEvent, OpProgress, OpState
from services.source.journal.database import Database, now_ms
from services.syntax.records.hashing import base32

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, priority INTEGER NOT NULL,
    by TEXT NOT NULL, title TEXT NOT NULL, question TEXT NOT NULL, scope TEXT NOT NULL, payload TEXT NOT NULL,
    created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, not_before REAL NOT NULL, boot TEXT NOT NULL,
    attempts INTEGER NOT NULL, most INTEGER NOT NULL, fence INTEGER NOT NULL, until REAL NOT NULL,
    process TEXT NOT NULL, progress TEXT NOT NULL, result TEXT NOT NULL, error TEXT NOT NULL, tokens INTEGER NOT NULL,
    cancelled INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_open ON jobs (state, kind) WHERE state IN ('queued', 'running', 'waiting');
CREATE INDEX IF NOT EXISTS jobs_last ON jobs (kind, key, id) WHERE key != '';
CREATE UNIQUE INDEX IF NOT EXISTS jobs_keys ON jobs (kind, key)
    WHERE key != '' AND state IN ('queued', 'running', 'waiting');
CREATE TABLE IF NOT EXISTS asking (
    job TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS paused (kind TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS steps (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, step TEXT NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (job, step)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, n INTEGER NOT NULL, at INTEGER NOT NULL,
    kind TEXT NOT NULL, text TEXT NOT NULL, refs TEXT NOT NULL, PRIMARY KEY (job, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, job TEXT NOT NULL, at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deliveries_at ON deliveries (at);
"""
"""Schema of the database. Existing tables never change: a later column gets a table of its own, like `asking`, the
jobs that use a model."""
FIELDS = (
    "id, kind, state, by, created_at, title, question, scope, started_at, ended_at, progress, result, error, tokens,"
    " attempts"
)
ROW = f"INTO jobs VALUES ({', '.join('?' * 25)})"


class JobConnection(Protocol):
    """Connection in a transaction. Statements have `?` for each value."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        """Run a statement; answers a cursor with `fetchone`, `fetchall` and `rowcount`."""
        ...

    def executemany(self, query: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run a statement for each row."""
        ...


class JobDatabase(Protocol):
    """Database of jobs, which processes share. Rows of a query with `row_lock` or `skip_locked` are changed by nobody
    else until the transaction ends; both are empty where one transaction at a time writes."""

    @property
    def row_lock(self) -> str:
        """End of a query whose rows are waited for."""
        ...

    @property
    def skip_locked(self) -> str:
        """End of a query that leaves rows of others out."""
        ...

    def transaction(self, *, durable: bool) -> AbstractContextManager[JobConnection]:
        """A transaction for the length of a block. Raises ReadOnly, Busy."""
        ...

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Raises ReadOnly, Busy."""
        ...

    def close(self) -> None:
        """Close it; what was committed stays."""
        ...


def job_file(path: Path, *, ensure: Callable[[], None] | None = None) -> Database:
    """The SQLite file of jobs. `ensure`: makes the folder again where it was deleted."""
    return Database(path, schema=SCHEMA, ensure=ensure, in_memory=True)


def new_op_id() -> str:
    """An id that sorts by the time it was made."""
    return "op_" + base32((time.time_ns() // 1_000).to_bytes(7, "big") + os.urandom(3), 16)


def row_of(op_id: str, request: JobRequest, *, at: int, boot: str) -> tuple[object, ...]:
    """The row of a job that is queued. `at`: when, in milliseconds since 1970; `boot`: in which run of the system."""
    asked = (request.by, request.title, request.question, as_json(request.scope), as_json(request.payload))
    times = (at, None, None, 0.0, boot)
    state = (request.kind, request.key, OpState.QUEUED, request.priority)
    return (
        op_id,
        *state,
        *asked,
        *times,
        0,
        request.attempts,
        0,
        0.0,
        "",
        as_json(OpProgress()),
        "null",
        "null",
        0,
        0,
    )


def op_found(op_id: str, rows: Sequence[tuple[Any, ...]]) -> Op:
    """The job of the one row that there is. Raises UsageError where there is none."""
    if not rows:
        raise UsageError(
            f"There is no operation {op_id}. List the operations to see those there are.", opId=op_id
        )
    return op_of(rows[0])


def op_of(row: tuple[Any, ...]) -> Op:
    """A job without its events. `row`: the columns of FIELDS."""
    (
        op_id,
        kind,
        state,
        by,
        created,
        title,
        question,
        scope,
        started,
        ended,
        progress,
        result,
        error,
        tokens,
        n,
    ) = row
    return Op(
        op_id=op_id,
        kind=kind,
        state=OpState(state),
        by=by,
        created_at=created,
        title=title,
        question=question,
        scope=tuple(decode(Any, scope)),
        started_at=started,
        ended_at=ended,
        progress=decode(OpProgress, progress),
        result=decode(Any, result),
        error=decode(Any, error),
        tokens_used=tokens,
        attempts=n,
    )


def event_of(row: tuple[Any, ...]) -> OpEvent:
    """An event of `n, at, kind, text, refs`."""
    n, at, kind, text, refs = row
    return OpEvent(n=n, at=at, kind=kind, text=text, refs=tuple(decode(Any, refs)))


def as_json(value: Any) -> str:
    """Encode a value for a column, as JSON."""
    return msgspec.json.encode(value).decode()


def among(kinds: Collection[str], only: str | None) -> str:
    """A condition on the kinds of jobs, or on one job of them."""
    return f"kind IN ({', '.join('?' * len(kinds))})" + (" AND id = ?" if only else "")


def tell(db: JobConnection, op_id: str, kind: str, text: str, refs: tuple[str, ...] = ()) -> OpEvent:
    """Add an event to a job whose row is locked."""
    n = db.execute("SELECT coalesce(max(n), 0) + 1 FROM events WHERE job = ?", (op_id,)).fetchone()[0]
    event = OpEvent(n=n, at=now_ms(), kind=kind, text=text, refs=refs)
    db.execute(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", (op_id, n, event.at, kind, text, as_json(refs))
    )
    return event


def op_in(db: JobConnection, op_id: str) -> Op:
    """A job as a transaction sees it, without its events. Raises UsageError for an unknown one."""
    return op_found(op_id, db.execute(f"SELECT {FIELDS} FROM jobs WHERE id = ?", (op_id,)).fetchall())  # noqa: S608


def said(error: dict[str, Any]) -> str:
    """An error as a sentence."""
    return str(error.get("message") or error.get("code") or "It failed.")
