"""The dependencies of many files, worked out by worker processes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from services.index.build.worker_process import WorkerInput, worked
from services.index.graph.edges import edges_of
from services.index.graph.file_edges import FileEdges
from services.index.names.names import Names
from services.index.names.visibility import ProjectVisibility
from services.msbuild import ProjectInfo

if TYPE_CHECKING:
    import threading

WORTH_WORKERS = 400
"""Files for which a worker, which first reads the catalogue, is worth its start."""
_AT_ONCE = 24
Found = dict[int, FileEdges]
_DECODER = msgspec.msgpack.Decoder(Found)


class _Binding:
    """One worker's names."""

    def __init__(self, ground: WorkerInput, projects: bytes) -> None:
        from services.index.framework.table import load

        self._catalogue, self._records = ground.opened()
        infos = msgspec.msgpack.decode(projects, type=tuple[ProjectInfo, ...])
        self._names = Names(self._catalogue, self._records, ProjectVisibility(infos, load()), {})

    def edges(self, file: int) -> FileEdges | None:
        """What a file names; None where its record is not the one that the catalogue was made of any more."""
        record = self._records.record(file)
        if record is None:
            return None
        # A file that is read again meanwhile has another record, and will have another number.
        with suppress(IndexError):
            return edges_of(self._catalogue, self._names, file, record)
        return None


_binding: list[_Binding] = []


def edges_from_workers(
    ground: WorkerInput,
    projects: Sequence[ProjectInfo],
    files: Sequence[int],
    *,
    workers: int,
    cancel: threading.Event | None,
) -> Generator[Found]:
    """What files name, some at a time, in no order. Ends early where workers cannot be started or die: what is missing
    is to be worked out here. `projects`: by number. Raises Cancelled."""
    pieces = [list(files[at : at + _AT_ONCE]) for at in range(0, len(files), _AT_ONCE)]
    begin = partial(_begin, ground, msgspec.msgpack.encode(projects))
    with closing(worked(_bind, pieces, begin=begin, workers=workers, cancel=cancel)) as made:
        yield from map(_DECODER.decode, made)


def _begin(ground: WorkerInput, projects: bytes) -> None:
    _binding.append(_Binding(ground, projects))


def _bind(files: Sequence[int]) -> bytes:
    found = {
        file: edges for binding in _binding for file in files if (edges := binding.edges(file)) is not None
    }
    return msgspec.msgpack.encode(found)
