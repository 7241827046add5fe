"""Evaluation of a workspace: its projects, their content, and the files that belong to none.

Each cycle among project references is reported once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from services.errors import Cancelled
from services.model import Notice
from services.msbuild import unowned_files
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.info import Evaluation, ProjectInfo, ScannedFiles
from services.msbuild.language.paths import VirtualRoot, parent
from services.msbuild.other_frameworks import EvaluationSetting, with_others
from services.msbuild.programs.file_apps import file_apps
from services.msbuild.programs.scripts import scripts
from services.msbuild.programs.unity import Unity
from services.msbuild.project import project
from services.msbuild.project.project import FrameworkChoice
from services.msbuild.project.project_file import ProjectSources
from services.msbuild.selection import ProjectSelection, select


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


@dataclass(frozen=True, slots=True)
class _Options:
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
    projects, markup = unowned_files.with_markup(files, projects)
    if start is None:
        projects += unowned_files.gather(left, projects, options.root_name, markup)
    return _finished(options, selection, projects)


def _programs(
    sources: ProjectSources, files: ScannedFiles, projects: Sequence[ProjectInfo], options: _Options
) -> tuple[list[ProjectInfo], Sequence[str]]:
    """A project for each program among the files that none of `projects` has, and all of these that are source."""
    left = unowned_files.unowned(files.cs_files, projects)
    unity = Unity(sources, files.project_files, left)
    found = unity.projects(files.cs_files, left)
    left = [path for path in unowned_files.unowned(left, found) if unity.is_source(path)]
    found += file_apps(sources, left, options.choice)
    found += scripts(sources, left, projects)
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
