"""Answers of writes, locks and their history (SPEC section 7)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from services.model import Resolved, Value


class LockAnswer(Value, kw_only=True, frozen=True):
    """A lock. `lock_handle` is None in lists: it belongs to its owner alone. `taken_at`, `lease_end`: ms since 1970,
    for people; `seconds`: until its end; `files`: what it covers; `resolved`: the symbol that was named, if one was.
    The last three are of an SAP system's lock: its transport request, whether its package is local (`X`), and what may
    be changed."""

    object: str
    resolved: Resolved | None = None
    lock_handle: str | None = msgspec.field(default=None, name="LOCK_HANDLE")
    access_mode: str = "MODIFY"
    files: tuple[str, ...]
    owner: str
    taken_at: int = 0
    lease_end: int
    seconds: float
    fence: int
    correction: str | None = msgspec.field(default=None, name="CORRNR")
    is_local: str | None = msgspec.field(default=None, name="IS_LOCAL")
    modification: str | None = msgspec.field(default=None, name="MODIFICATION_SUPPORT")

    @property
    def recorded(self) -> str:
        """Where a system records what is changed under its lock, in words; empty for a lock of files."""
        if self.correction is None:
            return ""
        if self.correction:
            return f"changes are recorded in {self.correction}"
        return "its package is local" if self.is_local else "no transport request has it yet"


class LocksAnswer(Value, kw_only=True, frozen=True):
    """Every lock that holds, oldest first."""

    locks: tuple[LockAnswer, ...]


class HistoryEntry(Value, kw_only=True, frozen=True):
    """Files that were once written as one. `undone`: whether that was taken back since."""

    group: int
    kind: str
    at: int
    owner: str
    files: tuple[str, ...]
    undone: bool


class OthersAnswer(Value, kw_only=True, frozen=True):
    """Locks and writes of other processes. `locks`: that they hold, oldest first; `written`: what they wrote, latest
    first."""

    locks: tuple[LockAnswer, ...] = ()
    written: tuple[HistoryEntry, ...] = ()


class WriteAnswer(Value, kw_only=True, frozen=True):
    """A write. `updated`: False where the file already had those bytes; ranges are (first, last) line, an empty one is
    (n, n - 1); `timestamp`: ms since 1970; `diff`: unified, of the whole file; `resolved`: the symbol that was named,
    if one was."""

    object: str
    resolved: Resolved | None = None
    file: str
    updated: bool
    line_count: int
    old_range: tuple[int, int]
    new_range: tuple[int, int]
    timestamp: int
    token: str
    diff: str


class FileChange(Value, kw_only=True, frozen=True):
    """Changed file of a batch. `token`: its new one; None where it was deleted."""

    file: str
    token: str | None
    line_count: int
    diff: str


class ChangeAnswer(Value, kw_only=True, frozen=True):
    """Files that were written as one. `kind`: edit, undo, redo; `group`: its number in the history; where nothing was
    written, that of the write which would be taken back, or 0; `resolved`: the symbol that was named, if one was."""

    kind: str
    resolved: Resolved | None = None
    group: int
    timestamp: int
    files: tuple[FileChange, ...]


class HistoryAnswer(Value, kw_only=True, frozen=True):
    """The history, latest first; of one file, if one was named; `resolved`: the symbol that it was named by, if any."""

    file: str | None
    resolved: Resolved | None = None
    entries: tuple[HistoryEntry, ...]


class EditPlace(Value, kw_only=True, frozen=True):
    """A place that an edit does not change by itself. `column`: characters from 1; `text`: its line; `code`: whether it
    is C# that may mean the symbol, and has to be decided; else a string, a comment or another language."""

    file: str
    line: int
    column: int
    reason: str
    text: str = ""
    code: bool = True


class EditKind(StrEnum):
    """Kind of a structured edit."""

    RENAME = "rename"
    EXTRACT = "extract"
    INTERFACE = "extract-interface"
    MOVE = "move-type"
    SIGNATURE = "signature"


class EditRequest(Value, kw_only=True, frozen=True):
    """Request for a structured edit. `object`: the symbol path or location; `text`: the new name, or the new
    parameters; `members`: those of a new interface; `leave`, `change`: places as `Decisions` has them."""

    kind: EditKind
    object: str
    text: str = ""
    members: tuple[str, ...] = ()
    leave: tuple[str, ...] = ()
    change: tuple[str, ...] = ()


class EditBatch(Value, kw_only=True, frozen=True):
    """A batch of edits that is not written yet. `agent`: whose it is, empty for a person's; `created_at`: ms since
    1970."""

    id: str
    agent: str = ""
    created_at: int = 0
    edits: tuple[EditRequest, ...] = ()


class EditPreview(Value, kw_only=True, frozen=True):
    """An edit before it is written, for a person to decide on. `places`: what is changed; `undecided`: what may mean
    the symbol too; `listed`: names in strings, comments and other languages; `conflicts`: what stands against it."""

    title: str
    files: tuple[FileChange, ...] = ()
    moves: dict[str, str] = msgspec.field(default_factory=dict)
    places: tuple[EditPlace, ...] = ()
    undecided: tuple[EditPlace, ...] = ()
    listed: tuple[EditPlace, ...] = ()
    conflicts: tuple[EditPlace, ...] = ()
    created: str = ""

    @property
    def diff(self) -> str:
        """The diffs of all files."""
        return "".join(each.diff for each in self.files)


class EditAnswer(Value, kw_only=True, frozen=True):
    """An edit of several files. `written`: False for a dry run; `group`: its number in the history, 0 where nothing was
    written; `places`: how many are changed; `moves`: new paths of files by the old ones; `undecided`: what may mean the
    symbol too; `listed`: names in strings, comments and other languages; `created`: what it adds, as declared."""

    title: str
    resolved: Resolved | None = None
    written: bool
    group: int = 0
    places: int = 0
    files: tuple[FileChange, ...] = ()
    moves: dict[str, str] = msgspec.field(default_factory=dict)
    undecided: tuple[EditPlace, ...] = ()
    listed: tuple[EditPlace, ...] = ()
    created: str = ""

    @property
    def diff(self) -> str:
        """The diffs of all files."""
        return "".join(each.diff for each in self.files)


class PasteAnswer(Value, kw_only=True, frozen=True):
    """Files that a pasted answer changes. `group`: of the history, 0 where nothing was written; `already`: files that
    are as the answer has them; `notes`: what was passed over; `tokens`: of the files as they were, by path: given back,
    they keep an answer from being written on others."""

    group: int
    files: tuple[FileChange, ...]
    already: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tokens: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def diff(self) -> str:
        """The diffs of all files."""
        return "".join(file.diff for file in self.files)
