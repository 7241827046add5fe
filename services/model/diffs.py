"""Change sets and their hunks."""

from __future__ import annotations

from services.model.base import Value


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
