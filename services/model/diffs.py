"""Changes of files as values: change sets with their hunks, edits by hand, and proposals of agents."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from services.model.base import Value


class ProposalState(StrEnum):
    """State of a change that an agent proposed. `CHANGED`: applied after a person edited it."""

    PENDING = "pending"
    APPLIED = "applied"
    CHANGED = "changed"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


_HANDLES = ("lockHandle", "lockHandles")


class Proposal(Value, kw_only=True, frozen=True):
    """A change that an agent wants to make, for a person to decide.

    `operation`, `arguments`: what the agent called; `object`: what it is about; `diff`: what would be written, unified,
    empty where the operation cannot tell; `agent`, `session`, `purpose`: who asks; times in ms since 1970; `reason`:
    why it was refused; `answer`: what the operation answered once it was applied."""

    id: str
    operation: str
    arguments: Mapping[str, Any]
    object: str
    diff: str
    agent: str
    session: str = ""
    purpose: str = ""
    created_at: int
    state: ProposalState = ProposalState.PENDING
    decided_at: int | None = None
    decided_by: str = ""
    reason: str = ""
    answer: Any = None

    @property
    def wish(self) -> str:
        """Return what the agent intends, as the end of a sentence: `wants to run ls -l`."""
        return f"wants to {'run' if 'command' in self.arguments else 'change'} {self.object}"

    @property
    def outcome(self) -> str:
        """Return the outcome, as the end of a sentence: `was applied by ada`."""
        by = self.decided_by.partition("/")[0]
        match self.state:
            case ProposalState.PENDING:
                return "waits for a decision"
            case ProposalState.CHANGED:
                return f"was applied by {by}, with other lines"
            case ProposalState.REFUSED:
                return f"was refused by {by}: {self.reason}"
            case _:
                return f"was {self.state} by {by}"

    @property
    def change(self) -> dict[str, Any]:
        """The arguments without lock handles, which are their owner's alone."""
        return {name: value for name, value in self.arguments.items() if name not in _HANDLES}


class Draft(Value, kw_only=True, frozen=True):
    """Lines of a file that are being edited. `start`, `end`: the lines of `base`, the whole file as it was when the
    edit was begun, that `text` takes the place of; `token`: the file's then; times in ms since 1970."""

    file: str
    start: int
    end: int
    token: str
    base: str
    text: str
    expires_at: int = 0
    kept_at: int = 0


class MergeChoice(StrEnum):
    """Side whose lines are taken where both sides changed them."""

    MINE = "mine"
    THEIRS = "theirs"


class ConflictHunk(Value, kw_only=True, frozen=True):
    """Lines that both sides changed differently, with their endings; `start_line`: of `theirs`, in the file now."""

    start_line: int
    base: str
    mine: str
    theirs: str


class Rebased(Value, kw_only=True, frozen=True):
    """A draft, and its file as it is now (`theirs`, with its token). `hunks`: what both changed differently; without
    any both changes go together."""

    draft: Draft
    theirs: str
    token: str
    hunks: tuple[ConflictHunk, ...] = ()


class DiffLine(Value, kw_only=True, frozen=True):
    """A line of a diff, without its ending. `old`, `new`: its number on either side, None where it is not there: so
    a deleted line has only an old one, an added line only a new one. `spans`: columns that differ from the line it
    took the place of, end exclusive; `ended`: False for a last line without an ending."""

    text: str
    old: int | None = None
    new: int | None = None
    spans: tuple[tuple[int, int], ...] = ()
    ended: bool = True

    @property
    def sign(self) -> str:
        """`-`, `+` or a blank, as diffs write it."""
        return " " if self.old and self.new else "-" if self.old else "+"


class Hunk(Value, kw_only=True, frozen=True):
    """Lines that changed with lines around them. `old_start`, `new_start`: the first line on either side, or the one
    before where there is none; `heading`: the declaration it begins in, where that is known."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[DiffLine, ...]
    heading: str = ""

    @property
    def new_range(self) -> tuple[int, int]:
        """The new side's lines; where nothing is left of them, the line before."""
        return self.new_start or 1, max(1, self.new_start + self.new_count - 1, self.new_start)


class FileChange(Value, kw_only=True, frozen=True):
    """A file of a change set. `status`: added, deleted, modified, renamed, copied, untracked, conflict or type; the
    modes are octal as git writes them, empty where there is no file; blobs likewise, `new_blob` empty for the working
    area. `added`, `deleted`: lines, None where they were not counted; `binary`: no text on one side; `note`: a sentence
    on why its lines are not shown, where they are not."""

    path: str
    status: str
    old_path: str | None = None
    old_mode: str = ""
    new_mode: str = ""
    old_blob: str = ""
    new_blob: str = ""
    added: int | None = None
    deleted: int | None = None
    binary: bool = False
    note: str = ""

    @property
    def mode_changed(self) -> bool:
        """Whether a file that stays has another mode."""
        return bool(self.old_mode and self.new_mode) and self.old_mode != self.new_mode


class ChangeSet(Value, kw_only=True, frozen=True):
    """Difference between two states. `old`, `new`: commits (trees where there is none); `new` is empty for the
    working area. `title` is for people; `signature` changes as soon as any content does."""

    title: str
    old: str
    new: str
    files: tuple[FileChange, ...]
    signature: str = ""


class Commit(Value, kw_only=True, frozen=True):
    """A commit. `at`: ms since 1970; `refs`: the branches and tags that are there; `parents`: ids."""

    id: str
    short: str
    author: str
    at: int
    subject: str
    refs: str = ""
    parents: tuple[str, ...] = ()
