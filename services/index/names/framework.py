"""Framework types by name: the fallback for names that are declared nowhere in the workspace.

The data (18 000 types, 130 KB packed) is unpacked on first use; the types of a namespace are made when one of them is
requested.

Lines: `#source` with letter, family, version and package, separated by tabs; `@` with a namespace and its content. Of
types, sorted: name, kind letter, source letters and bases, separated by blanks.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from services.concurrency.lazy import expression
from services.model import Kind

IMPLICIT_BASES = {
    Kind.CLASS: "System.Object",
    Kind.STRUCT: "System.ValueType",
    Kind.ENUM: "System.Enum",
    Kind.DELEGATE: "System.MulticastDelegate",
}
"""The base class a declaration of each kind has without naming it; an interface has none."""

_WRITABLE = expression(r"[^\W\d]\w*(`[1-9]\d*)?(\+[^\W\d]\w*(`[1-9]\d*)?)*")


def is_writable(name: str) -> bool:
    """Whether every part of `name` is an identifier: compilers make types no program can name (`<>c`)."""
    return _WRITABLE.fullmatch(name) is not None


def open_name(constructed: str) -> str:
    """The type without its arguments: ``System.IComparable`1`` of ``System.IComparable`1[System.Int32]``."""
    return constructed.partition("[")[0]


def namespace_of(fqn: str) -> str:
    """The namespace of a full name; empty for a type without one."""
    return fqn.partition("+")[0].rpartition(".")[0]


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


class NameSource(msgspec.Struct, frozen=True):
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


class FrameworkType(msgspec.Struct, frozen=True):
    """A public or protected type of a framework.

    `fqn`: ``System.Collections.Generic.Dictionary`2+KeyCollection``; `arity`: type parameters of its own;
    `modifiers`: abstract, sealed, static, of classes alone; `base_types`: base class first, then all
    interfaces, with arguments, as `facts.py` writes them; `sources`: who has it, the most trusted first."""

    fqn: str
    arity: int
    kind: Kind
    modifiers: tuple[str, ...]
    base_types: tuple[str, ...]
    sources: tuple[NameSource, ...]

    @property
    def bases(self) -> tuple[str, ...]:
        """Full names of the base types, without arguments; the implicit base is not among them."""
        return tuple(map(open_name, self.base_types))

    @property
    def families(self) -> frozenset[str]:
        """Shared frameworks and packages that have the type: `Microsoft.NETCore.App`, `netfx` …"""
        return frozenset(source.family for source in self.sources)


class FrameworkTable:
    """Types of all frameworks, or of some families. A container is a namespace or the full name of a type."""

    def __init__(self, text: str, families: Iterable[str] | None = None) -> None:
        """`text` is in the format of this module; without `families` every source counts."""
        self._text = text
        lines = text[: text.find(f"\n{NAMESPACE}")].splitlines()
        listed = [parsed_source(line) for line in lines if line.startswith(SOURCE)]
        wanted = frozenset(source.family for source in listed) if families is None else frozenset(families)
        self._sources = {source.letter: source for source in listed if source.family in wanted}
        self._blocks: Mapping[str, str] = dict(blocks(text))
        self._types: dict[str, dict[str, FrameworkType]] = {}
        self._namespaces: frozenset[str] | None = None
        self._names: frozenset[str] | None = None

    @property
    def sources(self) -> tuple[NameSource, ...]:
        """The sources that count, in order of trust."""
        return tuple(self._sources.values())

    @property
    def namespaces(self) -> frozenset[str]:
        """Every namespace with a type, and every dotted prefix of one."""
        if self._namespaces is None:
            self._namespaces = frozenset(_prefixes(name for name in self._blocks if self._has_any(name)))
        return self._namespaces

    @property
    def names(self) -> frozenset[str]:
        """The simple names of all types, without their arity."""
        if self._names is None:
            self._names = frozenset(re.findall(r"^(?:\S*\+)?(\w+)(?:`\d+)? \S ", self._text, re.MULTILINE))
        return self._names

    def find(self, container: str, name: str, arity: int = 0) -> FrameworkType | None:
        """The type `name` with `arity` type parameters of its own, directly in `container`."""
        return self.get(_joined(container, _marked(name, arity), nested=container not in self._blocks))

    def get(self, fqn: str) -> FrameworkType | None:
        """The type with that full name."""
        return self._in_namespace(namespace_of(fqn)).get(fqn)

    def types_in(self, container: str) -> tuple[FrameworkType, ...]:
        """Types directly in `container`, by name."""
        if container in self._blocks:
            return tuple(t for t in self._in_namespace(container).values() if "+" not in t.fqn)
        start, depth = f"{container}+", container.count("+") + 1
        types = self._in_namespace(namespace_of(container)).values()
        return tuple(t for t in types if t.fqn.startswith(start) and t.fqn.count("+") == depth)

    def within(self, families: Iterable[str]) -> FrameworkTable:
        """The table of these families alone, for a project that cannot see the others."""
        return FrameworkTable(self._text, families)

    def __iter__(self) -> Iterator[FrameworkType]:
        """Every type, by namespace and name."""
        for namespace in self._blocks:
            yield from self._in_namespace(namespace).values()

    def _in_namespace(self, namespace: str) -> dict[str, FrameworkType]:
        known = self._types.get(namespace)
        if known is None:
            lines = self._blocks.get(namespace, "").splitlines()
            types = (self._type(namespace, *line.split(" ")) for line in lines)
            known = self._types[namespace] = {found.fqn: found for found in types if found.sources}
        return known

    def _type(self, namespace: str, name: str, shape: str, letters: str, *bases: str) -> FrameworkType:
        kind, modifiers = SHAPES[shape]
        return FrameworkType(
            fqn=_joined(namespace, name),
            arity=int(name[name.rfind("+") + 1 :].partition("`")[2] or 0),
            kind=kind,
            modifiers=modifiers,
            base_types=bases,
            sources=tuple(self._sources[letter] for letter in letters if letter in self._sources),
        )

    def _has_any(self, namespace: str) -> bool:
        letters = "|".join(self._sources)
        line = rf"^\S+ \S [a-z]*(?:{letters})"
        return bool(letters) and re.search(line, self._blocks[namespace], re.MULTILINE) is not None


@cache
def load() -> FrameworkTable:
    """The table that ships with the program; unpacked at the first call."""
    packed = Path(__file__).with_name(TYPES_FILE).read_bytes()
    return FrameworkTable(lzma.decompress(packed).decode())


def _prefixes(namespaces: Iterable[str]) -> Iterator[str]:
    for namespace in namespaces:
        while namespace:
            yield namespace
            namespace = namespace.rpartition(".")[0]


def _marked(name: str, arity: int) -> str:
    return f"{name}`{arity}" if arity else name


def _joined(container: str, name: str, *, nested: bool = False) -> str:
    return f"{container}{'+' if nested else '.'}{name}" if container else name
