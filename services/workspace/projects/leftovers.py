"""Files that no project has: one more project, so that they can still be found."""

from __future__ import annotations

from collections.abc import Sequence

from services.model import Notice
from services.workspace.projects.info import ProjectInfo

PLAIN_SYMBOLS = frozenset({"DEBUG", "TRACE"})


def gather(cs_files: Sequence[str], projects: Sequence[ProjectInfo], root_name: str) -> list[ProjectInfo]:
    """No project, or one at the root for the files that belong to none of `projects`."""
    taken = {file for info in projects for file in info.files}
    files = tuple(sorted(file for file in cs_files if file not in taken))
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
            notices=(_notice(len(files), bool(projects)),),
            evaluated=False,
        )
    ]


def _notice(count: int, among_projects: bool) -> Notice:
    if among_projects:
        message = f"{count} C# file(s) belong to no project; they are shown as one project of the root."
    else:
        message = "There is no project file; all C# files are one project."
    return Notice(severity="information", message=message)
