"""Makes the table of packages' public types, from clones of the repositories that `packages.toml` names.

    python -m benchmarks.tables.packages_table CLONES [WORK]

CLONES has a git repository at `owner+name` for each of them; WORK takes the sources of each tag and may be thrown away.
What is listed is what `codecortex symbols --jsonl` says of those sources: nothing of them is built or run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.tables.type_fact import modifiers_of
from services.index.names import framework, packages
from services.index.names.framework import is_writable
from services.model import TYPE_KINDS, Kind

_SHAPE_LETTERS = {shape: letter for letter, shape in framework.SHAPES.items()}
_SHAPED_AS = {Kind.RECORD: Kind.CLASS, Kind.RECORD_STRUCT: Kind.STRUCT}
_OFFERED = ("public", "protected", "protected internal")
_ENDINGS = (".cs", ".csproj", ".props", ".targets", ".sln", ".slnx", ".projitems")
_ASIDE = re.compile(r"([\w.-]+/)?([\w.-]*tests?|samples?|benchmarks?|examples?|docs?)/", re.IGNORECASE)
_ARGUMENTS = re.compile(r"<[^<>]*>")
_FOLDER = Path(packages.__file__).parent

Symbol = Mapping[str, Any]


class Package(msgspec.Struct, frozen=True):
    """An entry of `packages.toml`."""

    name: str
    version: str
    repository: str = ""
    tag: str = ""
    projects: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


class Sources:
    """The types of repositories at tags, each indexed once."""

    def __init__(self, clones: Path, work: Path) -> None:
        self._clones = clones
        self._work = work
        self._types: dict[tuple[str, str], list[Symbol]] = {}

    def types(self, package: Package) -> list[Symbol]:
        """Every type of the package's repository. Raises CalledProcessError where it cannot be had."""
        key = (package.repository, package.tag)
        if package.repository and key not in self._types:
            self._types[key] = list(_types_at(self._checkout(package)))
        return self._types.get(key, [])

    def _checkout(self, package: Package) -> Path:
        """The C# and project files of a tag."""
        clone = package.repository.replace("/", "+")
        target = self._work / f"{clone}@{package.tag}"
        if not target.exists():
            target.mkdir(parents=True)
            git = ["git", "-C", str(self._clones / clone)]
            listed = subprocess.run(
                [*git, "ls-tree", "-rz", "--name-only", package.tag], capture_output=True, check=True
            )
            wanted = [name for name in listed.stdout.decode().split("\0") if _is_wanted(name)]
            command = [*git, "archive", package.tag, "--", *wanted]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as archive:
                subprocess.run(["tar", "-x", "-C", str(target)], stdin=archive.stdout, check=True)
            missing = [name for name in wanted if not (target / name).exists()]
            if missing:
                raise FileNotFoundError(f"{package.repository}@{package.tag} lacks {missing[0]}")
        return target


def _is_wanted(name: str) -> bool:
    return name.endswith(_ENDINGS) and not _ASIDE.match(name)


def _types_at(folder: Path) -> Iterator[Symbol]:
    command = [sys.executable, "-m", "workbench", "--root", str(folder), "symbols", "--jsonl"]
    dump = subprocess.run(command, capture_output=True, check=True).stdout
    for line in dump.splitlines():
        symbol = msgspec.json.decode(line)
        if symbol["kind"] in set(TYPE_KINDS):
            yield symbol


def lines_of(package: Package, sources: Sources) -> Iterator[str]:
    """The lines of one package: its own, its source's, then its types by namespace."""
    yield packages.package_line(package.name, package.version, package.requires)
    if not package.repository:
        return
    yield framework.source_line(framework.NameSource("p", package.name, package.version, package.repository))
    all_types = sources.types(package)
    names = {symbol["id"]: symbol["fqn"] for symbol in all_types}
    known = {symbol["fqn"]: symbol for symbol in all_types if _is_offered(symbol, package)}
    in_order = sorted(known.values(), key=lambda symbol: packages.split(symbol["fqn"]))
    for namespace, group in groupby(in_order, key=lambda symbol: packages.split(symbol["fqn"])[0]):
        yield framework.NAMESPACE + namespace
        for symbol in group:
            bases = tuple(dict.fromkeys(_bases(symbol, names, known)))
            yield framework.type_line(packages.split(symbol["fqn"])[1], _shape(symbol), "p", bases)


def _is_offered(symbol: Symbol, package: Package) -> bool:
    """Whether programs see the type here first: what the framework's table has is not listed twice."""
    return (
        ("*" in package.projects or symbol["project"] in package.projects)
        and symbol["accessibility"]["effective"] in _OFFERED
        and is_writable(packages.split(symbol["fqn"])[1])
        and "." in symbol["fqn"]
        and framework.load().get(symbol["fqn"]) is None
    )


def _open_display(shown: str) -> str:
    """``System.IComparable<T>`` as the metadata names it: ``System.IComparable`1``."""
    while (inner := _ARGUMENTS.search(shown)) is not None:
        shown = f"{shown[: inner.start()]}`{inner[0].count(',') + 1}{shown[inner.end() :]}"
    return shown


def _shape(symbol: Symbol) -> str:
    kind = Kind(symbol["kind"])
    kind = _SHAPED_AS.get(kind, kind)
    words = set(symbol["modifiers"])
    static = "static" in words
    abstract, sealed = static or "abstract" in words, static or "sealed" in words
    return _SHAPE_LETTERS[kind, modifiers_of(kind, abstract=abstract, sealed=sealed)]


def _bases(symbol: Symbol, names: Mapping[str, str], known: Mapping[str, Symbol]) -> Iterator[str]:
    """Open names of the bases that are in this table or the framework's."""
    for base in symbol.get("bases") or ():
        name = names.get(base.get("typeId") or "") or _open_display(base.get("fqn") or "")
        if not base.get("implicit") and (name in known or framework.load().get(name) is not None):
            yield name


def build(listed: Iterable[Package], sources: Sources) -> str:
    """The text of the table."""
    return "".join(f"{line}\n" for package in listed for line in lines_of(package, sources))


def main(arguments: Sequence[str]) -> None:
    """Write the table next to `packages.toml`."""
    listed = tomllib.loads((_FOLDER / "packages.toml").read_text("utf-8"))["package"]
    work = Path(arguments[1]) if len(arguments) > 1 else Path(tempfile.mkdtemp())
    sources = Sources(Path(arguments[0]), work)
    text = build((msgspec.convert(entry, Package) for entry in listed), sources)
    packages.write(_FOLDER / packages.FILE, text)
    print(f"{text.count(' p')} types, {(_FOLDER / packages.FILE).stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
