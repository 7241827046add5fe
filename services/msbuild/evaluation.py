"""Evaluation of a workspace: its projects, their content, and the files that belong to none.

Each cycle among project references is reported once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

import msgspec

from services.errors import Cancelled
from services.model import Notice
from services.msbuild import project
from services.msbuild.language.environment import SYSTEMS, VirtualFiles
from services.msbuild.language.frameworks import descending
from services.msbuild.language.info import Evaluation, OtherFramework, ProjectInfo, ScannedFiles
from services.msbuild.language.paths import VirtualRoot, parent
from services.msbuild.project import (
    MAX_FRAMEWORKS,
    UNION,
    FrameworkChoice,
    compiled_for,
    frameworks_of,
    gather,
    unowned,
    with_markup,
)
from services.msbuild.project_file import ProjectSources
from services.msbuild.selection import ProjectSelection, select
from services.msbuild.single_files import file_apps, scripts
from services.msbuild.unity import Unity
from services.workspace.source_kinds import is_query

_PLATFORMS = {"windows": "win32", "osx": "darwin", "linux": "linux"}
"""Operating systems that conditions test for, as `sys.platform`."""


class EvaluationSetting(msgspec.Struct, frozen=True, dict=True):
    """Setting of an evaluation. `sources`: as this system sees them; `platform`: as `sys.platform`; `solutions`: by
    project."""

    files: ScannedFiles
    sources: ProjectSources
    platform: str
    choice: FrameworkChoice
    solutions: Mapping[str, str]

    @cached_property
    def elsewhere(self) -> list[ProjectSources]:
        """The sources as other systems see them."""
        own, root = SYSTEMS.get(self.platform, "linux"), self.sources.environment.root
        platforms = [platform for system, platform in _PLATFORMS.items() if system != own]
        return [ProjectSources(VirtualFiles(self.files, root, each)) for each in platforms]


def with_others(setting: EvaluationSetting, projects: Sequence[ProjectInfo]) -> list[ProjectInfo]:
    """The projects with what they compile otherwise, of the files that none of them has."""
    left = unowned(setting.files.cs_files, projects)
    return [_completed(setting, info, left) for info in projects] if left else [*projects]


def _completed(setting: EvaluationSetting, info: ProjectInfo, left: Sequence[str]) -> ProjectInfo:
    folder = parent(info.path)
    is_near = any(path.startswith(f"{folder}/") for path in left) if folder else True
    if not info.evaluated or not (is_near or len(info.target_frameworks) > 1):
        return info
    waiting, parts = set(left), list[tuple[OtherFramework, ProjectInfo]]()
    systems = [setting.sources, *(setting.elsewhere if is_near else ())]
    for name, other in _evaluated(setting, systems, info):
        files = tuple(sorted(waiting.intersection(other.files)))
        if files:
            parts.append((OtherFramework(name=name, defines=other.defines, files=files), other))
            waiting.difference_update(files)
        if not waiting:
            break
    return _joined(info, parts) if parts else info


def _evaluated(
    setting: EvaluationSetting, systems: Sequence[ProjectSources], info: ProjectInfo
) -> Iterator[tuple[str, ProjectInfo]]:
    """The project for each framework that it is not read for, the highest first; those that another system offers, and
    what it makes of the one that it is read for, after all of this one's; Tizen at the end."""
    solution, own = setting.solutions.get(info.path), info.target_framework
    seen = set(info.target_frameworks if setting.choice.framework == UNION else [own])
    for at, sources in enumerate(systems):
        listed = info.target_frameworks
        offered = frameworks_of(sources, info.path, setting.choice, solution) if at else listed
        fresh = [each for each in descending(offered) if each not in seen]
        again = [each for each in (own,) if at and each]
        for moniker in (fresh + again)[:MAX_FRAMEWORKS]:
            other = compiled_for(sources, info.path, setting.choice, solution, moniker)
            if other is not None:
                yield f"{moniker} on {sources.environment.system}" if at else moniker, other
        seen.update(fresh)
    for moniker in _switched_off(info.target_frameworks):
        other = compiled_for(setting.sources, info.path, setting.choice, solution, moniker)
        if other is not None:
            yield moniker, other


def _switched_off(offered: Sequence[str]) -> list[str]:
    """Return the framework of Tizen that a mobile project may have files for: the template of MAUI writes them, and
    offers the framework in a comment alone."""
    mobile = [each.partition("-")[0] for each in descending(offered) if "-" in each]
    return [f"{mobile[0]}-tizen"] if mobile and not any("-tizen" in each for each in offered) else []


def _joined(info: ProjectInfo, parts: Sequence[tuple[OtherFramework, ProjectInfo]]) -> ProjectInfo:
    every = [info, *(other for _, other in parts)]
    return msgspec.structs.replace(
        info,
        files=tuple(sorted({*info.files, *(path for part, _ in parts for path in part.files)})),
        others=tuple(part for part, _ in parts),
        references=tuple(dict.fromkeys(path for each in every for path in each.references)),
        packages=tuple(
            {package.name: package for each in reversed(every) for package in each.packages}.values()
        ),
        assemblies=tuple(dict.fromkeys(assembly for each in every for assembly in each.assemblies)),
    )


