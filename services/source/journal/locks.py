"""Locks with a lease, shared across processes: the permission to write (SPEC section 7; SAFETY, Locks).

The key of a lock is a file's canonical path. The lock of a type is the lock of every file that declares a part of it
(with an includeType, of the files of that part): one handle, one fencing number, several keys, all or none. So two
clients that name the same lines differently still compete for the same lock."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

import msgspec

from services.errors import Busy, LockRequired, ReadOnly, UsageError
from services.source.journal.actor import Owner
from services.source.journal.clock import BootClock, LeaseClock, is_alive, this_process
from services.source.journal.database import Database, now_ms

LEASE = 300.0
"""Seconds a lock lasts unrenewed."""
LONGEST_LEASE = 86_400.0
_LOG_KEPT = 10_000
_WRITTEN = "(SELECT max(entries.fence) FROM entries WHERE path = key)"
_FIELDS = f"key, handle, fence, user, session, purpose, boot, until, process, taken_at, {_WRITTEN}"


class GrantedLock(msgspec.Struct, frozen=True, kw_only=True):
    """Lock at one time. `handle` is empty where it is not the caller's; `fence` grows with every lock ever given;
    `seconds`: until its lease ends; `taken_at`: ms since 1970, for people."""

    keys: tuple[str, ...]
    handle: str
    fence: int
    owner: Owner
    seconds: float
    taken_at: int


class _LockRow(NamedTuple):
    """`written`: the last fencing number that `key` was written under."""

    key: str
    handle: str
    fence: int
    user: str
    session: str
    purpose: str
    boot: str
    until: float
    process: str | None
    taken_at: int
    written: int | None

    @property
    def owner(self) -> Owner:
        return Owner(self.user, self.session, self.purpose)


class SharedLeases(Protocol):
    """Leases of a team, which a lock has in addition to its own. Methods raise Busy while its database is away."""

    def take(self, paths: Iterable[str], handle: str, owner: Owner, *, lease: float, bound: bool) -> None:
        """Take the leases of all paths, or none. Raises LockRequired where somebody else has one."""
        ...

    def renew(self, handle: str, *, lease: float) -> None:
        """Begin the leases of a handle again. Raises LockRequired where it has none any more."""
        ...

    def release(self, handle: str, paths: Iterable[str] = ()) -> None:
        """Give the leases of a handle back: those of some paths, or all."""
        ...

    def require(self, path: str, handles: Iterable[str]) -> None:
        """Raises LockRequired unless one of the handles has the lease of a path now."""
        ...

    def break_lease(self, path: str, reason: str) -> GrantedLock | None:
        """Break the lease of a path; None where there is none."""
        ...

    def of_others(self) -> Sequence[GrantedLock]:
        """Leases that other processes hold, oldest first."""
        ...


class Locks:
    """The locks of a workspace. Every method is one transaction, and none needs what an earlier one left in memory."""

    def __init__(
        self,
        database: Database,
        *,
        clock: LeaseClock | None = None,
        process: str | None = None,
        shared: SharedLeases | None = None,
    ) -> None:
        """`shared`: leases that a lock has in a team too; None where there is none."""
        self._shared = shared
        self._database = database
        self._clock = clock or BootClock()
        self._process = process or this_process()

    def lock(
        self, keys: Sequence[str], owner: Owner, *, lease: float = LEASE, bound: bool = True
    ) -> GrantedLock:
        """Take the lock of all `keys`. `lease`: seconds; `bound`: whether it lapses with this process too.

        Raises LockRequired (`details`: object, owner, seconds) if anybody holds one of them, UsageError."""
        if not keys or not 0 < lease <= LONGEST_LEASE:
            raise UsageError(f"A lock needs a file, and a lease of at most {LONGEST_LEASE:.0f} seconds.")
        with self._database.transaction(durable=True) as db:
            for key in keys:
                self._make_free(db, key, owner)
            fence = _next_fence(db)
            from secrets import token_urlsafe

            handle = token_urlsafe(24)
            ends = self._clock.now() + lease
            held_by = self._process if bound else None
            for key in sorted(set(keys)):
                fields = (key, handle, fence, owner.user, owner.session, owner.purpose)
                db.execute(
                    "INSERT INTO locks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*fields, self._clock.boot(), ends, lease, held_by, now_ms()),
                )
            if self._shared is not None:
                self._shared.take(keys, handle, owner, lease=lease, bound=bound)
            return self._lock(_held(db, handle), handle=handle)

    def renew(self, handle: str, *, lease: float | None = None) -> GrantedLock:
        """Begin the lease again. Raises LockRequired if the handle no longer holds anything."""
        with self._database.transaction(durable=True) as db:
            rows = self._valid(db, handle)
            seconds = lease if lease is not None else _lease(db, handle)
            if not 0 < seconds <= LONGEST_LEASE:
                raise UsageError(f"A lease lasts at most {LONGEST_LEASE:.0f} seconds.")
            values = (self._clock.now() + seconds, seconds, handle)
            db.execute("UPDATE locks SET until = ?, lease = ? WHERE handle = ?", values)
            if self._shared is not None:
                self._shared.renew(handle, lease=seconds)
            return self._lock(_held(db, rows[0].handle), handle=handle)

    def unlock(self, handle: str, keys: Iterable[str] = ()) -> GrantedLock:
        """Give the lock back. Raises LockRequired if the handle holds none, or not all of `keys`."""
        with self._database.transaction(durable=True) as db:
            rows = self._valid(db, handle)
            missing = sorted(set(keys) - {row.key for row in rows})
            if missing:
                raise LockRequired(f"The handle does not hold {missing[0]}.", object=missing[0], owner=None)
            for row in rows:
                _remove(db, row, "unlocked", actor=row.owner)
            self._release(handle)
            return self._lock(rows)

    def _release(self, handle: str) -> None:
        """Give the leases of the team back. While its database is away, they end by themselves."""
        if self._shared is not None:
            with suppress(Busy, ReadOnly):
                self._shared.release(handle)

    def end(self) -> None:
        """Let the locks that are bound to this use of the process lapse, as they do when it ends."""
        with self._database.transaction(durable=True) as db:
            for row in _rows(db, "WHERE process = ?", self._process):
                _remove(db, row, "lapsed", actor=row.owner)
                self._release(row.handle)

    def list(self, *, of_others: bool = False) -> tuple[GrantedLock, ...]:
        """Every lock that holds, without its handle, oldest first. `of_others`: less those taken here. Waits for no
        writer."""
        found: dict[int, list[_LockRow]] = {}
        for row in self._read("ORDER BY fence, key"):
            if not self._lapsed(row) and not (of_others and row.process == self._process):
                found.setdefault(row.fence, []).append(row)
        own = tuple(self._lock(rows) for rows in found.values())
        keys = {key for lock in own for key in lock.keys}
        if self._shared is not None:
            with suppress(Busy, ReadOnly):
                return (
                    *own,
                    *(lock for lock in self._shared.of_others() if not keys.intersection(lock.keys)),
                )
        return own

    def is_held(self, handle: str) -> bool:
        """Whether a handle still holds its lock."""
        with self._database.transaction(durable=False) as db:
            rows = _held(db, handle)
            return bool(rows) and not self._lapsed(rows[0])

    def purpose_of(self, handles: Iterable[str]) -> str:
        """Return the purpose of the lock that one of the handles owns; empty where none does."""
        with self._database.transaction(durable=False) as db:
            rows = (row for handle in handles for row in _held(db, handle) if not self._lapsed(row))
            return next((row.purpose for row in rows if row.purpose), "")

    def break_lock(
        self, key: str, by: Owner, *, reason: str, fence: int | None = None, rehearse: bool = False
    ) -> GrantedLock:
        """Break another owner's lock, with all its keys; its handle never writes again. The act is logged. `fence`:
        of the lock that the caller has seen; `rehearse`: only report it.

        Raises LockRequired if `key` is not locked, or under another fence, UsageError without a reason."""
        if not reason.strip():
            raise UsageError("Say why the lock is broken: its owner will want to know.")
        with self._database.transaction(durable=True) as db:
            row = self._holder(db, key)
            if row is None and self._shared is not None and fence is None and not rehearse:
                broken = self._shared.break_lease(key, reason)
                if broken is not None:
                    return broken
            if row is None:
                raise LockRequired(
                    f"{key} is not locked, so there is nothing to break.", object=key, owner=None
                )
            if fence is not None and row.fence != fence:
                raise _of_another(key, fence, row)
            rows = _held(db, row.handle)
            if rehearse:
                return self._lock(rows)
            for each in rows:
                _remove(db, each, "broken", actor=by, reason=reason)
            self._release(row.handle)
            return self._lock(rows)

    def require(self, key: str, handles: Iterable[str]) -> None:
        """Raises LockRequired unless one of `handles` may write `key` now."""
        # The owner waits for nobody; the transaction removes lapsed locks and reports the problem.
        rows = self._read("WHERE key = ?", key)
        if rows and _is_of(rows[0], handles) and not self._lapsed(rows[0]):
            return
        with self._database.transaction(durable=False) as db:
            self.fence_of(db, key, handles)

    def require_still(self, db: sqlite3.Connection, key: str, handles: Iterable[str]) -> None:
        """Raise LockRequired unless one of `handles`, whose number came from `fence_of`, may still write `key`:
        another writer must have broken the lock meanwhile. Part of the caller's transaction."""
        self._row(db, key, handles)
        if self._shared is not None:
            self._shared.require(key, handles)

    def log(self) -> list[tuple[int, str, str, str, str, str]]:
        """Return the log of ended locks, oldest first: (ms since 1970, action, key, owner, actor, reason)."""
        return self._database.rows("SELECT at, action, key, owner, actor, reason FROM lock_log ORDER BY id")  # pyright: ignore[reportReturnType]

    def fence_of(self, db: sqlite3.Connection, key: str, handles: Iterable[str]) -> int:
        """Return the fencing number under which one of `handles` may write `key` now; part of the caller's
        transaction. Raises LockRequired, whose message distinguishes missing, foreign, broken and lapsed locks.

        Raises LockRequired, which says whether it is missing, somebody else's, broken or lapsed."""
        row = self._row(db, key, handles)
        if row.written is not None and row.written > row.fence:
            message = f"{key} was written under a later lock (fence {row.written}, this is {row.fence})."
            raise LockRequired(message, object=key, owner=None)
        return row.fence

    def _row(self, db: sqlite3.Connection, key: str, handles: Iterable[str]) -> _LockRow:
        row = self._holder(db, key)
        if row is None or not _is_of(row, handles):
            raise self._required(db, key, row, handles)
        return row

    def _make_free(self, db: sqlite3.Connection, key: str, owner: Owner) -> None:
        row = self._holder(db, key)
        if row is not None:
            left = row.until - self._clock.now()
            may_be_own = (row.owner.user, row.owner.session) == (owner.user, owner.session)
            own = " If that is you, go on with the handle that lock answered. Else wait, or ask them."
            advice = own if may_be_own else " Wait, or ask them."
            message = f"{key} is locked by {row.owner} for another {left:.0f} s.{advice}"
            raise LockRequired(message, object=key, owner=str(row.owner), seconds=round(left, 3))

    def _holder(self, db: sqlite3.Connection, key: str) -> _LockRow | None:
        """Return the owner of `key`; a lapsed lock is removed first."""
        row = next(iter(_rows(db, "WHERE key = ?", key)), None)
        if row is not None and self._lapsed(row):
            for each in _held(db, row.handle):
                _remove(db, each, "lapsed", actor=each.owner)
            return None
        return row

    def _read(self, rest: str, *values: object) -> Sequence[_LockRow]:
        """Rows as they are committed; waits for no writer."""
        return [_LockRow._make(row) for row in self._database.rows(_selected(rest), *values)]

    def _lapsed(self, row: _LockRow) -> bool:
        if row.boot != self._clock.boot() or self._clock.now() >= row.until:
            return True
        return row.process is not None and row.process != self._process and not is_alive(row.process)

    def _valid(self, db: sqlite3.Connection, handle: str) -> list[_LockRow]:
        rows = _held(db, handle)
        if rows and not self._lapsed(rows[0]):
            return rows
        for row in rows:
            _remove(db, row, "lapsed", actor=row.owner)
        unknown = "No lock has that handle. Use the one that lock answered."
        raise LockRequired(_fate(db, [handle]) or unknown, object=None, owner=None)

    def _required(
        self, db: sqlite3.Connection, key: str, row: _LockRow | None, handles: Iterable[str]
    ) -> LockRequired:
        why = _fate(db, handles) or (f"{key} needs a lock." if row is None else "")
        advice = "Lock it, read it again, and write."
        if row is not None:
            why = f"{why} {key} is locked by {row.owner}.".strip()
            advice = "Write with the handle of that lock if it is yours. Else wait until it is free."
        return LockRequired(f"{why} {advice}", object=key, owner=row and str(row.owner))

    def _lock(self, rows: Sequence[_LockRow], *, handle: str = "") -> GrantedLock:
        first = rows[0]
        return GrantedLock(
            keys=tuple(row.key for row in rows),
            handle=handle,
            fence=first.fence,
            owner=first.owner,
            seconds=max(0.0, first.until - self._clock.now()),
            taken_at=first.taken_at,
        )


