"""Source text: ranges, parts, searches, colours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from services.model.base import Value
from services.model.symbols import SymbolRef

_SIGNS = re.compile(r"[\\|*+?\[\]^$]")


class SourcePiece(Value, kw_only=True, frozen=True, omit_defaults=True):
    """A stretch of lines of a file that a part of a type is made of; `token` is that file's, left out on the wire where
    the lines were not read: nobody should write with it."""

    file: str
    start_line: int
    end_line: int
    token: str = ""


class SourceRange(Value, kw_only=True, frozen=True):
    """Lines of an object (SPEC section 7). `content` is text with its own line endings; times in ms since 1970.

    `pieces`: where the lines of a part stand, in the order of `content`; `file`, `token` and the line numbers are then
    those of the first file, `start_line` and `end_line` of its first and last piece."""

    object: str
    file: str
    content: str
    token: str
    line_count: int
    start_line: int
    end_line: int
    requested_start_line: int | None = None
    requested_end_line: int | None = None
    changed_at: int = 0
    changed_by: str = ""
    expires_at: int = 0
    object_type: str = "file"
    encoding: str = "utf-8"
    writable: bool = True
    version: str = "workingArea"
    include_type: str | None = None
    pieces: tuple[SourcePiece, ...] = ()


class StructurePart(Value, kw_only=True, frozen=True):
    """Part of a type (`include_type`): its location, and its number of lines."""

    include_type: str
    pieces: tuple[SourcePiece, ...]
    line_count: int


class StructureLink(Value, kw_only=True, frozen=True):
    """Something else to look at. `rel`: source (a file that declares the object), base, nested, type (declared in the
    file); `href`: what to name it by in another call."""

    rel: str
    href: str
    title: str


class Structure(Value, kw_only=True, frozen=True):
    """Structure of an object, without its source (000 section 2.1). `token`, `changed_at` (ms since 1970) and
    `changed_by` are those of `file`, its main one; `members` are in source order; `facts`: of an SAP object, what its
    system says of it (`adtcore:…`)."""

    object: str
    object_type: str
    name: str
    file: str
    start_line: int
    end_line: int
    line_count: int
    token: str
    changed_at: int
    changed_by: str
    includes: tuple[StructurePart, ...] = ()
    members: tuple[SymbolRef, ...] = ()
    links: tuple[StructureLink, ...] = ()
    facts: Mapping[str, str] | None = None


class GrepMatch(Value, kw_only=True, frozen=True):
    """A matching line without its ending. `spans`: (start, end) character columns of what matched, end exclusive;
    no line is told twice: context that belongs to the match before or after is left to that."""

    file: str
    line_number: int
    content: str
    context_before: tuple[str, ...] = ()
    context_after: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


class GrepFile(Value, kw_only=True, frozen=True):
    """File with matches. `match_count` counts lines; `truncated`: the file has more than are returned."""

    file: str
    matches: tuple[GrepMatch, ...]
    match_count: int
    line_count: int
    truncated: bool = False


class GrepAnswer(Value, kw_only=True, frozen=True):
    """Answer of a grep (SPEC section 7). `match_count`: matches returned; `line_count`: lines of the files they are
    in, or of the object; `truncated`: there may be more; `timed_out`: because the time limit was reached.
    `searched`: number of candidate files; `binary`: files left out as no text though they contain the required
    substring; `long_lines`: lines left out as too long."""

    pattern: str
    matches: tuple[GrepMatch, ...]
    match_count: int
    line_count: int
    truncated: bool = False
    timed_out: bool = False
    object: str | None = None
    object_type: str = "workspace"
    include_type: str | None = None
    searched: int = 0
    binary: int = 0
    long_lines: int = 0


class Span(Value, kw_only=True, frozen=True):
    """A coloured stretch of one line. `start`, `end`: 0-based character columns, end exclusive; `style`: a name of
    services/syntax/highlight.py (`keyword`, `string`, `comment` …), never a colour."""

    start: int
    end: int
    style: str


def may_be_expression(pattern: str) -> bool:
    """Whether a pattern that was taken as text may be meant as a regular expression; a call such as `Foo(` is none."""
    return _SIGNS.search(pattern) is not None


ADT = "adt:"
"""Begins the name of an object of an SAP system."""
NEW_LOCK = "new"
"""Handle of a lock in an SAP system that is taken for one write and given back after it."""


def is_adt(name: str | None) -> bool:
    """Whether a name is of an object of an SAP system."""
    return name is not None and name.startswith(ADT)
