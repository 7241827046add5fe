"""Item transforms: `@(Type->'%(Filename).cs')`, `@(Type->Exists())`, and the metadata that every item has.

Source: "MSBuild transforms", "Item functions" and "MSBuild well-known item metadata" of the MSBuild reference."""

from __future__ import annotations

import re
from collections.abc import Callable

from services.msbuild.language.paths import file_name, parent, stem

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
    """What an item function makes of items. `exists` tells of a file as an item names it."""
    name, value = ([part.strip().strip("'") for part in arguments.split(",")] + ["", ""])[:2]
    called = function.casefold()
    if called == "count":
        return [(str(len(items)), {})]
    if called == "distinct":
        return list({spec.casefold(): (spec, metadata) for spec, metadata in reversed(items)}.values())[::-1]
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
