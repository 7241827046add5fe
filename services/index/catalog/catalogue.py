"""Catalogue of symbols in memory: a few columns a row, and one small object a type.

A published catalogue never changes: the writer makes the next one with `fork`, changes it, and publishes it. Rows are
append-only, so both share their columns and texts: a changed file's rows are dead in the next catalogue, and its new
ones are appended after the last row of this one. A fork owns one byte a row, and lists of files and types. All other
facts about a symbol are read from its file's record in the store.

Follower reports the changes from one catalogue to the next."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from functools import cached_property

import msgspec
from msgspec.msgpack import Decoder
from msgspec.structs import replace

from services.concurrency.lazy import lazy
from services.index.catalog.entries import Entries, PackedEntries, Phrases, Strings
from services.index.catalog.file_rows import ACCESSES, KINDS, UNKNOWN_REST, FileRows, numbers
from services.index.catalog.lineage import Lineage
from services.model import TYPE_KINDS, Kind, Quality
from services.syntax.records.hashing import full_name, simple

ELSEWHERE = "\0"
"""No path has it."""


class FileEntry(msgspec.Struct, frozen=True, gc=False):
    """File of a project. `rows`: (first, count). `shadow`: another project owns the file (`shadows`). `telling`: it
    contains global usings or assembly attributes, which affect its whole project. `lossy`: as in its record.
    `leaves_out`: it has types in branches of `#if` that are left out. `mentions`: indexes of the catalogue's names, 32
    bits each, that it mentions. `elsewhere`, `unseen`: as of its FileRows."""

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
    leaves_out: bool = False
    mentions: bytes = b""
    elsewhere: int = -1
    unseen: tuple[int, ...] = ()


class TypeEntry(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Type of a project. `parts`: (file, declaration) of each partial declaration; none once it is gone. `kind`: of
    the first part, by path and place. `local`: the path of the only file that sees a `file` type or one inside it;
    empty for all others. With ELSEWHERE behind it, of what a file declares in another configuration, which no file
    sees."""

    fqn: str
    name: str
    arity: int
    kind: Kind
    project: int
    parts: tuple[tuple[int, int], ...]
    local: str = ""

    @property
    def is_elsewhere(self) -> bool:
        """Whether only another configuration declares it, or holds it for the sake of members that one declares."""
        return self.local.endswith(ELSEWHERE)


TypeKey = tuple[int, str, str]
"""Key of a type: project, FQN, and the file of a type that no other file sees."""


def key_of(entry: TypeEntry) -> TypeKey:
    """Return the key of a type."""
    return entry.project, entry.fqn, entry.local


_OF_FILES = (Decoder(FileEntry | None), Decoder(list[FileEntry | None]))
_OF_TYPES = (Decoder(TypeEntry), Decoder(list[TypeEntry]))


