"""Types that several projects compile from the same files: one symbol with several projects (SPEC section 3).

A catalogue contains a type for each project that compiles it, because the preprocessor may leave each another text,
and a project may compile only some files of a partial type. They are one symbol where the key is the same and one of
them has all files of the others. That one is the *canonical* type; among several, the one of the project whose folder
contains the files, for which they are no shadows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.index.catalog.catalogue import Catalogue, TypeEntry


def compilations(catalogue: Catalogue, index: int) -> Sequence[int]:
    """The types, its home first, that are one symbol with this one, itself among them."""
    namesakes = _namesakes(catalogue, index)
    if len(namesakes) < 2:
        return (index,)
    home = _widest(catalogue, index, namesakes)
    same = [at for at in namesakes if _widest(catalogue, at, namesakes) == home]
    return sorted(same, key=lambda at: (at != home, *_precedence(catalogue, at)))


def home_of(catalogue: Catalogue, index: int) -> int:
    """Return the canonical type of the symbol that includes this type."""
    namesakes = _namesakes(catalogue, index)
    return index if len(namesakes) < 2 else _widest(catalogue, index, namesakes)


def is_home(catalogue: Catalogue, index: int) -> bool:
    """Whether a type is the canonical one of its symbol."""
    return home_of(catalogue, index) == index


def homes(catalogue: Catalogue) -> Iterator[tuple[int, TypeEntry]]:
    """Every type that has a declaration, with its index: each symbol once."""
    return ((at, entry) for at, entry in catalogue.live_types() if is_home(catalogue, at))


def projects_of(catalogue: Catalogue, index: int) -> tuple[str, ...]:
    """The names of the projects that compile a symbol, that of its home first."""
    return tuple(catalogue.projects[catalogue.type(at).project] for at in compilations(catalogue, index))


def _namesakes(catalogue: Catalogue, index: int) -> Sequence[int]:
    """The types of all projects that have the name, the kind and the file, if they are a file's own, of one, itself
    among them."""
    entry = catalogue.type(index)
    named = catalogue.by_fqn.get(entry.fqn, ())
    if len(named) < 2 or not entry.parts:
        return (index,)
    key = entry.kind, entry.local
    types = ((at, catalogue.type(at)) for at in named)
    return [at for at, each in types if each.parts and (each.kind, each.local) == key]


def _widest(catalogue: Catalogue, index: int, namesakes: Sequence[int]) -> int:
    """Return the type with the most files among those that have all files of `index`."""
    files = _files(catalogue, index)
    holding = [at for at in namesakes if at == index or files <= _files(catalogue, at)]
    return min(holding, key=lambda at: _precedence(catalogue, at))


def _files(catalogue: Catalogue, index: int) -> frozenset[str]:
    return frozenset(catalogue.file(file).path for file, _ in catalogue.type(index).parts)


def _precedence(catalogue: Catalogue, index: int) -> tuple[int, int, int]:
    entry = catalogue.type(index)
    shadowed = sum(catalogue.file(file).shadow for file, _ in entry.parts)
    return -len(_files(catalogue, index)), shadowed, entry.project
