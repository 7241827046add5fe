"""Types that several projects compile from the same files: one symbol with several projects (SPEC section 3).

A catalogue holds a type for each project that compiles it, because the preprocessor may leave each another text. They
are one symbol where key and files are the same. Its *home* is the type that speaks for all of them: that of the project
whose folder holds the files, for which they are no shadows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.index.catalog.catalogue import Catalogue, TypeEntry


def compilations(catalogue: Catalogue, index: int) -> Sequence[int]:
    """The types, its home first, that are one symbol with this one, itself among them."""
    entry = catalogue.type(index)
    namesakes = catalogue.by_fqn.get(entry.fqn, ())
    if len(namesakes) < 2 or not entry.parts:
        return (index,)
    files = _files(catalogue, entry)
    same = [at for at in namesakes if at == index or _is_same(catalogue, catalogue.type(at), entry, files)]
    return sorted(same, key=lambda at: _precedence(catalogue, catalogue.type(at)))


def home_of(catalogue: Catalogue, index: int) -> int:
    """The type that speaks for all that are one symbol with this one."""
    return compilations(catalogue, index)[0]


def is_home(catalogue: Catalogue, index: int) -> bool:
    """Whether a type speaks for its symbol."""
    return home_of(catalogue, index) == index


def homes(catalogue: Catalogue) -> Iterator[tuple[int, TypeEntry]]:
    """Every type that has a declaration, with its index: each symbol once."""
    return ((at, entry) for at, entry in catalogue.live_types() if is_home(catalogue, at))


def projects_of(catalogue: Catalogue, index: int) -> tuple[str, ...]:
    """The names of the projects that compile a symbol, that of its home first."""
    return tuple(catalogue.projects[catalogue.type(at).project] for at in compilations(catalogue, index))


def _is_same(catalogue: Catalogue, other: TypeEntry, entry: TypeEntry, files: frozenset[str]) -> bool:
    return bool(other.parts) and other.kind == entry.kind and _files(catalogue, other) == files


def _files(catalogue: Catalogue, entry: TypeEntry) -> frozenset[str]:
    return frozenset(catalogue.file(file).path for file, _ in entry.parts)


def _precedence(catalogue: Catalogue, entry: TypeEntry) -> tuple[int, int]:
    shadowed = sum(catalogue.file(file).shadow for file, _ in entry.parts)
    return shadowed, entry.project