class Columns(msgspec.Struct):
    """Columns with one entry a symbol row. name, container: indexes into the catalogue's strings; owner: index of the
    declaring type, or of the type itself; declaration: index in the file's record; signature: source of a member's id
    (services/syntax/records/hashing.py).

    For lists: `rest`, index into the catalogue's rests, of the label after the name, or UNTOLD; `lines`: from the
    first line to the last. Catalogues share all but `dead`, whose length is the number of their rows."""

    name: array[int] = msgspec.field(default_factory=lambda: array("i"))
    container: array[int] = msgspec.field(default_factory=lambda: array("i"))
    kind: array[int] = msgspec.field(default_factory=lambda: array("B"))
    access: array[int] = msgspec.field(default_factory=lambda: array("B"))
    project: array[int] = msgspec.field(default_factory=lambda: array("H"))
    file: array[int] = msgspec.field(default_factory=lambda: array("i"))
    declaration: array[int] = msgspec.field(default_factory=lambda: array("i"))
    owner: array[int] = msgspec.field(default_factory=lambda: array("i"))
    line: array[int] = msgspec.field(default_factory=lambda: array("i"))
    signature: array[int] = msgspec.field(default_factory=lambda: array("I"))
    rest: array[int] = msgspec.field(default_factory=lambda: array("i"))
    lines: array[int] = msgspec.field(default_factory=lambda: array("H"))
    dead: bytearray = msgspec.field(default_factory=bytearray)

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
    """All symbols of a workspace at one revision. Readers may share it; `add`, `remove` and `trim` are for the one
    writer, on a fork that is not published yet."""

    def __init__(self, *, files: PackedEntries | None = None, types: PackedEntries | None = None) -> None:
        """`files`, `types`: those of another, to begin with."""
        self._files: Entries[FileEntry | None] = Entries(*_OF_FILES, files)
        self._types: Entries[TypeEntry] = Entries(*_OF_TYPES, types)
        self.names = Strings()
        self.containers = Strings()
        self.rests = Phrases()
        self.columns = Columns()
        self.projects: list[str] = []
        self.mentions = array("I")
        """How many files mention each name, by its index; none past the end. The order of search is made of it."""
        self._shares_names = False
        self._journal: list[int] = []  # types whose parts have changed, in order
        self.numbering = object()
        """Shared by all catalogues in which a row, a file and a type have the same number."""
        self.changes = 0
        """Length of the change journal at this catalogue."""
        self.dead_rows = 0
        self.version = 1
        """Version, another number after each change; never 0, which represents none."""
        self.lineage = Lineage()
        self.settled = b""
        """The digest of the plan in which nothing was left to do for these files, where it is known."""

    def fork(self) -> Catalogue:
        """The beginning of the next catalogue, which can be given up. For the newest catalogue alone: rows of
        a fork that was given up are removed."""
        self._cut()
        other: Catalogue = copy(self)
        other._files, other._types = self._files.copied(), self._types.copied()
        for name in ("files", "types"):
            other.__dict__.pop(name, None)
        other.columns = copy(self.columns)
        other.columns.dead = bytearray(self.columns.dead)
        other.mentions = self.mentions[:]
        Catalogue.units.put(other, dict(self.units))
        Catalogue.type_at.put(other, self.type_at)
        other._shares_names = True
        other.lineage = self.lineage.fork()
        return other

    def detached(self) -> Catalogue:
        """A copy to try changes on: it shares no column with this one, so that refreshes may go on meanwhile."""
        other: Catalogue = copy(self)
        other._files, other._types = self._files.copied(), self._types.copied()
        for name in ("files", "types"):
            other.__dict__.pop(name, None)
        rows = len(self.columns.dead)
        other.columns = Columns(
            **{name: getattr(self.columns, name)[:rows] for name in Columns.NAMES},
            dead=bytearray(self.columns.dead),
        )
        other.mentions = self.mentions[:]
        Catalogue.units.put(other, dict(self.units))
        Catalogue.type_at.put(other, self.type_at)
        other._shares_names = True
        other._journal, other.lineage = self._journal[: self.changes], self.lineage.fork()
        return other

    def renumbered(self, projects: list[str], number: Callable[[int], int]) -> Catalogue:
        """A fork in which each project has another number, and what is gone too."""
        other: Catalogue = self.fork()
        other.columns.project = array("H", map(number, self.columns.project))
        other.projects, other.numbering = projects, object()
        other.files[:] = [each and replace(each, project=number(each.project)) for each in self.files]
        other.types[:] = [replace(each, project=number(each.project)) for each in self.types]
        for each in (Catalogue.units, Catalogue.type_at, Catalogue.by_fqn):
            each.drop(other)
        other._shares_names = False
        other.version += 1
        return other

    def _cut(self) -> None:
        """Removes what a fork left that was given up."""
        rows = len(self.columns.dead)
        for name in Columns.NAMES:
            column = getattr(self.columns, name)
            if len(column) > rows:
                del column[rows:]
        del self._journal[self.changes :]

    def __len__(self) -> int:
        return len(self.columns.dead) - self.dead_rows

    @property
    def is_empty(self) -> bool:
        """Whether the catalogue has no files."""
        return all(entry is None for entry in self._files)

    def changed_since(self, changes: int) -> set[int]:
        """The types whose parts have changed since `changes` was so far; fewer than none: all of them."""
        return set(range(self.type_count)) if changes < 0 else set(self._journal[changes : self.changes])

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

    @lazy
    def units(self) -> dict[tuple[int, str], int]:
        """Files by project and path."""
        return {(each.project, each.path): at for at, each in enumerate(self.files) if each is not None}

    @lazy
    def type_at(self) -> dict[TypeKey, int]:
        """Types by their keys, gone ones too."""
        return {key_of(entry): at for at, entry in enumerate(self.types)}

    @lazy
    def by_fqn(self) -> dict[str, list[int]]:
        """Types of all projects by FQN, gone ones too."""
        found: dict[str, list[int]] = {}
        for at, entry in enumerate(self.types):
            found.setdefault(entry.fqn, []).append(at)
        return found

    def enclosing(self, entry: TypeEntry) -> int | None:
        """Return the index of the enclosing type, also of a removed one; None for a top-level type."""
        outer = entry.fqn.rpartition("+")[0]
        return self.type_at.get((entry.project, outer, entry.local)) if outer else None

    def add(self, entry: FileEntry, rows: FileRows) -> int:
        """Add a file with its symbols, filling in the file fields of its rows. Returns its index. The file must not
        be present yet."""
        at = len(self.files)
        first = len(self.columns.dead)
        self.lineage.change(first)
        mentions = array("i", self.names.ids(rows.mentions))
        entry = replace(
            entry,
            mentions=mentions.tobytes(),
            rows=(first, len(rows.names)),
            lossy=rows.lossy,
            telling=rows.telling,
            leaves_out=rows.leaves_out,
            elsewhere=rows.elsewhere,
            unseen=rows.unseen,
        )
        self.files.append(entry)
        self.units[(entry.project, entry.path)] = at
        self._add_rows(at, entry, rows)
        self.count_mentions(mentions, 1)
        self._changed()
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
        self.let_count(entry, ())
        self.count_mentions(numbers(entry.mentions), -1)
        for owner in dict.fromkeys(
            self.columns.owner[row]
            for row in range(first, first + count)
            if KINDS[self.columns.kind[row]] in TYPE_KINDS
        ):
            self._drop_parts(owner, at)
        self.files[at] = None
        self._changed()
        return True

    def let_count(self, entry: FileEntry, rows: Collection[int]) -> None:
        """Mark these rows of the file, by their places in it, as alive, and its other rows as dead."""
        first, count = entry.rows
        flags = bytearray(b"\1" * count)
        for at in rows:
            flags[at] = 0
        before = self.columns.dead[first : first + count]
        if before != flags:
            self.lineage.change(len(self.columns.dead))
            self.dead_rows += flags.count(1) - before.count(1)
            self.columns.dead[first : first + count] = flags
            self._changed()

    def count_mentions(self, names: Sequence[int], by: int) -> None:
        """Count one file more, or less, that mentions these names."""
        last = max(names, default=-1)
        if last >= len(self.mentions):
            self.mentions.frombytes(bytes(4 * (last + 1 - len(self.mentions))))
        for name in names:
            self.mentions[name] += by

    def trim(self, projects: int) -> None:
        """Nothing is left of the projects past these."""
        self.projects = self.projects[:projects]

    def _changed(self) -> None:
        self.version += 1
        self.settled = b""

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
        """Return the type at an index, without decoding the others."""
        return self._types.at(at)

    def _drop_parts(self, owner: int, file: int) -> None:
        entry = self.types[owner]
        parts = tuple(part for part in entry.parts if part[0] != file)
        kind = self._kind_of(parts[0]) if parts else entry.kind
        self.types[owner] = replace(entry, parts=parts, kind=kind)
        self._touch(owner)

    def _kind_of(self, part: tuple[int, int]) -> Kind:
        return KINDS[self.columns.kind[self.file(part[0]).rows[0] + part[1]]]

    def _stands(self, part: tuple[int, int]) -> tuple[str, int]:
        """Return the position of a part: its file's path, and its place in it."""
        file, at = part
        return self.file(file).path, at

    def _touch(self, type_: int) -> None:
        self._journal.append(type_)
        self.changes = len(self._journal)

    def _add_rows(self, file: int, entry: FileEntry, rows: FileRows) -> None:
        columns, count = self.columns, len(rows.names)
        places, rests = numbers(rows.places_of), self.rests.ids(rows.rests)
        types: dict[int, int] = {}  # by declaration
        for at, arity in rows.types:
            place = rows.places[places[at]]
            name = rows.names[at]
            fqn = full_name(simple(name, arity), self._around(place, rows, types), in_type=place >= 0)
            is_local = self.types[types[place]].local if place >= 0 else ACCESSES[rows.access[at]] == "file"
            local = entry.path if is_local else ""
            if 0 <= rows.elsewhere <= at:
                local = entry.path + ELSEWHERE
            found = TypeEntry(fqn, name, arity, KINDS[rows.kind[at]], entry.project, (), local)
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
        columns.rest.extend(
            [rests[rest] if rest != UNKNOWN_REST else UNKNOWN_REST for rest in numbers(rows.rests_of)]
        )
        columns.lines.frombytes(rows.lines)
        columns.dead += (b"\1" if entry.shadow else b"\0") * count
        self.dead_rows += count if entry.shadow else 0
        for at in () if entry.shadow else rows.unseen:
            columns.dead[at - count] = 1
            self.dead_rows += 1

    def _around(self, place: int, rows: FileRows, types: dict[int, int]) -> str:
        """Return the FQN of the container of a place's declarations: their type, or their namespace."""
        return self.types[types[place]].fqn if place >= 0 else rows.namespaces[-1 - place]

    def _type_of(self, file: int, at: int, found: TypeEntry) -> int:
        """The type that a declaration is a part of: the one that is known, or `found`."""
        known = self.type_at.get(key_of(found))
        if known is None:
            known = self._add_type(found)
        self._add_part(known, (file, at), found.kind)
        return known

    def _add_type(self, found: TypeEntry) -> int:
        if self._shares_names:  # most changes bring no type
            self._shares_names = False
            Catalogue.type_at.put(self, dict(self.type_at))
            if (known_names := Catalogue.by_fqn.peek(self)) is not None:
                Catalogue.by_fqn.put(self, dict(known_names))
        known = self.type_at[key_of(found)] = len(self.types)
        self.types.append(found)
        if (by_fqn := Catalogue.by_fqn.peek(self)) is not None:
            by_fqn[found.fqn] = [*by_fqn.get(found.fqn, ()), known]
        return known

    def _add_part(self, type_: int, part: tuple[int, int], kind: Kind) -> None:
        """Parts are in the order of their files, not in that of their changes: the same sources make the same types."""
        entry = self.types[type_]
        place = bisect(entry.parts, self._stands(part), key=self._stands) if entry.parts else 0
        parts = (*entry.parts[:place], part, *entry.parts[place:])
        self.types[type_] = replace(entry, parts=parts, kind=entry.kind if place else kind)
        self._touch(type_)


def plain(fqn: str) -> str:
    """An FQN as one types it: dots alone, no arity."""
    if "`" in fqn:
        fqn = "".join(part.lstrip("0123456789") if at else part for at, part in enumerate(fqn.split("`")))
    return fqn.replace("+", ".")


class Follower:
    """Reader of successive catalogues: the types that have changed since its last look."""

    def __init__(self) -> None:
        self._read = -1

    def skip(self, catalogue: Catalogue) -> None:
        """Skip the changes up to this catalogue."""
        self._read = catalogue.changes

    def touched(self, catalogue: Catalogue) -> set[int]:
        """The types that have changed since the last call; at the first call, all."""
        start, self._read = self._read, catalogue.changes
        return catalogue.changed_since(start)
