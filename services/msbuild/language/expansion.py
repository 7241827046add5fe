"""Values for `$(…)`: properties, their members, static functions. What cannot be had is empty and leaves
a doubt.

Item transforms: `@(Type->'%(Filename).cs')`, `@(Type->Exists())`, and the metadata that every item has.

Source: "MSBuild transforms", "Item functions" and "MSBuild well-known item metadata" of the MSBuild reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from services.msbuild.language import functions, references, strings
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.paths import file_name, parent, stem, with_slash
from services.msbuild.language.properties import (
    EMPTY,
    MAX_LENGTH,
    ExpandedText,
    NotUnderstoodError,
    Properties,
)
from services.msbuild.language.references import BrokenReference, MemberAccess, PropertyReference

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
    segments = references.parse(text)
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
