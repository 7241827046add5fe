"""The dependencies of many files, worked out by worker processes: binding holds the interpreter's lock, and what it
needs in memory goes with the workers."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from services.index.catalogue import thawed
from services.index.graph.edges import FileEdges, edges_of
from services.index.names.names import Names
from services.index.names.sight import Sight
from services.index.records import Records
from services.index.store import Store
from services.index.worker import start
from services.index.workers import finished, is_being_started, new_pool
from services.workspace.projects import ProjectInfo
from services.workspace.root import Root

if TYPE_CHECKING:
    from concurrent.futures import Future

WORTH_WORKERS = 400
"""Files for which a worker, which first reads the catalogue, is worth its start."""
_AT_ONCE = 24
_IN_FLIGHT = 3
_NICE = 10
Found = dict[int, FileEdges]
_DECODER = msgspec.msgpack.Decoder(Found)


class Ground(NamedTuple):
    """What a worker binds by. `catalogue`: frozen; `projects`: in MessagePack, by number; `store`: of the records."""

    root: str
    encoding: str | None
    store: str
    catalogue: bytes
    projects: bytes


class _Binding:
    """One worker's names."""

    def __init__(self, ground: Ground) -> None:
        from services.index.framework.table import load

        self._catalogue = thawed(ground.catalogue)
        root = Root.open(ground.root, encoding=ground.encoding)
        self._records = Records(root, Store(Path(ground.store), reading=True), self._catalogue)
        projects = msgspec.msgpack.decode(ground.projects, type=tuple[ProjectInfo, ...])
        self._names = Names(self._catalogue, self._records, Sight(projects), load())

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


def edges_apart(
    ground: Ground, files: Sequence[int], *, workers: int, cancel: threading.Event | None
) -> Generator[Found]:
    """What files name, some at a time, in no order. Ends early where workers cannot be started or die: what is missing
    is to be worked out here. Raises Cancelled."""
    if is_being_started():
        return
    from concurrent.futures.process import BrokenProcessPool

    waiting = deque(list(files[at : at + _AT_ONCE]) for at in range(0, len(files), _AT_ONCE))
    running: dict[Future[bytes], None] = {}
    with suppress(BrokenProcessPool, OSError):
        pool = new_pool(workers, partial(_start, ground))
        try:
            while waiting or running:
                while waiting and len(running) < workers * _IN_FLIGHT:
                    running[pool.submit(_bind, waiting.popleft())] = None
                for done in finished(running, cancel):
                    del running[done]
                    yield _DECODER.decode(done.result())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _start(ground: Ground) -> None:
    """Runs once in a new worker, which is to be in nobody's way."""
    start()
    with suppress(OSError, AttributeError):
        os.nice(_NICE)
    # A worker that cannot begin binds nothing; what would be said of it would be drawn over the screen.
    with suppress(Exception):
        _binding.append(_Binding(ground))


def _bind(files: Sequence[int]) -> bytes:
    found = {
        file: edges for binding in _binding for file in files if (edges := binding.edges(file)) is not None
    }
    return msgspec.msgpack.encode(found)
