"""Scope of a comparison, two states as people write them and as git knows them, and the files that differ.

Plumbing lists the files, with no filter, and what the files hold is compared here. Commits are listed the last one
first.
"""

from __future__ import annotations

import os
import re
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec

from services.concurrency.background import ThreadCall
from services.errors import WorkspaceError
from services.model import Commit, FileChange
from services.workspace.scan import git

STAGED = "staged"
"""Name of the index as a revision: a branch of that name is `refs/heads/staged`."""
_ENDS_A_LINE = re.compile(r"[\0\n]")


class DiffScope(msgspec.Struct, frozen=True):
    """Scope of a change set. `old` and `new` are revisions in git's notation. An empty `new` is the working area, or
    with `staged` the index; an empty `old` is HEAD for those, else the first parent of `new`."""

    old: str = ""
    new: str = ""
    staged: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """`A..B` a range, `A...B` since they parted, `A..` the working area against A, `A` a commit by itself, `staged`
        the index against HEAD; nothing: the working area against HEAD."""
        text = text.strip()
        if text == STAGED:
            return cls(staged=True)
        for dots in ("...", ".."):
            old, found, new = text.partition(dots)
            if found:
                since = f"{old or 'HEAD'}{dots}{new or 'HEAD'}" if dots == "..." else old or "HEAD"
                return cls(since, new or ("HEAD" if dots == "..." else ""))
        return cls("", text)

    @property
    def title(self) -> str:
        """For people."""
        if self.staged:
            return "Staged against HEAD"
        if not self.new:
            return f"Working tree against {self.old or 'HEAD'}"
        if "..." in self.old:
            return self.old
        return f"{self.old}..{self.new}" if self.old else f"Commit {self.new}"


class Trees(msgspec.Struct, frozen=True):
    """The states as ids; `new` is None for the working area."""

    old: str
    new: str | None


def trees_of(root: Path, scope: DiffScope) -> Trees:
    """The ids behind a scope. Raises WorkspaceError for a revision that git does not know, or without a repository."""
    one, dots, other = scope.old.partition("...")
    olds = (one, other) if dots else (scope.old or (f"{scope.new}^" if scope.new else "HEAD"),)
    commits = _Commits(root, [*olds, scope.old.removesuffix("^"), scope.new or "HEAD"])
    new = commits.id(scope.new) if scope.new else None
    if dots:
        return Trees(_parted(root, commits, (one, other)), new)
    if scope.old:
        return Trees(_before(root, commits, scope.old), new)
    return Trees(commits.known(olds[0]) or _empty_tree(root), new)


class _Commits:
    """Commits by the names a person gave, resolved in one call of git. Raises WorkspaceError without a repository."""

    def __init__(self, root: Path, names: Sequence[str]) -> None:
        # One that begins with a hyphen is none for any command of git; a line can hold no other two.
        asked = [name for name in dict.fromkeys(names) if name[:1] != "-" and not _ENDS_A_LINE.search(name)]
        fed = b"".join(os.fsencode(f"{name}^{{commit}}\n") for name in asked)
        answer = git.run(root, ("cat-file", "--batch-check"), fed=fed)
        if answer is None:
            raise WorkspaceError(
                "The workspace is not in a git repository, or git cannot be run: there is no diff."
            )
        self._found = dict(zip(asked, answer.out.splitlines(), strict=False))

    def known(self, name: str) -> str | None:
        """Return the id of a requested commit; None where there is none."""
        words = self._found.get(name, b"").split()
        is_commit = len(words) == 3 and words[1] == b"commit" and words[2].isdigit()
        return words[0].decode("ascii") if is_commit else None

    def id(self, name: str) -> str:
        """Return the id of a requested commit. Raises WorkspaceError where there is none."""
        found = self.known(name)
        if found is None:
            message = (
                f"git knows no commit {name!r}. Choose one from the list, or write a branch, a tag or an id."
            )
            raise WorkspaceError(message, revision=name)
        return found


def _parted(root: Path, commits: _Commits, names: tuple[str, str]) -> str:
    answer = git.run(root, ("merge-base", *map(commits.id, names)))
    if answer is None:
        one, other = names
        raise WorkspaceError(f"{one!r} and {other!r} have no common ancestor: compare them with two dots.")
    return answer.out.decode("ascii").strip()


