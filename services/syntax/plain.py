"""Members written plainly, read by expressions instead of nodes.

Most members of most files have nothing but modifiers, names, simple types and a body that was left out. One match of
their text takes a quarter of the time of their nodes. What is not certain to be read the same either way (tuples,
pointers, constraints, `params`, verbatim names, letters beyond ASCII) is not matched, and read from its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from services.model import Kind
from services.syntax.declaration import ParameterRecord
from services.syntax.members import NO_BODY, Member, shown
from services.syntax.pieces import ACCESS_WORDS, Front, Script, access_of

_LONGEST = 4_000  # bytes of a member; what is longer is a table in an initializer


def _type(arguments: bytes | None) -> bytes:
    name = rb"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+"
    generic = rb"(?:<" + arguments + rb"(?:, ?" + arguments + rb")*+>)?+" if arguments else b""
    return name + generic + rb"(?:\?|\[,*+\])*+"


_NAME = rb"[A-Za-z_]\w*+"
_TYPE = _type(_type(_type(None)))
_NESTED = rb"[^()\[\]]*+(?:\([^()\[\]]*+\)[^()\[\]]*+)*+"
_ATTRIBUTE = rb"[A-Za-z_][\w.]*+(?:\(" + _NESTED + rb"\))?+"
_ATTRIBUTES = rb"((?:\[" + _ATTRIBUTE + rb"(?:,\s*" + _ATTRIBUTE + rb")*+\]\s*+)*+)"
_MODIFIERS = (
    rb"((?:(?:public|private|protected|internal|static|abstract|async|const|new|override|readonly|sealed|virtual"
    rb"|volatile)\s++)*+)"
)
_FRONT = _ATTRIBUTES + _MODIFIERS
_PARAMETERS = rb"\(([^()]*+)\)\s*+"
_CODE = rb"(?:(?P<block>\{)|(?P<arrow>=>)|;\Z)"

_METHOD = re.compile(
    _FRONT
    + rb"(%s)\s++(%s)(?:<(%s(?:,\s*+%s)*+)>)?+\s*+" % (_TYPE, _NAME, _NAME, _NAME)
    + _PARAMETERS
    + _CODE
)
_CONSTRUCTOR = re.compile(
    _FRONT
    + rb"(%s)\s*+" % _NAME
    + _PARAMETERS
    + rb"(?P<chain>:\s*+(?:base|this)\s*+\(%s\)\s*+)?+" % _NESTED
    + _CODE
)
_ACCESSOR = (
    rb"(?:(private|protected|internal)\s++)?+(get|set|init|add|remove)\s*+(?:;|\{\s*+\}|=>[^;{}]*+;)\s*+"
)
_PROPERTY = re.compile(
    _FRONT + rb"(%s)\s++(%s)\s*+" % (_TYPE, _NAME) + rb"(?:(\{\s*+(?:" + _ACCESSOR + rb")++\})|(?P<arrow>=>))"
)
_ACCESSORS = re.compile(_ACCESSOR)
_VALUE = rb"[\w.]++|-\d[\w.]*+"
_INITIALIZER = (
    rb"(?:new\s++" + _TYPE + rb"(?=\s*+[({;\[]))?+(?:[^,;<()]|\((?:[^()<;]|\((?:[^()<;])*+\))*+\))++"
)
_FIELD = re.compile(
    _FRONT
    + rb"(%s)\s++(?P<own>(%s)(?:\s*+=\s*+(?:(%s)(?=\s*+;)|%s))?+)\s*+;" % (_TYPE, _NAME, _VALUE, _INITIALIZER)
)
_ENUM_MEMBER = re.compile(rb"(%s)(?:\s*+=\s*+(%s))?+" % (_NAME, _VALUE))
_PARAMETER = re.compile(
    rb"\s*+(?:(this|ref|out|in)\s++)?+(%s)\s++(%s)(?:\s*+=\s*+(%s))?+\s*+(?:,(?!\s*+\Z)|\Z)"
    % (_TYPE, _NAME, _VALUE)
)
_APPLIED = re.compile(_ATTRIBUTE)
_LISTED = re.compile(rb"\[(%s(?:,\s*+%s)*+)\]" % (_ATTRIBUTE, _ATTRIBUTE))

Read = tuple[Member, Front]


def plain_member(kind: str, text: bytes, script: Script, at: int) -> Read | None:
    """A member of a node kind among `PLAIN_KINDS`, from its text at `at` of what was parsed; None for one that is not
    plain."""
    return _READ[kind](text, script, at) if len(text) <= _LONGEST else None


def _method(text: bytes, script: Script, at: int) -> Read | None:
    found = _METHOD.match(text)
    if found is None:
        return None
    parameters = _parameters(found[6])
    body = _body(found, text, script, at)
    if parameters is None or body is None:
        return None
    member = Member(Kind.METHOD, found[4].decode(), found[3].decode(), parameters=parameters, body=body)
    if found[5] is not None:
        member.type_parameters = tuple([name.strip().decode() for name in found[5].split(b",")])
    return member, _front(found, script, at)


def _constructor(text: bytes, script: Script, at: int) -> Read | None:
    found = _CONSTRUCTOR.match(text)
    if found is None:
        return None
    parameters = _parameters(found[4])
    body = _body(found, text, script, at)
    if parameters is None or body is None:
        return None
    if found["chain"] is not None:
        if body == NO_BODY:
            return None
        body = (script.place(at + found.start("chain"), at + found.end("chain"))[0], body[1])
    member = Member(Kind.CONSTRUCTOR, found[3].decode(), parameters=parameters, body=body)
    return member, _front(found, script, at)


def _property(text: bytes, script: Script, at: int) -> Read | None:
    found = _PROPERTY.match(text)
    if found is None:
        return None
    if found["arrow"] is not None:
        body = _body(found, text, script, at)
        if body is None:
            return None
        accessors: tuple[tuple[str, str], ...] = (("get", ""),)
    else:
        end = _value_end(text, found.end())
        if end < 0:
            return None
        body = script.place(at + found.start(5), at + end)
        accessors = _accessors(found[5])
    member = Member(Kind.PROPERTY, found[4].decode(), found[3].decode(), accessors=accessors, body=body)
    return member, _front(found, script, at)


def _value_end(text: bytes, start: int) -> int:
    """Where the initializer ends that follows an accessor list; `start` without one, -1 where it is something else."""
    if start == len(text):
        return start
    rest = text[start:].lstrip()
    if rest.startswith(b"=") and text.endswith(b";"):
        return len(text[:-1].rstrip())
    return -1


def _field(text: bytes, script: Script, at: int) -> Read | None:
    found = _FIELD.fullmatch(text)
    if found is None:
        return None
    front = _front(found, script, at)
    start, end = found.span("own")
    member = Member(Kind.FIELD, found[5].decode(), found[3].decode())
    member.body = script.place(at + start, at + len(text[:end].rstrip()))
    if "const" in front.modifiers:
        if found[6] is None:
            return None
        member.kind, member.value = Kind.CONSTANT, shown(found[6].decode())
    return member, front


def _enum_member(text: bytes, script: Script, at: int) -> Read | None:
    found = _ENUM_MEMBER.fullmatch(text)
    if found is None:
        return None
    member = Member(Kind.ENUM_MEMBER, found[1].decode())
    if found[2] is not None:
        member.value = shown(found[2].decode())
        member.body = script.place(at + found.start(2), at + found.end(2))
    return member, _NO_FRONT


_NO_FRONT = Front()
_READ: dict[str, Callable[[bytes, Script, int], Read | None]] = {
    "method_declaration": _method,
    "constructor_declaration": _constructor,
    "property_declaration": _property,
    "field_declaration": _field,
    "enum_member_declaration": _enum_member,
}
PLAIN_KINDS = frozenset(_READ)
"""The kinds of nodes that may be plain members."""


def _body(found: re.Match[bytes], text: bytes, script: Script, at: int) -> tuple[int, int] | None:
    """Where a block or an arrow with what it gives stands in the file; NO_BODY for a semicolon alone."""
    arrow = found.start("arrow")
    if arrow >= 0:
        return script.place(at + arrow, at + len(text[:-1].rstrip())) if text.endswith(b";") else None
    block = found.start("block")
    if block < 0:
        return NO_BODY
    return script.place(at + block, at + len(text)) if text.endswith(b"}") else None


def _front(found: re.Match[bytes], script: Script, at: int) -> Front:
    access, modifiers = _modifiers(found[2])
    if not found[1]:
        return Front(access, modifiers)
    codes: list[bytes] = []
    attributes: list[str] = []
    for each in _LISTED.finditer(found[1]):
        start, end = script.place(at + each.start(), at + each.end())
        codes.append(script.lexed.code[start:end])
        attributes += _names(each[1])
    return Front(access, modifiers, tuple(attributes), tuple(codes))


@lru_cache(1_024)
def _modifiers(words: bytes) -> tuple[str, tuple[str, ...]]:
    written = words.decode().split()
    return access_of([each for each in written if each in ACCESS_WORDS]), tuple(
        [each for each in written if each not in ACCESS_WORDS]
    )


@lru_cache(4_096)
def _names(attributes: bytes) -> tuple[str, ...]:
    return tuple([each[0].partition(b"(")[0].decode() for each in _APPLIED.finditer(attributes)])


@lru_cache(1_024)
def _accessors(block: bytes) -> tuple[tuple[str, str], ...]:
    return tuple([(each[2].decode(), (each[1] or b"").decode()) for each in _ACCESSORS.finditer(block)])


@lru_cache(4_096)
def _parameters(inside: bytes) -> tuple[ParameterRecord, ...] | None:
    """What stands between the brackets; None where one of them is not plain."""
    if not inside or inside.isspace():
        return ()
    found: list[ParameterRecord] = []
    at = 0
    while at < len(inside):
        each = _PARAMETER.match(inside, at)
        if each is None:
            return None
        found.append(
            ParameterRecord(
                each[2].decode(), (each[1] or b"").decode(), each[3].decode(), (each[4] or b"").decode()
            )
        )
        at = each.end()
    return tuple(found)
