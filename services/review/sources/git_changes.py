"""Changes of the repository that the workspace is in."""

from __future__ import annotations

import threading

from services.errors import CodeCortexError
from services.model import ChangeSet, FileChange, Hunk
from services.review.sources.source import NewSide, RemoteRef
from services.source.diffs.changes import Changes
from services.source.diffs.scope import STAGED, Scope


class GitChanges:
    """The working tree, what is staged, a commit or a range, as `Scope.parse` reads it."""

    def __init__(self, changes: Changes, name: str) -> None:
        self._changes = changes
        self._scope = Scope.parse(name)
        self.name = name.strip()

    @property
    def new_side(self) -> NewSide:
        """The disk for the working tree, else git's objects."""
        return NewSide.OBJECT if self._scope.new or self.name == STAGED else NewSide.DISK

    @property
    def remote(self) -> RemoteRef | None:
        """None."""
        return None

    def read(self, *, cancel: threading.Event | None = None) -> ChangeSet:
        """The files that differ. Raises WorkspaceError, Cancelled."""
        return self._changes.read(self._scope, cancel=cancel)

    def hunks(self, change: FileChange, *, context: int = 3, ignore_space: bool = False) -> tuple[Hunk, ...]:
        """The hunks of a file. Raises WorkspaceError."""
        return self._changes.hunks(change, context=context, ignore_space=ignore_space)

    def texts(self, change: FileChange) -> tuple[str, str]:
        """Both sides of a file. Raises WorkspaceError."""
        return self._changes.texts(change)

    def new_lines(self, change: FileChange) -> list[str] | None:
        """The new side of a file, from the disk or git."""
        if change.status == "deleted" or change.binary:
            return None
        try:
            text = self._changes.texts(change)[1]
        except CodeCortexError:
            return None
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
