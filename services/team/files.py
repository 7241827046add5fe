"""Notes, reviews, packs and presets of a team: files by name in its database, and a copy of them on this machine.

The copy answers every read, so that reading goes on while the database is away; what is written then waits in it."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from services.concurrency.exclusion import ExclusiveWork
from services.errors import Busy, CodeCortexError, UsageError
from services.model import Notice
from services.source.journal.database import Database, now_ms
from services.team.database import DatabaseAway, TeamDatabase
from services.workspace.files.root import Root
from services.workspace.folder_files import Stamp, name_parts
from services.workspace.shared import SharedFolder
from services.workspace.state import StateFolder

TABLES = """
CREATE TABLE IF NOT EXISTS files (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, data BLOB, at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS files_versions ON files (version);
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""
"""Files of the team; one without data was removed. Versions are given one after the other: who knows one, knows all
before it."""
_COPY = """
CREATE TABLE IF NOT EXISTS files (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, data BLOB, waits INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS taken (version INTEGER PRIMARY KEY);
"""
"""`taken`: the version up to which all was read; what is written here is ahead of it."""
_FILE, _ASIDE, _REVIEWS = "team.db", "team-aside", "reviews"
_FOLDERS = ("semantic", "packs", "presets", _REVIEWS)
_PULL_EVERY, _PULL_AGAIN = 1.0, 10.0
"""Seconds between two looks at the database, and after one that failed."""


class _Copied(NamedTuple):
    """File of the copy. `version`: of the database's; `waits`: whether it was written here since."""

    version: int
    data: bytes | None
    waits: bool


class TeamFolder(SharedFolder):
    """The readable files of a workspace, of which those that are worth sharing are the team's; a file that the team
    never had is read where it was before. A write that meets another one raises Busy; the next read has that."""

    is_team = True

    def __init__(self, root: Root, state: StateFolder, database: TeamDatabase) -> None:
        super().__init__(root, asked=state.was_asked, note=state.note_asked)
        self._state = state
        self._team = database
        self._copy = Database(state.path(_FILE), schema=_COPY, ensure=state.ensure, in_memory=True)
        self._pulling = ExclusiveWork()
        self._next = 0.0

    def close_copy(self) -> None:
        """Close the copy."""
        self._copy.close()

    def notices(self) -> tuple[Notice, ...]:
        """Return notices: of what waits for the database, and of what was set aside."""
        found = list[Notice]()
        if waiting := self._copy.rows("SELECT count(*) FROM files WHERE waits = 1")[0][0]:
            message = (
                f"{waiting} changes of notes, reviews, packs or presets wait for the database of the team."
            )
            found.append(Notice(severity="information", message=message))
        with suppress(OSError):
            if aside := self._state.names(_ASIDE):
                message = (
                    f"Others changed {len(aside)} files meanwhile: yours are in {self._state.path(_ASIDE)}."
                )
                advice = "Look what of them is still wanted, and delete them."
                found.append(Notice(severity="warning", message=message, what_to_do=advice))
        return tuple(found)

    def path(self, name: str) -> Path:
        """Path of a file that changes where `name` does."""
        is_folder = name in (*_FOLDERS, "types")
        return self._state.path(f"{_FILE}-wal") if is_folder or _is_shared(name) else super().path(name)

    def read(self, name: str) -> bytes | None:
        """Implement SharedFolder.read."""
        if not _is_shared(name):
            return super().read(name)
        self.pull()
        found = self._found(name)
        return self._before(name) if found is None else found.data

    def names(self, folder: str) -> tuple[str, ...]:
        """Implement SharedFolder.names."""
        is_own = folder.partition("/")[0] == _REVIEWS
        there = self._state.names(folder) if is_own else super().names(folder)
        if folder not in ("types", *_FOLDERS) and not _is_shared(f"{folder}/x"):
            return there
        self.pull()
        start = f"{folder}/"
        rows = self._copy.rows(
            "SELECT name, data IS NULL FROM files WHERE name > ? AND name < ?", start, f"{folder}0"
        )
        known = {
            name.removeprefix(start): is_gone for name, is_gone in rows if "/" not in name.removeprefix(start)
        }
        return tuple(
            sorted({*(each for each, gone in known.items() if not gone), *(set(there) - set(known))})
        )

    def stamp(self, name: str) -> Stamp | None:
        """Implement SharedFolder.stamp; that of a folder differs where a file in it does."""
        if name in ("types", *_FOLDERS):
            self.pull()
            between = (f"{name}/", f"{name}0")
            rows = self._copy.rows(
                "SELECT max(version), count(*) FROM files WHERE name > ? AND name < ?", *between
            )
            there = super().stamp(name)
            version, count = rows[0]
            return there if not count else (version + (there[0] if there else 0), count)
        if not _is_shared(name):
            return super().stamp(name)
        self.pull()
        found = self._found(name)
        if found is None:
            return self._state.stamp(name) if name.startswith(f"{_REVIEWS}/") else super().stamp(name)
        return None if found.data is None else (found.version, len(found.data))

    def write(self, name: str, data: bytes, *, synced: bool = True) -> None:
        """Implement SharedFolder.write. Raises Busy where somebody else has written it since it was read here."""
        if _is_shared(name):
            self._put(name, data)
        else:
            super().write(name, data, synced=synced)

    def remove(self, name: str) -> bool:
        """Implement SharedFolder.remove."""
        if not _is_shared(name):
            return super().remove(name)
        is_there = self.read(name) is not None
        if is_there:
            self._put(name, None)
        return is_there

    def set_aside(self, name: str) -> None:
        """Implement SharedFolder.set_aside."""
        if _is_shared(name):
            if (data := self.read(name)) is not None:
                self._state.write(f"{_ASIDE}/{name.replace('/', '-')}", data)
        else:
            super().set_aside(name)

    def pull(self, *, now: bool = False) -> None:
        """Write what waits, and read what others wrote, once a second. While the database is
        away, the copy stays as it is. `now`: whenever it was."""
        if now:
            with self._pulling.turn():
                self._pull()
        elif time.monotonic() >= self._next:
            with self._pulling.attempt() as has_turn:
                if has_turn:  # else the others go on with what is there
                    self._pull()

    def _pull(self) -> None:
        self._next = time.monotonic() + _PULL_AGAIN
        with suppress(CodeCortexError):
            self._push()
            self._take()
            self._next = time.monotonic() + _PULL_EVERY

    def _put(self, name: str, data: bytes | None) -> None:
        name_parts(name)
        base = self._found(name) or _Copied(0, None, waits=False)
        version, waits = base.version, base.waits
        if not waits:
            try:
                version = self._sent(name, data, base.version)
            except DatabaseAway:
                waits = True
        self._keep([(name, version, data, int(waits))])

    def _push(self) -> None:
        """Write what waits; what somebody else wrote meanwhile stays, and what was written here is set aside."""
        rows = self._copy.rows("SELECT name, version, data FROM files WHERE waits = 1")
        for name, version, data in rows:
            try:
                self._keep([(name, self._sent(name, data, version), data, 0)])
            except DatabaseAway:
                raise
            except Busy:
                if data is not None:
                    self._state.write(f"{_ASIDE}/{name.replace('/', '-')}", data)
                self._keep([(name, 0, None, 0)])
                self._take(since=version)

    def _sent(self, name: str, data: bytes | None, base: int) -> int:
        """Write a file of the team; its version. Raises Busy where it is not of version `base` any more."""
        with self._team.transaction(durable=True) as db:
            db.execute("INSERT INTO counters VALUES ('files', 0) ON CONFLICT DO NOTHING")
            db.execute(
                "UPDATE counters SET value = value + 1 WHERE name = 'files'"
            )  # one writer from here on
            version = (db.execute("SELECT value FROM counters WHERE name = 'files'").fetchone() or (0,))[0]
            row = db.execute("SELECT version, data FROM files WHERE name = ?", (name,)).fetchone() or (
                0,
                None,
            )
            if row[0] == base:
                db.execute("DELETE FROM files WHERE name = ?", (name,))
                db.execute("INSERT INTO files VALUES (?, ?, ?, ?)", (name, version, data, now_ms()))
                return version
            if row[1] == data:  # also what was written here before the connection broke
                return row[0]
        self._next = 0.0
        raise Busy(f"Somebody else changed {name} meanwhile. Look at it, and try again.", file=name)

    def _take(self, *, since: int | None = None) -> None:
        """Read what others wrote: after a version, or after all that was read before."""
        is_next = since is None
        if since is None:
            since = self._copy.rows("SELECT coalesce(max(version), 0) FROM taken")[0][0]
        rows = self._team.rows(
            "SELECT name, version, data FROM files WHERE version > ? ORDER BY version", since
        )
        if not rows:
            return
        self._keep(
            [(name, version, data, 0) for name, version, data in rows if _is_shared(name)], of_others=True
        )
        if is_next:
            with self._copy.transaction(durable=False) as db:
                db.execute("DELETE FROM taken")
                db.execute("INSERT INTO taken VALUES (?)", (rows[-1][1],))

    def _keep(self, rows: list[tuple[str, int, bytes | None, int]], *, of_others: bool = False) -> None:
        if rows:
            newer = " WHERE files.waits = 0 AND files.version < excluded.version" if of_others else ""
            change = "DO UPDATE SET version = excluded.version, data = excluded.data, waits = excluded.waits"
            with self._copy.transaction(durable=True) as db:
                insert = f"INSERT INTO files VALUES (?, ?, ?, ?) ON CONFLICT (name) {change}{newer}"  # noqa: S608
                db.executemany(insert, rows)

    def _found(self, name: str) -> _Copied | None:
        rows = self._copy.rows("SELECT version, data, waits FROM files WHERE name = ?", name)
        return next((_Copied(version, data, bool(waits)) for version, data, waits in rows), None)

    def _before(self, name: str) -> bytes | None:
        """The file where it was before there was a team: reviews are read from the person's own state alone."""
        return self._state.read(name) if name.startswith(f"{_REVIEWS}/") else super().read(name)


def _is_shared(name: str) -> bool:
    """Whether a file is the team's: of types the notes alone, of reviews neither their text nor what was looked at."""
    with suppress(UsageError):
        folder, *rest = name_parts(name)
        if folder == "types":
            return len(rest) == 1 and ".semantic." in rest[0]
        if folder == _REVIEWS:
            return len(rest) == 1 and rest[0].count(".") == 1 and rest[0].endswith(".json")
        return bool(rest) and folder in _FOLDERS
    return False
