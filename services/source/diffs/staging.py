"""Staging: what git's index holds of a file, between the last commit and the working area: hunks are taken into it and
out of it by lines, in the bytes that each side has, and what it holds becomes a commit. No filter runs: a file that
needs one is left to `git add`; nor does a hook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from services.errors import UsageError, WorkspaceError
from services.model import Commit, FileChange, Hunk
from services.source.diffs.changes import ChangeSets
from services.source.diffs.listing import DiffScope, staged, trees_of
from services.source.text.differ import LineChange, line_changes
from services.workspace.files.root import Root
from services.workspace.scan import git
from services.workspace.text import decode

_ABSENT = "0"
"""The mode that takes an entry out of the index."""
_FILE, _PROGRAM = "100644", "100755"
_NO_FILTER = ("unspecified", "unset", "false")


class Staged(StrEnum):
    """How much of a change the index has."""

    NOT = ""
    PARTLY = "partly staged"
    WHOLE = "staged"


class Sides(Struct, frozen=True):
    """The lines of a file as git has them committed (`head`), in its index and in the working area, each byte a
    character. `mode`: of the index's entry, empty where there is none."""

    head: tuple[str, ...]
    index: tuple[str, ...]
    working: tuple[str, ...]
    mode: str = ""

    def left(self, hunk: Hunk) -> list[LineChange]:
        """The changes of a hunk that the index has not."""
        blocks = blocks_of(hunk)
        return [
            change
            for change in line_changes(self.index, self.working)
            if any(_meet((change.b0, change.b1), (block.b0, block.b1)) for block in blocks)
        ]

    def taken(self, hunk: Hunk) -> list[LineChange]:
        """The changes of a hunk that the index has."""
        blocks = blocks_of(hunk)
        return [
            change
            for change in line_changes(self.head, self.index)
            if any(_meet((change.a0, change.a1), (block.a0, block.a1)) for block in blocks)
        ]

    def state(self, hunk: Hunk) -> Staged:
        """How much of a hunk is staged."""
        if not self.taken(hunk):
            return Staged.NOT
        return Staged.PARTLY if self.left(hunk) else Staged.WHOLE


def blocks_of(hunk: Hunk) -> list[LineChange]:
    """The stretches of a hunk that changed, 0-based, ends exclusive."""
    blocks: list[LineChange] = []
    a, b = (
        start - (count > 0)
        for start, count in ((hunk.old_start, hunk.old_count), (hunk.new_start, hunk.new_count))
    )
    a0, b0 = a, b
    for line in hunk.lines:
        if line.sign == " " and (a, b) != (a0, b0):
            blocks.append(LineChange(a0, a, b0, b))
        a, b = a + (line.sign != "+"), b + (line.sign != "-")
        if line.sign == " ":
            a0, b0 = a, b
    if (a, b) != (a0, b0):
        blocks.append(LineChange(a0, a, b0, b))
    return blocks


def applied(old: Sequence[str], new: Sequence[str], changes: Sequence[LineChange]) -> tuple[str, ...]:
    """`old` with some of the changes that lead to `new`."""
    lines: list[str] = []
    at = 0
    for change in changes:
        lines += (*old[at : change.a0], *new[change.b0 : change.b1])
        at = change.a1
    return (*lines, *old[at:])


def reverted(old: Sequence[str], new: Sequence[str], changes: Sequence[LineChange]) -> tuple[str, ...]:
    """`new` without some of the changes that lead to it from `old`."""
    return applied(new, old, [LineChange(change.b0, change.b1, change.a0, change.a1) for change in changes])


