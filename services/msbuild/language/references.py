"""The grammar of `$(…)`: names, members, indexes, static functions. Syntax alone; expansion.py gives it
values."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from services.msbuild.language.properties import NotUnderstoodError

MAX_NESTING = 16
MAX_BODY = 8 * 1024
"""Most characters between the brackets of a `$(…)`, and of a text whose parts are cached."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_QUOTES = "'\"`"


class BrokenReference(msgspec.Struct, frozen=True):
    """A `$(…)` whose syntax is not understood."""

    text: str


class MemberAccess(msgspec.Struct, frozen=True):
    """`.Name`, `.Name(args)` (then `arguments` is not None) or, with an empty name, `[index]`."""

    name: str
    arguments: tuple[tuple[object, ...], ...] | None = None


class PropertyReference(msgspec.Struct, frozen=True):
    """`$(name…)`, then `name` is case-folded, or with a `type`, `$([type]::name…)`.

    `arguments`: of the static function, None for a static property."""

    name: str
    type: str = ""
    arguments: tuple[tuple[object, ...], ...] | None = None
    links: tuple[MemberAccess, ...] = ()
    text: str = ""


def parse(text: str, nesting: int = 0) -> tuple[object, ...]:
    """Text as a sequence of plain strings, References and Brokens. Never raises."""
    return _parse(text, nesting) if len(text) > MAX_BODY else _remembered(text, nesting)


@lru_cache(maxsize=4096)
def _remembered(text: str, nesting: int) -> tuple[object, ...]:
    return _parse(text, nesting)


def _parse(text: str, nesting: int) -> tuple[object, ...]:
    segments: list[object] = []
    start = 0
    while (opened := text.find("$(", start)) >= 0:
        closed = closing(text, opened + 2)
        if closed < 0:
            break
        segments.append(text[start:opened])
        segments.append(_reference(text[opened + 2 : closed], nesting + 1))
        start = closed + 1
    segments.append(text[start:])
    return tuple(segment for segment in segments if segment != "")


def closing(text: str, start: int, bracket: str = ")") -> int:
    """Find the bracket that closes the one opened before `start`, skipping quotes; -1 where there is none."""
    opening = {")": "(", "]": "["}[bracket]
    depth, index = 1, start
    while index < len(text):
        character = text[index]
        if character in _QUOTES:
            ended = text.find(character, index + 1)
            index = ended if ended >= 0 else index
        elif character == opening:
            depth += 1
        elif character == bracket:
            depth -= 1
            if not depth:
                return index
        index += 1
    return -1


def _reference(body: str, nesting: int) -> PropertyReference | BrokenReference:
    text = f"$({body[:200]})"
    if nesting > MAX_NESTING or len(body) > MAX_BODY:
        return BrokenReference(text)
    try:
        return _read(body.strip(), text, nesting)
    except NotUnderstoodError:
        return BrokenReference(text)


def _read(body: str, text: str, nesting: int) -> PropertyReference:
    type_name = ""
    if body.startswith("["):
        ended = body.find("]")
        if body[ended + 1 : ended + 3] != "::":
            raise NotUnderstoodError(text)
        type_name, body = body[1:ended].strip(), body[ended + 3 :]
    name, body = _name(body)
    arguments = None
    if type_name:
        arguments, body = _arguments(body, nesting)
    links: list[MemberAccess] = []
    while body := body.strip():
        link, body = _link(body, nesting)
        links.append(link)
    return PropertyReference(name if type_name else name.casefold(), type_name, arguments, tuple(links), text)


def _name(body: str) -> tuple[str, str]:
    match = _NAME.match(body)
    if match is None:
        raise NotUnderstoodError(body)
    return match[0], body[match.end() :]


def _link(body: str, nesting: int) -> tuple[MemberAccess, str]:
    if body.startswith("["):
        ended = closing(body, 1, "]")
        if ended < 0:
            raise NotUnderstoodError(body)
        return MemberAccess("", (parse(body[1:ended].strip(), nesting),)), body[ended + 1 :]
    if not body.startswith("."):
        raise NotUnderstoodError(body)
    name, body = _name(body[1:].lstrip())
    arguments, body = _arguments(body, nesting)
    return MemberAccess(name, arguments), body


def _arguments(body: str, nesting: int) -> tuple[tuple[tuple[object, ...], ...] | None, str]:
    body = body.lstrip()
    if not body.startswith("("):
        return None, body
    ended = closing(body, 1)
    if ended < 0:
        raise NotUnderstoodError(body)
    return tuple(parse(part, nesting) for part in _split_arguments(body[1:ended])), body[ended + 1 :]


def _split_arguments(text: str) -> list[str]:
    if not text.strip():
        return []
    parts: list[str] = []
    start = index = depth = 0
    while index < len(text):
        character = text[index]
        if character in _QUOTES and (ended := text.find(character, index + 1)) >= 0:
            index = ended
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and not depth:
            parts.append(text[start:index])
            start = index + 1
        index += 1
    return [_unquoted(part.strip()) for part in (*parts, text[start:])]


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0] else text
