"""A patch as a source: from a file, pasted, or as a server gave it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable

import msgspec

from services.errors import CodeCortexError
from services.model import ChangeSet, FileChange, Hunk
from services.review.sources.patch_text import ParsedFile, emphasized, parse_changes
from services.review.sources.source import NewSide, RemoteRef

Lines = Callable[[str], list[str] | None]
"""The lines of a file of the workspace, without endings; None where it cannot be read."""


class PatchChanges:
    """The files of a patch. The new side is the disk where that has what the patch says, line for line."""

    def __init__(
        self,
        files: tuple[ParsedFile, ...],
        *,
        name: str,
        title: str,
        lines: Lines,
        remote: RemoteRef | None = None,
    ) -> None:
        self.name = name
        self.remote = remote
        self._title = title
        self._lines = lines
        self._files = {each.change.path: each for each in files}

    @classmethod
    def of_text(
        cls, text: str, *, name: str, title: str, lines: Lines, remote: RemoteRef | None = None
    ) -> PatchChanges:
        """From the text of a patch. Raises UsageError where there is no diff in it."""
        return cls(parse_changes(text), name=name, title=title, lines=lines, remote=remote)

    @property
    def new_side(self) -> NewSide:
        """The disk, where every file that stays is as the patch leaves it."""
        staying = [each for each in self._files.values() if each.change.status != "deleted"]
        return NewSide.DISK if staying and all(map(self._is_there, staying)) else NewSide.NONE

    def read(self, *, cancel: threading.Event | None = None) -> ChangeSet:  # noqa: ARG002 - nothing to wait for
        """The files of the patch."""
        files = tuple(each.change for each in self._files.values())
        told = msgspec.json.encode([(each.change, each.hunks) for each in self._files.values()])
        head = self.remote.head if self.remote is not None else ""
        base = self.remote.base if self.remote is not None else ""
        return ChangeSet(
            title=self._title, old=base, new=head or "patch", files=files, signature=hashlib.sha256(told).hexdigest()
        )  # fmt: skip

    def hunks(self, change: FileChange, *, context: int = 3) -> tuple[Hunk, ...]:  # noqa: ARG002 - as it came
        """The hunks of a file, with what differs within lines."""
        found = self._files.get(change.path)
        return tuple(map(emphasized, found.hunks)) if found is not None else ()

    def new_lines(self, change: FileChange) -> list[str] | None:
        """The new side of a file where the disk has it, or the patch makes it."""
        found = self._files.get(change.path)
        if found is None or change.status == "deleted" or change.binary:
            return None
        if change.status == "added" and len(found.hunks) == 1:
            return [line.text for line in found.hunks[0].lines]
        return self._lines(change.path) if self._is_there(found) else None

    def _is_there(self, file: ParsedFile) -> bool:
        """Whether the workspace has what the patch says of the new side."""
        if not file.hunks:
            return False
        try:
            lines = self._lines(file.change.path)
        except CodeCortexError:
            return False
        return lines is not None and all(
            line.new <= len(lines) and lines[line.new - 1] == line.text
            for hunk in file.hunks
            for line in hunk.lines
            if line.new is not None
        )