class Staging:
    """The index of one repository, as far as it is about files of the working area against HEAD."""

    def __init__(self, root: Root, changes: ChangeSets) -> None:
        self._root = root
        self._changes = changes

    def sides(self, change: FileChange) -> Sides:
        """The three states of a file. Raises WorkspaceError, also where a merge left it undecided."""
        head, working = self._changes.bytes_of(change)
        mode, blob = self._entry(change.path)
        index = self._changes.blob(blob) if blob else b""
        if b"\r" not in (index or head) and (index or head):
            working = working.replace(b"\r\n", b"\n")  # as git takes it in where it turns line endings
        return Sides(*map(_lines, (head, index, working)), mode=mode)

    def states(self, change: FileChange, hunks: Sequence[Hunk]) -> tuple[Staged, ...]:
        """How much of each hunk is staged. Raises WorkspaceError."""
        sides = self.sides(change)
        return tuple(sides.state(hunk) for hunk in hunks)

    def files(self, changes: Sequence[FileChange]) -> dict[str, Staged]:
        """How much of each file is staged, by path; those of which nothing is are left out. Raises WorkspaceError."""
        wanted = {change.path: change for change in changes}
        tree = trees_of(self._root.place(), DiffScope(staged=True)).old
        found: dict[str, Staged] = {}
        for entry in staged(self._root.place(), tree):
            if change := wanted.get(entry.path):
                found[entry.path] = Staged.WHOLE if self._is_whole(change, entry) else Staged.PARTLY
        return found

    def _is_whole(self, change: FileChange, entry: FileChange) -> bool:
        """Whether the index has a file as it is in the working area."""
        if bool(entry.new_mode) != bool(change.new_mode):
            return False
        if not entry.new_blob:
            return True
        index, working = self._changes.blob(entry.new_blob), self._changes.bytes_of(change)[1]
        return index == working or index == working.replace(b"\r\n", b"\n")

    def commit(self, message: str) -> Commit:
        """Commit what is staged, without hooks and signature. Raises UsageError without a message or anything staged,
        WorkspaceError where git refuses."""
        if not message.strip():
            raise UsageError("A commit needs a message: say in a line what it does.")
        tree = trees_of(self._root.place(), DiffScope(staged=True)).old
        if not staged(self._root.place(), tree):
            raise UsageError("Nothing is staged. Stage a file or a hunk first (S), then commit.")
        if git.run(self._root.place(), ("var", "GIT_COMMITTER_IDENT")) is None:
            raise WorkspaceError(
                "git does not know who you are. Run: git config --global user.name NAME, and user.email ADDRESS."
            )
        command = ("commit", "-q", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "-F", "-")
        if git.run(self._root.place(), command, fed=message.strip().encode()) is None:
            raise WorkspaceError(
                "git did not commit. Is a merge undecided, or another git at work (.git/index.lock)? "
                "git commit says why."
            )
        return self._changes.commits(most=1)[0]

    def refuse_filters(self, path: str) -> None:
        """Raises WorkspaceError where a filter of git stands between the file and its index."""
        self._refuse_filters(path)

    def entry(self, path: str) -> str:
        """Mode and blob of what the index holds of a file; empty where it has none. Raises WorkspaceError."""
        return " ".join(self._entry(path)).strip()

    def enter(self, path: str, entry: str) -> None:
        """Put an entry that `entry` returned into the index. Raises WorkspaceError, also where its blob is gone."""
        mode, _, blob = entry.partition(" ")
        if blob:
            self._changes.blob(blob)
        self._write([(path, mode, blob)])

    def toggle(self, change: FileChange, hunk: Hunk) -> Staged:
        """Stage what is left of a hunk, or unstage it where nothing is; what it is then. Raises WorkspaceError."""
        self._refuse_filters(change.path)
        sides = self.sides(change)
        if unstaged_of := sides.left(hunk):
            lines = applied(sides.index, sides.working, unstaged_of)
            self._enter(change.path, sides.mode or self._mode(change), lines, gone=not change.new_mode)
            return Staged.WHOLE
        lines = reverted(sides.head, sides.index, sides.taken(hunk))
        self._enter(change.path, change.old_mode or sides.mode, lines, gone=not change.old_mode)
        return Staged.NOT

    def unstage(self, change: FileChange, hunk: Hunk) -> None:
        """Unstage what the index has of a hunk, if anything. Raises WorkspaceError."""
        sides = self.sides(change)
        if staged_of := sides.taken(hunk):
            self._enter(
                change.path, change.old_mode, reverted(sides.head, sides.index, staged_of), gone=False
            )

    def reset(self, change: FileChange) -> None:
        """Have the index hold a file as HEAD does. Raises WorkspaceError."""
        self._write([(change.path, change.old_mode, change.old_blob)])

    def reset_all(self, changes: Sequence[FileChange]) -> None:
        """Have the index hold files as HEAD does, also those that were moved. Raises WorkspaceError."""
        entries = [(each.path, "" if each.old_path else each.old_mode, each.old_blob) for each in changes]
        entries += [(each.old_path, each.old_mode, each.old_blob) for each in changes if each.old_path]
        self._write(entries)

    def toggle_file(self, change: FileChange) -> Staged:
        """Stage a whole file, or unstage it where the index has it as it is; what it is then. Raises WorkspaceError."""
        sides = self.sides(change)
        is_whole = sides.index == sides.working and bool(sides.mode) == bool(change.new_mode)
        if is_whole:
            entries = [(change.path, change.old_mode if not change.old_path else "", change.old_blob)]
            if change.old_path:
                entries.append((change.old_path, change.old_mode, change.old_blob))
        else:
            self._refuse_filters(change.path)
            blob = self._keep(self._changes.bytes_of(change)[1], change.path) if change.new_mode else ""
            entries = [(change.path, self._mode(change) if change.new_mode else "", blob)]
            if change.old_path:
                entries.append((change.old_path, "", ""))
        self._write(entries)
        return Staged.NOT if is_whole else Staged.WHOLE

    def _entry(self, path: str) -> tuple[str, str]:
        """Mode and blob."""
        answer = git.run(self._root.place(), ("ls-files", "-z", "--stage", "--", f":(literal){path}"))
        entries = [entry for entry in (answer.out if answer else b"").split(b"\0") if entry]
        if not entries:
            return "", ""
        mode, blob, stage = entries[0].partition(b"\t")[0].decode("ascii").split()
        if stage != "0":
            raise WorkspaceError(
                f"A merge left {path} undecided: decide it first, then stage the file with git add."
            )
        return mode, blob

    def _mode(self, change: FileChange) -> str:
        if change.status != "untracked":
            return change.new_mode
        return _PROGRAM if os.access(self._root.path / change.path, os.X_OK) else _FILE

    def _enter(self, path: str, mode: str, lines: Sequence[str], *, gone: bool) -> None:
        if not lines and gone:
            self._write([(path, "", "")])
            return
        answer = git.run(
            self._root.place(), ("hash-object", "-w", "--stdin"), fed="".join(lines).encode("latin-1")
        )
        if answer is None:
            raise _refused(path)
        self._write([(path, mode, answer.out.decode("ascii").strip())])

    def _keep(self, data: bytes, path: str) -> str:
        """The blob of a file's bytes, its line endings as git takes them in."""
        prefix = self._prefix()
        answer = git.run(
            self._root.place(), ("hash-object", "-w", "--stdin", f"--path={prefix}{path}"), fed=data
        )
        if answer is None:
            raise _refused(path)
        return answer.out.decode("ascii").strip()

    def _write(self, entries: Sequence[tuple[str, str, str]]) -> None:
        """Enter (path, mode, blob); one without a mode is taken out."""
        prefix = self._prefix()
        nothing = "0" * self._digits()
        fed = "".join(
            f"{mode or _ABSENT} {blob or nothing}\t{prefix}{path}\0" for path, mode, blob in entries
        )
        if git.run(self._root.place(), ("update-index", "-z", "--index-info"), fed=os.fsencode(fed)) is None:
            raise _refused(entries[0][0])

    def _prefix(self) -> str:
        answer = git.run(self._root.place(), ("rev-parse", "--show-prefix"))
        return os.fsdecode(answer.out).removesuffix("\n") if answer is not None else ""

    def _digits(self) -> int:
        """Length of an id of this repository."""
        answer = git.run(self._root.place(), ("rev-parse", "--show-object-format"))
        return 64 if answer is not None and answer.out.strip() == b"sha256" else 40

    def _refuse_filters(self, path: str) -> None:
        answer = git.run(self._root.place(), ("check-attr", "-z", "filter", "--", path))
        fields = (answer.out if answer is not None else b"").split(b"\0")
        value = fields[2].decode("utf-8", "replace") if len(fields) > 2 else _NO_FILTER[0]
        if value not in _NO_FILTER:
            raise WorkspaceError(f"{path} goes through the filter {value!r} of git: stage it with git add.")


def _lines(data: bytes) -> tuple[str, ...]:
    """Lines with their endings, each byte a character; a byte order mark belongs to the first."""
    if not data:
        return ()
    ends = [0, *decode(data).offsets[1:]]
    return tuple(data[start:end].decode("latin-1") for start, end in pairwise(ends))


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two stretches share a line, or, where one has none, touch."""
    start, end = max(one[0], other[0]), min(one[1], other[1])
    return start < end or (start == end and (one[0] == one[1] or other[0] == other[1]))


def _refused(path: str) -> WorkspaceError:
    return WorkspaceError(
        f"git did not take {path} into its index. Is another git at work (.git/index.lock), or the folder read-only?"
    )
