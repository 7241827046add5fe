"""Constants that a target adds right before the compiler runs. Targets are not run; this much of one is data."""

from __future__ import annotations

from services.msbuild.language.expansion import expand
from services.msbuild.project.project_file import ProjectFile, QueuedGroup

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
