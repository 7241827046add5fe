"""The repository's log: which commit is checked out, and commit by commit when, which files, which words."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from services.context.words import STOP_WORDS, identifiers, terms
from services.settings.small_file import read_small
from services.workspace.scan.git import run
from services.workspace.source_kinds import is_source

MOST_FILES = 60
"""A commit of more files tells nothing of any two of them."""
_MOST_SUBJECT = 400
_TIMEOUT = 120.0
_COMMITS = re.compile(rb"\x01(?=[0-9a-f]{40,64} -?\d+\x02)")
_FORMAT = "--format=%x01%H %ct%x02%s%x03"
_LONGEST = 4_096
"""Bytes of a file that says which commit is checked out."""
_REF, _FOLDER = b"ref: ", b"gitdir: "


class Commit(NamedTuple):
    """Commit. `files`: paths from the workspace's root, under their names at that time; `moved`: (old, new) path."""

    id: str
    time: int
    terms: tuple[int, ...]
    files: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]


def tip(folder: Path, revision: str = "HEAD") -> str | None:
    """The commit that is checked out; None where there is none."""
    answer = run(folder, ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}"))
    return answer.out.decode("ascii", "replace").strip() if answer else None


def is_ancestor(folder: Path, old: str, new: str) -> bool:
    """Whether a commit came before another; False also where git does not know it (any more)."""
    return run(folder, ("merge-base", "--is-ancestor", old, new)) is not None


def read(
    folder: Path, tip: str, *, since: str | None = None, cancel: threading.Event | None = None
) -> Iterator[Commit]:
    """The commits up to `tip` that are no merges, the newest first; only those that `since` does not have. Commits that
    cannot be read are left out. Raises Cancelled."""
    arguments = [
        *("log", "--no-merges", "--no-color", "--encoding=UTF-8", "-z"),
        *("--name-status", "-M100%", "-l2000", "--relative", _FORMAT, tip),
        *((f"^{since}",) if since else ()),
        "--",
    ]
    answer = run(folder, arguments, timeout=_TIMEOUT, cancel=cancel)
    if answer is None:
        return
    for piece in _COMMITS.split(answer.out)[1:]:
        commit = _commit(piece)
        if commit is not None:
            yield commit


def _commit(piece: bytes) -> Commit | None:
    head, _, rest = piece.partition(b"\x02")
    subject, _, names = rest.partition(b"\x03")
    id_, _, time = head.partition(b" ")
    if not time.strip().lstrip(b"-").isdigit():
        return None
    text = subject[: 4 * _MOST_SUBJECT].decode("utf-8", "replace")[:_MOST_SUBJECT]
    files, moved = _files(names)
    return Commit(id_.decode("ascii", "replace"), int(time), _terms(text), files, moved)


def _terms(subject: str) -> tuple[int, ...]:
    names = (name for name in identifiers(subject) if name.lower() not in STOP_WORDS)
    return tuple(dict.fromkeys(term for name in names for term in terms(name, prose=True)))


def _files(names: bytes) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The C# files of a commit under their new names, and those that moved: by git's word, or since a file of the same
    name went elsewhere in the same commit."""
    fields = [field.lstrip(b"\n") for field in names.lstrip(b"\0\n").split(b"\0")]
    gone: dict[str, str] = {}
    come: dict[str, str] = {}
    files: list[str] = []
    moved: list[tuple[str, str]] = []
    at = 0
    while at + 1 < len(fields):
        state, path = fields[at][:1], os.fsdecode(fields[at + 1])
        at += 2
        if state in b"RC" and state:
            new = os.fsdecode(fields[at]) if at < len(fields) else path
            at += 1
            if state == b"R":
                moved.append((path, new))
            path = new
        if not is_source(path):
            continue
        if state == b"D":
            gone[PurePosixPath(path).name] = path
            continue
        if state == b"A":
            come[PurePosixPath(path).name] = path
        files.append(path)
    moved += [(old, come[name]) for name, old in gone.items() if name in come]
    return tuple(files), tuple(moved)


class Tip:
    """Commit that is checked out in a workspace; git runs only when its HEAD or reference files change. Not
    thread-safe."""

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
            self._told, self._told_of = tip(self._folder) or "", stamp
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
    """The content of a file; None of what is none that git writes."""
    with suppress(OSError, ValueError):
        return read_small(file, _LONGEST)
    return None


def _status(file: Path) -> tuple[int, int, int] | None:
    with suppress(OSError, ValueError):
        found = file.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None
