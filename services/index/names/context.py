"""Context of a name: the types around it and the namespaces with their usings, from the inside out."""

from __future__ import annotations

import msgspec

from services.index.catalog.catalogue import Catalogue
from services.index.compiled import home_of
from services.model import TYPE_KINDS
from services.syntax.records.declaration import Declaration, FileRecord, Using


class Enclosing(msgspec.Struct, frozen=True):
    """A type around a name: its index in the catalogue, its record, and its part's file."""

    index: int
    declaration: Declaration


class Level(msgspec.Struct, frozen=True):
    """A namespace to look in. `usings` are those of its own declaration, none for the outer parts of a dotted name."""

    namespace: str
    usings: tuple[Using, ...] = ()


class Context(msgspec.Struct, frozen=True, eq=False):
    """Context of names. `own`: type parameters of the member; `enclosing` and `levels`: innermost first; `file`: the
    path of its file.

    Compared by identity, as it serves thousands of names."""

    project: int
    own: tuple[str, ...]
    enclosing: tuple[Enclosing, ...]
    levels: tuple[Level, ...]
    file: str


def enclosing_of(catalogue: Catalogue, file: int, record: FileRecord, at: int) -> tuple[Enclosing, ...]:
    """The types around declaration `at`, itself first if it is a type."""
    first = catalogue.file(file).rows[0]
    found: list[Enclosing] = []
    while at >= 0:
        owner = catalogue.columns.owner[first + at]
        declaration = record.every[at]
        if declaration.kind in TYPE_KINDS:
            found.append(Enclosing(home_of(catalogue, owner), declaration))
        at = declaration.parent
    return tuple(found)


def levels_of(record: FileRecord, scope: int, global_usings: tuple[Using, ...]) -> tuple[Level, ...]:
    """The namespaces around a scope of a file, down to the global one, which has the global usings too."""
    levels: list[Level] = []
    while scope >= 0:
        kept = record.scopes[scope]
        outer = record.scopes[kept.parent].namespace if kept.parent >= 0 else ""
        usings = kept.usings
        namespace = kept.namespace
        if kept.parent < 0:
            levels.append(Level(namespace, usings + global_usings))
            break
        while namespace != outer and namespace:
            levels.append(Level(namespace, usings))
            usings = ()
            namespace = namespace.rpartition(".")[0]
        scope = kept.parent
    return tuple(levels)
