"""Edges by file, decoded on demand, and the journal of files whose edges came and went."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from copy import copy

import msgspec
from msgspec.msgpack import Decoder
from msgspec.structs import replace

from services.concurrency.gc_pause import paused_collector
from services.index.catalog.catalogue import Catalogue, Follower
from services.index.catalog.entries import NOTHING, PackedEntries, Pieces, frozen
from services.index.catalog.renumber import PackedNumbers
from services.index.compiled import home_of
from services.index.graph.packing import renumbered, renumbered_members

_MOST = 4_000
"""Most files in the journal: a change of the projects adds all of them, and then everything is recomputed anyway."""

Mark = tuple[int, object]
"""How far a journal went when it was looked at, and what came last."""


class Journal:
    """Files' edges, read or encoded, in the order in which they came or went, the last `_MOST` or fewer. Not
    thread-safe."""

    def __init__(self) -> None:
        self._first = 0
        self._edges: list[FileEdges | bytes] = []
        self._start = object()

    def fork(self) -> Journal:
        """Return an independent copy."""
        other: Journal = copy(self)
        other._edges = self._edges.copy()
        return other

    @property
    def mark(self) -> Mark:
        """Return a mark of the present end."""
        return self._first + len(self._edges), self._edges[-1] if self._edges else self._start

    def add(self, edges: FileEdges | bytes) -> None:
        """Edges of a file came or went."""
        if len(self._edges) >= _MOST:
            self.forget()
        self._edges.append(edges)

    def forget(self) -> None:
        """Clear the journal: changes up to now become unknown."""
        self._first += len(self._edges)
        self._edges, self._start = [], object()

    def since(self, mark: Mark) -> set[int] | None:
        """The types that name others, or are named, by edges that came or went since it ended there; None where that is
        forgotten, or where this one did not go on from there."""
        end, last = mark
        at = end - self._first
        if not 0 <= at <= len(self._edges) or (self._edges[at - 1] if at else self._start) is not last:
            return None
        found: set[int] = set()
        for edges in map(opened, self._edges[at:]):
            found.update(end for source, target, _ in edges.inside for end in (source, target))
            found.update(source for source, _, _ in edges.outside)
        return found


class LiveTypes:
    """The types that had a declaration at the last look, by index. Not thread-safe."""

    def __init__(self) -> None:
        self._follow = Follower()
        self.count = 0
        """How many types there were at the last look, gone ones too."""
        self._gone: set[int] = set()
        self._homes: dict[int, int] = {}  # of the types that have namesakes, as far as they were looked at

    def changed(self, catalogue: Catalogue) -> tuple[set[int], set[int]]:
        """Return (added, removed) types since the last call; at the first call, all present types are added. A type
        that has become part of another symbol, compiled by other projects, is also added."""
        came, gone, touched = set[int](), set[int](), self._follow.touched(catalogue)
        for index in touched:
            was = index < self.count and index not in self._gone
            if bool(catalogue.type(index).parts) != was:
                (gone if was else came).add(index)
        new = range(self.count, catalogue.type_count)
        self._gone = (self._gone | gone | set(new)) - came
        self.count = catalogue.type_count
        return came | self._moved(catalogue, touched), gone

    def _moved(self, catalogue: Catalogue, touched: Iterable[int]) -> set[int]:
        """Return those of these types and their namesakes that are part of another symbol than at the last call."""
        found = set[int]()
        for name in {catalogue.type(index).fqn for index in touched}:
            namesakes = catalogue.by_fqn[name]
            for at in namesakes if len(namesakes) > 1 else ():
                home = home_of(catalogue, at)
                if self._homes.get(at) != home and catalogue.type(at).parts:
                    found.add(at)
                self._homes[at] = home
        return found

    def gone(self) -> list[int]:
        """Types without a declaration, as of the last call."""
        return sorted(self._gone)

    def take(self, count: int, gone: Iterable[int], *, are_now: Catalogue | None) -> None:
        """At the last look there were so many types, these without a declaration. `are_now`: the catalogue of which
        that is still true; None where every type has to be compared at the next look."""
        self.count, self._gone = count, set(gone)
        if are_now is not None:
            self._follow.skip(are_now)

    def copied(self) -> LiveTypes:
        """Return an independent copy."""
        other: LiveTypes = copy(self)
        other._follow, other._homes = copy(self._follow), dict(self._homes)
        return other


class FileEdges(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Edges of one file. `inside`: (from type, to type, how often) by catalogue index; `outside`: (from type, full
    name, how often); `mentioned`: simple names in type texts, bound or not, and namespaces that are not wholly known;
    `inferred`: (simple name, number of type arguments, namespace) of types of packages, as inferred from this file;
    `words`: of bodies, CRC-32s (32 bits each) of their identifiers; `places`: where the file names types, as
    services.index.graph.packing.py packs them; `signatures`: of its declarations, by pairs of CRC-32s: of a name, and
    of its visible part; `members`: where the file names members and can mean nothing else, packed there too;
    `refused`: lines on which stands what the parser refuses."""

    inside: tuple[tuple[int, int, int], ...]
    outside: tuple[tuple[int, str, int], ...]
    mentioned: tuple[str, ...]
    inferred: tuple[tuple[str, int, str], ...]
    words: bytes = b""
    places: bytes = b""
    signatures: bytes = b""
    members: bytes = b""
    refused: tuple[int, ...] = ()


