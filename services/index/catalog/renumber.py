"""Catalogue with another list of projects: rows refer to projects by number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from services.index.catalog.catalogue import Catalogue
from services.msbuild import ProjectInfo


def numbers_under(known: Sequence[str], now: Sequence[str]) -> tuple[list[str], dict[int, int]]:
    """The projects of both lists, by their paths, those of `now` first, and the number that each of `known` gets among
    them."""
    present = set(now)
    every = [*now, *(path for path in known if path not in present)]
    place = {path: at for at, path in enumerate(every)}
    return every, {at: place[path] for at, path in enumerate(known)}


def renumbered(old: Catalogue, names: list[str], numbers: dict[int, int]) -> Catalogue:
    """A catalogue with the rows of `old`, of which no other fork may be made any more. `names`: of the projects there
    are now, and past them of those that are gone, until the next pass has taken their files out. Dead rows and gone
    types may be of projects that went before: theirs stay numbers that no project has."""
    beyond = len(names) - len(numbers)

    def number(project: int) -> int:
        return numbers.get(project, project + beyond)

    return old.renumbered(names, number)


def differing(old: Sequence[ProjectInfo], new: Sequence[ProjectInfo]) -> set[int]:
    """The projects, by their number now, in which names may mean something else than before: those whose usings,
    references, packages, name or framework have changed, and all that refer to them."""
    before = {info.path: _meaning(info) for info in old}
    return within_sight(new, {at for at, info in enumerate(new) if before.get(info.path) != _meaning(info)})


def within_sight(infos: Sequence[ProjectInfo], projects: set[int]) -> set[int]:
    """These projects, and all that refer to them, directly or not."""
    users: dict[str, list[int]] = defaultdict(list)
    for at, info in enumerate(infos):
        for path in info.references:
            users[path].append(at)
    found = set(projects)
    waiting = list(projects)
    while waiting:
        at = waiting.pop()
        for user in users[infos[at].path] if at < len(infos) else ():
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found


def _meaning(info: ProjectInfo) -> tuple[object, ...]:
    return (
        info.usings,
        info.references,
        info.packages,
        info.assemblies,
        info.internals_visible_to,
        info.assembly_name,
        info.root_namespace,
        info.target_framework,
    )
