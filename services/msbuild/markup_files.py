"""Markup: files in which C# stands beside something else belong to the project whose folder holds them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from services.msbuild.language.info import Files, ProjectInfo
from services.msbuild.language.paths import file_name, parent
from services.msbuild.unowned_files import unowned

_NAMESPACE = re.compile(rb"^\s*@namespace[ \t]+([\w.]+)", re.MULTILINE)


def with_markup(files: Files, projects: Sequence[ProjectInfo]) -> tuple[list[ProjectInfo], list[str]]:
    """The projects, each with the markup that lies nearest below it, and the markup that lies below none."""
    folders: dict[str, int] = {}
    for at, info in enumerate(projects):
        if info.path.lower().endswith(("proj", ".asmdef")):
            folders.setdefault(parent(info.path), at)
    found: dict[int | None, list[str]] = defaultdict(list)
    for path in unowned(files.markup_files, projects):
        found[_holder(folders, path)].append(path)
    whole = [_with(files, info, found[at]) if at in found else info for at, info in enumerate(projects)]
    return whole, found[None]


def _holder(folders: dict[str, int], path: str) -> int | None:
    folder = parent(path)
    while folder and folder not in folders:
        folder = parent(folder)
    return folders.get(folder)


def _with(files: Files, info: ProjectInfo, markup: Sequence[str]) -> ProjectInfo:
    imports = [path for path in markup if file_name(path) == "_Imports.razor"]
    said = ((path, _NAMESPACE.search(files.read(path) or b"")) for path in imports)
    return msgspec.structs.replace(
        info,
        files=tuple(sorted({*info.files, *markup})),
        markup=tuple(markup),
        namespaces=tuple((parent(path), found[1].decode()) for path, found in said if found is not None),
    )
