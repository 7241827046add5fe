"""The commit that is checked out, asked of git only where the files that git keeps it in differ."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from services.context.history import log

_LONGEST = 4_096
_REF, _FOLDER = b"ref: ", b"gitdir: "


class Tip:
    """Of one workspace. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the workspace's root."""
        self._folder = folder
        self._told = ""
        self._told_of: tuple[object, ...] | None = None

    def now(self) -> str:
        """The commit; empty where there is none."""
        stamp = _stamp(
            self._folder
        )  # before git is asked: a commit that comes meanwhile is seen the next time
        if stamp is None or stamp != self._told_of:
            self._told, self._told_of = log.tip(self._folder) or "", stamp
        return self._told


def _stamp(folder: Path) -> tuple[object, ...] | None:
    """Another value whenever another commit may be checked out (gitrepository-layout(5)); None where only git knows."""
    found = next((each for at in (folder, *folder.parents) if (each := at / ".git").exists()), None)
    if found is None:
        return ()
    private = _named(found, _FOLDER) if found.is_file() else found
    if private is None:
        return None
    shared = _named(private / "commondir", b"") or private
    head = _read(private / "HEAD")
    if head is None or not head.startswith(_REF):
        return None if head is None else (str(private), head)
    name = os.fsdecode(head.removeprefix(_REF).strip())
    if not name.startswith("refs/") or ".." in name:
        return None
    ref = _read(shared / name)
    if ref is not None and ref.startswith(_REF):  # which names another one
        return None
    tables = (_status(shared / each) for each in ("packed-refs", "reftable/tables.list"))
    return str(private), head, ref, *tables


def _named(file: Path, prefix: bytes) -> Path | None:
    """The folder that a file names, by its absolute path or from where it lies."""
    told = _read(file)
    if told is None or not told.startswith(prefix):
        return None
    return file.parent / os.fsdecode(told.removeprefix(prefix).strip())


def _read(file: Path) -> bytes | None:
    """The first bytes of a file; None of what is none, a pipe among them, on which reading would wait."""
    with suppress(OSError, ValueError):
        opened = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(opened, _LONGEST) if stat.S_ISREG(os.fstat(opened).st_mode) else None
        finally:
            os.close(opened)
    return None


def _status(file: Path) -> tuple[int, int, int] | None:
    with suppress(OSError, ValueError):
        found = file.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None
