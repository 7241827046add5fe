"""What is kept in memory of every symbol: a few columns a row, and one small object a type.

Rows are append-only: a changed file's rows are marked dead and new ones appended, so that readers never see a row
change its meaning. Whatever else is asked about a symbol is read from its file's record in the store.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

import msgspec

from services.index.listing import MOST_LINES, UNTOLD, rests_of
from services.index.strings import Phrases, Strings
from services.model import TYPE_KINDS, Kind, Quality
from services.syntax.canonical import type_name
from services.syntax.declaration import FileRecord

KINDS = tuple(Kind)
ACCESSES = ("public", "protected internal", "protected", "internal", "private protected", "private", "file")
_KIND_CODE = {kind: code for code, kind in enumerate(KINDS)}
_TYPE_CODES = frozenset(_KIND_CODE[kind] for kind in TYPE_KINDS)
_ACCESS_CODE = {access: code for code, access in enumerate(ACCESSES)}
_FILE = _ACCESS_CODE["file"]


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


@dataclass(slots=True)
class Columns:
    """One entry a symbol row. name, container: indexes into the catalogue's strings; owner: index of the declaring
    type, or of the type itself; declaration: index in the file's record; signature: what a member's id is cut from
    (services/syntax/canonical.py). What lists show: `rest`, index into the catalogue's rests, of the label behind the
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

    def __init__(self) -> None:
        self.names = Strings()
        self.containers = Strings()
        self.rests = Phrases()
        self.columns = Columns()
        self.projects: list[str] = []
        self.files: list[FileEntry | None] = []
        self.types: list[TypeEntry] = []
        self._making = threading.Lock()
        self._units: dict[tuple[int, str], int] | None = None
        self._type_at: dict[tuple[int, str], int] | None = None
        self._by_fqn: dict[str, list[int]] | None = None
        self.journal: list[int] = []  # types whose parts have changed, in order
        self.dead_rows = 0
        self.version = 0
        self.lineage = uuid4().hex
        """Of this very sequence of rows: what was made of its first rows stays true."""
        self.settled = b""
        """The digest of the plan in which nothing was left to do for these files, where it is known."""

    def __len__(self) -> int:
        return len(self.columns.dead) - self.dead_rows

    @property
    def is_empty(self) -> bool:
        """Whether there is no file at all."""
        return all(entry is None for entry in self.files)

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

    def add(self, entry: FileEntry, record: FileRecord) -> int:
        """Adds a file with its symbols; returns its index. The file must not be there yet."""
        at = len(self.files)
        entry.rows = (len(self.columns.dead), len(record.declarations))
        entry.lossy = record.lossy
        entry.telling = bool(record.friends) or any(using.is_global for using in record.scopes[0].usings)
        self.files.append(entry)
        self.units[(entry.project, entry.path)] = at
        self._add_rows(at, entry, record)
        self.version += 1
        self.settled = b""
        return at

    def remove(self, project: int, path: str) -> bool:
        """Takes a file and its symbols out; whether it was there."""
        at = self.units.pop((project, path), None)
        if at is None:
            return False
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

    def live_files(self) -> Iterator[FileEntry]:
        """Every file that is there."""
        return (entry for entry in self.files if entry is not None)

    def live_types(self) -> Iterator[tuple[int, TypeEntry]]:
        """Every type that has a declaration, with its index."""
        return ((at, entry) for at, entry in enumerate(self.types) if entry.parts)

    def file(self, at: int) -> FileEntry:
        """The file of a live row or part."""
        entry = self.files[at]
        assert entry is not None
        return entry

    def _drop_part(self, owner: int, file: int) -> None:
        entry = self.types[owner]
        entry.parts = [part for part in entry.parts if part[0] != file]
        self.journal.append(owner)

    def _add_rows(self, file: int, entry: FileEntry, record: FileRecord) -> None:
        columns, declarations = self.columns, record.declarations
        count = len(declarations)
        kinds = [_KIND_CODE[declaration.kind] for declaration in declarations]
        types = [at for at, kind in enumerate(kinds) if kind in _TYPE_CODES]
        owners = self._owners(file, entry, record, types)
        accesses = [_ACCESS_CODE.get(declaration.access, _FILE) for declaration in declarations]
        lines = [declaration.end_line - declaration.start_line for declaration in declarations]
        rests = self.rests.ids(rests_of(declarations, kinds))
        for at in _untold(record, accesses, lines):
            rests[at] = UNTOLD
        columns.name.extend(self.names.ids([declaration.name for declaration in declarations]))
        columns.container.extend(self._container_ids(record, owners))
        columns.kind.extend(kinds)
        columns.access.extend(accesses)
        columns.project.extend([entry.project] * count)
        columns.file.extend([file] * count)
        columns.declaration.extend(range(count))
        columns.owner.extend(owners)
        columns.line.extend([declaration.start_line for declaration in declarations])
        columns.signature.frombytes(record.signatures)
        columns.rest.extend(rests)
        columns.lines.extend(
            lines if max(lines, default=0) < MOST_LINES else [min(n, MOST_LINES) for n in lines]
        )
        columns.dead += (b"\1" if entry.shadow else b"\0") * count
        self.dead_rows += count if entry.shadow else 0

    def _owners(self, file: int, entry: FileEntry, record: FileRecord, types: list[int]) -> list[int]:
        """Of each declaration the type that it is, or that it is in; -1 for none. `types`: where those of types are."""
        found = [-1] * len(record.declarations)
        for at in types:
            found[at] = self._type_of(file, at, entry, record, found)
        return [
            found[declaration.parent] if owner < 0 <= declaration.parent else owner
            for owner, declaration in zip(found, record.declarations, strict=True)
        ]

    def _type_of(self, file: int, at: int, entry: FileEntry, record: FileRecord, owners: list[int]) -> int:
        declaration = record.declarations[at]
        arity = len(declaration.type_parameters)
        outer = self.types[owners[declaration.parent]].fqn if declaration.parent >= 0 else None
        fqn = type_name(declaration, outer, record.scopes)
        known = self.type_at.get((entry.project, fqn))
        if known is None:
            known = self.type_at[(entry.project, fqn)] = len(self.types)
            self.types.append(TypeEntry(fqn, declaration.name, arity, declaration.kind, entry.project, []))
            if self._by_fqn is not None:
                self._by_fqn.setdefault(fqn, []).append(known)
        kept = self.types[known]
        if not kept.parts:
            kept.kind = declaration.kind
        kept.parts.append((file, at))
        self.journal.append(known)
        return known

    def _container_ids(self, record: FileRecord, owners: list[int]) -> list[int]:
        """The container of each declaration: its type, or its namespace."""
        known: dict[int, int] = {}  # by the type around it, or below that by its scope
        found: list[int] = []
        for declaration in record.declarations:
            parent = declaration.parent
            place = parent if parent >= 0 else -1 - declaration.scope
            at = known.get(place)
            if at is None:
                around = plain(self.types[owners[parent]].fqn) if parent >= 0 else None
                path = record.scopes[declaration.scope].namespace if around is None else around
                at = known[place] = self.containers.add(path)
            found.append(at)
        return found


def _untold(record: FileRecord, accesses: list[int], lines: list[int]) -> Iterator[int]:
    """The declarations of which columns cannot say who sees them or where they end."""
    if max(lines, default=0) >= MOST_LINES:
        yield from (at for at, count in enumerate(lines) if count >= MOST_LINES)
    if _FILE in accesses:
        yield from (at for at, d in enumerate(record.declarations) if d.access not in _ACCESS_CODE)


class Follower:
    """One reader of a catalogue's journal: which types have changed since it last looked."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._read: int | None = None

    def skip(self) -> None:
        """What has changed so far is known already."""
        self._read = len(self._catalogue.journal)

    def touched(self) -> set[int]:
        """The types that have changed since the last call; at the first call, all."""
        journal = self._catalogue.journal
        start, self._read = self._read, len(journal)
        return set(range(len(self._catalogue.types))) if start is None else set(journal[start:])


def plain(fqn: str) -> str:
    """An FQN as one types it: dots alone, no arity."""
    if "`" in fqn:
        fqn = "".join(part.lstrip("0123456789") if at else part for at, part in enumerate(fqn.split("`")))
    return fqn.replace("+", ".")
