"""Units: files by project, with their preprocessor symbols."""

from __future__ import annotations

import posixpath
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import repeat
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from services.index.build.project_cache import Evaluated, ProjectRequest, evaluated
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.model import Notice
from services.msbuild import Evaluation
from services.workspace.files.root import FileStamp, Root
from services.workspace.scan.scan import scan
from services.workspace.source_kinds import PROJECT_SUFFIXES, SOURCE_SUFFIXES, is_source

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


class Unit(NamedTuple):
    """File of a project. `symbols`: index into the plan's sets; `shadow`: another project owns it."""

    project: int
    path: str
    symbols: int
    shadow: bool


class IndexPlan(msgspec.Struct, frozen=True, dict=True):
    """All units of a workspace, each once, with its C# files by path, as scanned. An equal `digest` means that
    nothing has changed; the units are made on first access, which saves a quarter of a refresh."""

    projects: Evaluated
    stamps: dict[str, FileStamp]
    notices: tuple[Notice, ...]

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Every file of every project."""
        return self.units_of(self.stamps)

    @cached_property
    def symbol_sets(self) -> tuple[frozenset[str], ...]:
        """The preprocessor symbols that units are read with."""
        projects = self.evaluation.projects
        others = (other.defines for project in projects for other in project.others)
        markup = (project.symbols(path) for project in projects for path in project.markup)
        return tuple(dict.fromkeys([*(project.defines for project in projects), *others, *markup]))

    @cached_property
    def digest(self) -> bytes:
        """Hash of the files with their sizes and times, and of the projects' inputs."""
        rests = (self.projects.lists, sorted(self.projects.looked.items()), list(self.stamps.values()))
        return sha256(msgspec.msgpack.encode(rests)).digest()

    def units_of(self, paths: Container[str]) -> tuple[Unit, ...]:
        """Return the units of some files, without making the others: a single file costs little in a
        large workspace."""
        sets = {symbols: at for at, symbols in enumerate(self.symbol_sets)}
        units: list[Unit] = []
        files = [
            dict.fromkeys([path for path in project.files if path in paths and path in self.stamps])
            for project in self.evaluation.projects
        ]
        holders = self._holders(files)
        for at, project in enumerate(self.evaluation.projects):
            there = files[at]
            shadows = [holders[path] != at for path in there]
            own = dict.fromkeys(there, sets[project.defines])
            for other in project.others:
                own.update((path, sets[other.defines]) for path in other.files if path in own)
            own.update((path, sets[project.symbols(path)]) for path in project.markup if path in own)
            units += map(Unit._make, zip(repeat(at), there, own.values(), shadows, strict=False))
        return tuple(units)

    def _holders(self, files: Sequence[Mapping[str, object]]) -> dict[str, int]:
        """Map each path to the project that owns the file: among the projects that compile it (`files`: the files of
        each), the one whose folder contains it, the innermost of several; the first where no folder does."""
        folders = [posixpath.dirname(project.path) for project in self.evaluation.projects]
        found: dict[str, int] = {}
        for at, there in enumerate(files):
            for path in there.keys() & found.keys():
                if _depth(folders[at], path) > _depth(folders[found[path]], path):
                    found[path] = at
            found = dict.fromkeys(there, at) | found
        return found

    def stamped(self, stamps: Mapping[str, FileStamp]) -> IndexPlan:
        """Return a copy with other stamps of some of its files."""
        return replace(self, stamps={**self.stamps, **stamps})

    @property
    def evaluation(self) -> Evaluation:
        """The projects."""
        return self.projects.evaluation

    def variant(self, symbols: int) -> str:
        """A short name of a symbol set, the same in every run."""
        return variant_of(self.symbol_sets[symbols])


def variant_of(symbols: Iterable[str]) -> str:
    """A short name of preprocessor symbols, the same in every run."""
    return sha256(";".join(sorted(symbols)).encode()).hexdigest()[:12]


def _depth(folder: str, path: str) -> int:
    """Depth of a folder above a file, the deeper the closer; negative where the file is elsewhere."""
    return len(folder) if not folder or path.startswith(f"{folder}/") else -1


def plan(
    root: Root,
    wanted: ProjectRequest,
    *,
    known: Evaluated | None,
    cancel: threading.Event | None,
    scanned: Callable[[Iterable[int]], None] | None = None,
) -> IndexPlan:
    """Scans the workspace and evaluates its projects, unless `known` still holds. `scanned` is called in between with
    the bytes of all C# files. Raises Cancelled."""
    found = scan(root, suffixes=(*SOURCE_SUFFIXES, *PROJECT_SUFFIXES), cancel=cancel)
    stamps: dict[str, FileStamp] = {}
    project_files: list[str] = []
    for stamp in found.files:
        path = stamp.path
        if is_source(path):
            stamps[path] = stamp
        else:
            project_files.append(path)
    if scanned is not None:
        scanned(stamp.size for stamp in stamps.values())
    named = (list(stamps), project_files)
    projects = evaluated(root, named, wanted=wanted, known=known, cancel=cancel)
    return IndexPlan(projects, stamps, (*found.notices, *projects.evaluation.notices))
