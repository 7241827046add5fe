"""Makes the table of framework types from unpacked packages; run it when a newer framework is out.

    python -m benchmarks.tables.framework_table c=FOLDER a=FOLDER ...

Each letter is a source of `sources.toml`; its folder holds what the package ships.
"""

from __future__ import annotations

import lzma
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.tables.bindings import Reference
from benchmarks.tables.type_fact import TypeFact
from services.errors import UsageError
from services.index.external.assembly import Assembly
from services.index.external.table import TypeRow
from services.index.names import framework
from services.index.names.framework import IMPLICIT_BASES, NameSource, namespace_of, open_name
from services.model import Kind

_SOURCES = Path(__file__).with_name("sources.toml")


@dataclass(frozen=True, slots=True)
class Contents:
    """Source of types. `unexposed`: top-level types of private assemblies that no other assembly forwards to, so that
    no program can reach them."""

    source: NameSource
    types: tuple[TypeFact, ...]
    unexposed: frozenset[str] = frozenset()


def read_contents(folders: Mapping[str, Path]) -> Iterator[Contents]:
    """Every source in order of trust, from the folder of its letter.

    Raises UsageError if letters and sources do not match, and what the readers raise."""
    specs: list[dict[str, Any]] = tomllib.loads(_SOURCES.read_text(encoding="utf-8"))["source"]
    wrong = {spec["letter"] for spec in specs} ^ folders.keys()
    if wrong:
        raise UsageError("Name one folder for each source letter.", letters=sorted(wrong))
    reference = Reference(folders[spec["letter"]] for spec in specs if spec["reader"] == "bindings")
    for spec in specs:
        source = NameSource(*(spec[column] for column in ("letter", "family", "version", "package")))
        folder = folders[source.letter]
        if spec["reader"] == "bindings":
            yield Contents(source, tuple(reference.types(folder)))
        else:
            yield _of_assemblies(source, folder, spec)


def outermost(fqn: str) -> str:
    """The top-level type that a nested type is in, or the type itself."""
    return fqn.partition("+")[0]


def _of_assemblies(source: NameSource, folder: Path, spec: Mapping[str, Any]) -> Contents:
    paths = (path for path in sorted(folder.glob("*.dll")) if _is_wanted(path.stem, spec))
    assemblies = [Assembly(path.read_bytes()) for path in paths]
    types = tuple(_fact(row) for assembly in assemblies for row in assembly.types())
    private = {outermost(fact.fqn) for fact in types if fact.assembly.startswith("System.Private.")}
    forwarded = {name for assembly in assemblies for name in assembly.forwarded()}
    return Contents(source, types, frozenset(private - forwarded))


def _fact(row: TypeRow) -> TypeFact:
    namespace = namespace_of(row.fqn)
    kind = Kind(row.kind)
    modifiers = tuple(row.flags.split()) if kind is Kind.CLASS else ()
    bases = (*((row.base,) if row.base and row.base != IMPLICIT_BASES.get(kind) else ()), *row.interfaces)
    name = row.fqn.removeprefix(f"{namespace}.") if namespace else row.fqn
    return TypeFact(namespace, name, kind, modifiers, bases, row.assembly)


def _is_wanted(name: str, spec: Mapping[str, Any]) -> bool:
    def matches(patterns: Sequence[str]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    return matches(spec["assemblies"]) and not matches(spec.get("except", ()))


_SHAPE_LETTERS = {shape: letter for letter, shape in framework.SHAPES.items()}
_NOT_OFFERED = ("Internal", "Mono")
"""First parts of namespaces that runtimes keep to themselves."""


def build(folders: Mapping[str, Path], out: Path) -> int:
    """Writes the table into the folder `out` from a folder for each source letter; returns how many types there are.

    Raises what `read_contents` does."""
    contents = list(read_contents(folders))
    types = _offered(contents)
    letters = _letters(contents)
    sources = [framework.source_line(content.source) for content in contents]
    _write(out / framework.TYPES_FILE, [*sources, *_lines(types, letters)])
    return len(types)


def _offered(contents: Iterable[Contents]) -> dict[str, TypeFact]:
    """Return for each type the facts of the first source, without types that no program can reach and bases not in
    the table.

    Such a base is internal to its assembly: the sources hold whole frameworks."""
    unexposed = frozenset[str]().union(*(content.unexposed for content in contents))
    kept: dict[str, TypeFact] = {}
    for content in contents:
        for fact in content.types:
            if outermost(fact.fqn) not in unexposed and fact.namespace.partition(".")[0] not in _NOT_OFFERED:
                kept.setdefault(fact.fqn, fact)
    return {
        fqn: replace(fact, bases=tuple(base for base in fact.bases if open_name(base) in kept))
        for fqn, fact in kept.items()
    }


def _letters(contents: Iterable[Contents]) -> dict[str, str]:
    """The letters of the sources that have a type, the most trusted first."""
    letters: dict[str, str] = {}
    for content in contents:
        for fqn in {fact.fqn for fact in content.types}:
            letters[fqn] = letters.get(fqn, "") + content.source.letter
    return letters


def _lines(types: Mapping[str, TypeFact], letters: Mapping[str, str]) -> Iterator[str]:
    in_order = sorted(types.values(), key=lambda fact: (fact.namespace, fact.name))
    for namespace, facts in groupby(in_order, key=lambda fact: fact.namespace):
        yield framework.NAMESPACE + namespace
        for fact in facts:
            shape = _SHAPE_LETTERS[fact.kind, fact.modifiers]
            yield framework.type_line(fact.name, shape, letters[fact.fqn], fact.bases)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME))


def main(arguments: Sequence[str]) -> None:
    """`letter=folder` for each source; writes the table where the program reads it."""
    folders = dict(argument.split("=", 1) for argument in arguments)
    out = Path(framework.__file__).parent
    build({letter: Path(folder) for letter, folder in folders.items()}, out)


if __name__ == "__main__":
    main(sys.argv[1:])
