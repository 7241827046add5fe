"""Types that several projects compile from the same files: one symbol with several projects (SPEC section 3).

A catalogue contains a type for each project that compiles it, because the preprocessor may leave each another text,
and a project may compile only some files of a partial type. They are one symbol where the key is the same and one of
them has all files of the others. That one is the *canonical* type; among several, the one of the project whose folder
contains the files, for which they are no shadows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from services.index.catalog.catalogue import Catalogue, TypeEntry


class _Compilation(NamedTuple):
    """A type as a project compiles it. `precedence`: the lowest is that of the home."""

    files: frozenset[str]
    precedence: tuple[int, int, int]


def compilations(catalogue: Catalogue, index: int) -> Sequence[int]:
    """The types, its home first, that are one symbol with this one, itself among them."""
    every = _namesakes(catalogue, index)
    if not every:
        return (index,)
    home = _widest(every, index)
    same = [at for at in every if _widest(every, at) == home]
    return sorted(same, key=lambda at: (at != home, *every[at].precedence))


def home_of(catalogue: Catalogue, index: int) -> int:
    """Return the canonical type of the symbol that includes this type."""
    every = _namesakes(catalogue, index)
    return index if not every else _widest(every, index)


def is_home(catalogue: Catalogue, index: int) -> bool:
    """Whether a type is the canonical one of its symbol."""
    return home_of(catalogue, index) == index


def homes(catalogue: Catalogue) -> Iterator[tuple[int, TypeEntry]]:
    """Every type that has a declaration, with its index: each symbol once."""
    return ((at, entry) for at, entry in catalogue.live_types() if is_home(catalogue, at))


def projects_of(catalogue: Catalogue, index: int) -> tuple[str, ...]:
    """The names of the projects that compile a symbol, that of its home first."""
    return tuple(catalogue.projects[catalogue.type(at).project] for at in compilations(catalogue, index))


def _namesakes(catalogue: Catalogue, index: int) -> Mapping[int, _Compilation]:
    """The types of all projects that have the name, the kind and the file, if they are a file's own, of one, itself
    among them; empty where there is no other."""
    entry = catalogue.type(index)
    named = catalogue.by_fqn.get(entry.fqn, ())
    if len(named) < 2 or not entry.parts:
        return {}
    key = entry.kind, entry.local
    types = [(at, catalogue.type(at)) for at in named]
    same = [(at, each) for at, each in types if each.parts and (each.kind, each.local) == key]
    return {at: _compilation(catalogue, each) for at, each in same} if len(same) > 1 else {}


def _compilation(catalogue: Catalogue, entry: TypeEntry) -> _Compilation:
    parts = [catalogue.file(file) for file, _ in entry.parts]
    files = frozenset([each.path for each in parts])
    return _Compilation(files, (-len(files), sum([each.shadow for each in parts]), entry.project))


def _widest(every: Mapping[int, _Compilation], index: int) -> int:
    """Return the type with the most files among those that have all files of `index`."""
    files = every[index].files
    return min((at for at, each in every.items() if files <= each.files), key=lambda at: every[at].precedence)
