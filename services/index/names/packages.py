"""Public types of popular packages, for the projects that refer to these packages.

The data is one text: `%` with name, version and required packages, separated by tabs, then its types in the format of
`record.py`. It is unpacked when a project first refers to a package; the types of each package are made on first
access. A package is known by its major version: names move between those. `benchmarks/tables/packages_table.py` makes
the data."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path

import msgspec

from services.index.names.framework import FrameworkTable, namespace_of

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
