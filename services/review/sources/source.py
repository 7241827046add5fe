"""Sources of changes: their protocol, the changes of git, and a patch, from a file, pasted, or as a server gave it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Protocol

from services.errors import CodeCortexError, UsageError
from services.model import ChangeSet, FileChange, Hunk, Value
from services.review.sources.patch_text import ParsedFile, emphasized, parse_changes
from services.source.diffs.changes import ChangeSets
from services.source.diffs.listing import STAGED, DiffScope
from services.workspace import json_files


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


Lines = Callable[[str], list[str] | None]
"""The lines of a file of the workspace, without endings; None where it cannot be read."""
Committed = Callable[[str, str], list[str] | None]
"""The lines of a file in a commit, as `Lines`: (commit, path)."""

_PACKED = "\nGIT binary patch\n"


class PatchChanges:
    """Changes of a patch. The new side is the disk where it matches the patch line for line; else the commit that
    the server names, where the repository has it."""

    def __init__(
        self,
        files: tuple[ParsedFile, ...],
        *,
        name: str,
        title: str,
        lines: Lines,
        remote: RemoteRef | None = None,
        committed: Committed | None = None,
    ) -> None:
        """`committed`: reads files of commits of the repository."""
        self.name = name
        self.remote = remote
        self._title = title
        self._lines = lines
        self._committed = committed
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
        if staying and all(map(self._is_there, staying)):
            return NewSide.DISK
        at_head = staying and all(self._at_head(each) is not None for each in staying if each.hunks)
        return NewSide.OBJECT if at_head else NewSide.NONE

    def read(self, *, cancel: threading.Event | None = None) -> ChangeSet:  # noqa: ARG002 - nothing to wait for
        """The files of the patch."""
        files = tuple(each.change for each in self._files.values())
        told = json_files.encode([(each.change, each.hunks) for each in self._files.values()], indent=None)
        head = self.remote.head if self.remote is not None else ""
        base = self.remote.base if self.remote is not None else ""
        return ChangeSet(
            title=self._title, old=base, new=head or "patch", files=files, signature=hashlib.sha256(told).hexdigest()
        )  # fmt: skip

    def hunks(
        self,
        change: FileChange,
        *,
        context: int = 3,  # noqa: ARG002 - as it came
        ignore_space: bool = False,  # noqa: ARG002
    ) -> tuple[Hunk, ...]:
        """The hunks of a file, with what differs within lines."""
        found = self._files.get(change.path)
        return tuple(map(emphasized, found.hunks)) if found is not None else ()

    def patch(self, change: FileChange) -> bytes:
        """The part of the patch about a file, as it came. Raises UsageError where it does not hold what changed."""
        found = self._files[change.path]
        why = change.note or ("" if "\ufffd" not in found.text else "It is not UTF-8.")
        if not found.text or (change.binary and _PACKED not in found.text):
            why = why or "It has no contents of a binary file."
        if why:
            raise UsageError(
                f"The patch of {change.path} cannot be applied: {why} Leave the file out: name the others with --file.",
                file=change.path,
            )
        return found.text.encode("utf-8", "surrogatepass")

    def stamp(self, change: FileChange) -> bytes:  # noqa: ARG002 - of any file
        """Always the same: the hunks are the patch's."""
        return b""

    def new_lines(self, change: FileChange) -> list[str] | None:
        """The new side of a file: as the disk or the repository has it, or made of the old side."""
        found = self._files.get(change.path)
        if found is None or change.status == "deleted" or change.binary or change.note:
            return None
        if change.status == "added":
            return other_side([], found.hunks, to_new=True)
        if self._is_there(found):
            return self._lines(change.path)
        at_head = self._at_head(found)
        return at_head if at_head is not None else self._made(found)

    def texts(self, change: FileChange) -> tuple[str, str]:
        """Both sides of a file, as far as they are known."""
        new = self.new_lines(change)
        found = self._files.get(change.path)
        if found is None or (new is None and change.status != "deleted"):
            return "", ""
        old = other_side(new or (), found.hunks, to_new=False) or ()
        return "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new or ())

    def _made(self, file: ParsedFile) -> list[str] | None:
        """The new side, of the old one where that is here."""
        path = file.change.old_path or file.change.path
        base = self.remote.base if self.remote is not None else ""
        for old in (self._in_commit(base, path), self._lines(path)):
            made = other_side(old, file.hunks, to_new=True) if old is not None else None
            if made is not None:
                return made
        return None

    def _at_head(self, file: ParsedFile) -> list[str] | None:
        head = self.remote.head if self.remote is not None else ""
        lines = self._in_commit(head, file.change.path)
        return lines if lines is not None and _stands(file, lines) else None

    def _in_commit(self, commit: str, path: str) -> list[str] | None:
        return self._committed(commit, path) if self._committed is not None and commit else None

    def _is_there(self, file: ParsedFile) -> bool:
        """Whether the workspace matches the new side of the patch."""
        if file.change.note:
            return False
        try:
            lines = self._lines(file.change.path)
        except CodeCortexError:
            return False
        return lines is not None and _stands(file, lines)


def _stands(file: ParsedFile, lines: list[str]) -> bool:
    return all(
        line.new <= len(lines) and lines[line.new - 1] == line.text
        for hunk in file.hunks
        for line in hunk.lines
        if line.new is not None
    )


def other_side(lines: Sequence[str], hunks: Sequence[Hunk], *, to_new: bool) -> list[str] | None:
    """The new side of a file from its old one, or back; None where the hunks do not fit. Lines without endings."""
    made: list[str] = []
    at = 0
    for hunk in hunks:
        first, count = (hunk.old_start, hunk.old_count) if to_new else (hunk.new_start, hunk.new_count)
        start = first - 1 if count else first
        given = [line.text for line in hunk.lines if (line.old if to_new else line.new) is not None]
        if not at <= start <= len(lines) or list(lines[start : start + count]) != given:
            return None
        made += lines[at:start]
        made += [line.text for line in hunk.lines if (line.new if to_new else line.old) is not None]
        at = start + count
    return [*made, *lines[at:]]
