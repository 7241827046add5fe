"""The dependencies of many files, worked out by worker processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext, suppress
from functools import partial
from typing import NamedTuple

import msgspec

from services.concurrency.gc_pause import freeze_objects
from services.decoding import decode_msgpack
from services.index.build.worker_process import WorkerInput, worked
from services.index.graph.bodies import BodyReader
from services.index.graph.by_file import FileEdges
from services.index.graph.edges import edges_of
from services.index.names.names import Names
from services.index.names.packages import Deduced
from services.index.names.visibility import ProjectVisibility
from services.index.usages.search import UsageSearch
from services.msbuild import ProjectInfo

WORTH_WORKERS = 400
"""Least number of files that justify a worker, which first reads the catalogue."""
WORTH_BODY_WORKERS = 24
"""Least number of files with bodies that justify a worker; bodies take thirty times as long."""
_AT_ONCE = 24
_BODIES_AT_ONCE = 8
_LEARNS_FOR = 64
"""Files after whose bodies a worker forgets what it has learnt: of a large workspace that fills the memory."""
Found = dict[int, bytes]
"""Edges by file, encoded."""
_DECODER = msgspec.msgpack.Decoder(Found)


class Ground(NamedTuple):
    """Input of a worker. `kept`: the stored index; `projects`: by number; `inferred`: types of packages."""

    kept: WorkerInput
    projects: tuple[ProjectInfo, ...]
    inferred: Deduced


class _Binding:
    """Names of one worker."""

    def __init__(self, kept: WorkerInput, projects: bytes, inferred: Deduced) -> None:
        self._root, self._catalogue, self._records = kept.opened()
        self._projects = decode_msgpack(tuple[ProjectInfo, ...], projects)
        self._deduced = inferred
        self._names = self._new_names()
        self._reader: BodyReader | None = None
        self._read = 0

    def edges(self, file: int) -> FileEdges | None:
        """Return the edges of a file; None where its record is no longer the one that the catalogue was made of."""
        record = self._records.record(file)
        if record is None:
            return None
        # A file that is read again meanwhile has another record, and will have another number.
        with suppress(IndexError):
            return edges_of(self._catalogue, self._names, file, record)
        return None

    def body_edges(self, file: int) -> FileEdges | None:
        """Return the edges of a file's bodies; None as for `edges`."""
        if self._records.record(file) is None or self._records.text(file) is None:
            return None
        if self._reader is None:
            self._reader = self._new_reader()
        with suppress(IndexError):
            found = self._reader.edges(file)
            self._read += 1
            if self._read % _LEARNS_FOR == 0:
                self._forget()
            return found
        return None

    def _forget(self) -> None:
        """Lets go of what was learnt. It hangs together in circles, which a worker hardly ever looks for of itself, and
        not at all where a table that was loaded meanwhile has left all that was there out of the walks."""
        self._reader, self._names = None, self._new_names()
        freeze_objects()

    def _new_names(self) -> Names:
        from services.index.names.framework import load

        visibility = ProjectVisibility(self._projects, load())
        return Names(self._catalogue, self._records, visibility, self._deduced)

    def _new_reader(self) -> BodyReader:
        alone = nullcontext()  # the search asks for a lock; this process has one thread
        search = UsageSearch(self._root, self._catalogue, self._records, self._names, self._projects, alone)
        return BodyReader(self._catalogue, search.mentions())


def edges_from_workers(
    ground: Ground, files: Sequence[int], *, workers: int, cancel: threading.Event | None
) -> Generator[Found]:
    """Compute the edges of files, in batches, in any order. Ends early where workers cannot be started or die: the
    caller handles the missing files. Raises Cancelled."""
    return _found(ground, _bind, _pieces(files, _AT_ONCE), workers, cancel)


def body_edges_from_workers(
    ground: Ground, files: Sequence[int], *, cancel: threading.Event | None
) -> Generator[Found]:
    """Compute the edges of files' bodies. One worker does it: it is background work, and each further one would learn
    the same types, and take the same memory. Raises Cancelled."""
    return _found(ground, _bind_bodies, _pieces(files, _BODIES_AT_ONCE), 1, cancel)


def _pieces(files: Sequence[int], size: int) -> list[Sequence[int]]:
    return [files[at : at + size] for at in range(0, len(files), size)]


def _found(
    ground: Ground,
    work: Callable[[Sequence[int]], bytes],
    pieces: Sequence[Sequence[int]],
    workers: int,
    cancel: threading.Event | None,
) -> Generator[Found]:
    begin = partial(_begin, ground.kept, msgspec.msgpack.encode(ground.projects), ground.inferred)
    with closing(worked(work, pieces, begin=begin, workers=workers, cancel=cancel)) as made:
        yield from map(_DECODER.decode, made)


_binding: list[_Binding] = []


def _begin(kept: WorkerInput, projects: bytes, inferred: Deduced) -> None:
    _binding.append(_Binding(kept, projects, inferred))


def _bind(files: Sequence[int]) -> bytes:
    return _encoded(files, _Binding.edges)


def _bind_bodies(files: Sequence[int]) -> bytes:
    return _encoded(files, _Binding.body_edges)


def _encoded(files: Sequence[int], edges_in: Callable[[_Binding, int], FileEdges | None]) -> bytes:
    told = ((file, edges_in(binding, file)) for binding in _binding for file in files)
    return msgspec.msgpack.encode(
        {file: msgspec.msgpack.encode(edges) for file, edges in told if edges is not None}
    )
