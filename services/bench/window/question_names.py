"""Names in a question: the namespaces, folders, projects, files and types that limit it, and nested types, which
are listed by their own names, before their enclosing units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from services.context.structure import Structure
from services.context.words import humps, identifiers
from services.errors import UsageError
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol

_MOST = 200
_MOST_NESTED = 8
_QUALIFIED = re.compile(r"(\w+)(?:<[^<>\n]*>|`\d+)?[.+](?=(\w+))")


class ScopePaths:
    """`find`: the symbol of a path, never by a guess."""

    def __init__(self, index: Index, find: Callable[[str], FoundSymbol]) -> None:
        self._index = index
        self._find = find

    def units(self, structure: Structure, paths: Sequence[str]) -> frozenset[int] | None:
        """The units of these paths together; None for all where no path is named. Everything that has just that name is
        meant; where nothing has, the type that it leads to. Raises SymbolNotFound, AmbiguousSymbol, UsageError."""
        if not paths:
            return None
        if len(paths) > _MOST:
            raise UsageError(f"A scope has at most {_MOST} paths. Name a folder or a namespace around them.")
        return frozenset(unit for path in paths for unit in self._of(structure, path.strip()))

    def _of(self, structure: Structure, path: str) -> frozenset[int]:
        found = frozenset(self._named(structure, path))
        if found:
            return found
        whole = self._find(path).whole
        return frozenset((structure.unit_of.get(whole.index, whole.index),))

    def _named(self, structure: Structure, path: str) -> Iterator[int]:
        """The units in the folder, file, project or namespace of a name."""
        folder = path.removeprefix("./").rstrip("/")
        projects = self._projects(path)
        types = self._index.catalogue.types
        for at, unit in structure.units.items():
            namespace = unit.fqn.partition("+")[0].rpartition(".")[0]
            in_folder = any(folder in (".", "", file) or file.startswith(f"{folder}/") for file in unit.paths)
            if (
                (path and in_folder)
                or types[at].project in projects
                or f"{namespace}.".startswith(f"{path}.")
            ):
                yield at

    def _projects(self, path: str) -> frozenset[int]:
        names = self._index.catalogue.projects
        infos = ((at, self._index.info(at)) for at in range(len(names)))
        return frozenset(
            at
            for at, info in infos
            if names[at] == path or (info is not None and info.path == path.removeprefix("./"))
        )


class _NamedType(Protocol):
    @property
    def fqn(self) -> str: ...

    @property
    def name(self) -> str: ...


def named_nested(
    text: str, types: Sequence[_NamedType | None], unit_of: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """The nested types that a text names, by the unit of each. A name of one hump may be any word: it counts behind
    the name of the type around it."""
    names = {name for name in identifiers(text) if len(humps(name)) > 1}
    qualified = {(match[1], match[2]) for match in _QUALIFIED.finditer(text)}
    named = names | {name for _, name in qualified}
    found: dict[int, tuple[int, ...]] = {}
    for at, unit in unit_of.items() if named else ():
        type_ = types[at]
        if type_ is None or type_.name not in named or "+" not in type_.fqn:
            continue
        outer = re.split(r"[.+]", type_.fqn)[-2].partition("`")[0]
        if type_.name in names or (outer, type_.name) in qualified:
            found[unit] = (*found.get(unit, ()), at)[:_MOST_NESTED]
    return found
