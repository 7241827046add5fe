"""Makes the tables of framework types and members from unpacked packages; run it when a newer framework is out.

    python -m services.index.framework.build c=FOLDER a=FOLDER ...

Each letter is a source of `sources.toml`; its folder holds what the package ships.
"""

from __future__ import annotations

import lzma
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from services.index.framework import record
from services.index.framework.contents import Contents, outermost, read_contents
from services.index.framework.facts import MemberFact, TypeFact, exact_first, open_name

_SHAPE_LETTERS = {shape: letter for letter, shape in record.SHAPES.items()}
_NOT_OFFERED = ("Internal", "Mono")
"""First parts of namespaces that runtimes keep to themselves."""


def build(folders: Mapping[str, Path], out: Path) -> int:
    """Writes both tables into the folder `out` from a folder for each source letter; returns how many types there are.

    Raises what `read_contents` does."""
    contents = list(read_contents(folders))
    types = _offered(contents)
    letters = _letters(contents)
    sources = [record.source_line(content.source) for content in contents]
    members = _members(contents, types)
    _write(
        out / record.TYPES_FILE, [*sources, *_by_namespace(types, lambda fact: _type_lines(fact, letters))]
    )
    _write(
        out / record.MEMBERS_FILE,
        [*sources, *_by_namespace(types, lambda fact: _member_lines(fact, members))],
    )
    return len(types)


def _offered(contents: Iterable[Contents]) -> dict[str, TypeFact]:
    """Of each type what the first source says, without types that no program can reach and bases not in the table.

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


def _members(contents: Iterable[Contents], types: Mapping[str, TypeFact]) -> dict[str, list[MemberFact]]:
    members: dict[str, list[MemberFact]] = {}
    for content in contents:
        for owner, member in content.members:
            if owner in types:
                members.setdefault(owner, []).append(member)
    return members


def _by_namespace(types: Mapping[str, TypeFact], lines_of: record.LinesOf) -> Iterator[str]:
    in_order = sorted(types.values(), key=lambda fact: (fact.namespace, fact.name))
    for namespace, facts in groupby(in_order, key=lambda fact: fact.namespace):
        yield record.NAMESPACE + namespace
        for fact in facts:
            yield from lines_of(fact)


def _type_lines(fact: TypeFact, letters: Mapping[str, str]) -> Iterator[str]:
    shape = _SHAPE_LETTERS[fact.kind, fact.modifiers]
    yield record.type_line(fact.name, shape, letters[fact.fqn], fact.bases)


def _member_lines(fact: TypeFact, members: Mapping[str, list[MemberFact]]) -> Iterator[str]:
    exact = exact_first(members.get(fact.fqn, ()))
    if exact:
        yield record.OWNER + fact.name
        yield from sorted(map(record.member_line, exact))


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME))


def main(arguments: Sequence[str]) -> None:
    """`letter=folder` for each source; writes the tables beside this file."""
    folders = dict(argument.split("=", 1) for argument in arguments)
    build({letter: Path(folder) for letter, folder in folders.items()}, Path(__file__).parent)


if __name__ == "__main__":
    main(sys.argv[1:])
