"""Leases of a team: the right to write a path of a commit, whichever clone it is in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from services.errors import LockRequired
from services.source.journal.actor import Owner
from services.source.journal.database import now_ms
from services.source.journal.locks import GrantedLock
from services.team.database import TeamConnection, TeamDatabase, is_team_process_alive, team_process

TABLES = """
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, holder TEXT NOT NULL, fence INTEGER NOT NULL, who TEXT NOT NULL,
    session TEXT NOT NULL, purpose TEXT NOT NULL, until REAL NOT NULL, process TEXT, taken_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS leases_holders ON leases (holder);
"""
"""Leases by commit and path. `holder`: hash of the handle, which nobody else can know."""
_FIELDS = "path, holder, fence, who, session, purpose, until, process, taken_at"


class TeamLeases:
    """The leases of a workspace, by the database's clock. Every method raises DatabaseAway, Busy and ReadOnly: without
    the database nothing is locked and nothing written."""

    def __init__(self, database: TeamDatabase, commit: Callable[[], str]) -> None:
        """`commit`: what is checked out. People on different commits do not write over each other: git merges them."""
        self._database = database
        self._commit = commit
        self._process = team_process()

    def take(self, paths: Iterable[str], handle: str, owner: Owner, *, lease: float, bound: bool) -> None:
        """Take the leases of all paths, or none. `bound`: as Locks.lock. Raises LockRequired where somebody else has
        one."""
        commit, now = self._commit(), self._database.clock.now()
        with self._database.transaction(durable=True) as db:
            db.execute("INSERT INTO counters VALUES ('lease', 0) ON CONFLICT DO NOTHING")
            db.execute("UPDATE counters SET value = value + 1 WHERE name = 'lease'")  # one taker from here on
            fence = (db.execute("SELECT value FROM counters WHERE name = 'lease'").fetchone() or (0,))[0]
            who = (owner.user, owner.session, owner.purpose)
            for path in sorted(set(paths)):
                key = f"{commit}:{path}"
                self._free(db, key, now)
                process = self._process if bound else None
                values = (key, path, _digest(handle), fence, *who, now + lease, process, now_ms())
                db.execute("INSERT INTO leases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)

    def renew(self, handle: str, *, lease: float) -> None:
        """Begin the leases of a handle again. Raises LockRequired where it has none any more."""
        now = self._database.clock.now()
        with self._database.transaction(durable=True) as db:
            values = (now + lease, _digest(handle), now)
            if not db.execute("UPDATE leases SET until = ? WHERE holder = ? AND until > ?", values).rowcount:
                raise LockRequired("The lease of the team has ended. Lock it again.", object=None, owner=None)

    def release(self, handle: str, paths: Iterable[str] = ()) -> None:
        """Give the leases of a handle back: those of some paths, or all."""
        chosen = [*paths]
        among = f" AND path IN ({', '.join('?' * len(chosen))})" if chosen else ""
        with self._database.transaction(durable=True) as db:
            db.execute(f"DELETE FROM leases WHERE holder = ?{among}", (_digest(handle), *chosen))  # noqa: S608

    def require(self, path: str, handles: Iterable[str]) -> None:
        """Raises LockRequired unless one of the handles has the lease of a path now."""
        holders = {_digest(each) for each in handles}
        now = self._database.clock.now()
        rows = self._database.rows(f"SELECT {_FIELDS} FROM leases WHERE path = ?", path)  # noqa: S608 - our own words
        if not any(row[1] in holders and row[6] > now for row in rows):
            message = (
                f"The lease of {path} is no longer yours in the team. Lock it, read it again, and write."
            )
            raise LockRequired(message, object=path, owner=None)

    def break_lease(self, path: str, reason: str) -> GrantedLock | None:
        """Break the lease of a path, with all that were taken with it; None where there is none."""
        del reason  # whoever held it is told by the next write that it is not theirs any more
        rows = self._database.rows("SELECT holder FROM leases WHERE key = ?", f"{self._commit()}:{path}")
        found = self._held("WHERE holder = ?", rows[0][0]) if rows else []
        if not found:
            return None
        with self._database.transaction(durable=True) as db:
            db.execute("DELETE FROM leases WHERE holder = ?", (rows[0][0],))
        return found[0]

    def of_others(self) -> Sequence[GrantedLock]:
        """Leases that other processes hold, oldest first."""
        return self._held("WHERE process IS NULL OR process <> ?", self._process)

    def _held(self, where: str, *values: object) -> list[GrantedLock]:
        now = self._database.clock.now()
        found: dict[int, list[tuple[Any, ...]]] = {}
        for row in self._database.rows(f"SELECT {_FIELDS} FROM leases {where} ORDER BY fence, path", *values):  # noqa: S608
            if not _has_lapsed(row, now):
                found.setdefault(row[2], []).append(row)
        return [
            GrantedLock(
                keys=tuple(row[0] for row in rows), handle="", fence=fence, owner=Owner(*rows[0][3:6]),
                seconds=rows[0][6] - now, taken_at=rows[0][8],
            )
            for fence, rows in found.items()
        ]  # fmt: skip

    def _free(self, db: TeamConnection, key: str, now: float) -> None:
        row = db.execute(f"SELECT {_FIELDS} FROM leases WHERE key = ?", (key,)).fetchone()  # noqa: S608 - our own words
        if row is not None and not _has_lapsed(row, now):
            owner, left = Owner(*row[3:6]), row[6] - now
            message = f"{row[0]} is locked by {owner} on another machine for another {left:.0f} s. Wait, or ask them."
            raise LockRequired(message, object=row[0], owner=str(owner), seconds=round(left, 3))
        db.execute("DELETE FROM leases WHERE key = ?", (key,))


def _has_lapsed(row: tuple[Any, ...], now: float) -> bool:
    return row[6] <= now or (row[7] is not None and not is_team_process_alive(row[7]))


def _digest(handle: str) -> str:
    return hashlib.sha256(handle.encode("utf-8", "replace")).hexdigest()