def _before(root: Path, commits: _Commits, name: str) -> str:
    """Return the id of a name; that of the empty tree for the parent of the first commit, such as `a1b2c3^`."""
    after = name.removesuffix("^")
    is_first = after != name and commits.known(name) is None and commits.known(after) is not None
    return _empty_tree(root) if is_first else commits.id(name)


def _empty_tree(root: Path) -> str:
    """The id that no files have, in the repository's own kind of ids."""
    answer = git.run(root, ("hash-object", "-t", "tree", "--stdin"))
    if answer is None:
        raise WorkspaceError(f"git cannot be run in {root}.")
    return answer.out.decode("ascii").strip()


_RAW = ("-r", "--raw", "-z", "--no-abbrev", "--relative")
_STATUS = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "C": "copied",
    "T": "type",
}
_NOWHERE = "0" * 6


def between(root: Path, old: str, new: str, cancel: threading.Event | None = None) -> list[FileChange]:
    """The files that differ between two trees, with counted lines. Raises WorkspaceError, Cancelled."""
    return _listed(root, ("diff-tree", "-r", "-M", "--relative"), (old, new), cancel)


def staged(root: Path, old: str, cancel: threading.Event | None = None) -> list[FileChange]:
    """The files of the index that differ from a tree, with counted lines. Raises WorkspaceError, Cancelled."""
    return _listed(root, ("diff-index", "--cached", "-M", "--relative"), (old, "--"), cancel)


def _listed(
    root: Path, command: Sequence[str], what: Sequence[str], cancel: threading.Event | None
) -> list[FileChange]:
    # In one call: renames are looked for once. Git prints all files, then the counts of all.
    fields = _fields(_asked(root, (*command, "--raw", "--numstat", "-z", "--no-abbrev", *what), cancel))
    changes = list(_entries(fields))
    counts = dict(_counts(fields))
    return [_counted(change, counts) for change in changes]


def working(root: Path, trees: Trees, cancel: threading.Event | None = None) -> list[FileChange]:
    """The files of the working area that may differ from a tree, untracked ones too. Raises WorkspaceError,
    Cancelled."""
    with ThreadCall(_unmerged_and_untracked, root, cancel) as others:  # git lists the rest meanwhile
        changes = _since(root, trees.old, cancel)
    unmerged, untracked = others.result()
    merged = {
        change.path: msgspec.structs.replace(change, status="conflict") if change.path in unmerged else change
        for change in changes
    }
    for name in untracked:
        merged.setdefault(name, FileChange(path=name, status="untracked", new_mode="100644"))
    return sorted(merged.values(), key=lambda change: change.path)


def _since(root: Path, tree: str, cancel: threading.Event | None) -> list[FileChange]:
    """The files of the index that are or may be others than in a tree, as they are on disk."""
    command = ("diff-index", *_RAW, "--no-renames", tree, "--")
    return [
        msgspec.structs.replace(change, new_blob="") if change.new_mode != "160000" else change
        for change in _entries(_fields(_asked(root, command, cancel)))
    ]


def _unmerged_and_untracked(
    root: Path, cancel: threading.Event | None
) -> tuple[frozenset[str], frozenset[str]]:
    """Paths that a merge left undecided, and those of files neither in the index nor ignored."""
    command = ("ls-files", "-z", "-t", "--unmerged", "--others", "--exclude-standard")
    entries = _fields(_asked(root, command, cancel))
    untracked = (entry[2:] for entry in entries if entry.startswith(b"? ") and not entry.endswith(b"/"))
    unmerged = (entry.partition(b"\t")[2] for entry in entries if entry.startswith(b"M "))
    return frozenset(map(os.fsdecode, unmerged)), frozenset(map(os.fsdecode, untracked))


def _asked(root: Path, command: Sequence[str], cancel: threading.Event | None) -> bytes:
    answer = git.run(root, command, cancel=cancel)
    if answer is None:
        raise WorkspaceError("git cannot tell what differs. Check the repository with git status.")
    return answer.out


def _fields(printed: bytes) -> deque[bytes]:
    """The fields of `-z` output, each of which ends with a NUL."""
    return deque(printed.split(b"\0")[:-1])


