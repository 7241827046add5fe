"""Database files of SQLite: who may read them, and whether they are whole."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from services.concurrency.exclusion import lock
from services.workspace.files.openers import PRIVATE, held

_HEAD = 100
_CHECKED = 16_000_000
"""Bytes of a database up to which its structure is checked on opening, which takes some 10 ms."""


def make_private(database: Path) -> None:
    """Make a database of SQLite, and the files SQLite adds to it, readable for its owner alone, since it holds source
    text. A missing file is created, and SQLite gives its later files the same mode; a database of an earlier version
    is changed now.

    Files are not opened where that can be avoided: closing a file drops the locks that other connections of this
    process have on it. Failures are ignored here, since SQLite reports them."""
    with contextlib.suppress(OSError):
        try:
            os.mknod(database, stat.S_IFREG | PRIVATE)
        except PermissionError:  # some systems let the superuser alone do that
            os.close(os.open(database, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE))
    for suffix in ("", "-wal", "-shm"):
        file = database.with_name(database.name + suffix)
        with contextlib.suppress(OSError):
            status = file.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
                file.chmod(PRIVATE)


@contextlib.contextmanager
def opening(database: Path) -> Iterator[None]:
    """Make a database private as `make_private` does, and open it in the block. Where that fails, a file created here
    that is still empty is removed: at the next start an empty database counts as a damaged one."""
    is_new = not database.exists()
    make_private(database)
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            if is_new and not database.stat().st_size:
                database.unlink()
        raise


@contextlib.contextmanager
def making(database: Path) -> Iterator[bool]:
    """Yield whether a database was emptied: it exists without content. Until it has some, the process that creates it
    excludes others, so that none takes its new file for an emptied one."""
    if has_content(database):
        yield False
        return
    with alone(database.parent):
        yield database.exists() and not has_content(database)


def has_content(database: Path) -> bool:
    """Whether the file is there and holds anything."""
    try:
        return database.stat().st_size > 0
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock the folder for one process at a time, where the file system supports it."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            lock(stack.enter_context(held(str(folder), os.O_RDONLY | os.O_DIRECTORY)))
        yield


def lock_patience(folder: Path, seconds: float) -> float:
    """Return the seconds that SQLite waits for locks in a folder: none where the file system has no locks, which
    SQLite takes for a lock that another process holds."""
    try:
        with held(str(folder), os.O_RDONLY | os.O_DIRECTORY) as descriptor:
            lock(descriptor, 0, shared=True)
    except OSError:
        return 0.0
    return seconds


def to_read_alone(database: Path) -> str | None:
    """Return the URI by which SQLite reads a database without a file next to it, as on a full disk; None where its
    log holds changes, or there is nothing to be read."""
    if not has_content(database) or _has_changes(database):
        return None
    return f"{database.absolute().as_uri()}?mode=ro&immutable=1"


def check_structure(db: sqlite3.Connection, database: Path) -> None:
    """Raise DatabaseError where pages of a database are damaged. A large one is not checked: there SQLite reports a
    damaged page when it reads it."""
    if database.stat().st_size > _CHECKED:
        return
    found = db.execute("PRAGMA quick_check(1)").fetchone()
    if found is None or found[0] != "ok":
        raise sqlite3.DatabaseError(f"malformed: {found[0] if found else 'nothing can be read'}")


def lacks_its_end(database: Path) -> bool:
    """Whether a database has fewer pages than its header claims (SQLite file format, 1.3). SQLite notices only when
    it reads a missing page, and reads half a page as though the rest were zeros.

    The answer is unknown while a log file holds changes that are still to be copied. An empty log holds none, and
    does not matter."""
    # Twice: between two looks another process may have begun and ended a log.
    return all(_is_short(database) and not _has_changes(database) for _ in range(2))


def _is_short(database: Path) -> bool:
    with contextlib.suppress(OSError), database.open("rb") as file:
        head = file.read(_HEAD)
        page, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
        if head[24:28] != head[92:96]:  # the last writer was too old to count pages
            return False
        return file.seek(0, os.SEEK_END) < pages * (65_536 if page == 1 else page)
    return False


def _has_changes(database: Path) -> bool:
    for beside in ("-wal", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            if database.with_name(database.name + beside).stat().st_size:
                return True
    return False
