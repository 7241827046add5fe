"""A text whose braces balance cut into segments, one declaration each, without what bodies hold.

Semicolons and braces end segments. A type or a namespace that lacks its keyword is known by what its braces hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

import msgspec

from services.syntax.layout import Splice, line_column
from services.syntax.parse.skeleton import ACCESSOR_LIST, TYPE_HEADER, closing
from services.syntax.records.words import KEYWORDS

_NAME = rb"@?[^\W\d]\w*\b"
_MODIFIER = (
    rb"(?:public|private|protected|internal|static|sealed|abstract|partial|readonly|unsafe|new|file|ref)\b\s*"
)
GENERIC = rb"<[^<>(){};]*(?:<[^<>(){};]*>[^<>(){};]*)*>"
"""A list of type parameters, whose attributes may have type arguments."""

_ATTRIBUTES = rb"(?:\[[^\]{};]*\]\s*)*"
_HEADER = re.compile(
    rb"\s*%(attributes)b(?P<modifiers>(?:%(modifier)b)*)(?!%(modifier)b)(?P<name>%(name)b)\s*(?:%(generic)b\s*)?"
    rb"(?P<taken>\([^{};]*\)\s*)?(?:(?::(?!\s*(?:base|this)\b)|where\b)[^{};=]*)?\Z"
    % {b"attributes": _ATTRIBUTES, b"modifier": _MODIFIER, b"name": _NAME, b"generic": GENERIC}
)
_PATH = re.compile(rb"\s*[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*\s*(?:;\s*)?\Z")
_MEMBER = re.compile(
    rb"\b(?:public|private|protected|internal|static|override|void|class|struct|enum|interface|record)\b"
    rb"|[;}]\s*[^\s{};]"
)
_TYPE = re.compile(rb"\b(?:class|struct|interface|enum|record|delegate)\s")
_ENUM_MEMBER = re.compile(rb"\s*%b%b\s*(?:=[^,{};]*)?\Z" % (_ATTRIBUTES, _NAME))


def is_path(text: bytes) -> bool:
    """Whether a text is a name with dots, and perhaps a semicolon."""
    return _PATH.match(text) is not None


def lost_keyword(header: bytes, content: bytes, *, in_type: bool) -> Splice | None:
    """Return the text that `header` lacks before its name, with a blank after it; None for that of a member.
    `content`: the content of its braces; `in_type`: whether it is in a type."""
    if not in_type and is_path(header) and _TYPE.search(content):
        return Splice(0, 0, b"namespace ")
    named = _HEADER.match(header)
    if named is None:
        return None
    if in_type and named["taken"] is not None:
        return None  # a constructor
    if (in_type or not named["modifiers"]) and not _has_members(content):
        return None
    return Splice(named.start("name"), 0, _likely(named, content) + b" ")


def _likely(named: re.Match[bytes], content: bytes) -> bytes:
    if not {b"ref", b"readonly"}.isdisjoint(named["modifiers"].split()):
        return b"struct"
    if _is_of_enum(content):
        return b"enum"
    name = named["name"]
    if name[:1] == b"I" and name[1:2].isupper() and b"public" not in content:
        return b"interface"
    return b"class"


def _has_members(content: bytes) -> bool:
    return _MEMBER.search(content) is not None or _is_of_enum(content)


def _is_of_enum(content: bytes) -> bool:
    items = content.split(b",")
    return len(items) > 1 and all(not item.strip() or _ENUM_MEMBER.match(item) for item in items)


LONGEST = 32_000
"""Bytes of a segment that is looked into."""

_DEEPEST = 100  # as deep as the walk goes
_LONGEST_HEADER = 8_000
_STOP = re.compile(rb"[;{]")
_SEMICOLON = 0x3B
_SIGNIFICANT = re.compile(rb"\S")
_ACCESSOR = re.compile(rb"\s*(?:(?:get|set|init|add|remove)\b|;|=>)")
_LINE_BEGINS = re.compile(rb"\n[ \t]*(?=[@\w~]|\[[ \t]*\w)")
_NEVER_FIRST = re.compile(rb"(?:where|is|as|and|or|switch|with|when|in|select|from|orderby|let|join|group)\b")
_DECLARES = re.compile(rb"(?:public|private|protected|internal|class|struct|interface|enum|namespace)\b")
_LAST_WORD = re.compile(rb"[A-Za-z]+\Z")
_NO_END = b"],.=(<>:+-*/%&|^!?["
_CONTINUES = b"),.?:"
# Behind these words a declaration is not over; they are what an expression may end with that are not.
_EXPRESSIONS = {"null", "true", "false", "default", "this", "base"}
_MODIFIERS = {"partial", "record", "file", "async", "required", "and", "or", "where"}
_NEVER_LAST = frozenset(word.encode() for word in (KEYWORDS - _EXPRESSIONS) | _MODIFIERS)


class Surroundings(Enum):
    """Surroundings of a segment: the text before and after it that makes it parse alone."""

    FILE = (b"", b"")
    TYPE = (b"class A{", b"\n}")
    ENUM = (b"enum A{", b"\n}")


class Segment(NamedTuple):
    """Stretch of the text. `closed`: braces substituted for those after it."""

    start: int
    end: int
    around: Surroundings
    closed: bytes = b""


class Segments(msgspec.Struct, frozen=True):
    """`bodies`: what braces of members hold; `keywords`: those that are lost, by the start of their segment."""

    found: list[Segment] = msgspec.field(default_factory=list)
    bodies: list[tuple[int, int]] = msgspec.field(default_factory=list)
    keywords: dict[int, Splice] = msgspec.field(default_factory=dict)


def segments_of(text: bytes) -> Segments:
    """The segments of a text (strings and comments blank)."""
    cutter = _Cutter(text)
    cutter.scan(0, len(text), Surroundings.FILE)
    return cutter.out


def beginnings(text: bytes, start: int, end: int) -> list[int]:
    """Return the apparent starts of declarations in a stretch: its first token, and lines that are indented no more
    than that and do not continue the text before them."""
    first = _SIGNIFICANT.search(text, start, end)
    if first is None or end - start > LONGEST:
        return [start if first is None else first.start()]
    return [first.start(), *_later_beginnings(text, first.start(), end)]


def _later_beginnings(text: bytes, first: int, end: int) -> Iterator[int]:
    column = line_column(text, first)
    for match in _LINE_BEGINS.finditer(text, first, end):
        at = match.end()
        if line_column(text, at) > column or _NEVER_FIRST.match(text, at) is not None:
            continue
        before = text[first : match.start()].rstrip()
        word = _LAST_WORD.search(before)
        unfinished = b"]" if _DECLARES.match(text, at) is not None else _NO_END
        if before[-1:] not in unfinished and (word is None or word[0] not in _NEVER_LAST):
            yield at


class _Cutter:
    def __init__(self, text: bytes) -> None:
        self._text = text
        self._depth = 0
        self.out = Segments()

    def scan(self, start: int, end: int, around: Surroundings) -> None:
        """Split the text from `start` to `end` in a file, a namespace or a type."""
        begin = at = start
        while (stop := _STOP.search(self._text, at, end)) is not None:
            at = stop.end()
            if self._text[at - 1] == _SEMICOLON:
                self._add(begin, at, around)
                begin = at
                continue
            close = closing(self._text, at)
            if not 0 <= close <= end:
                break
            begin = self._braces(Segment(begin, end, around), at, close)
            at = max(begin, close + 1)
        self._add(begin, end, around)

    def _braces(self, rest: Segment, at: int, close: int) -> int:
        """Takes braces with content from `at` to `close`; where the segment of now begins behind them."""
        begin, end, around, _ = rest
        first = self._header_start(begin, at - 1)
        inside = self._inside(first, at, close, around)
        if inside is None:
            self._leave_out(begin, at, close)
            if not self._ends_with(begin, close, end):
                return begin
            self._add(begin, close + 1, around)
            return close + 1
        self._add(begin, first, around)
        self.out.found.append(Segment(first, at - 1, around, b"{}"))
        self._hold(at, close, inside)
        following = _SIGNIFICANT.search(self._text, close + 1, end)
        return following.end() if following is not None and following[0] == b";" else close + 1

    def _hold(self, start: int, end: int, inside: Surroundings) -> None:
        if inside is Surroundings.ENUM:
            self._add(start, end, inside)
        elif self._depth < _DEEPEST:
            self._depth += 1
            self.scan(start, end, inside)
            self._depth -= 1
        else:
            self.out.bodies.append((start, end))

    def _add(self, start: int, end: int, around: Surroundings) -> None:
        found = _SIGNIFICANT.search(self._text, start, end)
        if found is None:
            return
        first = found.start()
        self.out.found.append(Segment(first, end, around))
        if (
            around is Surroundings.FILE
            and self._text[end - 1] == _SEMICOLON
            and is_path(self._text[first:end])
        ):
            # What is left of the only namespace of a file, or of a using.
            word = b"using " if b"namespace" in self._text else b"namespace "
            self.out.keywords[first] = Splice(first, 0, word)

    def _header_start(self, begin: int, end: int) -> int:
        """Return the start of the last declaration of a stretch: an earlier one may lack its end."""
        return beginnings(self._text, max(begin, end - _LONGEST_HEADER), end)[-1]

    def _inside(self, first: int, at: int, close: int, around: Surroundings) -> Surroundings | None:
        """Return the surroundings of the content of braces, from `at` to `close`; None for a body."""
        header = self._text[first : at - 1]
        found = TYPE_HEADER.search(header)
        if found is not None:
            if found[0].startswith(b"enum"):
                return Surroundings.ENUM
            return Surroundings.FILE if found[0].startswith(b"namespace") else Surroundings.TYPE
        if _ACCESSOR.match(self._text, at) is not None:
            return None
        lost = lost_keyword(header, self._text[at:close], in_type=around is Surroundings.TYPE)
        if lost is None:
            return None
        self.out.keywords[first] = Splice(first + lost.at, 0, lost.text)
        return {b"enum ": Surroundings.ENUM, b"namespace ": Surroundings.FILE}.get(
            lost.text, Surroundings.TYPE
        )

    def _leave_out(self, begin: int, at: int, close: int) -> None:
        """Notes a body, of accessors those that each of them has."""
        text, bodies = self._text, self.out.bodies
        if ACCESSOR_LIST.match(text, at) is None or text[begin : at - 1].rstrip().endswith(b")"):
            bodies.append((at, close))
            return
        while (brace := text.find(b"{", at, close)) >= 0:
            at = closing(text, brace + 1) + 1
            bodies.append((brace + 1, at - 1))

    def _ends_with(self, begin: int, close: int, end: int) -> bool:
        """Whether a declaration ends with the brace at `close`: not where something is assigned behind it, nor in an
        expression that goes on."""
        text = self._text
        following = _SIGNIFICANT.search(text, close + 1, end)
        if following is None:
            return True
        at = following.start()
        if following[0] in b";=":
            return text.startswith(b"=>", at)
        first = _SIGNIFICANT.search(text, begin)
        if first is None or text.find(b"=", begin, close) < 0:
            return True
        is_left = text.find(b"\n", close, at) >= 0 and line_column(text, at) <= line_column(
            text, first.start()
        )
        return is_left and following[0] not in _CONTINUES
