"""Edges by file, decoded on demand: a start that only searches needs none of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from copy import copy

import msgspec
from msgspec.msgpack import Decoder
from msgspec.structs import replace

from services.concurrency.gc_pause import paused_collector
from services.index.catalog.entries import NOTHING, PackedEntries, Pieces, frozen
from services.index.catalog.renumber import PackedNumbers
from services.index.graph.packing import renumbered, renumbered_members


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
