"""What is kept in memory of every symbol: a few columns a row, and one small object a type.

Rows are append-only: a changed file's rows are marked dead and new ones appended, so that readers never see a row
change its meaning. Whatever else is asked about a symbol is read from its file's record in the store.

Reading what has changed in a catalogue.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
from msgspec.msgpack import Decoder

from services.index.catalog.entries import Entries, Kept
from services.index.catalog.file_rows import KINDS, FileRows, numbers
from services.index.catalog.lineage import Lineage
from services.index.catalog.listing import UNTOLD
from services.index.catalog.strings import Phrases, Strings
from services.model import TYPE_KINDS, Kind, Quality
from services.syntax.records.canonical import full_name, simple


class FileEntry(msgspec.Struct, gc=False):
    """A file of a project. `rows`: (first, count). `shadow`: the file belongs to another project first. `telling`: it
    holds global usings or assembly attributes, which count for its whole project. `lossy`: as in its record."""

    path: str
    project: int
    variant: str
    size: int
    mtime_ns: int
    quality: Quality
    line_count: int
    rows: tuple[int, int]
    shadow: bool
    telling: bool = False
    lossy: bool = False


class TypeEntry(msgspec.Struct, gc=False):
    """A type of a project. `parts`: (file, declaration) of each partial declaration; none once it is gone."""

    fqn: str
    name: str
    arity: int
    kind: Kind
    project: int
    parts: list[tuple[int, int]]


_OF_FILES = (Decoder(FileEntry | None), Decoder(list[FileEntry | None]))
_OF_TYPES = (Decoder(TypeEntry), Decoder(list[TypeEntry]))


@dataclass(slots=True)
class Columns:
    """One entry a symbol row. name, container: indexes into the catalogue's strings; owner: index of the declaring
    type, or of the type itself; declaration: index in the file's record; signature: what a member's id is cut from
    (services/syntax/records/canonical.py).
    What lists show: `rest`, index into the catalogue's rests, of the label behind the
    name, or UNTOLD; `lines`: from the first line to the last."""

    name: array[int] = field(default_factory=lambda: array("i"))
    container: array[int] = field(default_factory=lambda: array("i"))
    kind: array[int] = field(default_factory=lambda: array("B"))
    access: array[int] = field(default_factory=lambda: array("B"))
    project: array[int] = field(default_factory=lambda: array("H"))
    file: array[int] = field(default_factory=lambda: array("i"))
    declaration: array[int] = field(default_factory=lambda: array("i"))
    owner: array[int] = field(default_factory=lambda: array("i"))
    line: array[int] = field(default_factory=lambda: array("i"))
    signature: array[int] = field(default_factory=lambda: array("I"))
    rest: array[int] = field(default_factory=lambda: array("i"))
    lines: array[int] = field(default_factory=lambda: array("H"))
    dead: bytearray = field(default_factory=bytearray)

    NAMES = (
        "name",
        "container",
        "kind",
        "access",
        "project",
        "file",
        "declaration",
        "owner",
        "line",
        "signature",
        "rest",
        "lines",
    )


class Catalogue:
    """All symbols of a workspace. Not thread-safe: the index holds its lock around writes."""

    def __init__(self, *, files: Kept | None = None, types: Kept | None = None) -> None:
        """`files`, `types`: those of another, to begin with."""
        self._files: Entries[FileEntry | None] = Entries(*_OF_FILES, files)
        self._types: Entries[TypeEntry] = Entries(*_OF_TYPES, types)
        self.names = Strings()
        self.containers = Strings()
        self.rests = Phrases()
        self.columns = Columns()
        self.projects: list[str] = []
        self._making = threading.Lock()
        self._units: dict[tuple[int, str], int] | None = None
        self._type_at: dict[tuple[int, str], int] | None = None
        self._by_fqn: dict[str, list[int]] | None = None
        self.journal: list[int] = []  # types whose parts have changed, in order
        self.dead_rows = 0
        self.version = 1
        """Another number after each change; never 0, which whoever keeps one has for none."""
        self.lineage = Lineage()
        self.settled = b""
        """The digest of the plan in which nothing was left to do for these files, where it is known."""

    def __len__(self) -> int:
        return len(self.columns.dead) - self.dead_rows

    @property
    def is_empty(self) -> bool:
        """Whether there is no file at all."""
        return all(entry is None for entry in self._files)

    @cached_property
    def files(self) -> list[FileEntry | None]:
        """The files by index, None for one that has gone."""
        return self._files.all()

    @cached_property
    def types(self) -> list[TypeEntry]:
        """The types by index, gone ones too."""
        return self._types.all()

    @property
    def type_count(self) -> int:
        """How many types there are, gone ones too."""
        return len(self._types)

    @property
    def units(self) -> dict[tuple[int, str], int]:
        """Files by project and path; made when first asked for, once, whichever thread asks."""
        if self._units is None:
            with self._making:
                if self._units is None:
                    self._units = {
                        (entry.project, entry.path): at
                        for at, entry in enumerate(self.files)
                        if entry is not None
                    }
        return self._units

    @property
    def type_at(self) -> dict[tuple[int, str], int]:
        """Types by project and FQN, gone ones too; made as `units` are."""
        if self._type_at is None:
            with self._making:
                if self._type_at is None:
                    self._type_at = {(entry.project, entry.fqn): at for at, entry in enumerate(self.types)}
        return self._type_at

    @property
    def by_fqn(self) -> dict[str, list[int]]:
        """Types of all projects by FQN, gone ones too; made as `units` are."""
        if self._by_fqn is None:
            with self._making:
                if self._by_fqn is None:
                    found: dict[str, list[int]] = {}
                    for at, entry in enumerate(self.types):
                        found.setdefault(entry.fqn, []).append(at)
                    self._by_fqn = found
        return self._by_fqn

    def add(self, entry: FileEntry, rows: FileRows) -> int:
        """Adds a file with its symbols; returns its index. The file must not be there yet."""
        at = len(self.files)
        self.lineage.change(len(self.columns.dead))
        entry.rows = (len(self.columns.dead), len(rows.names))
        entry.lossy, entry.telling = rows.lossy, rows.telling
        self.files.append(entry)
        self.units[(entry.project, entry.path)] = at
        self._add_rows(at, entry, rows)
        self.version += 1
        self.settled = b""
        return at

    def remove(self, project: int, path: str) -> bool:
        """Takes a file and its symbols out; whether it was there."""
        at = self.units.pop((project, path), None)
        if at is None:
            return False
        self.lineage.change(len(self.columns.dead))
        entry = self.files[at]
        assert entry is not None
        first, count = entry.rows
        self.columns.dead[first : first + count] = b"\1" * count
        self.dead_rows += count
        for row in range(first, first + count):
            if KINDS[self.columns.kind[row]] in TYPE_KINDS:
                self._drop_part(self.columns.owner[row], at)
        self.files[at] = None
        self.version += 1
        self.settled = b""
        return True

    def getting_ready(self) -> Iterator[object]:
        """Makes what the first change would wait for, step by step: nothing of it is there after a start."""
        yield self.units
        yield self.type_at
        for texts in (self.names, self.containers, self.rests):
            yield texts.ids(())  # which makes their indexes

    def live_files(self) -> Iterator[FileEntry]:
        """Every file that is there."""
        return (entry for entry in self.files if entry is not None)

    def live_types(self) -> Iterator[tuple[int, TypeEntry]]:
        """Every type that has a declaration, with its index."""
        return ((at, entry) for at, entry in enumerate(self.types) if entry.parts)

    def file(self, at: int) -> FileEntry:
        """The file of a live row or part."""
        entry = self._files.at(at)
        assert entry is not None
        return entry

    def type(self, at: int) -> TypeEntry:
        """One type: as in `types`, without reading them all."""
        return self._types.at(at)

    def _drop_part(self, owner: int, file: int) -> None:
        entry = self.types[owner]
        entry.parts = [part for part in entry.parts if part[0] != file]
        self.journal.append(owner)

    def _add_rows(self, file: int, entry: FileEntry, rows: FileRows) -> None:
        columns, count = self.columns, len(rows.names)
        places, rests = numbers(rows.places_of), self.rests.ids(rows.rests)
        types: dict[int, int] = {}  # by declaration
        for at, arity in rows.types:
            place = rows.places[places[at]]
            name = rows.names[at]
            fqn = full_name(simple(name, arity), self._around(place, rows, types), in_type=place >= 0)
            found = TypeEntry(fqn, name, arity, KINDS[rows.kind[at]], entry.project, [])
            types[at] = self._type_of(file, at, found)
        around = {place: self._around(place, rows, types) for place in rows.places}
        containers = self.containers.ids([plain(fqn) if at >= 0 else fqn for at, fqn in around.items()])
        outer = [types.get(place, -1) for place in rows.places]
        owners = [outer[place] for place in places]
        for at, type_ in types.items():
            owners[at] = type_
        columns.name.extend(self.names.ids(rows.names))
        columns.container.extend([containers[place] for place in places])
        columns.kind.frombytes(rows.kind)
        columns.access.frombytes(rows.access)
        columns.project.extend([entry.project] * count)
        columns.file.extend([file] * count)
        columns.declaration.extend(range(count))
        columns.owner.extend(owners)
        columns.line.frombytes(rows.line)
        columns.signature.frombytes(rows.signature)
        columns.rest.extend([rests[rest] if rest != UNTOLD else UNTOLD for rest in numbers(rows.rests_of)])
        columns.lines.frombytes(rows.lines)
        columns.dead += (b"\1" if entry.shadow else b"\0") * count
        self.dead_rows += count if entry.shadow else 0

    def _around(self, place: int, rows: FileRows, types: dict[int, int]) -> str:
        """The FQN of what declarations of a place stand in: their type, or their namespace."""
        return self.types[types[place]].fqn if place >= 0 else rows.namespaces[-1 - place]

    def _type_of(self, file: int, at: int, found: TypeEntry) -> int:
        """The type that a declaration is a part of: the one that is known, or `found`."""
        known = self.type_at.get((found.project, found.fqn))
        if known is None:
            known = self.type_at[(found.project, found.fqn)] = len(self.types)
            self.types.append(found)
            if self._by_fqn is not None:
                self._by_fqn.setdefault(found.fqn, []).append(known)
        kept = self.types[known]
        if not kept.parts:
            kept.kind = found.kind
        kept.parts.append((file, at))
        self.journal.append(known)
        return known


def plain(fqn: str) -> str:
    """An FQN as one types it: dots alone, no arity."""
    if "`" in fqn:
        fqn = "".join(part.lstrip("0123456789") if at else part for at, part in enumerate(fqn.split("`")))
    return fqn.replace("+", ".")


class Follower:
    """One reader of a catalogue's journal: which types have changed since it last looked."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._read: int | None = None

    def skip(self) -> None:
        """What has changed so far is known already."""
        self._read = len(self._catalogue.journal)

    def moved_to(self, catalogue: Catalogue) -> Follower:
        """The same reader of a catalogue that has gone on with the journal."""
        moved = Follower(catalogue)
        moved._read = self._read
        return moved

    def touched(self) -> set[int]:
        """The types that have changed since the last call; at the first call, all."""
        journal = self._catalogue.journal
        start, self._read = self._read, len(journal)
        return set(range(len(self._catalogue.types))) if start is None else set(journal[start:])