def _rows(db: sqlite3.Connection, rest: str, *values: object) -> list[_LockRow]:
    return [_LockRow._make(row) for row in db.execute(_selected(rest), values)]


def _selected(rest: str) -> str:
    return f"SELECT {_FIELDS} FROM locks {rest}"  # noqa: S608 - our own words


def _is_of(row: _LockRow, handles: Iterable[str]) -> bool:
    import hmac

    return any(
        hmac.compare_digest(row.handle.encode(), handle.encode("utf-8", "replace")) for handle in handles
    )


def _held(db: sqlite3.Connection, handle: str) -> list[_LockRow]:
    return _rows(db, "WHERE handle = ? ORDER BY key", handle.encode("utf-8", "replace").decode())


def _lease(db: sqlite3.Connection, handle: str) -> float:
    return db.execute("SELECT lease FROM locks WHERE handle = ?", (handle,)).fetchone()[0]


def _next_fence(db: sqlite3.Connection) -> int:
    db.execute("INSERT OR IGNORE INTO counters VALUES ('fence', 0)")
    db.execute("UPDATE counters SET value = value + 1 WHERE name = 'fence'")
    return db.execute("SELECT value FROM counters WHERE name = 'fence'").fetchone()[0]


def _remove(db: sqlite3.Connection, row: _LockRow, action: str, *, actor: Owner, reason: str = "") -> None:
    db.execute("DELETE FROM locks WHERE key = ?", (row.key,))
    db.execute(
        "INSERT INTO lock_log (at, action, key, fence, handle_hash, owner, actor, reason)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (now_ms(), action, row.key, row.fence, _digest(row.handle), str(row.owner), str(actor), reason),
    )
    db.execute(
        "DELETE FROM lock_log WHERE action != 'broken' AND id <= (SELECT max(id) FROM lock_log) - ?",
        (_LOG_KEPT,),
    )


def _fate(db: sqlite3.Connection, handles: Iterable[str]) -> str:
    """Describe the end of the handles' locks, as a sentence; empty if nothing is known of them."""
    for handle in handles:
        query = (
            "SELECT action, key, actor, reason FROM lock_log WHERE handle_hash = ? ORDER BY id DESC LIMIT 1"
        )
        row = db.execute(query, (_digest(handle),)).fetchone()
        if row is not None:
            action, key, actor, reason = row
            return {
                "broken": f"The lock of {key} was broken by {actor}: {reason.rstrip('.')}.",
                "lapsed": f"The lock of {key} has lapsed.",
                "unlocked": f"The lock of {key} was given back.",
            }[action]
    return ""


def _of_another(key: str, fence: int, now: _LockRow) -> LockRequired:
    message = f"The lock of {key} that was meant has ended: {now.owner} holds another one now. Look at it, and decide."
    return LockRequired(
        message, object=key, owner=str(now.owner), expectedFence=fence, currentFence=now.fence
    )


def _digest(handle: str) -> str:
    return hashlib.sha256(handle.encode("utf-8", "replace")).hexdigest()
