"""Item transforms: `@(Type->'%(Filename).cs')` and the metadata that every item has.

Source: "MSBuild transforms" and "MSBuild well-known item metadata" of the MSBuild reference."""

from __future__ import annotations

import re

from services.workspace.projects.paths import file_name, parent, stem

_METADATA = re.compile(r"%\(\s*(?:[A-Za-z_]\w*(?:-\w+)*\.)?([A-Za-z_]\w*(?:-\w+)*)\s*\)")


def grown(template: str | None, metadata: dict[str, str]) -> int:
    """How much longer than its specification an item can become through a transform."""
    if template is None:
        return 0
    return len(template) + template.count("%(") * sum(map(len, metadata.values()))


def specs_of(items: list[tuple[str, dict[str, str]]], template: str | None) -> list[str]:
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
