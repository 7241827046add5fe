"""Selection of projects: those of the solution or project that was named, or all that the scan found."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.model import Notice
from services.msbuild import solution
from services.msbuild.language.info import ScannedFiles
from services.msbuild.language.paths import join
from services.msbuild.project.project_file import MAX_NOTICES, ProjectSources
from services.msbuild.project.xmltree import XmlElement, XmlError


@dataclass(slots=True)
class ProjectSelection:
    """`projects`: workspace paths of C# projects in order; `solutions`: the solution of each that is in
    one."""

    projects: dict[str, None] = field(default_factory=dict)
    solutions: dict[str, str] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)

    def add(self, path: str) -> None:
        """Add a project once."""
        self.projects.setdefault(path)


def select(files: ScannedFiles, start: str | None, sources: ProjectSources) -> ProjectSelection:
    """The projects to evaluate. A `start` that is not there is a notice, and everything is selected."""
    selection = ProjectSelection()
    if start is not None:
        start = sources.environment.locate(sources.environment.root.absolute(start)) or start
        if start.casefold().endswith(solution.SUFFIXES):
            _read_solution(start, sources, selection)
        elif sources.load(start) is not None:
            _follow(start, sources, selection)
        else:
            selection.notices.append(
                Notice(severity="error", message="There is no such project.", file=start)
            )
        return selection
    solutions = [path for path in files.project_files if path.casefold().endswith((".sln", ".slnx"))]
    depth = min((path.count("/") for path in solutions), default=0)
    for path in solutions:
        if path.count("/") == depth:
            _read_solution(path, sources, selection)
    for path in files.project_files:
        if path.casefold().endswith(".csproj"):
            selection.add(path)
    return selection


def _read_solution(path: str, sources: ProjectSources, selection: ProjectSelection) -> None:
    content = sources.environment.read(path)
    try:
        if content is None:
            raise solution.SolutionError("it is not there or may not be opened")
        entries = solution.entries(path, content)
    except solution.SolutionError as error:
        message = f"The solution cannot be read: {error.message}"
        selection.notices.append(Notice(severity="warning", message=message, file=path, line=error.line))
        return
    others = 0
    for entry in entries:
        if entry.path.casefold().endswith(".csproj"):
            _add_entry(path, entry, sources, selection)
        else:
            others += not entry.path.casefold().endswith(".shproj")
    if others:
        what = "project in another language is" if others == 1 else "projects in other languages are"
        message = f"{others} {what} left out."
        selection.notices.append(Notice(severity="information", message=message, file=path))


def _add_entry(
    path: str, entry: solution.SolutionEntry, sources: ProjectSources, selection: ProjectSelection
) -> None:
    environment = sources.environment
    located = environment.locate(environment.root.absolute(entry.path))
    if located is not None and sources.load(located) is not None:
        selection.add(located)
        selection.solutions.setdefault(located, path)
        return
    reason = "lies outside the workspace" if located is None else "is not there"
    message = f"The solution names a project that {reason}: {entry.path}"
    if len(selection.notices) < MAX_NOTICES:
        selection.notices.append(Notice(severity="warning", message=message, file=path, line=entry.line))


def _follow(start: str, sources: ProjectSources, selection: ProjectSelection) -> None:
    """The named project and, through plain references, what it needs."""
    waiting = [start]
    while waiting:
        path = waiting.pop(0)
        if path in selection.projects:
            continue
        root = sources.load(path)
        if root is None:
            continue
        selection.add(path)
        if not isinstance(root, XmlError):
            waiting += _plain_references(path, root, sources)


def _plain_references(path: str, root: XmlElement, sources: ProjectSources) -> list[str]:
    environment = sources.environment
    folder = environment.root.absolute(path).rpartition("/")[0]
    found = []
    for group in root.children:
        for element in group.children:
            include = element.attribute("Include")
            if element.name == "ProjectReference" and include.casefold().endswith(".csproj"):
                found.append(environment.locate(join(folder, include)))
    return [reference for reference in found if reference]
