"""Places of source by line and column, as people name them, and decisions on the places of a plan: those that a person
leaves out, or has changed though they are not certain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from services.edits.values import Place, Plan, Replacement
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


ALL = "all"
"""Every place that is not certain."""


class Decisions(msgspec.Struct, frozen=True):
    """`leave`, `change`: places as `FILE:LINE[:COLUMN]`, or `all`."""

    leave: Sequence[str] = ()
    change: Sequence[str] = ()

    def apply(self, plan: Plan) -> None:
        """Takes places out of the plan, and others in. Raises UsageError for what is no place, or not one of its."""
        left, changed = _Choice(self.leave), _Choice(self.change)

        def at(path: str, start: int) -> NamedPlace:
            return place_of(path, plan.texts[path], start)

        kept: list[Replacement] = []
        for each in plan.replacements:
            if left.names(each.path) and left.has(at(each.path, each.start)):
                plan.left.append((each.path, each.start))
            else:
                kept.append(each)
        open_: list[Place] = []
        for each in plan.doubtful if self.leave or self.change else ():
            place = at(each.path, each.start)
            if changed.has(place, every=each.code) and each.text:
                kept.append(each.replacement())
            elif not left.has(place, every=each.code):
                open_.append(each)
        if self.leave or self.change:
            plan.replacements, plan.doubtful = kept, open_
        for unused in (*left.unused(), *changed.unused()):
            raise UsageError(f"{unused.file}:{unused.line} is no place that this edit is about.")


class _Choice:
    def __init__(self, written: Sequence[str]) -> None:
        places = [(each, parse_place(each)) for each in written if each != ALL]
        for each, place in places:
            if place is None:
                raise UsageError(f"{each} is no place. Write FILE:LINE:COLUMN, or {ALL}.")
        self._places = [place for _, place in places if place is not None]
        self._every = ALL in written
        self._used: set[NamedPlace] = set()

    def names(self, path: str) -> bool:
        """Whether a place of a file was chosen."""
        return any(each.file == path for each in self._places)

    def has(self, place: NamedPlace, *, every: bool = False) -> bool:
        """Whether a place was chosen. `every`: whether it is one of those that `all` means."""
        same = [each for each in self._places if each[:2] == place[:2] and each.column in (0, place.column)]
        self._used.update(same)
        return bool(same) or (every and self._every)

    def unused(self) -> list[NamedPlace]:
        """The places that were chosen and that there are not."""
        return [each for each in self._places if each not in self._used]
