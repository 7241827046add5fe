"""Grammar and values of `$(…)`: properties, their members, static functions. What cannot be had is empty and leaves
a doubt.

Item transforms: `@(Type->'%(Filename).cs')`, `@(Type->Exists())`, and the metadata that every item has.

Source: "MSBuild transforms", "Item functions" and "MSBuild well-known item metadata" of the MSBuild reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from services.msbuild.language import functions, strings
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.paths import file_name, parent, stem, with_slash
from services.msbuild.language.properties import (
    EMPTY,
    MAX_LENGTH,
    ExpandedText,
    NotUnderstoodError,
    Properties,
)

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
        arguments, body = _parse_arguments(body, nesting)
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
    arguments, body = _parse_arguments(body, nesting)
    return MemberAccess(name, arguments), body


def _parse_arguments(body: str, nesting: int) -> tuple[tuple[tuple[object, ...], ...] | None, str]:
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


ENDLESS = "a value that grows without end"
_WRONG_CALL = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class ExpressionScope(msgspec.Struct, frozen=True):
    """Scope of an expression. `project`: the absolute virtual path of the project; `this`: the properties that depend
    on the file of the expression, by folded name."""

    properties: Properties
    environment: VirtualFiles
    project: str
    this: dict[str, ExpandedText]

    def lookup(self, folded: str) -> ExpandedText:
        """A property by its folded name."""
        return self.this.get(folded) or self.properties.text(folded)


def this_file(here: str) -> dict[str, ExpandedText]:
    """`MSBuildThisFile` and its kin, by folded name, for the file at an absolute virtual path."""
    folder = parent(here)
    return {
        "msbuildthisfile": ExpandedText(file_name(here)),
        "msbuildthisfiledirectory": ExpandedText(with_slash(folder)),
        "msbuildthisfiledirectorynoroot": ExpandedText(with_slash(folder.lstrip("/"))),
        "msbuildthisfilefullpath": ExpandedText(here),
        "msbuildthisfilename": ExpandedText(stem(here)),
        "msbuildthisfileextension": ExpandedText("." + here.rpartition(".")[2]),
    }


def expand(text: str, scope: ExpressionScope) -> ExpandedText:
    """`text` with every `$(…)` replaced. Item references and metadata are left as they are."""
    if "$(" not in text:
        return ExpandedText(text) if text else EMPTY
    segments = parse(text)
    if len(segments) != 1:
        return _joined(segments, scope)
    whole = _expanded(segments[0], scope)
    return whole if scope.properties.spend(len(whole.value)) else ExpandedText("", ENDLESS)


def _joined(segments: tuple[object, ...], scope: ExpressionScope) -> ExpandedText:
    parts: list[str] = []
    doubt: str | None = None
    length = 0
    for segment in segments:
        text = _expanded(segment, scope)
        doubt = doubt or text.doubt
        length += len(text.value)
        if length > MAX_LENGTH:
            return ExpandedText("", ENDLESS)
        parts.append(text.value)
    if not scope.properties.spend(length):
        return ExpandedText("", ENDLESS)
    return ExpandedText("".join(parts), doubt)


def _expanded(segment: object, scope: ExpressionScope) -> ExpandedText:
    if isinstance(segment, str):
        return ExpandedText(segment)
    if isinstance(segment, BrokenReference):
        return ExpandedText("", segment.text)
    assert isinstance(segment, PropertyReference)
    if not segment.type and not segment.links:
        return scope.lookup(segment.name)
    try:
        return ExpandedText(_shown(_value(segment, scope)))
    except NotUnderstoodError as error:
        return ExpandedText("", str(error))
    except _WRONG_CALL:
        return ExpandedText("", segment.text)


def _value(reference: PropertyReference, scope: ExpressionScope) -> Any:
    if reference.type:
        arguments = _arguments(reference.arguments or (), scope)
        place = (scope.environment, parent(scope.project))
        value = functions.call(place, reference.type, reference.name, arguments)
    else:
        text = scope.lookup(reference.name)
        if text.doubt:
            raise NotUnderstoodError(text.doubt)
        value = text.value
    for link in reference.links:
        value = strings.member(value, link.name, _link_arguments(link, scope))
        if isinstance(value, str) and len(value) > MAX_LENGTH:
            raise NotUnderstoodError(ENDLESS)
    return value


def _link_arguments(link: MemberAccess, scope: ExpressionScope) -> list[Any] | None:
    return None if link.arguments is None else _arguments(link.arguments, scope)


def _arguments(arguments: tuple[tuple[object, ...], ...], scope: ExpressionScope) -> list[Any]:
    values = [_argument(segments, scope) for segments in arguments]
    if sum(len(value) for value in values if isinstance(value, str)) > MAX_LENGTH:
        raise NotUnderstoodError(ENDLESS)
    return values


def _argument(segments: tuple[object, ...], scope: ExpressionScope) -> Any:
    if (
        len(segments) == 1
        and isinstance(segments[0], PropertyReference)
        and (segments[0].type or segments[0].links)
    ):
        return _value(segments[0], scope)
    text = _expanded(segments[0], scope) if len(segments) == 1 else _joined(segments, scope)
    if text.doubt:
        raise NotUnderstoodError(text.doubt)
    if "%(" in text.value or "@(" in text.value:
        raise NotUnderstoodError(text.value)
    return text.value


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ";".join(map(str, value))
    return str(value)


Listed = list[tuple[str, dict[str, str]]]
"""Items: what each includes, and its metadata by folded name."""

_FUNCTIONS = "Count|Distinct|Exists|HasMetadata|WithMetadataValue|WithoutMetadataValue"
ITEMS = re.compile(
    r"@\(\s*(?P<kind>[A-Za-z_]\w*(?:-\w+)*)\s*"
    rf"(?:->\s*(?:'(?P<template>[^']{{0,1000}})'|(?P<function>(?i:{_FUNCTIONS}))\((?P<arguments>[^()]{{0,200}})\))\s*)?"
    r"(?:,\s*'(?P<separator>[^']{0,100})'\s*)?\)"
)
"""A reference to items that is understood."""
_METADATA = re.compile(r"%\(\s*(?:[A-Za-z_]\w*(?:-\w+)*\.)?([A-Za-z_]\w*(?:-\w+)*)\s*\)")


def grown(template: str | None, metadata: dict[str, str]) -> int:
    """How much longer than its specification an item can become through a transform."""
    if template is None:
        return 0
    return len(template) + template.count("%(") * sum(map(len, metadata.values()))


def chosen(items: Listed, function: str, arguments: str, exists: Callable[[str], bool]) -> Listed:
    """Apply an item function to items. `exists` tests for a file by its name in an item."""
    name, value = ([part.strip().strip("'") for part in arguments.split(",")] + ["", ""])[:2]
    called = function.casefold()
    if called == "count":
        return [(str(len(items)), {})]
    if called == "distinct":
        firsts = {spec.casefold(): (spec, metadata) for spec, metadata in reversed(items)}
        return [firsts[name] for name in dict.fromkeys(spec.casefold() for spec, _ in items)]
    if called == "exists":
        return [each for each in items if exists(each[0])]
    if called == "hasmetadata":
        return [each for each in items if _well_known(name, *each)]
    is_wanted = called == "withmetadatavalue"
    return [each for each in items if (_well_known(name, *each).casefold() == value.casefold()) is is_wanted]


def specs_of(items: Listed, template: str | None) -> list[str]:
    """Item specifications, each put through a transform such as `%(Filename).cs` where there is one."""
    if template is None:
        return [spec for spec, _metadata in items]
    return [
        _METADATA.sub(
            lambda match, spec=spec, metadata=metadata: _well_known(match[1], spec, metadata), template
        )
        for spec, metadata in items
    ]


def _well_known(name: str, spec: str, metadata: dict[str, str]) -> str:
    folded = name.casefold()
    if folded == "identity":
        return spec
    if folded == "filename":
        return stem(spec)
    if folded == "extension":
        return file_name(spec)[len(stem(spec)) :]
    if folded in ("relativedir", "directory"):
        folder = parent(spec.replace("\\", "/"))
        return folder + "/" if folder else ""
    if folded == "fullpath":
        return spec
    return metadata.get(folded, "")
