"""What the sources of `sources.toml` hold, read from folders of unpacked packages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from services.errors import UsageError
from services.index.framework.assembly import Assembly
from services.index.framework.bindings import Reference
from services.index.framework.facts import MemberFact, TypeFact
from services.index.framework.record import Source

_SOURCES = Path(__file__).with_name("sources.toml")


@dataclass(frozen=True, slots=True)
class Contents:
    """One source. `members` are (full name of the type, member); `unexposed`: top-level types of private assemblies
    that no other assembly forwards to, so that no program can reach them."""

    source: Source
    types: tuple[TypeFact, ...]
    members: tuple[tuple[str, MemberFact], ...]
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
        source = Source(*(spec[column] for column in ("letter", "family", "version", "package")))
        folder = folders[source.letter]
        if spec["reader"] == "bindings":
            yield Contents(source, tuple(reference.types(folder)), tuple(reference.members(folder)))
        else:
            yield _of_assemblies(source, folder, spec)


def outermost(fqn: str) -> str:
    """The top-level type that a nested type is in, or the type itself."""
    return fqn.partition("+")[0]


def _of_assemblies(source: Source, folder: Path, spec: Mapping[str, Any]) -> Contents:
    paths = (path for path in sorted(folder.glob("*.dll")) if _is_wanted(path.stem, spec))
    assemblies = [Assembly(path.read_bytes()) for path in paths]
    types = tuple(fact for assembly in assemblies for fact in assembly.types())
    members = tuple(pair for assembly in assemblies for pair in assembly.members())
    private = {outermost(fact.fqn) for fact in types if fact.assembly.startswith("System.Private.")}
    forwarded = {name for assembly in assemblies for name in assembly.forwarded()}
    return Contents(source, types, members, frozenset(private - forwarded))


def _is_wanted(name: str, spec: Mapping[str, Any]) -> bool:
    def matches(patterns: Sequence[str]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    return matches(spec["assemblies"]) and not matches(spec.get("except", ()))
