"""Answers of structured edits (SPEC section 13)."""

from __future__ import annotations

import msgspec

from services.model.base import Value
from services.model.symbols import Resolved
from services.model.writes import FileChange


class EditPlace(Value, kw_only=True, frozen=True):
    """A place that an edit does not change by itself. `column`: characters from 1; `text`: its line; `code`: whether it
    is C# that may mean the symbol, and has to be decided; else a string, a comment or another language."""

    file: str
    line: int
    column: int
    reason: str
    text: str = ""
    code: bool = True


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
