"""From frames and lines to the symbols of a workspace."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from services.context.frames import (
    CONSTRUCTOR,
    STATEMENTS,
    STATIC_CONSTRUCTOR,
    StackFrame,
    frames,
    runtime_types,
    simple_type,
)
from services.index.compiled import home_of
from services.index.index import Index
from services.index.resolve.routes import RouteTable, asked_routes
from services.index.symbols.describe import Placed, TypeWithMembers
from services.model import Kind, SymbolRef
from services.model.window import FoundPlace

_MOST_ROUTES = 20
_CONVERSIONS = (Kind.OPERATOR, Kind.CONVERSION)


class PlaceFinder:
    """Finds places in one revision of an index. Not thread-safe; to be used within `index.reading()`."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def of(self, text: str) -> list[FoundPlace]:
        """Every place that a text names, each once: frames first, then lines and files, then the methods that answer
        routes. Of one that is not of this workspace `symbol` is None, and it is told only where it is a frame."""
        found: list[FoundPlace] = [self._of_frame(frame) for frame in frames(text)]
        seen = {(place.path, place.line) for place in found}
        wanted = changed(text) if is_diff(text) else list(lines(text))
        for line in wanted:
            place = self._of_line(line)
            if place is not None and (place.path, place.line) not in seen:
                seen.add((place.path, place.line))
                found.append(place)
        return [*found, *self._of_routes(text)]

    def _of_routes(self, text: str) -> Iterator[FoundPlace]:
        """Yield the methods that answer the first routes that a text names."""
        asked = list(islice(asked_routes(text), _MOST_ROUTES))
        table = RouteTable(self._index.catalogue, self._index.records) if asked else None
        for route in asked:
            for place in table.find(route) if table is not None else ():
                symbol = self._index.files.declared(*place)
                if symbol is not None:
                    yield FoundPlace(
                        text=route.text, kind="route", path=symbol.file, line=symbol.start_line, symbol=symbol
                    )

    def _of_frame(self, frame: StackFrame) -> FoundPlace:
        path = self._file(frame.path) if frame.path else None
        symbol = self._by_name(frame, path)
        if symbol is None and path is not None and frame.line:
            symbol = self._index.files.enclosing(path, frame.line)
        return FoundPlace(text=frame.text, kind="frame", path=path or "", line=frame.line, symbol=symbol)

    def _of_line(self, line: Line) -> FoundPlace | None:
        path = self._file(line.path)
        if path is None:
            return None
        symbol = self._index.files.enclosing(path, line.line) if line.line else None
        if symbol is None:
            types = self._index.files.types_in(path)
            whole = self._index.describer.whole(types[0]) if types else None
            symbol = self._index.describer.refs.type_ref(whole) if whole is not None else None
        kind = "change" if line.changed else "line" if line.line else "file"
        return FoundPlace(text=line.path, kind=kind, path=path, line=line.line, symbol=symbol)

    # Files

    @cached_property
    def _by_file_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._index.paths():
            found[PurePosixPath(path).name.lower()].append(path)
        return found

    def _file(self, written: str) -> str | None:
        """The file that has most folders in common with a path, from its end; None where several have as many."""
        parts = written.replace("\\", "/").lower().split("/")
        ranked = sorted(
            (
                (_common(parts, path.lower().split("/")), path)
                for path in self._by_file_name.get(parts[-1], ())
            ),
            reverse=True,
        )
        if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
            return None
        return ranked[0][1]

    # Names

    @cached_property
    def _types(self) -> dict[tuple[str, ...], list[int]]:
        """Types by the names around them and their own, without arity."""
        catalogue = self._index.catalogue
        found: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at, entry in catalogue.live_types():
            names = entry.fqn.replace("+", ".").split(".")
            home = home_of(catalogue, at)
            here = found[tuple(name.partition("`")[0].lstrip("@") for name in names)]
            if home not in here:
                here.append(home)
        return found

    def _by_name(self, frame: StackFrame, path: str | None) -> SymbolRef | None:
        for end in range(len(frame.types), 0, -1):
            types = self._types.get(frame.types[:end])
            if types:
                explicit = ".".join(frame.types[end:])
                return self._in_types(types, explicit, frame, path)
        return None

    def _in_types(
        self, types: Iterable[int], explicit: str, frame: StackFrame, path: str | None
    ) -> SymbolRef | None:
        wholes = [whole for at in types if (whole := self._index.describer.whole(at)) is not None]
        here = [whole for whole in wholes if path in self._paths(whole)] or wholes
        candidates = [(whole, member) for whole in here for member in _named(whole, frame.member, explicit)]
        if candidates:
            whole, member = max(candidates, key=lambda pair: self._fit(pair[1], frame, path))
            return self._index.describer.refs.member_ref(whole, member)
        if not here or (len(here) > 1 and path is None):
            return None
        if path is not None and frame.line and frame.member != STATEMENTS:
            return self._index.files.enclosing(path, frame.line) or self._index.describer.refs.type_ref(
                here[0]
            )
        if frame.member == STATIC_CONSTRUCTOR and len(set_up := _set_up(here[0])) == 1:
            return self._index.describer.refs.member_ref(here[0], set_up[0])
        if frame.member in (STATEMENTS, CONSTRUCTOR, STATIC_CONSTRUCTOR, "Main"):
            return self._index.describer.refs.type_ref(here[0])
        return None

    def _paths(self, whole: TypeWithMembers) -> set[str]:
        return {self._index.catalogue.file(part.file).path for part in whole.parts}

    def _fit(self, member: Placed, frame: StackFrame, path: str | None) -> tuple[int, ...]:
        """How well an overload fits: around the line first, then by its parameters."""
        declaration = member.declaration
        file = self._index.catalogue.file(member.file).path
        around = file == path and declaration.start_line <= frame.line <= declaration.end_line
        own = _parameters(member)
        told = frame.parameters
        same = sum(name in its for name, its in zip(told or (), own, strict=False))
        count = told is not None and len(told) == len(own)
        return int(around and not member.implicit), int(count), same, int(not member.implicit)


