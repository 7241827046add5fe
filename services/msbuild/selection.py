"""Selection of projects: those of the named solution (`.sln`, `.slnx`, `.slnf`) or project, or all of the scan."""

from __future__ import annotations

import re

import msgspec

from services.decoding import decode
from services.model import Notice
from services.msbuild.language.info import ScannedFiles
from services.msbuild.language.paths import join, normalise, parent
from services.msbuild.project_file import MAX_NOTICES, ProjectSources
from services.msbuild.xmltree import XmlElement, XmlError, parse, plain

SUFFIXES = (".sln", ".slnx", ".slnf")
_PROJECT = re.compile(r'^\s*Project\("[^"]*"\)\s*=\s*"[^"]*"\s*,\s*"([^"]*)"')


class SolutionEntry(msgspec.Struct, frozen=True):
    """A project that a solution names: its path relative to the workspace root (it may begin with `..`),
    and the line."""

    path: str
    line: int | None


class SolutionError(ValueError):
    """The solution cannot be read. `line` is 1-based or None."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class _Filter(msgspec.Struct):
    path: str
    projects: list[str] = []


class _FilterFile(msgspec.Struct):
    solution: _Filter


def entries(path: str, content: bytes) -> list[SolutionEntry]:
    """Every project that the solution at `path` names, of any language, in its order. Raises
    SolutionError."""
    folder = parent(path)
    suffix = path.rpartition(".")[2].casefold()
    if suffix == "slnx":
        return _slnx(folder, content)
    if suffix == "slnf":
        return _slnf(folder, content)
    return _sln(folder, content)


def _entry(folder: str, path: str, line: int | None) -> SolutionEntry:
    return SolutionEntry(normalise(f"{folder}/{path}" if folder else path), line)


def _sln(folder: str, content: bytes) -> list[SolutionEntry]:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    lines = content.decode(encoding, "replace").split("\n")
    if not any("Microsoft Visual Studio Solution File" in line for line in lines[:10]):
        raise SolutionError("this is not a solution file", 1)
    matches = ((number, _PROJECT.match(line)) for number, line in enumerate(lines, start=1))
    return [_entry(folder, match[1], number) for number, match in matches if match and _is_project(match[1])]


def _is_project(path: str) -> bool:
    return path.casefold().endswith("proj")


def _slnx(folder: str, content: bytes) -> list[SolutionEntry]:
    try:
        root = parse(content)
    except XmlError as error:
        raise SolutionError(error.message, error.line) from None
    return [_entry(folder, element.attribute("Path"), element.line) for element in _projects(root)]


def _projects(root: XmlElement) -> list[XmlElement]:
    found: list[XmlElement] = []
    for element in root.children:
        if element.name == "Project" and element.attribute("Path"):
            found.append(element)
        elif element.name == "Folder":
            found += _projects(element)
    return found


def _slnf(folder: str, content: bytes) -> list[SolutionEntry]:
    try:
        listed = decode(_FilterFile, plain(content.decode("utf-8-sig"))).solution
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SolutionError(f"this is not a solution filter: {error}") from None
    base = parent(normalise(f"{folder}/{listed.path}" if folder else listed.path))
    return [_entry(base, path, None) for path in listed.projects]


class ProjectSelection(msgspec.Struct):
    """`projects`: workspace paths of C# projects in order; `solutions`: the solution of each that is in
    one."""

    projects: dict[str, None] = msgspec.field(default_factory=dict)
    solutions: dict[str, str] = msgspec.field(default_factory=dict)
    notices: list[Notice] = msgspec.field(default_factory=list)

    def add(self, path: str) -> None:
        """Add a project once."""
        self.projects.setdefault(path)


def select(files: ScannedFiles, start: str | None, sources: ProjectSources) -> ProjectSelection:
    """The projects to evaluate. A `start` that is not there is a notice, and everything is selected."""
    selection = ProjectSelection()
    if start is not None:
        start = sources.environment.locate(sources.environment.root.absolute(start)) or start
        if start.casefold().endswith(SUFFIXES):
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
            raise SolutionError("it is not there or may not be opened")
        listed = entries(path, content)
    except SolutionError as error:
        message = f"The solution cannot be read: {error.message}"
        selection.notices.append(Notice(severity="warning", message=message, file=path, line=error.line))
        return
    others = 0
    for entry in listed:
        if entry.path.casefold().endswith(".csproj"):
            _add_entry(path, entry, sources, selection)
        else:
            others += not entry.path.casefold().endswith(".shproj")
    if others:
        what = "project in another language is" if others == 1 else "projects in other languages are"
        message = f"{others} {what} left out."
        selection.notices.append(Notice(severity="information", message=message, file=path))


def _add_entry(path: str, entry: SolutionEntry, sources: ProjectSources, selection: ProjectSelection) -> None:
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
