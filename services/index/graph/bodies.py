"""Dependencies of bodies: bound in the background, file by file, and stored."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.renumber import PackedNumbers
from services.index.compiled import home_of
from services.index.graph.by_file import EdgesByFile, FileEdges, Journal, KeptEdges, opened
from services.index.graph.packing import packed, packed_members
from services.index.graph.sums import StoredSums, Sums

if TYPE_CHECKING:
    from services.index.usages.mentions import MentionReader


class StoredBodies(msgspec.Struct, frozen=True, array_like=True):
    """Stored bodies: their edges, and the sums of these."""

    edges: KeptEdges
    sums: StoredSums


class Bodies:
    """Type references of bodies by file, summed both ways. Not thread-safe."""

    def __init__(self, kept: StoredBodies | None = None) -> None:
        """Create the edges. `kept`: the stored result of `frozen`, by default nothing. Raises msgspec.MsgspecError
        for other data."""
        self._files = EdgesByFile(None if kept is None else kept.edges)
        self._sums = None if kept is None else Sums(kept.sums)
        self._refused: dict[int, tuple[int, ...]] | None = None
        self.journal = Journal()

    def fork(self) -> Bodies:
        """Return a copy, to be changed while others read these."""
        other = Bodies()
        other._files = self._files.fork()
        other._refused = self._refused
        other._sums = None if self._sums is None else self._sums.fork()
        other.journal = self.journal.fork()
        return other

    def packed(self, numbers: PackedNumbers) -> Bodies:
        """Return them for a catalogue in which files and types have these numbers."""
        other = Bodies()
        other._files = self._files.packed(numbers)
        return other

    def __contains__(self, file: int) -> bool:
        return file in self._files

    def __len__(self) -> int:
        return len(self._files)

    def files(self) -> set[int]:
        """The files whose bodies have been bound."""
        return self._files.files()

    def places(self, file: int) -> bytes | None:
        """Return the packed places where a file names types; None where its bodies have not been bound."""
        return self._files[file].places if file in self._files else None

    def members(self, file: int) -> bytes:
        """Return the packed places where a file names members and can mean nothing else, as far as they are known."""
        return self._files[file].members if file in self._files else b""

    def reaches(self, file: int, index: int) -> bool | None:
        """Whether a file names a type of others, or uses it; None where its bodies have not been bound."""
        return any(to == index for _, to, _ in self._files[file].inside) if file in self._files else None

    def refused(self) -> dict[int, tuple[int, ...]]:
        """Return the lines with syntax errors, by file."""
        if self._refused is None:
            found = ((file, opened(edges).refused) for file, edges in self._files.raw_items())
            self._refused = {file: lines for file, lines in found if lines}
        return self._refused

    def add(self, file: int, edges: bytes) -> None:
        """Takes those of a file, encoded, which had none."""
        self._files[file] = edges
        self._refused = None
        self.journal.add(edges)
        if self._sums is not None:
            self._sums.add(opened(edges))

    def drop(self, file: int) -> None:
        """Forgets those of a file, if it has any."""
        if file in self._files:
            edges = self._files.pop(file)
            self._refused = None
            self.journal.add(FileEdges(edges.inside, (), (), ()))
            if self._sums is not None:
                self._sums.add(edges, sign=-1)

    def drop_naming(self, names: Collection[str]) -> None:
        """Remove the edges of all files whose bodies contain one of these names."""
        self.drop_hashed({crc32(name.encode()) for name in names})

    def drop_hashed(self, hashes: Collection[int]) -> None:
        """Remove edges like `drop_naming`, for names by their CRC-32s."""
        if not hashes:
            return
        hashes = frozenset(hashes)
        told = ((file, opened(edges)) for file, edges in self._files.raw_items())
        for file in [
            file for file, edges in told if not hashes.isdisjoint(memoryview(edges.words).cast("I"))
        ]:
            self.drop(file)

    def depends_on(self, index: int) -> Counter[int]:
        """How often the bodies of a type name each other type."""
        return self._summed().forward.get(index, Counter())

    def used_by(self, index: int) -> Counter[int]:
        """How often a type is named by the bodies of each other type."""
        return self._summed().reverse.get(index, Counter())

    def edges(self) -> Iterator[tuple[int, int, int]]:
        """(from type, to type, how often) of every pair that a body of the first names."""
        for source, targets in self._summed().forward.items():
            for target, count in targets.items():
                yield source, target, count

    def _summed(self) -> Sums:
        if self._sums is None:
            self._sums = Sums.of(opened(edges) for _, edges in self._files.raw_items())
        return self._sums

    def read_from(self, kept: StoredBodies) -> None:
        """From now on reads those of each file from here: what `frozen` gave."""
        self._files, self._sums = EdgesByFile(kept.edges), Sums(kept.sums)
        self._refused = None

    def frozen(self) -> StoredBodies:
        """Encode all edges for storage."""
        return StoredBodies(self._files.frozen(), self._summed().frozen())


class BodyReader:
    """Binds the bodies of files, for one version of the catalogue. Not thread-safe."""

    def __init__(self, catalogue: Catalogue, mentions: MentionReader) -> None:
        self._catalogue = catalogue
        self._mentions = mentions

    def edges(self, file: int) -> FileEdges:
        """Return the edges of a file's bodies; none where it cannot be read."""
        from services.index.usages.mentions import BodyNames

        inside: Counter[tuple[int, int]] = Counter()
        first = self._catalogue.file(file).rows[0]
        names = BodyNames()
        for at, named in self._mentions.in_bodies(file, names):
            owner = self._catalogue.columns.owner[first + at]
            owner = home_of(self._catalogue, owner) if owner >= 0 else owner
            inside.update((owner, each) for each in named if owner not in (-1, each))
        hashes = array("I", sorted({crc32(word.encode()) for word in names.words}))
        return FileEdges(
            tuple((a, b, n) for (a, b), n in inside.items()),
            (),
            (),
            (),
            hashes.tobytes(),
            packed(names.types),
            refused=tuple(sorted(names.refused)),
            members=packed_members(names.members),
        )
