"""Sources of changes: their protocol, and the changes of git."""

from __future__ import annotations

import threading
from enum import StrEnum
from typing import Protocol

from services.errors import CodeCortexError
from services.model import ChangeSet, FileChange, Hunk, Value
from services.source.diffs.changes import ChangeSets
from services.source.diffs.scope import STAGED, DiffScope


class NewSide(StrEnum):
    """Location at which the new side of a change set can be read."""

    DISK = "disk"
    OBJECT = "git object"
    NONE = "none"


class RemoteRef(Value, kw_only=True, frozen=True):
    """The request or revision on a server that a change set is.

    `kind`: github, gitlab or phabricator; `project`: `owner/name`, or a group's path; `number`: of the request or
    revision; `diff`: id of the one version of it, where versions have one; `base`, `start`, `head`: commits."""

    kind: str
    project: str = ""
    number: int
    diff: str = ""
    base: str = ""
    start: str = ""
    head: str = ""
    title: str = ""
    author: str = ""
    url: str = ""


class CodeChangeSource(Protocol):
    """A change set and its hunks (SPEC section 11). May be called from any thread."""

    @property
    def name(self) -> str:
        """Name by which the change set opens again: empty for the working tree, `A..B`, `D123` ..."""
        ...

    @property
    def new_side(self) -> NewSide:
        """Location at which the new side can be read."""
        ...

    @property
    def remote(self) -> RemoteRef | None:
        """Reference of the change on its server; None elsewhere."""
        ...

    def read(self, *, cancel: threading.Event | None = None) -> ChangeSet:
        """The files that differ. Raises WorkspaceError, RemoteError, Cancelled."""
        ...

    def hunks(self, change: FileChange, *, context: int = 3, ignore_space: bool = False) -> tuple[Hunk, ...]:
        """Return the hunks of a file. Those of a server or a patch have fixed context and all white space."""
        ...

    def patch(self, change: FileChange) -> bytes:
        """The patch of a file as `git apply` takes it. Raises WorkspaceError, UsageError where it cannot be made."""
        ...

    def texts(self, change: FileChange) -> tuple[str, str]:
        """Both sides of a file, whole, to be coloured; empty where there is none, or it cannot be known. Raises
        WorkspaceError."""
        ...

    def stamp(self, change: FileChange) -> bytes:
        """Equal as long as the hunks of a file are the same, as far as is known without reading it."""
        ...

    def new_lines(self, change: FileChange) -> list[str] | None:
        """The new side of a file, lines without endings; None where it cannot be read."""
        ...


class GitChanges:
    """The working tree, what is staged, a commit or a range, as `DiffScope.parse` reads it."""

    def __init__(self, changes: ChangeSets, name: str) -> None:
        self._changes = changes
        self._scope = DiffScope.parse(name)
        self.name = name.strip()

    @property
    def new_side(self) -> NewSide:
        """The disk for the working tree, else git's objects."""
        return NewSide.OBJECT if self._scope.new or self.name == STAGED else NewSide.DISK

    @property
    def remote(self) -> RemoteRef | None:
        """Always None: the change is not on a server."""
        return None

    def read(self, *, cancel: threading.Event | None = None) -> ChangeSet:
        """The files that differ. Raises WorkspaceError, Cancelled."""
        return self._changes.read(self._scope, cancel=cancel)

    def hunks(self, change: FileChange, *, context: int = 3, ignore_space: bool = False) -> tuple[Hunk, ...]:
        """The hunks of a file. Raises WorkspaceError."""
        return self._changes.hunks(change, context=context, ignore_space=ignore_space)

    def patch(self, change: FileChange) -> bytes:
        """The patch of a file as `git apply` takes it. Raises WorkspaceError."""
        return self._changes.patch_of(change)

    def texts(self, change: FileChange) -> tuple[str, str]:
        """Both sides of a file. Raises WorkspaceError."""
        return self._changes.texts(change)

    def stamp(self, change: FileChange) -> bytes:
        """Return the stamp of the file on disk where that is the new side; git objects never change."""
        return self._changes.stamp(change) if self.new_side is NewSide.DISK else b""

    def new_lines(self, change: FileChange) -> list[str] | None:
        """The new side of a file, from the disk or git."""
        if change.status == "deleted" or change.binary:
            return None
        try:
            text = self._changes.texts(change)[1]
        except CodeCortexError:
            return None
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
