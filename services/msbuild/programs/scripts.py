"""Scripts (`.csx`): each script that no other loads is a program of its own, together with the files it loads.

A script may use globals of its host, which no file declares: it sees every project of the workspace, unless it names
some by `#r`."""

from __future__ import annotations

from collections.abc import Sequence

from services.model import Notice
from services.msbuild.language.info import GlobalUsing, Package, ProjectInfo
from services.msbuild.language.paths import file_name, join, normalise, parent, stem
from services.msbuild.programs.directives import Directive, directives
from services.msbuild.project.project_file import ProjectSources
from services.msbuild.project.seeds import LATEST_NET

SUFFIX = ".csx"
MAX_LOADED = 500
_USINGS = (
    "System",
    "System.IO",
    "System.Collections.Generic",
    "System.Diagnostics",
    "System.Dynamic",
    "System.Linq",
    "System.Linq.Expressions",
    "System.Text",
    "System.Threading.Tasks",
)
"""The namespaces that `csi.rsp` imports."""


def scripts(
    sources: ProjectSources, files: Sequence[str], projects: Sequence[ProjectInfo]
) -> list[ProjectInfo]:
    """A project for each script that is no part of another; scripts that load each other in a circle are the first
    one's."""
    found = sorted(path for path in files if path.casefold().endswith(SUFFIX))
    given = {path: directives(sources.environment.read(path) or b"") for path in found}
    loads = {path: _loaded(sources, path, given[path]) for path in found}
    loaded = {target for path, targets in loads.items() for target in targets if target != path}
    begins = [path for path in found if path not in loaded]
    taken: set[str] = set()
    made: list[ProjectInfo] = []
    for path in (*begins, *found):
        if path not in taken:
            parts = _parts(path, loads)
            taken.update(parts)
            made.append(_script(sources, parts, given, projects))
    return made


def _loaded(sources: ProjectSources, path: str, given: Sequence[Directive]) -> list[str]:
    environment = sources.environment
    folder = parent(environment.root.absolute(path))
    named = [each.value for each in given if each.name == "load" and ":" not in each.value]
    located = [environment.locate(join(folder, value)) for value in named]
    return [each for each in located if each is not None and environment.sources.find(each)]


def _parts(path: str, loads: dict[str, list[str]]) -> list[str]:
    """A script and all that it loads, each once."""
    found: dict[str, None] = {}
    waiting = [path]
    while waiting and len(found) < MAX_LOADED:
        current = waiting.pop()
        if current not in found:
            found[current] = None
            waiting += loads.get(current) or ()
    return [*found]


def _script(
    sources: ProjectSources,
    parts: Sequence[str],
    given: dict[str, list[Directive]],
    projects: Sequence[ProjectInfo],
) -> ProjectInfo:
    path = parts[0]
    named = [each for part in parts for each in given.get(part, ()) if each.name == "r"]
    packages = [_package(each.value) for each in named if each.value.casefold().startswith("nuget:")]
    assemblies = {stem(file_name(each.value)).casefold() for each in named}
    meant = [info.path for info in projects if info.assembly_name.casefold() in assemblies]
    return ProjectInfo(
        name=file_name(path),
        path=path,
        assembly_name=stem(path),
        root_namespace="",
        target_framework=f"net{LATEST_NET}.0",
        target_frameworks=(f"net{LATEST_NET}.0",),
        defines=frozenset({"DEBUG", "TRACE"}),
        files=tuple(sorted(parts)),
        usings=tuple(GlobalUsing(name=name) for name in _USINGS),
        references=tuple(meant or [info.path for info in projects if info.evaluated]),
        refers_elsewhere=True,
        packages=tuple(packages),
        notices=tuple(_missing(sources, parts, given)),
    )


def _package(value: str) -> Package:
    name, _, version = value.partition(":")[2].partition(",")
    return Package(name=name.strip(), version=version.strip())


def _missing(
    sources: ProjectSources, parts: Sequence[str], given: dict[str, list[Directive]]
) -> list[Notice]:
    found: list[Notice] = []
    for part in parts:
        for each in given.get(part, ()):
            if each.name != "load" or ":" in each.value:
                continue
            target = normalise(f"{parent(part)}/{each.value}".lstrip("/"))
            if sources.environment.sources.find(target) is None:
                message = f"The script that is loaded is not in the workspace: {each.value}"
                found.append(Notice(severity="warning", message=message, file=part, line=each.line))
    return found[:1]
