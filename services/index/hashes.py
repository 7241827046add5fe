"""The hashes of types (SPEC section 3) for readers of many: without the ids of their members, and of many at once by
worker processes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from services.index.build.worker_process import WorkerInput, worked
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.core import IndexCore
from services.index.symbols.partials import (
    joined,
    joined_variants,
    members_of,
    parts_of,
    primary_of,
    variants_of,
)
from services.index.symbols.placed import hashes_of

if TYPE_CHECKING:
    import threading

WORTH_WORKERS = 2_000
"""Least number of types that justify a worker, which first reads the catalogue."""
_AT_ONCE = 200

Parts = tuple[tuple[int, int], ...]
"""(file, declaration) of each: a changed file is another file to the catalogue, so that the same parts have the same
hashes."""


class Hashed(NamedTuple):
    """Hashes of a type. `file`: of its canonical part, by index."""

    file: int
    structure: str
    impl: str
    doc: str


class PartHashes(NamedTuple):
    """Hashes of the parts of a type at one revision."""

    parts: Parts
    hashed: Hashed


_Found = dict[int, PartHashes]
_DECODER = msgspec.msgpack.Decoder(_Found)


class Hashes:
    """Hashes of the types of one index."""

    def __init__(self, core: IndexCore) -> None:
        self._core = core

    def of(self, index: int) -> PartHashes | None:
        """Return the hashes of a type; None where none of its parts can be read."""
        now = self._core.now
        return _of(now.catalogue, now.records, index)

    def from_workers(
        self, indexes: Sequence[int], *, workers: int | None, cancel: threading.Event | None
    ) -> Generator[_Found]:
        """Compute the hashes of many types, in batches, in any order, by so many worker processes (None: as the
        settings say). Ends early where workers cannot be started or die. Raises Cancelled."""
        ground = WorkerInput.of(self._core, self._core.now)
        if ground is None:
            return
        pieces = [list(indexes[at : at + _AT_ONCE]) for at in range(0, len(indexes), _AT_ONCE)]
        workers = workers or self._core.settings.workers
        begin = partial(_begin, ground)
        with closing(worked(_hash, pieces, begin=begin, workers=workers, cancel=cancel)) as made:
            yield from map(_DECODER.decode, made)


def _of(catalogue: Catalogue, records: Records, index: int) -> PartHashes | None:
    places = catalogue.types[index].parts
    for file, _ in places:
        records.record(file)  # all of it is needed: its head is not read alone first
    parts = parts_of(catalogue, records, index)
    if not parts:
        return None
    members = joined(members_of(records, parts)[0])
    if others := variants_of(catalogue, index):
        theirs = {at: joined(members_of(records, parts_of(catalogue, records, at))[0]) for at in others}
        members, _ = joined_variants(catalogue, index, members, theirs)
    hashes = hashes_of(parts, members, records.rules)
    return PartHashes(
        places, Hashed(primary_of(parts).file, hashes["structure"], hashes["impl"], hashes["doc"])
    )


_ground: list[tuple[Catalogue, Records]] = []


def _begin(ground: WorkerInput) -> None:
    _ground.append(ground.opened()[1:])


def _hash(indexes: Sequence[int]) -> bytes:
    found = {
        index: made for opened in _ground for index in indexes if (made := _of(*opened, index)) is not None
    }
    return msgspec.msgpack.encode(found)
