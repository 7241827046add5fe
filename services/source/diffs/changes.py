"""Change sets of one workspace: which files, how many lines, and the hunks of a file on demand.

Renames in the working area are detected here; git detects those of commits itself. Blobs are read by id, many in one
call, and the last ones are cached."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from services.concurrency.latest import LRUCache
from services.errors import CodeCortexError, NotText, WorkspaceError
from services.model import ChangeSet, Commit, FileChange, Hunk
from services.source.diffs.hunks import LINK, SUBMODULE, counts_of, file_patch, hunks_of
from services.source.diffs.listing import DiffScope, Trees, between, blame, commits, staged, trees_of, working
from services.workspace import json_files
from services.workspace.files.folders import git_mode, link_target
from services.workspace.files.openers import protected
from services.workspace.files.root import Root
from services.workspace.scan import git
from services.workspace.text import decode

_MOST_BYTES = 64_000_000
"""Bytes that are remembered."""


class Blobs:
    """Reads blobs. An id names the same bytes for ever, so what was read stays true."""

    def __init__(self, root: Path, *, largest: int) -> None:
        self._root = root
        self._largest = largest
        self._known: LRUCache[str, bytes] = LRUCache(_MOST_BYTES, len)

    def read(self, blob: str) -> bytes:
        """The bytes of a blob. Raises WorkspaceError where git has not got it, or it is too large."""
        if blob not in self._known:
            self.fetch([blob])
        data = self._known.find(blob)
        if data is None:
            raise WorkspaceError(f"git cannot read {blob[:12]}, or it has more than {self._largest} bytes.")
        return data

    def fetch(self, blobs: Iterable[str]) -> None:
        """Read those that are not remembered, in two calls, as many as can be; what is not there, or too large, is
        left out."""
        wanted = [blob for blob in dict.fromkeys(blobs) if blob and blob not in self._known]
        small: list[str] = []
        room = _MOST_BYTES
        for blob, size in self._sizes(wanted):
            if size <= self._largest and (size <= room or not small):
                small.append(blob)
                room -= size
        if not small:
            return
        answer = git.run(self._root, ("cat-file", "--batch"), fed=_listed(small))
        for blob, data in _contents(answer.out if answer is not None else b""):
            self._known.keep(blob, data)

    def _sizes(self, blobs: list[str]) -> Iterator[tuple[str, int]]:
        if not blobs:
            return
        answer = git.run(self._root, ("cat-file", "--batch-check"), fed=_listed(blobs))
        for line in answer.out.decode("ascii").splitlines() if answer is not None else ():
            words = line.split()
            if len(words) == 3 and words[1] == "blob":
                yield words[0], int(words[2])


def _listed(blobs: Iterable[str]) -> bytes:
    return "".join(f"{blob}\n" for blob in blobs).encode("ascii")


def _contents(printed: bytes) -> Iterator[tuple[str, bytes]]:
    """`id blob size LF bytes LF` each."""
    at = 0
    while (end := printed.find(b"\n", at)) >= 0:
        words = printed[at:end].split()
        if len(words) != 3 or words[1] != b"blob":
            at = end + 1
            continue
        size = int(words[2])
        yield words[0].decode("ascii"), printed[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


_MOST = 50
"""Files on either side beyond which each with each would take too long."""
_ALIKE = 0.5


def with_renames(
    changes: Sequence[FileChange], lines: Callable[[FileChange], Sequence[str] | None]
) -> list[FileChange]:
    """Merge each deleted file with a new one that has most of its lines into a rename. `lines`: the text of the one
    existing side."""
    gone = [change for change in changes if change.status == "deleted"]
    new = [change for change in changes if change.status in ("added", "untracked")]
    if not gone or not new or max(len(gone), len(new)) > _MOST:
        return list(changes)
    texts = {change.path: Counter(lines(change) or ()) for change in (*gone, *new)}
    pairs = sorted(
        ((_alike(texts[a.path], texts[b.path]), a, b) for a in gone for b in new if _same_kind(a, b)),
        key=lambda pair: (-pair[0], pair[1].path, pair[2].path),
    )
    moved: dict[str, FileChange] = {}
    for share, before, after in pairs:
        if share < _ALIKE or before.path in moved or after.path in moved:
            continue
        moved[before.path] = moved[after.path] = msgspec.structs.replace(
            before, path=after.path, old_path=before.path, status="renamed", new_mode=after.new_mode
        )
    kept = [
        moved.get(change.path, change)
        for change in changes
        if change.path not in {c.old_path for c in moved.values()}
    ]
    return sorted(kept, key=lambda change: change.path)


def _same_kind(gone: FileChange, new: FileChange) -> bool:
    """Whether both are files, links or submodules: git takes no rename from one to another."""
    return gone.old_mode[:2] == new.new_mode[:2]


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """The share of lines that both have, of the longer one."""
    longer = max(one.total(), other.total())
    return (one & other).total() / longer if longer else 0.0


_MOST_COUNTED = 500
"""Most files of a working area whose lines are counted at once; others are counted on demand."""
_LARGEST = 20_000_000
"""Bytes of a file above which it is not compared."""


class ChangeSets:
    """Reads git's objects and the files of the workspace; writes nothing. May be called from any thread."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._blobs = Blobs(root.path, largest=_LARGEST)

    def read(self, scope: DiffScope | None = None, *, cancel: threading.Event | None = None) -> ChangeSet:
        """The files that differ, by path, those left out that no door opens: the program's own; without a scope the
        working area against HEAD. Raises WorkspaceError without a repository or for a revision that git does not know,
        Cancelled."""
        scope = scope or DiffScope()
        trees = trees_of(self._root.place(), scope)
        seen: list[bytes] = []
        if scope.staged:
            files = staged(self._root.place(), trees.old, cancel)
        elif trees.new is not None:
            files = between(self._root.place(), trees.old, trees.new, cancel)
        else:
            files = self._working(trees, cancel, seen)
        files = [file for file in files if not any(map(protected, file.path.split("/")))]
        # One file after the other is looked at, and asking git for each takes longer than for all at once.
        texts = [file for file in files if not file.binary][:_MOST_COUNTED]
        self._blobs.fetch(blob for file in texts for blob in (file.old_blob, file.new_blob))
        return ChangeSet(
            title=scope.title,
            old=trees.old,
            new=trees.new or "",
            files=tuple(files),
            signature=_signature(trees, files, seen),
        )

    def hunks(self, change: FileChange, *, context: int = 3, ignore_space: bool = False) -> tuple[Hunk, ...]:
        """The hunks of a file of a change set; none for binary files. The working area's file is as it is now. Raises
        WorkspaceError for one too large to compare."""
        if change.binary or SUBMODULE in (change.old_mode, change.new_mode):
            return ()
        return hunks_of(*self.sides(change), context=context, ignore_space=ignore_space)

    def bytes_of(self, change: FileChange) -> tuple[bytes, bytes]:
        """Return both sides of a file, as stored; empty where there is none. Raises WorkspaceError."""
        old = self._blobs.read(change.old_blob) if change.old_blob else b""
        if change.new_blob:
            return old, self._blobs.read(change.new_blob)
        return old, self._file(change) if change.new_mode else b""

    def texts(self, change: FileChange) -> tuple[str, str]:
        """Both sides of a file, whole, to be coloured; empty where there is none. Raises WorkspaceError."""
        old, new = self.sides(change)
        return "".join(old), "".join(new)

    def patch_of(self, change: FileChange) -> bytes:
        """The patch of a file as `git apply` takes it. Raises WorkspaceError where a side cannot be read."""
        is_module = SUBMODULE in (change.old_mode, change.new_mode)
        old, new = (b"", b"") if is_module else self.bytes_of(change)
        return file_patch(change, old, new, digits=len(change.old_blob or change.new_blob) or 40)

    def stamp(self, change: FileChange) -> bytes:
        """The stamp of a file of the working area: another one where its bytes are others, as far as is known."""
        try:
            return msgspec.json.encode(self._root.stat(change.path))
        except (OSError, CodeCortexError):
            return b"none"

    def blob(self, name: str) -> bytes:
        """Return the bytes of a blob by its id. Raises WorkspaceError."""
        return self._blobs.read(name)

    def committed(self, commit: str, path: str) -> bytes:
        """A file of a commit, by its path below the workspace. Raises WorkspaceError where git has not got it,
        PathRefused for a path that leaves the workspace, which may be a folder of a larger repository."""
        path = self._root.normalise(path)
        if "\0" in commit:
            raise WorkspaceError("A commit has no NUL in its name.", path=path)
        wanted = f"{commit}:./{path}"
        answer = git.run(self._root.place(), ("rev-parse", "--verify", "--quiet", "--end-of-options", wanted))
        if answer is None or commit.startswith("-"):
            raise WorkspaceError(f"git has no {path} in {commit[:12]}.", path=path, revision=commit)
        return self._blobs.read(answer.out.decode("ascii").split()[-1])

    def commits(self, *, most: int = 200, skip: int = 0) -> tuple[Commit, ...]:
        """Commits from HEAD back, those of the workspace's folder. Raises WorkspaceError without a repository."""
        return commits(self._root.place(), most=most, skip=skip)

    def log(self, path: str, *, most: int = 500) -> tuple[Commit, ...]:
        """Commits that changed a file, from HEAD back, also under names that it had before. Raises WorkspaceError,
        PathRefused."""
        return commits(self._root.place(), most=most, path=self._root.normalise(path))

    def blame(self, path: str, line: int) -> Commit | None:
        """Return the commit that a line of a file as it is now comes from; None for one that was not committed yet.
        Raises WorkspaceError, PathRefused, OSError."""
        path = self._root.normalise(path)
        return blame(self._root.place(), path, line, self._root.read(path, limit=_LARGEST)[0])

    def between(self, old: str, new: str, *, most: int = 200) -> tuple[Commit, ...]:
        """The commits that lead from one to another, by their ids; none where `new` is no commit, as `commits`."""
        return commits(self._root.place(), most=most, of=f"{old}..{new}") if old and new else ()

    def _working(self, trees: Trees, cancel: threading.Event | None, seen: list[bytes]) -> list[FileChange]:
        """Return the changes of the working area. `seen` receives the contents of the files, since no id identifies
        them."""
        found = [
            msgspec.structs.replace(change, new_mode=git_mode(self._root, change.path) or change.new_mode)
            if change.status == "untracked"
            else change
            for change in working(self._root.place(), trees, cancel)
        ]
        self._blobs.fetch(
            [change.old_blob for change in found[:_MOST_COUNTED] if change.old_mode != SUBMODULE]
        )
        changes = []
        for change in with_renames(found, self._one_side):
            if len(changes) < _MOST_COUNTED:
                counted = self._counted(change, seen)
            else:
                counted = change
                seen.append(self.stamp(change))
            if counted is not None:
                changes.append(counted)
        return changes

    def _counted(self, change: FileChange, seen: list[bytes]) -> FileChange | None:
        """With its lines counted; None where the file only looked as if it differed."""
        if SUBMODULE in (change.old_mode, change.new_mode):
            return change
        try:
            old, new = self.bytes_of(change)
            seen.append(hashlib.sha256(new).digest())
            if old == new and not change.mode_changed and change.status == "modified":
                return None
            added, deleted = counts_of(*self._decoded(old, new))
        except NotText:
            return msgspec.structs.replace(change, binary=True)
        except WorkspaceError:
            seen.append(self.stamp(change))
            return change
        return msgspec.structs.replace(change, added=added, deleted=deleted)

    def _one_side(self, change: FileChange) -> Sequence[str] | None:
        try:
            old, new = self.sides(change)
        except WorkspaceError:
            return None
        return old or new

    def sides(self, change: FileChange) -> tuple[list[str], list[str]]:
        """The lines of both sides with their endings. Raises WorkspaceError, NotText."""
        return self._decoded(*self.bytes_of(change))

    def _decoded(self, old: bytes, new: bytes) -> tuple[list[str], list[str]]:
        encoding = self._root.encoding
        return _lines(old, encoding), _lines(new, encoding)

    def _file(self, change: FileChange) -> bytes:
        if change.new_mode == LINK:
            return link_target(self._root, change.path)
        try:
            return self._root.read(change.path, limit=_LARGEST)[0]
        except FileNotFoundError:
            return b""


def _lines(data: bytes, encoding: str | None) -> list[str]:
    return decode(data, encoding=encoding).lines() if data else []


def _signature(trees: Trees, files: Sequence[FileChange], seen: Sequence[bytes]) -> str:
    return hashlib.sha256(json_files.encode((trees.old, trees.new, files, seen), indent=None)).hexdigest()
