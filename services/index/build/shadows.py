"""Rows of files that another project holds: of what several projects compile from one file, each declaration has one
row that counts, that of the project that holds the file.

A row of another project counts where the preprocessor left its declaration to that project alone; one of another
configuration where no project compiles its declaration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from services.index.catalog.catalogue import Catalogue, FileEntry

_Row = tuple[int, int, int, int]
"""Container, name, kind and signature: what a row declares, whichever project compiles it."""


def reveal(catalogue: Catalogue, paths: Collection[str]) -> None:
    """Lets count, of the rows that projects have of these files, one for each declaration. For the writer, once the
    files are as they are to be."""
    for entries in _compiled(catalogue, paths).values():
        held = [entry for entry in entries if not entry.shadow]
        variants = {entry.variant for entry in held}
        known = {row for entry in held for row in _compiled_rows(catalogue, entry)}
        counted: dict[int, list[int]] = {}
        for at, entry in enumerate(entries):
            if entry.shadow:
                rows = [] if entry.variant in variants else _compiled_rows(catalogue, entry)
                counted[at] = [place for place, row in enumerate(rows) if row not in known]
                variants.add(entry.variant)
                known.update(rows)
            elif entry.elsewhere >= 0:
                counted[at] = [*range(entry.elsewhere)]
        for at, rows in counted.items():
            entry, every = entries[at], _declared(catalogue, entries[at])
            for place in range(entry.elsewhere, len(every)) if entry.elsewhere >= 0 else ():
                if every[place] not in known and place not in entry.unseen:
                    known.add(every[place])
                    rows.append(place)
            catalogue.let_count(entry, rows)


def _compiled_rows(catalogue: Catalogue, entry: FileEntry) -> list[_Row]:
    """The rows of what the project itself compiles."""
    rows = _declared(catalogue, entry)
    return rows[: entry.elsewhere] if entry.elsewhere >= 0 else rows


def declared_elsewhere(catalogue: Catalogue) -> Iterator[tuple[int, int, int]]:
    """(project, first row, last row, exclusive) of the rows of other projects that a project declares too."""
    shadows = {entry.path for entry in catalogue.live_files() if entry.shadow}
    for entries in _compiled(catalogue, shadows).values():
        for entry in entries:
            for other in entries:
                if other.project != entry.project:
                    for first, last in _shared(catalogue, entry, other):
                        yield entry.project, first, last


def _shared(catalogue: Catalogue, entry: FileEntry, other: FileEntry) -> Iterator[tuple[int, int]]:
    """The rows of `other` that `entry`, the same file, declares."""
    first, count = other.rows
    if other.variant == entry.variant:
        yield first, first + count
        return
    own = set(_declared(catalogue, entry))
    for at, row in enumerate(_declared(catalogue, other), first):
        if row in own:
            yield at, at + 1


def _compiled(catalogue: Catalogue, paths: Collection[str]) -> dict[str, list[FileEntry]]:
    """Map each path to the files that several projects compile, in the order of the projects."""
    numbers, units = range(len(catalogue.projects)), catalogue.units
    found: defaultdict[str, list[FileEntry]] = defaultdict(list)
    if len(paths) * len(numbers) < len(units):
        keys = ((project, path) for path in paths for project in numbers if (project, path) in units)
    else:
        keys = (key for key in sorted(units) if key[1] in paths)
    for key in keys:
        found[key[1]].append(catalogue.file(units[key]))
    return {path: entries for path, entries in found.items() if len(entries) > 1}


def _declared(catalogue: Catalogue, entry: FileEntry) -> list[_Row]:
    columns, (first, count) = catalogue.columns, entry.rows
    rows = slice(first, first + count)
    return list(
        zip(
            columns.container[rows],
            columns.name[rows],
            columns.kind[rows],
            columns.signature[rows],
            strict=True,
        )
    )
