"""Text format of the framework table, shared by its generator and `table.py`.

Lines: `#source` with letter, family, version and package, separated by tabs; `@` with a namespace and its content. Of
types, sorted: name, kind letter, source letters and bases, separated by blanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from services.model import Kind

TYPES_FILE = "types.txt.xz"
SOURCE, NAMESPACE = "#source\t", "@"

SHAPES: Mapping[str, tuple[Kind, tuple[str, ...]]] = {
    "c": (Kind.CLASS, ()),
    "a": (Kind.CLASS, ("abstract",)),
    "z": (Kind.CLASS, ("sealed",)),
    "t": (Kind.CLASS, ("static",)),
    "s": (Kind.STRUCT, ()),
    "i": (Kind.INTERFACE, ()),
    "e": (Kind.ENUM, ()),
    "d": (Kind.DELEGATE, ()),
}
"""Kind and modifiers by the letter of a type's line."""


@dataclass(frozen=True, slots=True)
class NameSource:
    """Source of names: `family`, a shared framework or package, and the `package` that ships it."""

    letter: str
    family: str
    version: str
    package: str


def source_line(source: NameSource) -> str:
    """The line of a source."""
    return f"{SOURCE}{source.letter}\t{source.family}\t{source.version}\t{source.package}"


def parsed_source(line: str) -> NameSource:
    """The source of such a line."""
    return NameSource(*line.removeprefix(SOURCE).split("\t"))


def type_line(name: str, shape: str, letters: Iterable[str], bases: Iterable[str]) -> str:
    """The line of a type; `shape` is a key of SHAPES."""
    return " ".join((name, shape, "".join(letters), *bases))


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """(namespace, its lines) of a whole table."""
    for block in text.split(f"\n{NAMESPACE}")[1:]:
        namespace, _, lines = block.partition("\n")
        yield namespace, lines.rstrip("\n")
