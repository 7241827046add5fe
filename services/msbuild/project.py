"""Evaluation of one project: choose its framework, run both passes, collect the outcome, and the files that no
project file names but one more project is for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from services.model import Notice
from services.msbuild import items, outcome
from services.msbuild.language.expansion import expand
from services.msbuild.language.frameworks import highest
from services.msbuild.language.info import ProjectInfo, ScannedFiles
from services.msbuild.language.paths import file_name, parent, stem
from services.msbuild.language.properties import Properties, split_list
from services.msbuild.project_file import ProjectFile, ProjectSources, QueuedGroup, global_properties
from services.msbuild.xmltree import XmlElement, XmlError

UNION = "union"
MAX_FRAMEWORKS = 32


class FrameworkChoice(msgspec.Struct, frozen=True):
    """Choice of target frameworks: a framework, `union`, or None for each project's highest; and a
    configuration."""

    framework: str | None = None
    configuration: str = "Debug"


def evaluate(
    sources: ProjectSources, path: str, choice: FrameworkChoice, solution: str | None
) -> ProjectInfo:
    """The project at `path`. A file that cannot be read gives its folder's files, with a notice."""
    root = sources.load(path)
    if root is None:
        return _fallback(sources, path, "it is not there or may not be opened")
    if isinstance(root, XmlError):
        return _fallback(sources, path, root.message, root.line)
    if root.name != "Project":
        return _fallback(sources, path, f"its root element is {root.name}, not Project", root.line)
    info = _Evaluation(sources, path, choice, solution).info(root)
    return info or _fallback(sources, path, "its properties and items grow without end", root.line)


def evaluate_element(
    sources: ProjectSources, path: str, choice: FrameworkChoice, root: XmlElement
) -> ProjectInfo | None:
    """Evaluate the project `root` as though it were the file at `path`; None for a project that grows without end."""
    return _Evaluation(sources, path, choice, None).info(root)


def frameworks_of(
    sources: ProjectSources, path: str, choice: FrameworkChoice, solution: str | None
) -> tuple[str, ...]:
    """The target frameworks that the project at `path` offers; none where it cannot be read."""
    root = sources.load(path)
    return _Evaluation(sources, path, choice, solution).offered(root) if isinstance(root, XmlElement) else ()


def compiled_for(
    sources: ProjectSources, path: str, choice: FrameworkChoice, solution: str | None, framework: str
) -> ProjectInfo | None:
    """The project at `path` for one framework; None where it cannot be read."""
    root = sources.load(path)
    if not isinstance(root, XmlElement):
        return None
    project = _Evaluation(sources, path, choice, solution)
    return project.read(project.run(root, framework), (framework,))


class _Evaluation:
    def __init__(
        self, sources: ProjectSources, path: str, choice: FrameworkChoice, solution: str | None
    ) -> None:
        self.sources = sources
        self.path = path
        self.choice = choice
        self.solution = solution

    def offered(self, root: XmlElement) -> tuple[str, ...]:
        outer = self.run(root, None).properties
        own, listed = outer.value("TargetFramework"), outer.value("TargetFrameworks")
        return tuple(dict.fromkeys([own] if own else split_list(listed)))

    def info(self, root: XmlElement) -> ProjectInfo | None:
        """The project, or None for one that was made to grow without end."""
        outer = self.run(root, None)
        own = outer.properties.value("TargetFramework")
        listed = tuple(dict.fromkeys(split_list(outer.properties.value("TargetFrameworks"))))
        if own or not listed:
            return self.read(outer, (own,) if own else ())
        if self.choice.framework == UNION:
            infos = [self.read(self.run(root, moniker), listed) for moniker in listed[:MAX_FRAMEWORKS]]
            return _union([info for info in infos if info], highest(listed))
        return self.read(self.run(root, _chosen(listed, self.choice.framework)), listed)

    def run(self, root: XmlElement, framework: str | None) -> ProjectFile:
        seeds = global_properties(self.sources.environment, self.path, self.solution)
        seeds["Configuration"] = self.choice.configuration
        if framework:
            seeds["TargetFramework"] = framework
        project = ProjectFile(self.sources, self.path, Properties(seeds))
        project.evaluate(root)
        return project

    def read(self, project: ProjectFile, listed: tuple[str, ...]) -> ProjectInfo | None:
        take_constants(project)
        info = outcome.read(project, items.evaluate(project), listed)
        return None if project.properties.exhausted else info


