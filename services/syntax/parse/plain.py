"""Members written plainly, read from their text: the parser need not see them.

Most members of most files have nothing but attributes, modifiers, simple types, names and a body that was left out. One
match of their text takes a fraction of the time of a parse and of a walk over their nodes. What is not certain to be
read the same either way (tuples, pointers, constraints, `params`, verbatim names, letters beyond ASCII) does not match.
What follows a repeated part never begins as that does, so that text which does not match costs no more than its length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from services.model import Kind
from services.syntax.parse.members import NO_BODY, Member, shown
from services.syntax.parse.pieces import ACCESS_WORDS, Front, access_of
from services.syntax.parse.skeleton import Bodiless, begins_anew, closing
from services.syntax.records.declaration import ParameterRecord
from services.syntax.records.words import KEYWORDS


def _type(argument: str) -> str:
    generic = f"(?:<{argument}(?:, ?{argument})*>)?" if argument else ""
    return rf"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*{generic}(?:\?|\[,*\])*"


_NAME = r"[A-Za-z_]\w*"
_TYPE = _type(_type(_type("")))
_NESTED = r"[^()\[\]]*(?:\([^()\[\]]*\)[^()\[\]]*)*"
_ATTRIBUTE = rf"[A-Za-z_][\w.]*(?:\({_NESTED}\))?"
_ATTRIBUTES = rf"{_ATTRIBUTE}(?:,\s*{_ATTRIBUTE})*"
_FRONT = (
    rf"(?P<attributes>(?:\[{_ATTRIBUTES}\]\s*)*)"
    r"(?P<modifiers>(?:(?:public|private|protected|internal|static|abstract|async|const|new|override|readonly|sealed"
    r"|virtual|volatile)\s+)*)"
)
_ACCESS = "private|protected|internal"
_ACCESSOR_NAME = "get|set|init|add|remove"
_ACCESSOR_CODE = r"\s*(?:;|\{\s*\}|=>[^;{}]*;)\s*"
_VALUE = r"(?:[\w.]+|-\d[\w.]*)"
# No comma that could stand before another declarator.
_INITIALIZER = rf"(?:new\s+{_TYPE}(?=\s*[({{;\[]))?(?:\s*(?:[^\s,;<()]|\((?:[^()<;]|\([^()<;]*\))*\)))+"


_ARROW = r"=>\s*(?:[^\s;{}][^;{}\n]*)?"


def _code(of: str) -> str:
    """Return the pattern of an omitted body."""
    return rf"(?:(?P<{of}_block>\{{\s*\}})|(?P<{of}_arrow>{_ARROW});|;)"


_METHOD = rf"(?:<(?P<generic>{_NAME}(?:,\s*{_NAME})*)>)?\s*\((?P<parameters>[^()]*)\)\s*{_code('method')}"
_ACCESSOR = rf"(?:(?:{_ACCESS})\s+)?(?:{_ACCESSOR_NAME}){_ACCESSOR_CODE}"
_PROPERTY = (
    rf"\s*(?:(?P<accessors>\{{\s*(?:{_ACCESSOR})+\}})(?:(?P<initial>\s*=(?:[^;{{}}]|\{{\s*\}})*);)?"
    rf"|(?P<given>{_ARROW});)"
)
_FIELD = rf"(?P<field>(?:\s*=(?![=>])\s*(?:(?P<value>{_VALUE})(?=\s*;)|{_INITIALIZER}))?)\s*;"
_CONSTRUCTOR = (
    rf"(?P<constructor>{_NAME})\s*\((?P<taken>[^()]*)\)\s*"
    rf"(?P<chain>:\s*(?:base|this)\s*\({_NESTED}\)\s*)?{_code('constructor')}"
)
_NAMED = rf"(?P<type>{_TYPE})\s+(?P<name>{_NAME})(?:{_METHOD}|{_PROPERTY}|{_FIELD})"
_MEMBER = re.compile(f"{_FRONT}(?:{_NAMED}|{_CONSTRUCTOR})".encode())
_LISTED = re.compile(rf"\[({_ATTRIBUTES})\]".encode())
_APPLIED = re.compile(_ATTRIBUTE.encode())
_EACH_ACCESSOR = re.compile(rf"(?:({_ACCESS})\s+)?({_ACCESSOR_NAME}){_ACCESSOR_CODE}".encode())
_PARAMETER = re.compile(
    rf"\s*(?:(this|ref|out|in)\s+)?({_TYPE})\s+({_NAME})(?:\s*=\s*({_VALUE}))?\s*(?:,(?!\s*\Z)|\Z)".encode()
)
_NO_NAMES = frozenset(word.encode() for word in KEYWORDS)
_TYPE_WORDS = (
    b"bool byte char decimal double float int long object sbyte short string uint ulong ushort void".split()
)
# What begins with these words is no member with a type, or no plain one.
_NO_TYPES = _NO_NAMES.difference(_TYPE_WORDS) | frozenset(
    b"async await extension file global partial record required scoped yield".split()
)
_STOP = re.compile(rb"[;{]")
_SIGNIFICANT = re.compile(rb"\S")
_ASSIGNED = re.compile(rb"\s*=")


class Plain(NamedTuple):
    """Member with its place in the file."""

    start: int
    end: int
    member: Member
    front: Front


def plain_members(found: Bodiless, code: bytes) -> dict[int, list[Plain]]:
    """The plain members of each type, in order, by where the content of the type starts. `code`: what hashes may see of
    the file."""
    read = {start: _members(found, code, start) for start in found.types}
    return {start: members for start, members in read.items() if members}


def _members(found: Bodiless, code: bytes, start: int) -> list[Plain]:
    text, end = found.text, found.types[start]
    members: list[Plain] = []
    at = start
    while (first := _SIGNIFICANT.search(text, at, end)) is not None:
        match = _MEMBER.match(text, first.start(), end)
        read = _read(match) if match is not None else None
        if match is None or read is None:
            at = _past(found, first.start(), end)
        else:
            at = match.end()
            members.append(Plain(match.start(), at, read, _front(match, code)))
    return members


def _past(found: Bodiless, at: int, end: int) -> int:
    """Return the end of other text that begins at `at`: after its braces, or where it contains an assignment, after
    the semicolon outside of braces. It may include the next members, which then are not plain."""
    text = found.text
    assigned = False
    while (stop := _STOP.search(text, at, end)) is not None:
        if text[stop.start()] == 0x3B:
            return stop.end()
        assigned = assigned or b"=" in text[at : stop.start()]
        at = 1 + (found.types.get(stop.end()) or closing(text, stop.end()))
        if at == 0:
            return end
        if not assigned and _ASSIGNED.match(text, at, end) is None:
            return at
        assigned = True
    return end


def _read(match: re.Match[bytes]) -> Member | None:
    if match["constructor"] is not None:
        return _constructor(match)
    if match["type"] in _NO_TYPES or match["name"] in _NO_NAMES:
        return None
    if match["parameters"] is not None:
        return _method(match)
    return _field(match) if match["field"] is not None else _property(match)


def _method(match: re.Match[bytes]) -> Member | None:
    parameters = _parameters(match["parameters"])
    if parameters is None:
        return None
    member = Member(Kind.METHOD, match["name"].decode(), match["type"].decode())
    member.parameters, member.body = parameters, _body(match, "method_block", "method_arrow")
    if match["generic"] is not None:
        member.type_parameters = tuple([name.strip().decode() for name in match["generic"].split(b",")])
    return member


def _constructor(match: re.Match[bytes]) -> Member | None:
    parameters = _parameters(match["taken"])
    body = _body(match, "constructor_block", "constructor_arrow")
    if parameters is None or match["constructor"] in _NO_TYPES:
        return None
    if match["chain"] is not None:
        if body == NO_BODY:
            return None
        body = (match.start("chain"), body[1])
    return Member(Kind.CONSTRUCTOR, match["constructor"].decode(), parameters=parameters, body=body)


def _property(match: re.Match[bytes]) -> Member | None:
    member = Member(Kind.PROPERTY, match["name"].decode(), match["type"].decode())
    if match["given"] is not None:
        member.accessors, member.body = (("get", ""),), _span(match, "given")
        return member
    start, end = match.span("accessors")
    member.accessors = _accessors(match["accessors"])
    member.body = (start, end if match["initial"] is None else _span(match, "initial")[1])
    return None if _swallows(match, "initial") else member


def _field(match: re.Match[bytes]) -> Member | None:
    member = Member(Kind.FIELD, match["name"].decode(), match["type"].decode())
    member.body = (match.start("name"), _span(match, "field")[1])
    if _swallows(match, "field"):
        return None
    if b"const" in match["modifiers"]:
        if match["value"] is None:
            return None
        member.kind, member.value = Kind.CONSTANT, shown(match["value"].decode())
    return member


def _swallows(match: re.Match[bytes], group: str) -> bool:
    """Whether what is assigned may hold the next member, since it lacks its semicolon."""
    return match[group] is not None and begins_anew(match.string, match.start("type"), match.span(group))


def _body(match: re.Match[bytes], block: str, arrow: str) -> tuple[int, int]:
    if match[arrow] is not None:
        return _span(match, arrow)
    return match.span(block) if match[block] is not None else NO_BODY


def _span(match: re.Match[bytes], group: str) -> tuple[int, int]:
    """Return the span of a group, without trailing blanks."""
    start = match.start(group)
    return start, start + len(match[group].rstrip())


def _front(match: re.Match[bytes], code: bytes) -> Front:
    access, modifiers = _modifiers(match["modifiers"])
    if not match["attributes"]:
        return Front(access, modifiers)
    listed = list(_LISTED.finditer(match.string, *match.span("attributes")))
    return Front(
        access,
        modifiers,
        tuple([name for each in listed for name in _names(each[1])]),
        tuple([code[each.start() : each.end()] for each in listed]),
    )


@lru_cache(1_024)
def _modifiers(words: bytes) -> tuple[str, tuple[str, ...]]:
    written = words.decode().split()
    others = tuple([each for each in written if each not in ACCESS_WORDS])
    return access_of([each for each in written if each in ACCESS_WORDS]), others


@lru_cache(4_096)
def _names(attributes: bytes) -> tuple[str, ...]:
    return tuple([each[0].partition(b"(")[0].decode() for each in _APPLIED.finditer(attributes)])


@lru_cache(1_024)
def _accessors(block: bytes) -> tuple[tuple[str, str], ...]:
    return tuple([(each[2].decode(), (each[1] or b"").decode()) for each in _EACH_ACCESSOR.finditer(block)])


@lru_cache(4_096)
def _parameters(inside: bytes) -> tuple[ParameterRecord, ...] | None:
    """Read the parameters between the brackets; None where one of them is not plain."""
    if not inside or inside.isspace():
        return ()
    found: list[ParameterRecord] = []
    at = 0
    while at < len(inside):
        each = _PARAMETER.match(inside, at)
        if each is None or each[2] in _NO_TYPES or each[3] in _NO_NAMES:
            return None
        modifier, default = each[1] or b"", each[4] or b""
        found.append(ParameterRecord(each[2].decode(), modifier.decode(), each[3].decode(), default.decode()))
        at = each.end()
    return tuple(found)