_DECODER = Decoder(FileEdges)


class KeptEdges(msgspec.Struct, array_like=True):
    """Edges as bytes. `files`: 32 bits each, of which file they are."""

    files: memoryview = NOTHING
    edges: PackedEntries = msgspec.field(default_factory=PackedEntries)


class EdgesByFile:
    """Edges of each file, by its number in the catalogue. Not thread-safe."""

    def __init__(self, kept: KeptEdges | None = None) -> None:
        """Create the edges. `kept`: the stored result of `frozen`, by default none. Raises msgspec.MsgspecError for
        other data."""
        kept = kept or KeptEdges()
        self._as_kept: KeptEdges | None = kept  # until an edge is added or removed
        self._pieces = Pieces(kept.edges)
        self._unread = {file: at for at, file in enumerate(kept.files.cast("I"))}
        self._read: dict[int, FileEdges | bytes] = {}
        if self._unread:
            self._decoded(0)  # which rejects edges of another form at once

    def fork(self) -> EdgesByFile:
        """Return a copy, to be changed while others read these."""
        other: EdgesByFile = copy(self)
        other._unread, other._read = self._unread.copy(), self._read.copy()
        return other

    def packed(self, numbers: PackedNumbers) -> EdgesByFile:
        """Return those of the files that are left, encoded, under other numbers. Those of a file that lead to a type
        which is gone are left out: the file is bound again."""
        other = EdgesByFile()
        for file, edges in self.raw_items():
            if file in numbers.files and (moved := moved_to(opened(edges), numbers.types)) is not None:
                other._read[numbers.files[file]] = msgspec.msgpack.encode(moved)
        other._as_kept = None
        return other

    def __len__(self) -> int:
        return len(self._unread) + len(self._read)

    def __contains__(self, file: int) -> bool:
        return file in self._read or file in self._unread

    def __getitem__(self, file: int) -> FileEdges:
        """Return the edges of a file; stored ones are decoded on each call. Raises KeyError."""
        return opened(self._read[file]) if file in self._read else self._decoded(self._unread[file])

    def __setitem__(self, file: int, edges: FileEdges | bytes) -> None:
        """Set the edges of a file. Encoded ones take a tenth of the memory, and are decoded on each read."""
        self._unread.pop(file, None)
        self._read[file] = edges
        self._as_kept = None

    def files(self) -> set[int]:
        """The files that have edges, or are known to have none."""
        return {*self._unread, *self._read}

    def pop(self, file: int) -> FileEdges:
        """Takes out those of a file. Raises KeyError."""
        at = self._unread.pop(file, None)
        self._as_kept = None
        return opened(self._read.pop(file)) if at is None else self._decoded(at)

    def raw_items(self) -> list[tuple[int, FileEdges | bytes | memoryview]]:
        """Every file with its edges, or with the bytes of those that were not read, for `opened`."""
        return [*self._read.items(), *((file, self._pieces[at]) for file, at in self._unread.items())]

    def encoded(self) -> dict[int, bytes]:
        """Return the bytes of those that were not read, by file."""
        return {file: bytes(self._pieces[at]) for file, at in self._unread.items()}

    def items(self) -> Iterator[tuple[int, FileEdges]]:
        """Every file with its edges, which stay read."""
        if self._unread or any(isinstance(edges, bytes) for edges in self._read.values()):
            with paused_collector(for_good=False):  # each revision calls this, with garbage of the last
                self._read = {file: opened(edges) for file, edges in self.raw_items()}
            self._pieces, self._unread, self._as_kept = Pieces(PackedEntries()), {}, None
        return ((file, opened(edges)) for file, edges in self._read.items())

    def frozen(self) -> KeptEdges:
        """Encode all edges for storage."""
        if self._as_kept is not None:
            return self._as_kept
        every = sorted(self.raw_items(), key=lambda pair: pair[0])
        files = array("I", [file for file, _ in every])
        return KeptEdges(
            memoryview(files).cast("B"),
            frozen(e if isinstance(e, FileEdges) else msgspec.Raw(e) for _, e in every),
        )

    def _decoded(self, at: int) -> FileEdges:
        return _DECODER.decode(self._pieces[at])


def moved_to(edges: FileEdges, types: Mapping[int, int]) -> FileEdges | None:
    """The edges with other numbers of types; None where one of them has none."""
    try:
        inside = tuple((types[source], types[target], count) for source, target, count in edges.inside)
        outside = tuple((types[source], name, count) for source, name, count in edges.outside)
        places = renumbered(edges.places, types)
        members = renumbered_members(edges.members, types)
    except KeyError:
        return None
    return replace(edges, inside=inside, outside=outside, places=places, members=members)


def opened(edges: FileEdges | bytes | memoryview) -> FileEdges:
    """Decode the edges of a file from `raw_items`."""
    return edges if isinstance(edges, FileEdges) else _DECODER.decode(edges)
