"""One project: its framework chosen, both passes run, the outcome read off."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from services.model import Notice
from services.workspace.projects import items, outcome
from services.workspace.projects.frameworks import highest
from services.workspace.projects.info import ProjectInfo
from services.workspace.projects.paths import file_name, parent, stem
from services.workspace.projects.project_file import ProjectFile, Sources
from services.workspace.projects.properties import Properties, split_list
from services.workspace.projects.seeds import global_properties
from services.workspace.projects.xmltree import Element, XmlError

UNION = "union"


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person chose: a framework, `union`, or None for each project's highest; and a
    configuration."""

    framework: str | None = None
    configuration: str = "Debug"


def evaluate(sources: Sources, path: str, choice: Choice, solution: str | None) -> ProjectInfo:
    """The project at `path`. A file that cannot be read gives its folder's files, with a notice."""
    root = sources.load(path)
    if root is None or isinstance(root, XmlError):
        return _fallback(sources, path, root)
    return _Project(sources, path, choice, solution).info(root)


class _Project:
    def __init__(self, sources: Sources, path: str, choice: Choice, solution: str | None) -> None:
        self.sources = sources
        self.path = path
        self.choice = choice
        self.solution = solution

    def info(self, root: Element) -> ProjectInfo:
        outer = self.run(root, None)
        own = outer.properties.value("TargetFramework")
        listed = tuple(dict.fromkeys(split_list(outer.properties.value("TargetFrameworks"))))
        if own or not listed:
            return self.read(outer, (own,) if own else ())
        if self.choice.framework == UNION:
            return _union([self.read(self.run(root, moniker), listed) for moniker in listed], highest(listed))
        return self.read(self.run(root, _chosen(listed, self.choice.framework)), listed)

    def run(self, root: Element, framework: str | None) -> ProjectFile:
        seeds = global_properties(self.sources.environment, self.path, self.solution)
        seeds["Configuration"] = self.choice.configuration
        if framework:
            seeds["TargetFramework"] = framework
        project = ProjectFile(self.sources, self.path, Properties(seeds))
        project.evaluate(root)
        return project

    def read(self, project: ProjectFile, listed: tuple[str, ...]) -> ProjectInfo:
        return outcome.read(project, items.evaluate(project), listed)


def _chosen(listed: tuple[str, ...], wanted: str | None) -> str | None:
    if wanted:
        exact = [moniker for moniker in listed if moniker.casefold() == wanted.casefold()]
        plain = [m for m in listed if m.casefold().partition("-")[0] == wanted.casefold()]
        if exact or plain:
            return (exact or plain)[0]
    return highest(listed)


def _union(infos: list[ProjectInfo], framework: str | None) -> ProjectInfo:
    """One project with the files, symbols, usings and references of all its frameworks."""
    first = next((info for info in infos if info.target_framework == framework), infos[0])
    return msgspec.structs.replace(
        first,
        defines=frozenset().union(*(info.defines for info in infos)),
        files=tuple(sorted({file for info in infos for file in info.files})),
        usings=tuple(dict.fromkeys(using for info in infos for using in info.usings)),
        references=tuple(dict.fromkeys(path for info in infos for path in info.references)),
        internals_visible_to=tuple(
            dict.fromkeys(name for info in infos for name in info.internals_visible_to)
        ),
        unknown=max(info.unknown for info in infos),
    )


def _fallback(sources: Sources, path: str, error: XmlError | None) -> ProjectInfo:
    folder = parent(path)
    found = sources.environment.sources.glob(f"{folder}/**/*.cs" if folder else "**/*.cs")
    build = tuple(f"{folder}/{name}/".lstrip("/").casefold() for name in ("bin", "obj"))
    message = (
        f"The project file cannot be read: {error.message}"
        if error
        else "The project file may not be opened."
    )
    name = stem(file_name(path))
    return ProjectInfo(
        name=name,
        path=path,
        assembly_name=name,
        root_namespace=name.replace(" ", "_"),
        defines=frozenset({"DEBUG", "TRACE"}),
        files=sources.environment.sources.spelled(file for file in found if not file.startswith(build)),
        notices=(
            Notice(
                severity="warning",
                message=message,
                what_to_do="The C# files of its folder are taken instead.",
                file=path,
                line=error.line if error else None,
            ),
        ),
        evaluated=False,
    )
