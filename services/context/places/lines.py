"""Lines of files that a text names: `Orders.cs:34`, `Orders.cs(34,12): error CS0103`, `Orders.cs:line 34`, and the
files and lines that a diff changes."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_LINES = 500
"""Different places that are told of one text: of more, the first ones."""
_PLACE = re.compile(
    r"(?<![\w./\\@+~\-])(?P<path>(?:[A-Za-z]:)?[\w./\\@+~\-]{1,400}\.cs)\b"
    r"(?:\((?P<paren>\d{1,9})(?:[,:-]\d+){0,3}\)|:(?:line |L)?(?P<colon>\d{1,9})|, line (?P<line>\d{1,9}))?"
)
_OLD = re.compile(r"^--- (?:a/)?(.+?)(?:\t.*)?$")
_NEW = re.compile(r"^\+\+\+ (?:b/)?(.+?)(?:\t.*)?$")
_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d+(?:,\d+)? @@")


class Line(NamedTuple):
    """A place: `line` is 0 where the file alone is named; `changed`: whether a diff changes it."""

    path: str
    line: int
    changed: bool = False


def lines(text: str) -> list[Line]:
    """The places of a text, each once, in order."""
    found: dict[Line, None] = {}
    for match in _PLACE.finditer(text):
        line = match["paren"] or match["colon"] or match["line"] or "0"
        found.setdefault(Line(match["path"], int(line)))
        if len(found) >= MOST_LINES:
            break
    return list(found)


def changed(text: str) -> list[Line]:
    """The first line that each hunk of a unified diff changes, as its old side counts them."""
    found: dict[Line, None] = {}
    path, at, told = "", 0, False
    for row in text.splitlines():
        if (match := _OLD.match(row)) or ((match := _NEW.match(row)) and path == "/dev/null"):
            path = match[1]
        elif match := _HUNK.match(row):
            at, told = int(match[1]), False
        elif at and row[:1] in ("-", "+") and not told:
            found.setdefault(Line(path, at, changed=True))
            told = True
        elif at and row[:1] in ("-", "+", " ", ""):
            at += row[:1] != "+"
            told = told and row[:1] in ("-", "+")
        if len(found) >= MOST_LINES:
            break
    return list(found)


def is_diff(text: str) -> bool:
    """Whether a text has hunks of a unified diff."""
    return any(_HUNK.match(row) for row in text[:_LOOKED].splitlines())


_LOOKED = 400_000
