"""A change set as analyses look at it: files with hunks, and which lines of the new side it made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby

import msgspec

from services.model import DiffLine, FileChange, Hunk
from services.workspace.source_kinds import is_generated, is_source


class ChangedFile(msgspec.Struct, frozen=True, dict=True):
    """A file of a change. `old`, `new`: its sides, whole, None where they cannot be read or are not there."""

    change: FileChange
    hunks: Sequence[Hunk]
    old: str | None = None
    new: str | None = None

    @property
    def path(self) -> str:
        """Its path on the new side."""
        return self.change.path

    @cached_property
    def added(self) -> dict[int, DiffLine]:
        """The lines that the change made, by new number."""
        return {
            line.new: line
            for hunk in self.hunks
            for line in hunk.lines
            if line.new is not None and line.old is None
        }

    @cached_property
    def touched(self) -> frozenset[int]:
        """New lines that were made, and those around what was taken away with nothing in its place."""
        found = set(self.added)
        for hunk in self.hunks:
            last = hunk.new_start - (1 if hunk.new_count else 0)
            for _, run in groupby(hunk.lines, lambda line: line.sign == " "):
                numbers = [line.new for line in run if line.new is not None]
                if not numbers:
                    found |= {max(1, last), last + 1}
                last = numbers[-1] if numbers else last
        return frozenset(found)

    def new_line_of(self, old: int) -> int | None:
        """The number that a line of the old side has on the new one; None where it is gone."""
        if self.change.status == "deleted":
            return None
        moved = 0
        for hunk in self.hunks:
            if old < hunk.old_start + (not hunk.old_count):
                break
            if old < hunk.old_start + hunk.old_count:
                return next((line.new for line in hunk.lines if line.old == old), None)
            moved = hunk.new_start + hunk.new_count + (not hunk.new_count)
            moved -= hunk.old_start + hunk.old_count + (not hunk.old_count)
        return old + moved

    def line_after(self, old: int) -> int | None:
        """The number of the first line of the new side that was not before a line of the old one; None for the end."""
        last = max((hunk.old_start + hunk.old_count for hunk in self.hunks), default=old)
        found = next((new for at in range(old, last + 1) if (new := self.new_line_of(at)) is not None), None)
        count = len((self.new or "").splitlines())
        return found if found is None or found <= count else None

    @property
    def is_code(self) -> bool:
        """Whether the index reads it: C#, or markup that holds some."""
        return is_source(self.path)

    @cached_property
    def is_generated(self) -> bool:
        """Whether a tool wrote the new side, by the marks that Roslyn's analyzers go by: the end of its name, or the
        comment that it begins with."""
        return is_generated(self.path, self.new or "")
