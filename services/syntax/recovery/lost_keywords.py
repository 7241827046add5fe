"""Missing keyword of a type or namespace, inferred from its header and the content of its braces."""

from __future__ import annotations

import re

from services.syntax.recovery.splices import Splice

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