def _entries(fields: deque[bytes]) -> Iterator[FileChange]:
    """Takes what begins with files: `:mode mode blob blob status NUL path [NUL path] NUL` each."""
    while fields and fields[0].startswith(b":"):
        old_mode, new_mode, old_blob, new_blob, status = fields.popleft()[1:].decode("ascii").split()
        path, old_path = os.fsdecode(fields.popleft()), None
        if status[0] in "RC":
            path, old_path = os.fsdecode(fields.popleft()), path
        yield FileChange(
            path=path,
            old_path=old_path,
            status=_STATUS.get(status[0], "modified"),
            old_mode="" if old_mode == _NOWHERE else old_mode,
            new_mode="" if new_mode == _NOWHERE else new_mode,
            old_blob=old_blob if old_blob.strip("0") else "",
            new_blob=new_blob if new_blob.strip("0") else "",
        )


def _counts(fields: deque[bytes]) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """`added TAB deleted TAB path NUL`, or with an empty path `NUL old NUL new NUL`; None for binary."""
    while fields:
        added, deleted, path = fields.popleft().split(b"\t", 2)
        if not path:
            fields.popleft()
            path = fields.popleft()
        yield os.fsdecode(path), (int(added), int(deleted)) if added.isdigit() else None


def _counted(change: FileChange, counts: Mapping[str, tuple[int, int] | None]) -> FileChange:
    count = counts.get(change.path, (0, 0))
    if count is None:
        return msgspec.structs.replace(change, binary=True)
    return msgspec.structs.replace(change, added=count[0], deleted=count[1])


_FORMAT = "%H%x1f%h%x1f%ct%x1f%P%x1f%D%x1f%an%x1f%s"
"""Format of the log. Text that people write comes last: it may contain the field separator."""


def commits(root: Path, *, most: int, skip: int = 0, of: str = "HEAD", path: str = "") -> tuple[Commit, ...]:
    """Commits that touch `root`, or one file in it by any name that it had, from HEAD back or of the range `of`; none
    before the first. Raises WorkspaceError without a repository."""
    if git.run(root, ("rev-parse", "--git-dir")) is None:
        raise WorkspaceError(
            "The workspace is not in a git repository, or git cannot be run: there are no commits."
        )
    command = (
        "log",
        "-z",
        f"--format={_FORMAT}",
        f"--max-count={most}",
        f"--skip={skip}",
    )
    if path:
        # `--follow` takes a path as it is, without the signs of a pattern.
        answer = git.run(root, (*command, "--follow", of, "--", path))
        return tuple(commits_of(answer.out)) if answer is not None else ()
    below = git.run(root, ("rev-parse", "--show-prefix"))
    inside = ("--", ".") if below is not None and below.out.strip() else ()
    answer = git.run(root, (*command, of, *inside))
    return tuple(commits_of(answer.out)) if answer is not None else ()


def blame(root: Path, path: str, line: int, data: bytes) -> Commit | None:
    """Return the commit that a line of a file (from 1) comes from, `data` its bytes as they are now; None where no
    commit has it yet. Raises WorkspaceError for a file that git does not follow."""
    command = ("blame", "--porcelain", f"-L{line},{line}", "--contents", "-", "--", path)
    answer = git.run(root, command, fed=data)
    if answer is None:
        raise WorkspaceError(
            f"git cannot say who wrote line {line} of {path}: no commit has the file.", path=path
        )
    commit = answer.out[:64].split(maxsplit=1)[0].decode("ascii", "replace")
    found = commits(root, most=1, of=commit) if commit.strip("0") else ()
    return found[0] if found else None


def commits_of(printed: bytes) -> Iterator[Commit]:
    """Yield the commits of a log, their fields in the order of its format here."""
    for entry in printed.split(b"\0"):
        fields = entry.decode("utf-8", "replace").split("\x1f", 6)
        if len(fields) != 7:
            continue
        id_, short, seconds, parents, refs, author, subject = fields
        yield Commit(
            id=id_, short=short, author=author, at=int(seconds) * 1000, subject=subject, refs=refs,
            parents=tuple(parents.split()),
        )  # fmt: skip
