"""Declarations of a type: its parts, and their members."""

from __future__ import annotations

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.compiled import homes
from services.index.symbols.placed import Placed
from services.model import TYPE_KINDS


def parts_of(catalogue: Catalogue, records: Records, index: int) -> list[Placed]:
    """The parts of a type that can be read."""
    # In the order of their files, not in that of their changes: the same sources have the same ids.
    places = sorted(catalogue.type(index).parts, key=lambda part: _stands(catalogue, part))
    return [found for part in places if (found := placed(records, *part)) is not None]


def placed(records: Records, file: int, at: int) -> Placed | None:
    """Declaration `at` of a file, or None where it cannot be read."""
    found = records.declaration(file, at)
    return Placed(file, at, found) if found is not None else None


def primary_of(parts: list[Placed]) -> Placed:
    """Return the canonical part of the type: with a parameter list, a doc comment, a base list, then the longest."""
    return max(parts, key=_speaks)


def _speaks(part: Placed) -> tuple[bool, bool, bool, int]:
    d = part.declaration
    return d.parameters is not None, d.doc != (0, 0), bool(d.bases), d.end - d.start


def members_of(records: Records, parts: list[Placed]) -> tuple[list[Placed], list[Placed]]:
    """The members that the parts declare, halves of partial ones each for itself, and the types in them."""
    members: list[Placed] = []
    nested: list[Placed] = []
    for part in parts:
        record = records.record(part.file)
        if record is None:
            continue
        for at, declaration in enumerate(record.every[part.at + 1 :], part.at + 1):
            if declaration.start >= part.declaration.end:
                break
            if declaration.parent == part.at:
                kept = nested if declaration.kind in TYPE_KINDS else members
                kept.append(Placed(part.file, at, declaration))
    return members, nested


def in_source_order(catalogue: Catalogue) -> list[int]:
    """All types, each symbol once, by project, file and place: files come into a catalogue as they are read, in another
    order each time."""
    places = [
        (entry.project, min(_stands(catalogue, part) for part in entry.parts), index)
        for index, entry in homes(catalogue)
    ]
    return [index for _, _, index in sorted(places)]


def _stands(catalogue: Catalogue, part: tuple[int, int]) -> tuple[str, int]:
    """Return the position of a part: its file's path, and its place in it."""
    file, at = part
    return catalogue.file(file).path, at