def _parameters(member: Placed) -> Sequence[frozenset[str]]:
    declaration = member.declaration
    own = [runtime_types(each.type) for each in declaration.parameters or ()]
    receiver = declaration.receiver
    return [runtime_types(receiver.type), *own] if receiver is not None and receiver.name else own


def _named(whole: TypeWithMembers, name: str, explicit: str) -> Iterator[Placed]:
    """The members that a frame's method may be of."""
    for member in whole.members:
        declaration = member.declaration
        static = "static" in declaration.modifiers
        if declaration.kind is Kind.CONSTRUCTOR:
            if (name == CONSTRUCTOR and not static) or (name == STATIC_CONSTRUCTOR and static):
                yield member
        elif name == "Finalize" and declaration.kind is Kind.DESTRUCTOR:
            yield member
        elif declaration.name.lstrip("@") == name and bool(declaration.explicit) == bool(explicit):
            if not explicit or simple_type(declaration.explicit) == simple_type(explicit):
                yield member
        elif declaration.kind in _CONVERSIONS and declaration.name.replace("checked ", "").startswith(name):
            yield member


def _set_up(whole: TypeWithMembers) -> list[Placed]:
    """Return the static fields and properties with initialisers, which an implicit static constructor sets."""
    kinds = (Kind.FIELD, Kind.PROPERTY, Kind.EVENT)
    return [
        member
        for member in whole.members
        if member.declaration.kind in kinds
        and "static" in member.declaration.modifiers
        and member.declaration.body[1] > member.declaration.body[0]
    ]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two paths share from their ends."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count


# Lines of files that a text names: `Orders.cs:34`, `Orders.cs(34,12): error CS0103`, `Orders.cs:line 34`, and the
# files and lines that a diff changes.

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
    for row in (each.rstrip("\r") for each in text.split("\n")):  # nothing but LF ends a line
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
