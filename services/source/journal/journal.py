"""Write journal: the content, actor and earlier bytes of each write, stored before the write happens, so that an
interrupted write can be recovered and any write undone (SPEC section 7).

A group is a set of files written as one; an entry is one file of it. States of an entry:

    prepared   the temp file's name and the old bytes are stored; the exchange may have happened
    committed  the exchange has happened
    foreign    it was reverted while another process wrote; a person should look

`temp` remains set as long as a file of that name may have to be removed."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable, Sequence
from hashlib import sha256

import msgspec

from services.source.journal.actor import Owner
from services.source.journal.database import Database, now_ms
from services.source.journal.deltas import Delta, base_of, damaged, keep, outcome_of, release
from services.source.text.differ import Same, shared_bytes
from services.source.text.ranges import Lines, from_text, joined, to_text

MOST_GROUPS = 2_000
MOST_BYTES = 256_000_000
"""Limits of the history: groups, and bytes of old content; the oldest are removed first."""
_LOOKED_AT = 16_000_000
"""Bytes of files, of the latest writes, that are compared with their hashes: some hundredths of a second."""
_ENTRY = "id, grp, path, state, temp, base_hash, new_hash"
_GROUP = "g.id, g.kind, g.at, g.user, g.session, g.purpose, g.process, g.undoes, g.undone_by"


Hashes = tuple[str | None, str | None]


class JournaledChange(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Change of one file. `base`, `new`: all bytes, None where there is no file; `known`: lines of the new ones that
    the writer knows; `hashes`: computes the SHA-256 in hex of both, None for no file; `same`: the length in bytes of
    their common prefix and of the common suffix of the rest, where that is known."""

    path: str
    base: bytes | None
    new: bytes | None
    known: Lines = ()
    hashes: Callable[[], Hashes] | None = None
    same: Same | None = None

    @functools.cached_property
    def digests(self) -> Hashes:
        """SHA-256 in hex of the base and of the new bytes; None for no file."""
        return self.hashes() if self.hashes is not None else (digest(self.base), digest(self.new))

    @property
    def delta(self) -> Delta | None:
        """Return the change as a delta of the base; None where one of both is no file."""
        if self.base is None or self.new is None:
            return None
        head, tail = self.same or shared_bytes(self.base, self.new)
        return head, tail, self.new[head : len(self.new) - tail]


class JournalEntry(msgspec.Struct, frozen=True):
    """Entry of a group: one file. Hashes are SHA-256 in hex; None where there is no file."""

    id: int
    group: int
    path: str
    state: str
    temp: str | None
    base_hash: str | None
    new_hash: str | None


class Group(msgspec.Struct, frozen=True):
    """Group of entries written as one. `kind`: edit, undo, redo; `at`: ms since 1970; `undoes`, `undone_by`: other
    groups."""

    id: int
    kind: str
    at: int
    user: str
    session: str
    purpose: str
    process: str
    undoes: int | None
    undone_by: int | None

    @property
    def owner(self) -> Owner:
        """Return the actor of the write."""
        return Owner(self.user, self.session, self.purpose)


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """Intent of a group. `process`: whose it is while it is open."""

    kind: str
    owner: Owner
    process: str
    undoes: int | None = None


def digest(data: bytes | None) -> str | None:
    """SHA-256 in hex; None for no file."""
    return None if data is None else sha256(data).hexdigest()


