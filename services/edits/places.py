"""Values of planned edits: places, replacements and problems, and the parts that people choose: places by line and
column, decisions on the places of a plan, and hunks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from services.errors import UsageError
from services.source.text.differ import LineChange, groups, line_changes, unified_diff
from services.source.write.file_edits import FileEdit
from services.workspace.source_kinds import MARKUP_SUFFIXES, PROJECT_SUFFIXES
from services.workspace.text import Text, decode

OTHER_LANGUAGES = (*MARKUP_SUFFIXES, *PROJECT_SUFFIXES)


class Replacement(msgspec.Struct, frozen=True, order=True):
    """Replacement of bytes `start` to `end` of a file, in UTF-8, by `text`. `named`: whether it replaces the symbol's
    name, rather than adding text."""

    path: str
    start: int
    end: int
    text: str
    named: bool = True


class Place(msgspec.Struct, frozen=True, order=True):
    """A place that a person decides on. `reason`: why it is not changed by itself; `code`: whether it is C# code that
    may mean the symbol, and not a string, a comment or another language; `text`: what would stand there, empty where it
    cannot be changed."""

    path: str
    start: int
    end: int
    reason: str
    code: bool = True
    text: str = ""

    def replacement(self) -> Replacement:
        """The replacement that a person may accept."""
        return Replacement(self.path, self.start, self.end, self.text)


class Problem(msgspec.Struct, frozen=True, order=True):
    """Place at which an edit would change more than was requested."""

    path: str
    start: int
    message: str


class Plan(msgspec.Struct):
    """An edit before it is written. `texts`: by path, the UTF-8 texts that offsets count in; `moves`: files that move,
    to their new paths; `left`: places (path, offset) that a person left out; `made`: new files; `created`: what
    the edit adds, as it is declared; `renamed`: the old and the new name of what other languages may name too;
    `named`: places (path, offset) of project files that name a file which moves, with its path."""

    title: str
    replacements: list[Replacement] = msgspec.field(default_factory=list)
    doubtful: list[Place] = msgspec.field(default_factory=list)
    problems: list[Problem] = msgspec.field(default_factory=list)
    texts: dict[str, bytes] = msgspec.field(default_factory=dict)
    moves: dict[str, str] = msgspec.field(default_factory=dict)
    left: list[tuple[str, int]] = msgspec.field(default_factory=list)
    made: dict[str, bytes] = msgspec.field(default_factory=dict)
    created: str = ""
    renamed: tuple[str, str] = ("", "")
    named: dict[tuple[str, int], str] = msgspec.field(default_factory=dict)

    def by_path(self) -> Mapping[str, Sequence[Replacement]]:
        """The replacements of each file, in order."""
        found: dict[str, list[Replacement]] = {}
        for each in sorted(set(self.replacements)):
            found.setdefault(each.path, []).append(each)
        return found

    def of_csharp(self) -> Plan:
        """The plan without files of other languages."""
        kept = [each for each in self.replacements if not each.path.lower().endswith(OTHER_LANGUAGES)]
        return replace(self, replacements=kept)

    def leave_file(self, path: str, reason: str) -> None:
        """Changes nothing in a file: its places are left to a person."""
        left = [each for each in self.replacements if each.path == path]
        self.replacements = [each for each in self.replacements if each.path != path]
        self.doubtful += [Place(path, each.start, each.end, reason) for each in left if each.named]
        self.moves.pop(path, None)

    def leave_named_files(self) -> None:
        """Moves no file that a project file names where that goes on to name it: the project would lose it."""
        changed = {(each.path, each.start) for each in self.replacements}
        for place, path in self.named.items():
            if place not in changed:
                self.moves.pop(path, None)

    def changed_texts(self) -> dict[str, bytes]:
        """The new texts of the files in which something is replaced, by path."""
        return {path: _replaced(self.texts[path], each) for path, each in self.by_path().items()}


def _replaced(text: bytes, replacements: Sequence[Replacement]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for each in replacements:
        parts += [text[at : each.start], each.text.encode()]
        at = each.end
    return b"".join([*parts, text[at:]])


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


class EditHunk(NamedTuple):
    """Lines of a file that change together. `number`: its place among those of the edit, from 0; `line`: the first line
    that changes, in the file as it is, 0 where there is none; `diff`: in git's form."""

    path: str
    number: int
    line: int
    diff: str


def hunks_of(edit: FileEdit) -> list[EditHunk]:
    """Return the hunks of an edit, in order; one for a file that is created, deleted or re-encoded. Raises
    NotText."""
    sides = _sides(edit)
    if sides is None:
        before = None if edit.before is None else edit.before.lines()
        after = None if edit.after is None else _after(edit).lines()
        return [EditHunk(edit.path, 0, 0, unified_diff(edit.path, before, after))]
    old, new = sides
    return [
        EditHunk(edit.path, number, group[0].a0 + 1, unified_diff(edit.path, old, new, changes=group))
        for number, group in enumerate(_groups(old, new))
    ]


def with_hunks(edit: FileEdit, chosen: Collection[int]) -> FileEdit | None:
    """The edit with the hunks of some numbers alone; None where nothing is left of it."""
    sides = _sides(edit)
    if sides is None or edit.before is None:
        return edit if 0 in chosen else None
    old, new = sides
    lines: list[str] = []
    at = 0
    every = _groups(old, new)
    if all(number in chosen for number in range(len(every))):
        return edit
    for change in (each for number, group in enumerate(every) if number in chosen for each in group):
        lines += (*old[at : change.a0], *new[change.b0 : change.b1])
        at = change.a1
    if not at and not lines:
        return None
    made = "".join([*lines, *old[at:]])
    return FileEdit(edit.path, edit.before, edit.before.bom + edit.before.encode(made))


def _groups(old: list[str], new: list[str]) -> list[list[LineChange]]:
    return list(groups(line_changes(old, new)))


def _sides(edit: FileEdit) -> tuple[list[str], list[str]] | None:
    """The lines before and after; None where the edit cannot be parted."""
    before = edit.before
    if before is None or edit.after is None:
        return None
    after = _after(edit)
    if (before.encoding, before.bom) != (after.encoding, after.bom):
        return None
    return before.lines(), after.lines()


def _after(edit: FileEdit) -> Text:
    assert edit.after is not None
    declared = None if edit.before is None else edit.before.declared
    return decode(edit.after, edit.path, encoding=declared)
