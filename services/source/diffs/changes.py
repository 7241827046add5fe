"""Change sets of one workspace: which files, how many lines, and the hunks of one file when it is looked at."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

import msgspec

from services.errors import NotText, WorkspaceError
from services.model import ChangeSet, Commit, FileChange, Hunk
from services.source.diffs.blobs import Blobs
from services.source.diffs.hunks import counts_of, hunks_of
from services.source.diffs.listing import between, working
from services.source.diffs.log import commits
from services.source.diffs.renames import with_renames
from services.source.diffs.scope import Scope, Trees, trees_of
from services.workspace.files.names import STATE_FOLDER
from services.workspace.files.root import Root
from services.workspace.text import decode

_SUBMODULE = "160000"
_MOST_COUNTED = 500
"""Files of a working area whose lines are counted; of others that is told when they are looked at."""
_LARGEST = 20_000_000
"""Bytes of a file above which it is not compared."""


class Changes:
    """Reads git's objects and the files of the workspace; writes nothing. May be called from any thread."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._blobs = Blobs(root.path, largest=_LARGEST)

    def read(self, scope: Scope | None = None, *, cancel: threading.Event | None = None) -> ChangeSet:
        """The files that differ, by path, the program's own left out; without a scope the working area against HEAD.
        Raises WorkspaceError without a repository or for a revision that git does not know, Cancelled."""
        scope = scope or Scope()
        trees = trees_of(self._root.path, scope)
        if trees.new is not None:
            files = between(self._root.path, trees.old, trees.new, cancel)
        else:
            files = self._working(trees, cancel)
        files = [file for file in files if not file.path.startswith(f"{STATE_FOLDER}/")]
        return ChangeSet(
            title=scope.title,
            old=trees.old,
            new=trees.new or "",
            files=tuple(files),
            signature=_signature(trees, files),
        )

    def hunks(self, change: FileChange, *, context: int = 3) -> tuple[Hunk, ...]:
        """The hunks of a file of a change set; none for binary files. The working area's file is as it is now. Raises
        WorkspaceError for one too large to compare."""
        if change.binary or _SUBMODULE in (change.old_mode, change.new_mode):
            return ()
        return hunks_of(*self._sides(change), context=context)

    def texts(self, change: FileChange) -> tuple[str, str]:
        """Both sides of a file, whole, to be coloured; empty where there is none. Raises WorkspaceError."""
        old, new = self._sides(change)
        return "".join(old), "".join(new)

    def commits(self, *, most: int = 200, skip: int = 0) -> tuple[Commit, ...]:
        """Commits from HEAD back, those of the workspace's folder. Raises WorkspaceError without a repository."""
        return commits(self._root.path, most=most, skip=skip)

    def _working(self, trees: Trees, cancel: threading.Event | None) -> list[FileChange]:
        found = working(self._root.path, trees, cancel)
        self._blobs.fetch(
            [change.old_blob for change in found[:_MOST_COUNTED] if change.old_mode != _SUBMODULE]
        )
        changes = []
        for change in with_renames(found, self._one_side):
            counted = self._counted(change) if len(changes) < _MOST_COUNTED else change
            if counted is not None:
                changes.append(counted)
        return changes

    def _counted(self, change: FileChange) -> FileChange | None:
        """With its lines counted; None where the file only looked as if it differed."""
        if _SUBMODULE in (change.old_mode, change.new_mode):
            return change
        try:
            old, new = self._bytes(change)
            if old == new and not change.mode_changed and change.status == "modified":
                return None
            added, deleted = counts_of(*self._decoded(old, new))
        except NotText:
            return msgspec.structs.replace(change, binary=True)
        except WorkspaceError:
            return change
        return msgspec.structs.replace(change, added=added, deleted=deleted)

    def _one_side(self, change: FileChange) -> Sequence[str] | None:
        try:
            old, new = self._sides(change)
        except WorkspaceError:
            return None
        return old or new

    def _sides(self, change: FileChange) -> tuple[list[str], list[str]]:
        return self._decoded(*self._bytes(change))

    def _bytes(self, change: FileChange) -> tuple[bytes, bytes]:
        old = self._blobs.read(change.old_blob) if change.old_blob else b""
        if change.new_blob:
            return old, self._blobs.read(change.new_blob)
        return old, self._file(change) if change.new_mode else b""

    def _decoded(self, old: bytes, new: bytes) -> tuple[list[str], list[str]]:
        encoding = self._root.encoding
        return _lines(old, encoding), _lines(new, encoding)

    def _file(self, change: FileChange) -> bytes:
        if change.new_mode == "120000":
            return b""
        try:
            return self._root.read(change.path, limit=_LARGEST)[0]
        except FileNotFoundError:
            return b""


def _lines(data: bytes, encoding: str | None) -> list[str]:
    return list(decode(data, encoding=encoding).lines()) if data else []


def _signature(trees: Trees, files: Sequence[FileChange]) -> str:
    return hashlib.sha256(msgspec.json.encode((trees.old, trees.new, files))).hexdigest()
