"""Files that no project has: one more project, so that they can still be found."""

from __future__ import annotations

from collections.abc import Sequence

from services.model import Notice
from services.msbuild.language.info import ProjectInfo
from services.msbuild.language.paths import parent

PLAIN_SYMBOLS = frozenset({"DEBUG", "TRACE"})


def unowned(cs_files: Sequence[str], projects: Sequence[ProjectInfo]) -> tuple[str, ...]:
    """The files that no project has, sorted, but for those that builds made."""
    taken = {file for info in projects for file in info.files}
    outputs = {f"{parent(info.path)}/{name}/".lstrip("/") for info in projects for name in ("bin", "obj")}
    return tuple(file for file in sorted(cs_files) if file not in taken and not _is_output(file, outputs))


def gather(
    cs_files: Sequence[str], projects: Sequence[ProjectInfo], root_name: str, markup: Sequence[str] = ()
) -> list[ProjectInfo]:
    """No project, or one at the root for the files that belong to none of `projects`, and such `markup`."""
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
        message = f"{count} {what} to no project; {is_shown} shown as one project of the root."
    else:
        message = "There is no project file; all C# files are one project."
    return Notice(severity="information", message=message)
