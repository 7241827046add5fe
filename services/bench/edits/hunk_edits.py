"""Changes of the working area as git handles them: hunks staged, unstaged and discarded, and stashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from services.bench.edits.writing import Writing
from services.errors import FileMissing, LockRequired, UsageError, WorkspaceError
from services.model import Commit, FileChange, Hunk
from services.source.diffs.changes import ChangeSets
from services.source.diffs.listing import DiffScope, commits_of
from services.source.diffs.staging import Staged, Staging, blocks_of
from services.source.read.reader import SourceReader
from services.source.text.differ import LineChange, merge, unified_diff
from services.source.write.file_edits import FileEdit
from services.workspace.files.root import Root
from services.workspace.scan import git
from services.workspace.text import Text, decode

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


_LARGEST = 20_000_000
_FILES = ("", "100644", "100755")
"""Modes of what can be written: files, and none."""


class Stashes:
    """The stashes of one repository, by the ids of their commits. Untracked files are never part of one."""

    def __init__(self, root: Root, changes: ChangeSets, staging: Staging, writing: Writing) -> None:
        self._root = root
        self._changes = changes
        self._staging = staging
        self._writing = writing

    def listed(self) -> tuple[Commit, ...]:
        """The stashes, the last one first; `short` is the name by which git knows it now."""
        command = ("log", "-z", "-g", "--format=%H%x1f%gd%x1f%ct%x1f%x1f%x1f%an%x1f%gs", "refs/stash", "--")
        answer = git.run(self._root.place(), command)
        return tuple(commits_of(answer.out)) if answer is not None else ()

    def push(self, message: str = "") -> Commit:
        """Put the changes of all tracked files aside, staged ones too. Raises UsageError where there are none,
        WorkspaceError and NotText for what has to be left to git, LockRequired, VersionConflict."""
        changes = [each for each in self._changes.read().files if each.status != "untracked"]
        if not changes:
            raise UsageError("There is nothing to stash: no tracked file differs from HEAD.")
        for change in changes:
            self._require_plain(change)
        edits = [edit for change in changes for edit in self._back_to_head(change)]
        self._writing.write_edits(edits, rehearse=True)
        kept = self._keep(message.strip(), changes)
        try:
            self._writing.write_edits(edits)
        except Exception:
            self._drop(kept)
            raise
        self._staging.reset_all(changes)
        return kept

    def pop(self, id_: str, *, keep: bool = False) -> tuple[str, ...]:
        """Put a stash back into the files, merged with what they are now, and drop it unless `keep`; return the paths.
        Raises UsageError for one that is not there, WorkspaceError where a file changed in the same lines."""
        found = next((each for each in self.listed() if each.id == id_), None)
        if found is None:
            raise UsageError("This stash is not there any more.")
        changes = self._changes.read(DiffScope(f"{id_}^1", id_)).files
        edits: list[FileEdit] = []
        refused: list[str] = []
        for change in changes:
            self._require_plain(change)
            for part in _parts(change):
                edit = self._forward(part)
                if edit is None:
                    refused.append(part.path)
                else:
                    edits.append(edit)
        if refused:
            raise WorkspaceError(
                f"Nothing was put back: {', '.join(refused)} changed in the same lines since. "
                "Commit or discard those changes first."
            )
        self._writing.write_edits(edits)
        if not keep:
            self._drop(found)
        return tuple(edit.path for edit in edits)

    def _require_plain(self, change: FileChange) -> None:
        modes = (change.old_mode, change.new_mode)
        if change.binary or change.status == "conflict" or any(mode not in _FILES for mode in modes):
            raise WorkspaceError(f"{change.path} is no text file that is decided: leave it to git stash.")
        if change.mode_changed:
            raise WorkspaceError(f"The mode of {change.path} changed: leave it to git stash.")
        self._staging.refuse_filters(change.path)

    def _back_to_head(self, change: FileChange) -> Iterator[FileEdit]:
        """Yield the edits that make a file as HEAD has it."""
        for part in _parts(change):
            head, working = self._changes.bytes_of(part)
            before = decode(working, encoding=self._root.encoding) if part.new_mode else None
            yield FileEdit(part.path, before, _ended_like(head, working) if part.old_mode else None)

    def _keep(self, message: str, changes: Sequence[FileChange]) -> Commit:
        """Have git keep the changes, and return the stash. Raises WorkspaceError where it would keep something else."""
        answer = git.run(self._root.place(), ("stash", "create", message or "from the workbench"))
        id_ = answer.out.decode("ascii", "replace").strip() if answer is not None else ""
        if not id_:
            raise WorkspaceError("git did not make a stash. git stash says why.")
        for change in changes:
            if change.new_mode and _plain(self._changes.committed(id_, change.path)) != _plain(
                self._changes.bytes_of(change)[1]
            ):
                raise WorkspaceError(
                    f"{change.path} went on meanwhile, or git keeps it in another form. Try again."
                )
        command = ("stash", "store", "-q", "-m", message or "from the workbench", id_)
        if git.run(self._root.place(), command) is None:
            raise WorkspaceError("git did not keep the stash. Is another git at work?")
        return next(each for each in self.listed() if each.id == id_)

    def _drop(self, stash: Commit) -> None:
        """Take a stash out of git's list, where it still has the name it was found by."""
        now = next((each for each in self.listed() if each.id == stash.id), None)
        if now is not None:
            git.run(self._root.place(), ("stash", "drop", "-q", now.short))

    def _forward(self, change: FileChange) -> FileEdit | None:
        """Return the edit that brings a stashed change into the file as it is now; None where both changed it."""
        base, theirs = self._changes.bytes_of(change)
        now = self._current(change.path)
        if now is None:
            is_changed = change.old_mode and change.new_mode
            return None if is_changed else FileEdit(change.path, None, theirs if change.new_mode else None)
        if not change.old_mode or not change.new_mode:
            wanted = _plain(theirs if change.new_mode else base)
            after = now.data if change.new_mode else None
            return FileEdit(change.path, now, after) if _plain(now.data) == wanted else None
        sides = (_ended_like(base, now.data), _ended_like(theirs, now.data), now.data)
        merged = merge(*(self._lines(data) for data in sides))
        if merged.conflicts:
            return None
        return FileEdit(change.path, now, now.bom + now.encode("".join(merged.lines)))

    def _lines(self, data: bytes) -> list[str]:
        return decode(data, encoding=self._root.encoding).lines() if data else []

    def _current(self, path: str) -> Text | None:
        try:
            return decode(self._root.read(path, limit=_LARGEST)[0], encoding=self._root.encoding)
        except FileMissing:
            return None


def _parts(change: FileChange) -> tuple[FileChange, ...]:
    """A change as it is; a move as a file that goes and one that comes."""
    if not change.old_path:
        return (change,)
    gone = msgspec.structs.replace(change, path=change.old_path, old_path=None, new_mode="", new_blob="")
    return gone, msgspec.structs.replace(change, old_path=None, old_mode="", old_blob="")


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _ended_like(data: bytes, like: bytes) -> bytes:
    """The bytes of a text with the line endings of another, where that has one kind and git keeps the other."""
    is_crlf = b"\r\n" in like and b"\n" not in like.replace(b"\r\n", b"")
    return data.replace(b"\n", b"\r\n") if is_crlf and b"\r" not in data else data