def cycles(projects: Sequence[ProjectInfo]) -> list[Notice]:
    """A notice for each reference that closes a cycle, in the order of `projects`."""
    references = {info.path: info.references for info in projects}
    done: set[str] = set()
    notices: list[Notice] = []
    for start, first in references.items():
        stack = [(start, iter(first))]
        way = {start: None}
        while stack and start not in done:
            path, following = stack[-1]
            target = next(following, None)
            if target is None:
                stack.pop()
                way.pop(path)
                done.add(path)
            elif target in way:
                notices.append(_cycle([*way][[*way].index(target) :]))
            elif target in references and target not in done:
                stack.append((target, iter(references[target])))
                way[target] = None
    return notices


def _cycle(paths: list[str]) -> Notice:
    return Notice(
        severity="warning",
        message="These projects reference each other in a circle: " + " → ".join([*paths, paths[0]]),
        file=paths[-1],
    )


class Cancel(Protocol):
    """Cancellation of the evaluation, such as a threading.Event."""

    def is_set(self) -> bool:
        """Whether the caller has given up."""
        ...


class _Options(msgspec.Struct, frozen=True):
    choice: FrameworkChoice
    start: str | None
    root_name: str


def evaluate(
    files: ScannedFiles,
    *,
    start: str | None = None,
    framework: str | None = None,
    configuration: str = "Debug",
    root_name: str = "",
    platform: str = sys.platform,
    cancel: Cancel | None = None,
) -> Evaluation:
    """Evaluate every project of the workspace.

    `start`: the solution or project a person named (then only its projects, with what they reference),
    else all. `framework`: None takes each project's highest, `"union"` all of them together, anything
    else that framework where a project has it. `root_name` names the project of a folder without
    projects. `platform`: as `sys.platform`; it answers conditions on the operating system. Raises
    Cancelled. Nothing is executed, nothing outside `files` is read.
    """
    options = _Options(FrameworkChoice(framework, configuration), start, root_name or "workspace")
    environment = VirtualFiles(files, VirtualRoot(root_name), platform)
    sources = ProjectSources(environment)
    selection = select(files, start, sources)
    projects: list[ProjectInfo] = []
    for path in selection.projects:
        if cancel is not None and cancel.is_set():
            raise Cancelled("The evaluation of the projects was cancelled.")
        projects.append(project.evaluate(sources, path, options.choice, selection.solutions.get(path)))
    setting = EvaluationSetting(files, sources, platform, options.choice, selection.solutions)
    projects = with_others(setting, projects)
    left: Sequence[str] = ()
    if start is None:
        programs, left = _programs(sources, files, projects, options)
        projects += programs
    projects, markup = with_markup(files, projects)
    if start is None:
        projects += gather(left, projects, options.root_name, markup)
    return _finished(options, selection, projects)


def _programs(
    sources: ProjectSources, files: ScannedFiles, projects: Sequence[ProjectInfo], options: _Options
) -> tuple[list[ProjectInfo], Sequence[str]]:
    """A project for each program among the files that none of `projects` has, and all of these that are source."""
    left = unowned(files.cs_files, projects)
    unity = Unity(sources, files.project_files, left)
    found = unity.projects(files.cs_files, left)
    left = [path for path in unowned(left, found) if unity.is_source(path)]
    found += file_apps(sources, left, options.choice)
    queries = unowned(list(filter(is_query, files.markup_files)), projects)
    found += scripts(sources, [*left, *queries], projects)
    return found, left


def _finished(options: _Options, selection: ProjectSelection, projects: list[ProjectInfo]) -> Evaluation:
    projects = _unique_names(sorted(projects, key=lambda info: info.path))
    notices = [*selection.notices]
    for info in projects:
        notices += info.notices
    notices += cycles(projects)
    notices += _nowhere(options.choice.framework, projects)
    return Evaluation(projects=tuple(projects), notices=_once(notices))


def _nowhere(framework: str | None, projects: list[ProjectInfo]) -> list[Notice]:
    """Return a notice for a framework that no project targets."""
    if framework is None or framework == project.UNION:
        return []
    offered = {name.casefold() for info in projects for name in info.target_frameworks}
    if framework.casefold() in offered | {name.partition("-")[0] for name in offered}:
        return []
    advice = "Set index.target_framework to highest, union, or one of " + ", ".join(sorted(offered)) + "."
    return [Notice(severity="warning", message=f"No project is for {framework}.", what_to_do=advice)]


def _unique_names(projects: list[ProjectInfo]) -> list[ProjectInfo]:
    """Rename projects with equal names: by folder, and by file where that is not enough."""
    for place in (lambda info: parent(info.path) or ".", lambda info: info.path):
        counts = Counter(info.name.casefold() for info in projects)
        projects = [
            msgspec.structs.replace(info, name=f"{info.assembly_name} ({place(info)})")
            if counts[info.name.casefold()] > 1
            else info
            for info in projects
        ]
    return projects


def _once(notices: list[Notice]) -> tuple[Notice, ...]:
    seen: dict[tuple[str, str | None, int | None], Notice] = {}
    for notice in notices:
        seen.setdefault((notice.message, notice.file, notice.line), notice)
    return tuple(seen.values())
