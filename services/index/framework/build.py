"""Makes the table of framework types from unpacked packages; run it when a newer framework is out.

    python -m services.index.framework.build c=FOLDER a=FOLDER ...

Each letter is a source of `sources.toml`; its folder holds what the package ships.
"""

from __future__ import annotations

import lzma
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import Any

from services.errors import UsageError
from services.index.framework import record
from services.index.framework.assembly import Assembly
from services.index.framework.bindings import read_bindings
from services.index.framework.facts import TypeFact, open_name

_HERE = Path(__file__).parent
_SHAPE_LETTERS = {shape: letter for letter, shape in record.SHAPES.items()}
_NOT_OFFERED = ("Internal", "Mono")
"""First parts of namespaces that runtimes keep to themselves."""


@dataclass(slots=True)
class _Merged:
    """All sources together: the first that has a type gives its facts, the others add their letters."""

    facts: dict[str, TypeFact] = field(default_factory=dict)
    letters: dict[str, str] = field(default_factory=dict)

    def add(self, letter: str, facts: Iterable[TypeFact]) -> None:
        for fact in facts:
            known = self.letters.setdefault(fact.fqn, "")
            self.facts.setdefault(fact.fqn, fact)
            self.letters[fact.fqn] = known if letter in known else known + letter


def build(folders: Mapping[str, Path], out: Path) -> int:
    """Writes the table to `out` from a folder for each source letter; returns how many types it has.

    Raises UsageError if letters and sources do not match, and what the readers raise."""
    specs = {spec["letter"]: spec for spec in tomllib.loads((_HERE / "sources.toml").read_text())["source"]}
    if specs.keys() != folders.keys():
        raise UsageError(
            "Name one folder for each source letter.", letters=sorted(specs.keys() ^ folders.keys())
        )
    merged = _Merged()
    unexposed = set[str]()
    by_folder = _bindings(folders[letter] for letter, spec in specs.items() if spec["reader"] == "bindings")
    for letter, spec in specs.items():
        if spec["reader"] == "bindings":
            merged.add(letter, by_folder[folders[letter]])
        else:
            facts, hidden = _assemblies(folders[letter], spec)
            unexposed |= hidden
            merged.add(letter, facts)
    lines = list(_lines(specs.values(), _offered(merged, unexposed)))
    out.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME))
    return sum(line[0] not in "#@" for line in lines)


def _bindings(folders: Iterable[Path]) -> dict[Path, list[TypeFact]]:
    found: dict[Path, list[TypeFact]] = {folder: [] for folder in folders}
    for folder, fact in read_bindings(found):
        found[folder].append(fact)
    return found


def _assemblies(folder: Path, spec: Mapping[str, Any]) -> tuple[list[TypeFact], set[str]]:
    """Types of the assemblies the source names, and those of private assemblies that no other forwards to."""
    assemblies = [
        Assembly(path.read_bytes()) for path in sorted(folder.glob("*.dll")) if _is_wanted(path.stem, spec)
    ]
    facts = [fact for assembly in assemblies for fact in assembly.types()]
    forwarded = {name for assembly in assemblies for name in assembly.forwarded()}
    private = {_outermost(fact.fqn) for fact in facts if fact.assembly.startswith("System.Private.")}
    return facts, private - forwarded


def _is_wanted(name: str, spec: Mapping[str, Any]) -> bool:
    def matches(patterns: Sequence[str]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    return matches(spec["assemblies"]) and not matches(spec.get("except", ()))


def _outermost(fqn: str) -> str:
    return fqn.partition("+")[0]


def _offered(merged: _Merged, unexposed: set[str]) -> _Merged:
    """Without the types that no program can reach, and without bases that are not in the table.

    Such a base is internal to its assembly: the sources hold whole frameworks."""
    kept = {fqn: fact for fqn, fact in merged.facts.items() if _is_offered(fact, unexposed)}
    facts = {
        fqn: replace(fact, bases=tuple(base for base in fact.bases if open_name(base) in kept))
        for fqn, fact in kept.items()
    }
    return _Merged(facts, {fqn: merged.letters[fqn] for fqn in facts})


def _is_offered(fact: TypeFact, unexposed: set[str]) -> bool:
    return _outermost(fact.fqn) not in unexposed and fact.namespace.partition(".")[0] not in _NOT_OFFERED


def _lines(specs: Iterable[Mapping[str, Any]], merged: _Merged) -> Iterator[str]:
    for spec in specs:
        yield record.source_line(
            record.Source(spec["letter"], spec["family"], spec["version"], spec["package"])
        )
    in_order = sorted(merged.facts.values(), key=lambda fact: (fact.namespace, fact.name))
    for namespace, facts in groupby(in_order, key=lambda fact: fact.namespace):
        yield record.NAMESPACE + namespace
        for fact in facts:
            shape = _SHAPE_LETTERS[fact.kind, fact.modifiers]
            yield record.type_line(fact.name, shape, merged.letters[fact.fqn], fact.bases)


def main(arguments: Sequence[str]) -> None:
    """`letter=folder` for each source; writes the table beside this file."""
    folders = dict(argument.split("=", 1) for argument in arguments)
    build({letter: Path(folder) for letter, folder in folders.items()}, _HERE / record.FILE_NAME)


if __name__ == "__main__":
    main(sys.argv[1:])
