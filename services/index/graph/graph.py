"""Dependency graph of a workspace, updated file by file."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from typing import TYPE_CHECKING

import msgspec

from services.concurrency.cancellation import until
from services.decoding import decode_msgpack
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.naming import with_outer
from services.index.catalog.records import Records
from services.index.catalog.renumber import PackedNumbers
from services.index.graph.bodies import Bodies, StoredBodies
from services.index.graph.by_file import EdgesByFile, FileEdges, Journal, KeptEdges, LiveTypes, Mark, opened
from services.index.graph.components import depths, reached
from services.index.graph.sums import Counts, StoredSums, Sums
from services.index.names.packages import Deduced, Deduction, Deductions

if TYPE_CHECKING:
    from services.index.names.names import Names

_CANCELLED = "The dependencies were not all worked out. Ask again to go on."
_LOOKS_EVERY = 64  # files: summing one takes less than looking whether to go on


class _StoredGraph(msgspec.Struct, array_like=True):
    """Stored graph. `lineage`: the name of the catalogue's; `whole`: whether the edges of all its files are present;
    `types`, `gone`: the number of types at the last update of edges, and which of them had no part; `told`: by file,
    the inferred types of packages; `sums`: of `edges`; `settled`: the digest of the files and projects that it is
    of."""

    lineage: str
    whole: bool
    edges: KeptEdges
    types: int
    gone: list[int]
    told: dict[int, list[Deduction]]
    bodies: StoredBodies
    sums: StoredSums
    settled: bytes = b""


class Graph:
    """Edges by file, summed both ways. A file is bound again when it changes, and when a type whose simple name it
    mentions is added or removed. Readers share an unchanging graph; a change is made to a `fork`. `journal`: added
    and removed edges; `origin`: shared by all successive graphs with the same numbers; `moment`: another object
    whenever names of unchanged files change their meaning."""

    def __init__(self, catalogue: Catalogue, records: Records) -> None:
        self._catalogue = catalogue
        self._records = records
        self._files = EdgesByFile()
        self._live_types = LiveTypes()
        self.bodies = Bodies()
        self._deductions = Deductions()
        self._gone: set[tuple[int, int]] = set()  # signatures in files that are to be bound again
        self._came: set[int] = set()  # names of signatures that are others since bodies were read
        self._seen = -1
        self._sums: Sums | None = None
        self._stamp = object()
        self.moment = object()
        self.origin = object()
        self.journal = Journal()

    def over(self, catalogue: Catalogue, records: Records) -> Graph:
        """Return the finished edges for the next version of the catalogue."""
        other: Graph = copy(self)
        other._catalogue, other._records = catalogue, records
        return other

    def fork(self) -> Graph:
        """Return a copy, to be changed while others read this one."""
        other: Graph = copy(self)
        other._files, other._deductions = self._files.fork(), self._deductions.fork()
        other.bodies = self.bodies.fork()
        other._gone, other._came = self._gone.copy(), self._came.copy()
        other._live_types, other.journal = self._live_types.copied(), self.journal.fork()
        other._sums = None if self._sums is None else self._sums.fork()
        return other

    def __len__(self) -> int:
        """How many files have been bound."""
        return len(self._files)

    def update(
        self, names: Names, lock: AbstractContextManager[object], *, most: int, cancel: threading.Event | None
    ) -> int:
        """Bind up to `most` files that have changed since the last update; returns how many are left. `lock` is taken
        around each file: names learn while they answer. Raises Cancelled."""
        todo = self.left()
        for file in until(cancel, todo[:most], message=_CANCELLED):
            with lock:
                self._bind(names, file)
        if len(todo) <= most:
            self._forget_leaning()
        return max(0, len(todo) - most)

    def left(self) -> list[int]:
        """The files that have changed since the last update, or were never bound."""
        self._forget_changed()
        found = [file for file in self._live() if file not in self._files]
        if not found:
            self._forget_leaning()
        return found

    def _forget_leaning(self) -> None:
        """Drops the bodies that lean on declarations which came, went or are others: all at once, as every body is
        looked at for it."""
        if self._came or self._gone:
            from services.index.graph.edges import inherited

            moved = inherited(self._catalogue, self._records, self._came, self._gone)
            self.bodies.drop_hashed(moved.union(self._came, (name for name, _ in self._gone)))
        self._gone.clear()
        self._came.clear()

    def take(self, found: Mapping[int, bytes]) -> None:
        """Takes edges, encoded, that were worked out elsewhere of the same catalogue."""
        for file, edges in found.items():
            if file not in self._files:
                self._add(file, opened(edges), edges)

    def _live(self) -> list[int]:
        return [
            at for at, entry in enumerate(self._catalogue.files) if entry is not None and not entry.shadow
        ]

    def _forget_changed(self) -> None:
        """Drops the edges of files that are gone or whose names may now mean something else."""
        if self._seen == self._catalogue.version:
            return
        for file in (self._files.files() - set(self._live())) | self._touched():
            self._drop(file)
        for file in self.bodies.files() - self._files.files():
            self.bodies.drop(file)
        self._seen = self._catalogue.version

    def _bind(self, names: Names, file: int) -> None:
        from services.index.graph.edges import edges_of

        record = self._records.record(file) if self._catalogue.files[file] is not None else None
        nothing = FileEdges((), (), (), ())
        edges = nothing if record is None else edges_of(self._catalogue, names, file, record)
        self._add(file, edges)

    def _add(self, file: int, edges: FileEdges, encoded: bytes | None = None) -> None:
        self._files[file] = encoded or edges
        if len(self.bodies):
            signed = _pairs(edges.signatures)
            self._came.update(name for name, _ in signed - self._gone)
            self._gone -= signed
        self._deduce(file, edges)
        self._changed(edges)
        if self._sums is not None:
            self._sums.add(edges)

    def _drop(self, file: int) -> None:
        edges = self._files.pop(file)
        self._gone |= _pairs(edges.signatures)
        self.bodies.drop(file)
        self._deductions.drop(file)
        self._changed(edges)
        if self._sums is not None:
            self._sums.add(edges, sign=-1)

    def _deduce(self, file: int, edges: FileEdges) -> None:
        entry = self._catalogue.files[file]
        if entry is not None and edges.inferred:
            self._deductions.add(file, entry.project, edges.inferred)

    def _changed(self, edges: FileEdges) -> None:
        self._stamp = object()
        self.journal.add(edges)

    def _touched(self) -> set[int]:
        """Files that mention a simple name of a type that came or went since the last update, or a namespace that has
        types since then."""
        came, gone = self._live_types.changed(self._catalogue)
        if not came and not gone:
            return set()
        changed = {self._catalogue.type(index).name for index in came | gone}
        changed |= {name.removesuffix("Attribute") for name in changed}
        changed |= self._namespaces_new_with(came)
        self.bodies.drop_naming(changed)
        return {file for file, edges in self._files.items() if not changed.isdisjoint(edges.mentioned)}

    def _namespaces_new_with(self, came: Collection[int]) -> set[str]:
        """The namespaces that have types since these came."""
        left = with_outer(self._catalogue.type(index).fqn.rpartition(".")[0] for index in came)
        for index, entry in self._catalogue.live_types():
            if not left:
                break
            if index not in came:
                left -= with_outer((entry.fqn.rpartition(".")[0],))
        return left

    def moved_to(self, catalogue: Catalogue, records: Records) -> Graph:
        """Return the edges for a catalogue that differs in the numbers of its projects alone."""
        moved = Graph(catalogue, records)
        moved._files, moved._live_types = self._files.fork(), self._live_types.copied()
        moved.bodies = self.bodies.fork()
        moved._deduce_again(self._deductions.by_file())
        return moved

    def packed_to(self, catalogue: Catalogue, records: Records, numbers: PackedNumbers) -> Graph:
        """Return the edges, which are all known, for a catalogue in which files and types have these numbers."""
        moved = Graph(catalogue, records)
        moved._files, moved.bodies = self._files.packed(numbers), self.bodies.packed(numbers)
        moved._live_types.take(catalogue.type_count, (), are_now=catalogue)
        moved._seen = catalogue.version
        told = self._deductions.by_file()
        moved._deduce_again({numbers.files[file]: told[file] for file in told if file in numbers.files})
        return moved

    def _deduce_again(self, told: Mapping[int, Sequence[Deduction]]) -> None:
        for file, inferred in told.items():
            entry = self._catalogue.files[file]
            if entry is not None:
                self._deductions.add(file, entry.project, inferred)
        self._deductions.publish()

    # Bodies

    def unread(self) -> list[int]:
        """The files whose bodies have not been bound since they changed, of those whose signatures have."""
        self._forget_changed()
        return [file for file in self._live() if file in self._files and file not in self.bodies]

    @property
    def has_unread(self) -> bool:
        """Whether `unread` is not empty, without a look at each file."""
        self._forget_changed()
        return len(self.bodies) < len(
            self._files
        )  # a file has edges of bodies only if it has edges of signatures

    def take_bodies(self, found: Mapping[int, bytes]) -> None:
        """Takes what the bodies of files name, encoded."""
        for file, edges in found.items():
            if file in self._files and file not in self.bodies:
                self.bodies.add(file, edges)

    # Questions

    def in_bodies(self, index: int) -> list[tuple[int, int]]:
        """(type, how often) of the workspace types that the bodies of a type name, as far as these were bound, most
        often first."""
        return self.bodies.depends_on(index).most_common()

    def dependencies(self, index: int) -> dict[int, tuple[int, int]]:
        """How often a type names each other workspace type: in bases and signatures, and in bodies as far as these have
        been bound."""
        written, bodies = self._summed()[0].get(index, Counter()), self.bodies.depends_on(index)
        return {each: (written[each], bodies[each]) for each in written | bodies}

    def depends_on(self, index: int) -> list[tuple[int, int]]:
        """(type, how often) of the workspace types that a type names, most often first."""
        return self._summed()[0].get(index, Counter()).most_common()

    def used_by(self, index: int) -> list[tuple[int, int]]:
        """(type, how often) of the workspace types that name a type, most often first."""
        return self._summed()[1].get(index, Counter()).most_common()

    def outside(self, index: int) -> list[tuple[str, int]]:
        """(full name, how often) of the framework types that a type names."""
        return self._sum().outside(index).most_common()

    def edges(self) -> Iterator[tuple[int, int, int]]:
        """(from type, to type, how often) of every pair of workspace types."""
        for source, targets in self._summed()[0].items():
            for target, count in targets.items():
                yield source, target, count

    def named_since(self, marks: tuple[Mark, Mark] | None) -> set[int] | None:
        """Return the types with edges that were added or removed since these marks; None where that is unknown."""
        if marks is None:
            return None
        written, bodies = self.journal.since(marks[0]), self.bodies.journal.since(marks[1])
        return None if written is None or bodies is None else written | bodies

    @property
    def marks(self) -> tuple[Mark, Mark]:
        """How far it is by now, for `named_since`."""
        return self.journal.mark, self.bodies.journal.mark

    def named(self, index: int) -> Iterator[tuple[int, int]]:
        """(type, how often) of the workspace types that a type names in signatures and bases, then in bodies."""
        yield from self._summed()[0].get(index, {}).items()
        yield from self.bodies.depends_on(index).items()

    def naming(self, index: int) -> set[int]:
        """The workspace types that name a type, in bodies too."""
        return {*self._summed()[1].get(index, ()), *self.bodies.used_by(index)}

    def body_edges(self) -> Iterator[tuple[int, int, int]]:
        """Iterate over the edges of bodies, as far as they have been bound."""
        return self.bodies.edges()

    def references(self) -> dict[int, int]:
        """How many other types name each type."""
        users = self._summed()[1]
        return dict(zip(users, users.sizes(users), strict=True))

    def depths(self) -> dict[int, int]:
        """Layers from each type down to one that names no other."""
        return depths(self._forward())

    def forward(self) -> dict[int, tuple[int, ...]]:
        """Return the workspace types that each type names, at present."""
        return {index: tuple(targets) for index, targets in self._forward().items()}

    def downstream(self, indexes: Iterable[int]) -> list[int]:
        """Every type that names one of these, or names one that does, and so on, the nearest first, then by name."""
        return reached(self._summed()[1], indexes, order=self._name)

    def group_of(self, index: int) -> list[int]:
        """Return the types of a dependency cycle with this one, itself among them; none where it is in no cycle."""
        forward, reverse = self._summed()
        below = set(reached(forward, [index]))
        return reached(reverse, [index], within=below, order=self._name) if index in below else []

    def _name(self, index: int) -> tuple[str, int]:
        # Numbers differ from process to process.
        entry = self._catalogue.types[index]
        return entry.fqn, entry.project

    def forget(self, projects: Collection[int]) -> None:
        """Drops what the files of these projects name: names mean something else in them now."""
        self.moment = object()
        for file in self._files.files():
            entry = self._catalogue.files[file]
            if entry is not None and entry.project in projects:
                self._drop(file)

    def _forward(self) -> dict[int, Counter[int]]:
        forward = self._summed()[0]
        nothing = Counter[int]()
        every = {index: forward.get(index, nothing) for index, _ in self._catalogue.live_types()}
        return {**every, **forward}

    def neighbours(self, index: int) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """How often each workspace type names a type, and how often it names each, bodies among it as far as they have
        been bound."""
        forward, reverse = self._summed()
        nothing = Counter[int]()
        users = reverse.get(index, nothing) + self.bodies.used_by(index)
        return users, forward.get(index, nothing) + self.bodies.depends_on(index)

    @property
    def stamp(self) -> object:
        """Another object whenever an edge may have changed."""
        return self._stamp

    @property
    def inferred(self) -> Deduced:
        """Inferred types of packages, as of the last time the edges of all files were known."""
        return self._deductions.table

    def publish_inferred(self) -> None:
        """Publish the inferred types, once the edges of all files are known."""
        self._deductions.publish()

    def _summed(self) -> tuple[Counts, Counts]:
        sums = self._sum()
        return sums.forward, sums.reverse

    def sum_up(self, cancel: threading.Event | None = None) -> None:
        """Makes what the first question would wait for, which takes a while. Raises Cancelled."""
        self._sum(cancel)

    def _sum(self, cancel: threading.Event | None = None) -> Sums:
        if self._sums is None:
            asked = until(cancel, self._files.raw_items(), message=_CANCELLED, every=_LOOKS_EVERY)
            self._sums = Sums.of(opened(edges) for _, edges in asked)
        return self._sums

    # Keeping

    def frozen(self, *, whole: bool) -> bytes:
        """The edges as bytes; they are of use with the very catalogue that they were made from. `whole`: whether those
        of all its files are there, as it is."""
        kept = _StoredGraph(
            self._catalogue.lineage.name,
            whole,
            self._files.frozen(),
            self._live_types.count,
            self._live_types.gone(),
            self._deductions.by_file(),
            self.bodies.frozen(),
            self._sum().frozen(),
            self._catalogue.settled,
        )
        return msgspec.msgpack.encode(kept)

    def read_from(self, data: bytes | memoryview) -> Graph:
        """Return a graph whose edges are decoded on demand from these bytes, a result of `frozen`."""
        kept = decode_msgpack(_StoredGraph, data)
        other: Graph = self.fork()
        other._files, other._sums = EdgesByFile(kept.edges), Sums(kept.sums)
        other.bodies.read_from(kept.bodies)
        return other

    def bodies_in(self, data: bytes | memoryview) -> dict[int, bytes]:
        """Return the encoded edges of bodies in a result of `frozen`: none where it is of other files or projects."""
        kept, own = decode_msgpack(_StoredGraph, data), self._catalogue
        if (
            not kept.whole
            or not own.settled
            or (kept.lineage, kept.settled) != (own.lineage.name, own.settled)
        ):
            return {}
        return EdgesByFile(kept.bodies.edges).encoded()

    def thaw(self, data: bytes | memoryview) -> bool:
        """Load stored edges; returns whether they are complete for the present catalogue. Raises msgspec.MsgspecError
        where they are of another one."""
        kept = decode_msgpack(_StoredGraph, data)
        if kept.lineage != self._catalogue.lineage.name:
            raise msgspec.ValidationError("These dependencies are those of another catalogue.")
        self._files, self.bodies = EdgesByFile(kept.edges), Bodies(kept.bodies)
        self._live_types.take(kept.types, kept.gone, are_now=self._catalogue if kept.whole else None)
        self._deduce_again(kept.told)
        self._seen = self._catalogue.version if kept.whole else -1
        self._sums, self._stamp = Sums(kept.sums), object()
        self.journal.forget()
        return kept.whole


def _pairs(signatures: bytes) -> set[tuple[int, int]]:
    """(CRC-32 of a name, CRC-32 of what others see of a declaration)."""
    numbers = memoryview(signatures).cast("I")
    return set(zip(numbers[::2], numbers[1::2], strict=True))