def _chosen(listed: tuple[str, ...], wanted: str | None) -> str | None:
    if wanted:
        exact = [moniker for moniker in listed if moniker.casefold() == wanted.casefold()]
        plain = [m for m in listed if m.casefold().partition("-")[0] == wanted.casefold()]
        if exact or plain:
            return (exact or plain)[0]
    return highest(listed)


def _union(infos: list[ProjectInfo], framework: str | None) -> ProjectInfo | None:
    """Merge the projects of all frameworks: their files, symbols, usings and references; None for no framework."""
    if not infos:
        return None
    first = next((info for info in infos if info.target_framework == framework), infos[0])
    return msgspec.structs.replace(
        first,
        defines=frozenset().union(*(info.defines for info in infos)),
        files=tuple(sorted({file for info in infos for file in info.files})),
        usings=tuple(dict.fromkeys(using for info in infos for using in info.usings)),
        references=tuple(dict.fromkeys(path for info in infos for path in info.references)),
        refers_elsewhere=any(info.refers_elsewhere for info in infos),
        packages=tuple(dict.fromkeys(package for info in infos for package in info.packages)),
        assemblies=tuple(dict.fromkeys(each for info in infos for each in info.assemblies)),
        internals_visible_to=tuple(
            dict.fromkeys(name for info in infos for name in info.internals_visible_to)
        ),
        unknown=max(info.unknown for info in infos),
    )


def _fallback(sources: ProjectSources, path: str, reason: str, line: int | None = None) -> ProjectInfo:
    folder = parent(path)
    found = sources.environment.sources.glob(f"{folder}/**/*.cs" if folder else "**/*.cs")
    build = tuple(f"{folder}/{name}/".lstrip("/").casefold() for name in ("bin", "obj"))
    name = stem(file_name(path))
    notice = Notice(
        severity="warning",
        message=f"The project file cannot be read: {reason}",
        what_to_do="The C# files of its folder are taken instead.",
        file=path,
        line=line,
    )
    return ProjectInfo(
        name=name,
        path=path,
        assembly_name=name,
        root_namespace=name.replace(" ", "_"),
        defines=PLAIN_SYMBOLS,
        files=sources.environment.sources.spelled(file for file in found if not file.startswith(build)),
        notices=(notice,),
        evaluated=False,
    )


# Constants that a target adds right before the compiler runs. Targets are not run; this much of one is data.
_CONSTANTS = "defineconstants"
_HOOKS = frozenset({"corecompile", "compile", "beforecompile", "beforebuild", "build"})
"""Targets that every compilation passes through, as `BeforeTargets` names them."""


def take_constants(project: ProjectFile) -> None:
    """Takes what `DefineConstants` becomes in targets that always run before the compiler, with the final properties:
    those that only a running target could set count as they were."""
    for target in project.targets:
        hooks = {name.strip().casefold() for name in target.element.attribute("BeforeTargets").split(";")}
        if hooks.isdisjoint(_HOOKS) or not _sets_constants(target):
            continue
        if project.holds(target.element, target.here):
            _take(project, target)


def _sets_constants(target: QueuedGroup) -> bool:
    groups = (group for group in target.element.children if group.name == "PropertyGroup")
    return any(each.name.casefold() == _CONSTANTS for group in groups for each in group.children)


def _take(project: ProjectFile, target: QueuedGroup) -> None:
    for group in target.element.children:
        found = [each for each in group.children if each.name.casefold() == _CONSTANTS]
        if group.name != "PropertyGroup" or not found or not project.holds(group, target.here):
            continue
        for element in found:
            if project.holds(element, target.here):
                project.properties.put(element.name, expand(element.text, project.scope(target.here)))


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
