"""The dependencies of many files, worked out by worker processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import NamedTuple

import msgspec

from services.concurrency.gc_pause import freeze_objects
from services.decoding import decode_msgpack
from services.index.build.worker_process import WorkerInput, worked
from services.index.graph.bodies import BodyReader
from services.index.graph.edges import edges_of
from services.index.graph.file_edges import FileEdges
from services.index.names.deduced import Deduced
from services.index.names.names import Names
from services.index.names.visibility import ProjectVisibility
from services.index.usages.search import UsageSearch
from services.msbuild import ProjectInfo

WORTH_WORKERS = 400
"""Files for which a worker, which first reads the catalogue, is worth its start."""
WORTH_BODY_WORKERS = 24
"""The same of files whose bodies are read, which takes thirty times as long."""
_AT_ONCE = 24
_BODIES_AT_ONCE = 8
_LEARNS_FOR = 256
"""Files after whose bodies a worker forgets what it has learnt: of a large workspace that fills the memory."""
Found = dict[int, bytes]
"""Edges by file, encoded."""
_DECODER = msgspec.msgpack.Decoder(Found)


class Ground(NamedTuple):
    """What a worker binds with. `kept`: the index; `projects`: by number; `deduced`: what files tell of packages."""

    kept: WorkerInput
    projects: tuple[ProjectInfo, ...]
    deduced: Deduced


class _Binding:
    """One worker's names."""

    def __init__(self, kept: WorkerInput, projects: bytes, deduced: Deduced) -> None:
        self._root, self._catalogue, self._records = kept.opened()
        self._projects = decode_msgpack(tuple[ProjectInfo, ...], projects)
        self._deduced = deduced
        self._names = self._new_names()
        self._reader: BodyReader | None = None
        self._read = 0

    def edges(self, file: int) -> FileEdges | None:
        """What a file names; None where its record is not the one that the catalogue was made of any more."""
        record = self._records.record(file)
        if record is None:
            return None
        # A file that is read again meanwhile has another record, and will have another number.
        with suppress(IndexError):
            return edges_of(self._catalogue, self._names, file, record)
        return None

    def body_edges(self, file: int) -> FileEdges | None:
        """What the bodies of a file name; None as of `edges`."""
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
        from services.index.framework.table import load

        visibility = ProjectVisibility(self._projects, load())
        return Names(self._catalogue, self._records, visibility, self._deduced)

    def _new_reader(self) -> BodyReader:
        alone = threading.Lock()
        search = UsageSearch(self._root, self._catalogue, self._records, self._names, self._projects, alone)
        return BodyReader(self._catalogue, search.mentions())


def edges_from_workers(
    ground: Ground, files: Sequence[int], *, workers: int, cancel: threading.Event | None
) -> Generator[Found]:
    """What files name, some at a time, in no order. Ends early where workers cannot be started or die: what is missing
    is to be worked out here. Raises Cancelled."""
    return _found(ground, _bind, _pieces(files, _AT_ONCE), workers, cancel)


def body_edges_from_workers(
    ground: Ground, files: Sequence[int], *, cancel: threading.Event | None
) -> Generator[Found]:
    """The same of what their bodies name. One worker does it: nobody waits, and each would learn anew, and hold, what
    the others have learnt. Raises Cancelled."""
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
    begin = partial(_begin, ground.kept, msgspec.msgpack.encode(ground.projects), ground.deduced)
    with closing(worked(work, pieces, begin=begin, workers=workers, cancel=cancel)) as made:
        yield from map(_DECODER.decode, made)


# In a worker

_binding: list[_Binding] = []


def _begin(kept: WorkerInput, projects: bytes, deduced: Deduced) -> None:
    _binding.append(_Binding(kept, projects, deduced))


def _bind(files: Sequence[int]) -> bytes:
    return _encoded(files, _Binding.edges)


def _bind_bodies(files: Sequence[int]) -> bytes:
    return _encoded(files, _Binding.body_edges)


def _encoded(files: Sequence[int], edges_in: Callable[[_Binding, int], FileEdges | None]) -> bytes:
    told = ((file, edges_in(binding, file)) for binding in _binding for file in files)
    return msgspec.msgpack.encode(
        {file: msgspec.msgpack.encode(edges) for file, edges in told if edges is not None}
    )
