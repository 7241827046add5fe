"""Files that no project file names: markup, and what one more project is for, so that they can still be found."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from services.model import Notice
from services.msbuild.language.info import ProjectInfo, ScannedFiles
from services.msbuild.language.paths import file_name, parent

PLAIN_SYMBOLS = frozenset({"DEBUG", "TRACE"})


def unowned(cs_files: Sequence[str], projects: Sequence[ProjectInfo]) -> tuple[str, ...]:
    """The files that no project has, sorted, but for those that builds made."""
    taken = {file for info in projects for file in info.files}
    outputs = {f"{parent(info.path)}/{name}/".lstrip("/") for info in projects for name in ("bin", "obj")}
    return tuple(file for file in sorted(cs_files) if file not in taken and not _is_output(file, outputs))


def gather(
    cs_files: Sequence[str], projects: Sequence[ProjectInfo], root_name: str, markup: Sequence[str] = ()
) -> list[ProjectInfo]:
    """Return a project at the root for the files and the `markup` that belong to none of `projects`; an empty list
    where there are none."""
    files = tuple(sorted([*unowned(cs_files, projects), *markup]))
    if projects and not files:
        return []
    taken_names = {info.name.casefold() for info in projects}
    return [
        ProjectInfo(
            name=f"{root_name} (no project)" if root_name.casefold() in taken_names else root_name,
            path=".",
            assembly_name=root_name,
            root_namespace=root_name,
            defines=PLAIN_SYMBOLS,
            files=files,
            markup=tuple(markup),
            notices=(_notice(len(files), bool(projects)),),
            evaluated=False,
        )
    ]


def _is_output(file: str, outputs: set[str]) -> bool:
    """Whether a file lies in a folder that the build of some project fills."""
    return any(file[: at + 1] in outputs for at, character in enumerate(file) if character == "/")


def _notice(count: int, among_projects: bool) -> Notice:
    if among_projects:
        what, is_shown = ("file belongs", "it is") if count == 1 else ("files belong", "they are")
        message = f"{count} C# {what} to no project; {is_shown} shown as one project of the root."
    else:
        message = "There is no project file; all C# files are one project."
    return Notice(severity="information", message=message)


# Markup belongs to the project whose folder holds it.
_NAMESPACE = re.compile(rb"^\s*@namespace[ \t]+([\w.]+)", re.MULTILINE)


def with_markup(files: ScannedFiles, projects: Sequence[ProjectInfo]) -> tuple[list[ProjectInfo], list[str]]:
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


def _with(files: ScannedFiles, info: ProjectInfo, markup: Sequence[str]) -> ProjectInfo:
    imports = [path for path in markup if file_name(path) == "_Imports.razor"]
    said = ((path, _NAMESPACE.search(files.read(path) or b"")) for path in imports)
    return msgspec.structs.replace(
        info,
        files=tuple(sorted({*info.files, *markup})),
        markup=tuple(markup),
        namespaces=tuple((parent(path), found[1].decode()) for path, found in said if found is not None),
    )
