"""Files that a project compiles for other target frameworks than the one it is read for, or on another operating
system alone: each is read in the highest framework that compiles it, and belongs to the same project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from services.msbuild.language.environment import SYSTEMS, VirtualFiles
from services.msbuild.language.frameworks import descending
from services.msbuild.language.info import OtherFramework, ProjectInfo, ScannedFiles
from services.msbuild.language.paths import parent
from services.msbuild.project.project import (
    MAX_FRAMEWORKS,
    UNION,
    FrameworkChoice,
    compiled_for,
    frameworks_of,
)
from services.msbuild.project.project_file import ProjectSources
from services.msbuild.unowned_files import unowned

_PLATFORMS = {"windows": "win32", "osx": "darwin", "linux": "linux"}
"""Operating systems that conditions test for, as `sys.platform`."""


@dataclass(frozen=True)
class EvaluationSetting:
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
    what it makes of the one that it is read for, after all of this one's."""
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
