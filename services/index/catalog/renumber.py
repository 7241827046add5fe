"""Catalogues with other numbers: of projects where their list is another, of rows, files and types where most of them
are gone."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from services.index.catalog.catalogue import Catalogue, Columns, FileEntry
from services.index.catalog.file_rows import UNKNOWN_REST, numbers
from services.msbuild import ProjectInfo

_FEW = 1_000
"""Rows, files or types that are gone and cost nobody anything."""


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


class PackedNumbers(NamedTuple):
    """The numbers that files and types have in a packed catalogue, by those that they had."""

    files: dict[int, int]
    types: dict[int, int]


def is_sparse(catalogue: Catalogue) -> bool:
    """Whether more rows, files or types are gone than are there: switches of branches leave some each time."""
    files = list(catalogue.live_files())
    counted = (
        (len(catalogue.columns.dead), sum(entry.rows[1] for entry in files)),
        (len(catalogue.files), len(files)),
        (catalogue.type_count, sum(1 for _ in catalogue.live_types())),
    )
    return any(total > 2 * live + _FEW for total, live in counted)


def packed(old: Catalogue) -> tuple[Catalogue, PackedNumbers]:
    """A catalogue with what is there of `old`, in the same order, and nothing of what is gone."""
    new = Catalogue()
    new.projects, new.version, new.settled = old.projects, old.version + 1, old.settled
    there = [(at, entry) for at, entry in enumerate(old.files) if entry is not None]
    types = {at: number for number, (at, _) in enumerate(old.live_types())}
    files = {at: number for number, (at, _) in enumerate(there)}
    for at, entry in there:
        first = len(new.columns.dead)
        mentions = new.names.ids([old.names.values[name] for name in numbers(entry.mentions)])
        new.count_mentions(mentions, 1)
        new.files.append(replace(entry, rows=(first, entry.rows[1]), mentions=array("i", mentions).tobytes()))
        _copy_rows(old, new, entry, types)
        new.columns.file.extend([files[at]] * entry.rows[1])
    for _, kind in old.live_types():
        new.types.append(replace(kind, parts=tuple((files[file], place) for file, place in kind.parts)))
    new.dead_rows = new.columns.dead.count(1)
    return new, PackedNumbers(files, types)


def _copy_rows(old: Catalogue, new: Catalogue, entry: FileEntry, types: dict[int, int]) -> None:
    """Appends the rows of a file, all but the number of the file itself."""
    first, last = entry.rows[0], sum(entry.rows)
    before, after = old.columns, new.columns
    for name in Columns.NAMES:
        if name not in _NUMBERED:
            getattr(after, name).extend(getattr(before, name)[first:last])
    after.dead += before.dead[first:last]
    after.owner.extend([types.get(owner, owner) for owner in before.owner[first:last]])
    names, containers = old.names.values, old.containers.values
    after.name.extend(new.names.ids([names[at] for at in before.name[first:last]]))
    after.container.extend(new.containers.ids([containers[at] for at in before.container[first:last]]))
    rests = before.rest[first:last]
    told = iter(new.rests.ids([old.rests.text(at) for at in rests if at != UNKNOWN_REST]))
    after.rest.extend(array("i", [at if at == UNKNOWN_REST else next(told) for at in rests]))


_NUMBERED = ("file", "owner", "name", "container", "rest")


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
