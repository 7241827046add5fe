"""Types of packages that are not in the workspace: the public types of popular ones, and undeclared names that only
one namespace can contain."""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path

import msgspec

from services.index.names.framework import FrameworkTable, namespace_of

Deduction = tuple[str, int, str]
"""(simple name, number of type arguments, namespace)."""
Deduced = Mapping[tuple[int, str, int], frozenset[str]]
"""Namespaces inferred for a name, by project, simple name and number of type arguments."""

_Key = tuple[int, str, int]


class Deductions:
    """Inferred types of all files, united. `table`: as of the last publication, another object only where its content
    has changed. The same files give the same table, in any order. Not thread-safe."""

    def __init__(self) -> None:
        self._of_files: dict[int, list[tuple[_Key, str]]] = {}
        self._counts: dict[_Key, Counter[str]] = {}
        self._changed: set[_Key] = set()
        self.table: Deduced = {}

    def fork(self) -> Deductions:
        """Return a copy, to be changed while others read these."""
        other = Deductions()
        other._of_files, other._counts = self._of_files.copy(), self._counts.copy()
        other._changed, other.table = self._changed.copy(), self.table
        return other

    def add(self, file: int, project: int, told: Iterable[Deduction]) -> None:
        """Add the inferences of a file of a project."""
        kept = [((project, name, arity), namespace) for name, arity, namespace in told]
        if kept:
            self._of_files[file] = kept
        for key, namespace in kept:
            self._count(key, namespace, 1)

    def drop(self, file: int) -> None:
        """Remove the inferences of a file, if there are any."""
        for key, namespace in self._of_files.pop(file, ()):
            self._count(key, namespace, -1)

    def _count(self, key: _Key, namespace: str, more: int) -> None:
        counts = Counter(self._counts.pop(key, {}))  # a fork may have it too
        counts[namespace] += more
        if not counts[namespace]:
            del counts[namespace]
        if counts:
            self._counts[key] = counts
        self._changed.add(key)

    def by_file(self) -> dict[int, list[Deduction]]:
        """Return the inferences by file."""
        return {
            file: [(name, arity, namespace) for (_, name, arity), namespace in kept]
            for file, kept in self._of_files.items()
        }

    def publish(self) -> None:
        """Publish the table of all files' inferences."""
        now = {key: frozenset(self._counts.get(key, ())) for key in self._changed}
        self._changed.clear()
        if any(self.table.get(key, frozenset()) != namespaces for key, namespaces in now.items()):
            united = {**self.table, **now}
            self.table = {key: namespaces for key, namespaces in united.items() if namespaces}


FILE = "packages.txt.xz"
_START = "%"
_NUMBERS = re.compile(r"\d+(?:\.\d+)*")

Key = tuple[str, int]
"""A package: its folded name and its major version."""


class PackageTable(msgspec.Struct, frozen=True, dict=True):
    """Table of one major version of a package. `version`: the one whose types are listed; `requires`: packages that
    come with it."""

    name: str
    version: tuple[int, ...]
    requires: tuple[Key, ...]
    text: str

    @cached_property
    def types(self) -> FrameworkTable:
        """Its types, without those of what it requires."""
        return FrameworkTable(self.text)


class Packages:
    """Every package that is known."""

    def __init__(self, text: str) -> None:
        """`text`: in the format of this module."""
        found = (_package(block) for block in f"\n{text}".split(f"\n{_START}")[1:])
        self._tables: Mapping[Key, PackageTable] = {(p.name.casefold(), p.version[0]): p for p in found}
        self._names = frozenset(name for name, _ in self._tables)

    def knows(self, name: str) -> bool:
        """Whether types of any version of a package, or of packages that come with one, are listed."""
        return name.casefold() in self._names

    def get(self, name: str, major: int) -> PackageTable | None:
        """That major version of a package."""
        return self._tables.get((name.casefold(), major))


def version_of(text: str) -> tuple[int, ...]:
    """Return the lowest version that a reference permits: of ``[2.1,3)`` and ``2.1.*`` it is (2, 1); () where there
    is none."""
    found = _NUMBERS.match(text.strip().lstrip("[( "))
    return tuple(map(int, found[0].split("."))) if found else ()


def package_line(name: str, version: str, requires: Iterable[str]) -> str:
    """The line that starts a package; `requires` as ``Newtonsoft.Json 13``."""
    return "\t".join((f"{_START}{name}", version, ",".join(requires)))


def split(fqn: str) -> tuple[str, str]:
    """Namespace and the rest of a full name."""
    namespace = namespace_of(fqn)
    return namespace, fqn.removeprefix(f"{namespace}.") if namespace else fqn


def write(path: Path, text: str) -> None:
    """Packs a table."""
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


@cache
def load() -> Packages:
    """The packages that ship with the program; unpacked at the first call."""
    return Packages(lzma.decompress(Path(__file__).with_name(FILE).read_bytes()).decode())


def _package(block: str) -> PackageTable:
    first, _, text = block.partition("\n")
    name, version, requires = first.split("\t")
    return PackageTable(name, version_of(version), tuple(map(_key, filter(None, requires.split(",")))), text)


def _key(text: str) -> Key:
    name, _, major = text.rpartition(" ")
    return name.casefold(), int(major)
