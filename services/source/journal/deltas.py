"""Earlier bytes of written files, stored as deltas so that a write of one line costs one line.

The first write of a file stores them whole. A write on top of the previous write stores none: its base is the earlier
base with the earlier change applied, and every so often a new chain begins."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256

SCHEMA = """
CREATE TABLE IF NOT EXISTS bases (
    entry INTEGER PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE, data BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS deltas (
    entry INTEGER PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE, follows INTEGER, depth INTEGER NOT NULL,
    head INTEGER NOT NULL, tail INTEGER NOT NULL, data BLOB NOT NULL
);
"""
"""`bases`: whole contents. `deltas`: the change of an entry: all but the first `head` and the last `tail` bytes of
the base became `data`; `follows`: the entry whose outcome is this one's base, None where the base is stored whole;
`depth`: the length of the chain up to here."""
_LONGEST = 256
_SHARE = 4
"""A change of more than a quarter of the bytes is not stored as a delta."""

Delta = tuple[int, int, bytes]
"""`head`, `tail`, `data`."""
_NOBODY_FOLLOWS: Delta = (0, 0, b"")


def keep(db: sqlite3.Connection, entry: int, path: str, base: tuple[bytes, str], made: Delta | None) -> None:
    """Store the bytes of an entry that is not committed yet. `base`: them, and their SHA-256 in hex; `made`: their
    change, None where the file is deleted."""
    data, hash_ = base
    before = db.execute(
        "SELECT id, depth FROM entries JOIN deltas ON entry = id WHERE path = ? AND state = 'committed'"
        " AND new_hash = ? ORDER BY fence DESC, id DESC LIMIT 1",
        (path, hash_),
    ).fetchone()
    follows, depth = (before[0], before[1] + 1) if before is not None and before[1] < _LONGEST else (None, 0)
    if follows is None:
        db.execute("INSERT INTO bases VALUES (?, ?)", (entry, data))
    if made is None or len(made[2]) * _SHARE > len(data):
        made, depth = _NOBODY_FOLLOWS, _LONGEST
    db.execute("INSERT INTO deltas VALUES (?, ?, ?, ?, ?, ?)", (entry, follows, depth, *made))


def base_of(db: sqlite3.Connection, entry: int) -> bytes | None:
    """Return the bytes before an entry; None where there was no file, or they are no longer stored."""
    chain: list[Delta] = []
    at = entry
    while (whole := db.execute("SELECT data FROM bases WHERE entry = ?", (at,)).fetchone()) is None:
        query = "SELECT made.entry, made.head, made.tail, made.data FROM deltas AS own JOIN deltas AS made"
        before = db.execute(f"{query} ON made.entry = own.follows WHERE own.entry = ?", (at,)).fetchone()
        if before is None:
            return None
        at = before[0]
        chain.append(before[1:])
    data = _followed(whole[0], chain)
    return data if _is_base(db, entry, data) else None


def outcome_of(db: sqlite3.Connection, entry: int) -> bytes | None:
    """Return the bytes that an entry wrote; None where there was no file before, or the change was too large to
    store."""
    base = base_of(db, entry)
    query = "SELECT head, tail, data, new_hash FROM deltas JOIN entries ON id = entry WHERE entry = ?"
    row = db.execute(query, (entry,)).fetchone()
    if base is None or row is None:
        return None
    data = _followed(base, [row[:3]])
    return data if sha256(data).hexdigest() == row[3] else None


def damaged(db: sqlite3.Connection, *, most: int) -> tuple[str, ...]:
    """Return the paths of files of which a write cannot be undone, because the stored bytes are not the original
    ones: SQLite checks the structure of its file, not long values. `most`: bytes of contents that are compared with
    their hashes, the latest writes first, with the entries they follow."""
    query = """SELECT id, path, size, base_hash, follows FROM entries JOIN deltas ON entry = id
        WHERE state = 'committed' ORDER BY id DESC"""
    rows = {row[0]: row[1:] for row in db.execute(query)}
    wanted = _latest(rows, most)
    followers = Counter(rows[entry][3] for entry in wanted)
    outcomes: dict[int, bytes] = {}
    found: dict[str, None] = {}
    for entry in sorted(wanted):
        path, _, hash_, follows = rows[entry]
        whole = db.execute("SELECT data FROM bases WHERE entry = ?", (entry,)).fetchone()
        base = whole[0] if whole is not None else outcomes.get(follows, b"")
        followers[follows] -= 1
        if not followers[follows]:
            outcomes.pop(follows, None)
        if sha256(base).hexdigest() != hash_:
            found[path] = None
        if followers[entry]:
            made = db.execute("SELECT head, tail, data FROM deltas WHERE entry = ?", (entry,)).fetchone()
            outcomes[entry] = _followed(base, [made])
    return tuple(found)


def _latest(rows: Mapping[int, tuple[str, int, str, int | None]], most: int) -> set[int]:
    """The latest entries, of so many bytes together, and all that those follow."""
    wanted = set[int]()
    for entry, (_, size, _, _) in rows.items():
        most -= size
        if most < 0 and wanted:
            break
        at: int | None = entry
        while at is not None and at not in wanted and at in rows:
            wanted.add(at)
            at = rows[at][3]
    return wanted


def release(db: sqlite3.Connection, groups: Collection[int]) -> None:
    """Before groups are deleted: entries that stay and follow one of theirs get bytes of their own."""
    query = """SELECT entry, own.grp, old.grp FROM deltas
        JOIN entries AS own ON own.id = entry JOIN entries AS old ON old.id = follows"""
    found = db.execute(query).fetchall() if groups else ()
    for entry in (entry for entry, own, old in found if old in groups and own not in groups):
        data = base_of(db, entry)
        if data is not None:
            db.execute("INSERT INTO bases VALUES (?, ?)", (entry, data))
        db.execute("UPDATE deltas SET follows = NULL WHERE entry = ?", (entry,))


def _followed(data: bytes, chain: Sequence[Delta]) -> bytes:
    for head, tail, middle in reversed(chain):
        data = b"".join((data[:head], middle, data[len(data) - tail :]))
    return data


def _is_base(db: sqlite3.Connection, entry: int, data: bytes) -> bool:
    (hash_,) = db.execute("SELECT base_hash FROM entries WHERE id = ?", (entry,)).fetchone()
    return sha256(data).hexdigest() == hash_
