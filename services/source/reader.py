"""Ranged reads of files of the working tree (SPEC section 7)."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from services.errors import CodeCortexError, LineOutOfRange
from services.model import SourceRange
from services.source.token import token_of
from services.workspace.root import Root
from services.workspace.text import Text, decode

_PLACE = re.compile(r"(?P<path>.+?):(?P<start>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A file as people write it, with the lines if they wrote any. `lone`: one line was named, not a range."""

    path: str
    start: int | None = None
    end: int | None = None
    lone: bool = False


def place_of(text: str) -> Place:
    """`src/A.cs`, `src/A.cs:120` or `src/A.cs:120-150` taken apart; whether the file is there is not asked."""
    match = _PLACE.fullmatch(text)
    if match is None:
        return Place(text)
    start = int(match["start"])
    return Place(match["path"], start, int(match["end"] or start), match["end"] is None)


class Reader:
    """Reads lines. `ttl`: milliseconds for which a token is promised."""

    def __init__(self, root: Root, *, ttl: int, limit: int = 100_000_000) -> None:
        self._root = root
        self._ttl = ttl
        self._limit = limit

    def text(self, path: str) -> tuple[Text, int]:
        """A file's text and its mtime in ns. Raises WorkspaceError, PathRefused, NotText."""
        data, stamp = self._root.read(path, limit=self._limit)
        return decode(data, path), stamp.mtime_ns

    def read(self, path: str, *, start: int | None = None, end: int | None = None) -> SourceRange:
        """Lines `start` to `end` of a file; what is left out is its first or last line. A range that reaches past the
        end is cut there. Raises LineOutOfRange, WorkspaceError, PathRefused, NotText."""
        text, mtime_ns = self.text(path)
        first = 1 if start is None else start
        last = text.line_count if end is None else min(end, text.line_count)
        if first < 1 or (last < first and (start is not None or end is not None)):
            raise LineOutOfRange(
                f"{path} has {text.line_count} lines; lines {first} to {end or last} are not among them.",
                lineCount=text.line_count,
                startLine=start,
                endLine=end,
            )
        return SourceRange(
            object=path,
            file=path,
            content=text.slice(first, last) if last >= first else "",
            token=token_of(text.data, mtime_ns),
            line_count=text.line_count,
            start_line=first,
            end_line=last,
            requested_start_line=start,
            requested_end_line=end,
            changed_at=mtime_ns // 1_000_000,
            changed_by=self._owner(path),
            expires_at=time.time_ns() // 1_000_000 + self._ttl,
            encoding=text.encoding,
            writable=text.writable,
        )

    def exists(self, path: str) -> bool:
        """Whether a file of that path may be read."""
        try:
            self._root.stat(self._root.normalise(path))
        except CodeCortexError:
            return False
        return True

    def _owner(self, path: str) -> str:
        try:
            return Path(self._root.path, path).owner()
        except (OSError, KeyError):
            return ""