class Journal:
    """The entries. Methods that take a connection are part of the caller's transaction."""

    def __init__(
        self, database: Database, *, most_groups: int = MOST_GROUPS, most_bytes: int = MOST_BYTES
    ) -> None:
        self._database = database
        self._most = (most_groups, most_bytes)

    def prepare(
        self, db: sqlite3.Connection, intent: Intent, changes: Sequence[tuple[JournaledChange, str, int]]
    ) -> tuple[JournalEntry, ...]:
        """A new group of (change, name of its temp file, fencing number), with the old bytes."""
        owner = intent.owner
        values = (
            intent.kind,
            now_ms(),
            owner.user,
            owner.session,
            owner.purpose,
            intent.process,
            intent.undoes,
        )
        query = "INSERT INTO groups (kind, at, user, session, purpose, process, undoes) VALUES (?, ?, ?, ?, ?, ?, ?)"
        group = db.execute(query, values).lastrowid or 0
        return tuple(self._entry(db, group, *each) for each in changes)

    def _entry(
        self, db: sqlite3.Connection, group: int, change: JournaledChange, temp: str, fence: int
    ) -> JournalEntry:
        base, (base_hash, new_hash) = change.base, change.digests
        fields = (group, change.path, "prepared", temp, base_hash, new_hash)
        query = "INSERT INTO entries (grp, path, state, temp, base_hash, new_hash, fence, size)"
        values = (*fields, fence, len(base or b""))
        number = db.execute(f"{query} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values).lastrowid or 0
        if base is not None:
            keep(db, number, change.path, (base, base_hash or ""), change.delta)
        if change.known:
            db.execute("INSERT INTO known VALUES (?, ?)", (number, to_text(change.known)))
        return JournalEntry(number, *fields)

    def commit(
        self, db: sqlite3.Connection, group: int, *, undoes: int | None, untidy: Sequence[int] = ()
    ) -> None:
        """The group has happened. `undoes`: the group that it takes back; `untidy`: entries whose temp file is still
        there."""
        marks = ", ".join("?" for _ in untidy)
        temp = f"CASE WHEN id IN ({marks}) THEN temp END"
        db.execute(f"UPDATE entries SET state = 'committed', temp = {temp} WHERE grp = ?", (*untidy, group))  # noqa: S608 - marks alone
        if undoes is not None:
            db.execute("UPDATE groups SET undone_by = ? WHERE id = ?", (group, undoes))

    def abort(self, db: sqlite3.Connection, group: int) -> None:
        """The group has not happened: it is forgotten."""
        db.execute("DELETE FROM groups WHERE id = ?", (group,))

    def mark_foreign(self, db: sqlite3.Connection, entry: int) -> None:
        """Mark an entry that was not reverted, because another process has written the file."""
        db.execute("UPDATE entries SET state = 'foreign', temp = NULL WHERE id = ?", (entry,))

    def open_groups(self, db: sqlite3.Connection) -> list[tuple[Group, tuple[JournalEntry, ...]]]:
        """Every group with something left to settle, latest first."""
        query = f"SELECT {_GROUP} FROM groups g WHERE id IN (SELECT grp FROM entries WHERE temp IS NOT NULL)"  # noqa: S608
        groups = [Group(*row) for row in db.execute(f"{query} ORDER BY id DESC")]
        return [(group, _entries(db, "WHERE grp = ? ORDER BY id", group.id)) for group in groups]

    def groups(self, path: str | None, *, limit: int = -1) -> list[tuple[Group, tuple[JournalEntry, ...]]]:
        """Committed groups, latest first; those that touch `path`, if one is given."""
        query = f"""SELECT {_GROUP} FROM groups g WHERE EXISTS (
            SELECT 1 FROM entries e WHERE e.grp = g.id AND e.state = 'committed' AND (?1 IS NULL OR e.path = ?1)
        ) ORDER BY g.id DESC LIMIT ?2"""  # noqa: S608 - our own words
        with self._database.transaction(durable=False) as db:
            groups = [Group(*row) for row in db.execute(query, (path, limit))]
            return [(group, _entries(db, "WHERE grp = ? ORDER BY id", group.id)) for group in groups]

    def groups_since(self, at: int, *, limit: int) -> list[tuple[Group, tuple[JournalEntry, ...]]]:
        """Committed groups that were begun at `at` (ms since 1970) or later, latest first. Waits for no writer."""
        query = f"""SELECT {_GROUP} FROM groups g WHERE g.at >= ? AND EXISTS (
            SELECT 1 FROM entries e WHERE e.grp = g.id AND e.state = 'committed'
        ) ORDER BY g.id DESC LIMIT ?"""  # noqa: S608 - our own words
        entries = f"SELECT {_ENTRY} FROM entries WHERE grp = ? ORDER BY id"  # noqa: S608 - our own words
        groups = [Group(*row) for row in self._database.rows(query, at, limit)]
        return [
            (group, tuple(JournalEntry(*row) for row in self._database.rows(entries, group.id)))
            for group in groups
        ]

    def base(self, entry: int) -> bytes | None:
        """Return the old bytes of an entry; None where there was no file, or none are stored."""
        with self._database.transaction(durable=False) as db:
            return base_of(db, entry)

    def outcome(self, entry: JournalEntry) -> bytes | None:
        """Return the bytes an entry wrote; None where it deleted the file, or they are not stored."""
        if entry.new_hash is None:
            return None
        with self._database.transaction(durable=False) as db:
            made = outcome_of(db, entry.id)
        return self.base_of(entry.path, entry.new_hash[:16]) if made is None else made

    def base_of(self, path: str, hash16: str) -> bytes | None:
        """Return earlier bytes of `path` by the first 16 hex digits of their hash; None if they are not stored."""
        query = (
            "SELECT id FROM entries WHERE path = ? AND substr(base_hash, 1, 16) = ? ORDER BY id DESC LIMIT 1"
        )
        rows = self._database.rows(query, path, hash16)
        return self.base(rows[0][0]) if rows else None

    def damaged(self) -> tuple[str, ...]:
        """Return the paths of files among the latest writes that cannot be undone, because the stored bytes are
        damaged."""
        with self._database.transaction(durable=False) as db:
            return damaged(db, most=_LOOKED_AT)

    def known(self, path: str, hash16: str) -> Lines:
        """Lines that the writer of a content of `path` knew of it, by the first 16 hex of its hash."""
        query = "SELECT lines FROM entries JOIN known ON entry = id WHERE path = ? AND substr(new_hash, 1, 16) = ?"
        lines: Lines = ()
        for (text,) in self._database.rows(query, path, hash16):
            lines = joined(lines, from_text(text))
        return lines

    def keep_staged(self, group: int, before: str, after: str) -> None:
        """Store the index entry of a group's one file before and after it: mode and blob, empty for no entry."""
        with self._database.transaction(durable=False) as db:
            db.execute("INSERT OR REPLACE INTO staged VALUES (?, ?, ?)", (group, before, after))

    def staged_before(self, group: int) -> tuple[str, str] | None:
        """Return (before, after) as `keep_staged` stored it for the group that this one reverts; None where nothing
        was stored."""
        query = "SELECT before, after FROM staged JOIN groups ON grp = undoes WHERE id = ?"
        return next(iter(self._database.rows(query, group)), None)

    def path_of(self, hash16: str) -> str | None:
        """A file that was written with that content, if there is one."""
        query = "SELECT path FROM entries WHERE substr(new_hash, 1, 16) = ? ORDER BY path LIMIT 1"
        rows = self._database.rows(query, hash16)
        return rows[0][0] if rows else None

    def writer_of(self, path: str, hash_: str | None) -> Group | None:
        """Return the group that wrote the content of that hash to `path`, if it was the last write of this program."""
        found = self.groups(path, limit=1)
        if found and any(entry.path == path and entry.new_hash == hash_ for entry in found[0][1]):
            return found[0][0]
        return None

    def prune(self) -> int:
        """Delete the oldest groups beyond the limits, never an open one; returns how many."""
        most_groups, most_bytes = self._most
        size = "ifnull(length(bases.data), 0) + ifnull(length(deltas.data), 0)"
        query = f"""SELECT grp, sum({size}), max(temp IS NOT NULL) FROM entries
            LEFT JOIN bases ON bases.entry = id LEFT JOIN deltas ON deltas.entry = id
            GROUP BY grp ORDER BY grp DESC"""  # noqa: S608 - our own words
        with self._database.transaction(durable=False) as db:
            total, gone = 0, set[int]()
            for number, (group, size, is_open) in enumerate(db.execute(query).fetchall()):
                total += size
                # The latest write can always be undone, however large it was.
                if number and not is_open and (number >= most_groups or total > most_bytes):
                    gone.add(group)
            release(db, gone)
            db.executemany("DELETE FROM groups WHERE id = ?", [(group,) for group in gone])
            return len(gone)


def _entries(db: sqlite3.Connection, rest: str, *values: object) -> tuple[JournalEntry, ...]:
    return tuple(JournalEntry(*row) for row in db.execute(f"SELECT {_ENTRY} FROM entries {rest}", values))  # noqa: S608 - our own words
