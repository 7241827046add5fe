"""A change set as analyses look at it: files with hunks, and which lines of the new side it made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from services.model import DiffLine, FileChange, Hunk


@dataclass(frozen=True)
class ChangedFile:
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
        """New lines that were made, and those around what was taken away."""
        found = set(self.added)
        for hunk in self.hunks:
            last = hunk.new_start - (1 if hunk.new_count else 0)
            for line in hunk.lines:
                if line.new is not None:
                    last = line.new
                else:
                    found |= {max(1, last), last + 1}
        return frozenset(found)

    @property
    def is_code(self) -> bool:
        """Whether it is C#."""
        return self.path.endswith(".cs")
