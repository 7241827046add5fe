"""Hunks of the working area staged, unstaged and discarded; what is discarded is a write like any other, and can be
taken back, also out of git's index."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from services.bench.edits.writing import Writing
from services.errors import LockRequired, WorkspaceError
from services.model import FileChange, Hunk
from services.source.diffs.changes import ChangeSets
from services.source.diffs.staging import Staged, Staging, blocks_of
from services.source.read.reader import SourceReader
from services.source.text.unified import LineChange, unified_diff
from services.workspace.files.root import Root

_PURPOSE = "discarding changes"


class HunkEdits:
    """Edits of hunks between the working area and HEAD. None as the hunk means the whole file."""

    def __init__(self, root: Root, changes: ChangeSets, reader: SourceReader, writing: Writing) -> None:
        self._changes = changes
        self._reader = reader
        self._writing = writing
        self.staging = Staging(root, changes)

    def toggle(self, change: FileChange, hunk: Hunk | None = None) -> Staged:
        """Stage what is not staged yet, or unstage it where all is; what it is then. Raises WorkspaceError."""
        if hunk is None or change.old_path or not (change.old_mode and change.new_mode):
            return self.staging.toggle_file(change)
        self._require_shown(change, hunk)
        return self.staging.toggle(change, hunk)

    def discard(self, change: FileChange, hunk: Hunk | None = None) -> None:
        """Put the lines of HEAD back, in the file and in git's index. The write can be undone. Raises WorkspaceError,
        LockRequired, VersionConflict, NotText."""
        if change.old_path:
            raise WorkspaceError(
                f"{change.path} was moved from {change.old_path}: discard its hunks one by one."
            )
        old, new = self._changes.sides(change)
        before = self._entry(change.path)
        if hunk is not None and change.old_mode and change.new_mode:
            self._require_shown(change, hunk)
            lines = _without(old, new, blocks_of(hunk))
            wrote = self._write(change, new, lines)
        else:
            wrote = self._write(change, new if change.new_mode else None, old if change.old_mode else None)
        self._unstage(change, hunk)
        after = self._entry(change.path)
        if wrote and before is not None and after is not None and before != after:
            self._writing.keep_staged(change.path, before, after)

    def _entry(self, path: str) -> str | None:
        """Return the entry of a file in git's index; None during an unresolved merge."""
        with suppress(WorkspaceError):
            return self.staging.entry(path)
        return None

    def _unstage(self, change: FileChange, hunk: Hunk | None) -> None:
        if hunk is None or not (change.old_mode and change.new_mode):
            self.staging.reset(change)
        else:
            self.staging.unstage(change, hunk)

    def _require_shown(self, change: FileChange, hunk: Hunk) -> None:
        """Raises WorkspaceError where the file has gone on since the hunk was read."""
        new = self._changes.sides(change)[1]
        shown = {line.new: line.text for line in hunk.lines if line.new}
        if any(
            line > len(new) or new[line - 1].rstrip("\r\n") != text.rstrip("\r")
            for line, text in shown.items()
        ):
            raise WorkspaceError(f"{change.path} has changed since this hunk was read. Look at it again.")

    def _write(self, change: FileChange, old: Sequence[str] | None, new: Sequence[str] | None) -> bool:
        """Write a file; return whether it changed."""
        handle = self._writing.lock(change.path, purpose=_PURPOSE).lock_handle
        if handle is None:
            raise LockRequired(f"{change.path} could not be locked.", object=change.path, owner=None)
        try:
            if old is not None and new is not None:
                token = self._reader.read(change.path).token
                return self._writing.replace(change.path, "".join(new), handle=handle, token=token).updated
            tokens = {change.path: self._reader.read(change.path).token} if old is not None else {}
            self._writing.patch(unified_diff(change.path, old, new), tokens, (handle,))
            return True
        finally:
            self._writing.unlock(change.path, handle)


def _without(old: Sequence[str], new: Sequence[str], blocks: Sequence[LineChange]) -> list[str]:
    """The new side with the old one's lines in some places, each with the ending that lines have there."""
    lines: list[str] = []
    at = 0
    ending = "\r\n" if new and all(line.endswith("\r\n") for line in new[:-1]) and len(new) > 1 else "\n"
    for block in blocks:
        back = (
            line.rstrip("\r\n") + ending if line.endswith("\n") else line for line in old[block.a0 : block.a1]
        )
        lines += (*new[at : block.b0], *back)
        at = block.b1
    return [*lines, *new[at:]]
