"""Places of source by line and column, as people name them."""

from __future__ import annotations

import re
from typing import NamedTuple

from services.errors import UsageError

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?\Z")
_MARK = b"\xef\xbb\xbf"


class NamedPlace(NamedTuple):
    """`FILE:LINE` or `FILE:LINE:COLUMN`, both from 1, columns in characters; column 0 for the whole line."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def parse_place(text: str) -> NamedPlace | None:
    """A place as it is written; None for what is none."""
    found = _PLACE.match(text)
    if found is None or int(found["line"]) == 0:
        return None
    return NamedPlace(found["file"], int(found["line"]), int(found["column"] or 0))


def place_of(path: str, text: bytes, offset: int) -> NamedPlace:
    """The place of an offset of UTF-8 text."""
    first = text.rfind(b"\n", 0, offset) + 1
    shown = text[first:offset].removeprefix(_MARK if first == 0 else b"")
    return NamedPlace(path, text.count(b"\n", 0, offset) + 1, len(shown.decode("utf-8", "replace")) + 1)


def line_at(text: bytes, offset: int) -> str:
    """The line around an offset, without its ending."""
    first = text.rfind(b"\n", 0, offset) + 1
    last = text.find(b"\n", offset)
    return text[first : last if last >= 0 else len(text)].decode("utf-8", "replace").strip("\r\ufeff")


def offset_of(text: bytes, place: NamedPlace) -> int:
    """The offset of a place. Raises UsageError for a line or a column that there is not."""
    at = 0
    for _ in range(place.line - 1):
        at = text.find(b"\n", at) + 1
        if at == 0:
            raise UsageError(f"{place.file} has no line {place.line}.")
    last = text.find(b"\n", at)
    shown = text[at : last if last >= 0 else len(text)]
    mark = len(_MARK) if at == 0 and shown.startswith(_MARK) else 0
    before = shown[mark:].decode("utf-8", "replace")
    if place.column > len(before) + 1:
        raise UsageError(f"Line {place.line} of {place.file} has no column {place.column}.")
    return at + mark + len(before[: max(0, place.column - 1)].encode())
