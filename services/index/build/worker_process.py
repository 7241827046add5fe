"""Worker processes for work on many files: work in this process would take the interpreter's lock, and leave memory
behind."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from services.index.build.worker import start
from services.index.build.workers import fed, is_being_started, new_pool
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.catalog.snapshot import frozen, thawed
from services.index.catalog.store import Store
from services.index.symbols.placed import HashRules
from services.workspace.files.root import Root

if TYPE_CHECKING:
    import threading

    from services.index.core import IndexCore
    from services.index.index_snapshot import IndexSnapshot

T = TypeVar("T")
R = TypeVar("R")
_IN_FLIGHT = 3  # pieces a worker
_NICE = 10


class WorkerInput(NamedTuple):
    """Input of a worker process. `store`: of the records; `catalogue`: frozen; `rules`: of hashes."""

    root: str
    encoding: str | None
    store: str
    catalogue: bytes
    rules: HashRules

    @classmethod
    def of(cls, core: IndexCore, revision: IndexSnapshot) -> WorkerInput | None:
        """A revision of the index; None where other processes cannot read it."""
        if not core.store.is_lasting:
            return None
        with core.lock:
            catalogue = frozen(revision.catalogue)
        return cls(str(core.root.path), core.root.encoding, str(core.store.path), catalogue, core.rules)

    def opened(self) -> tuple[Root, Catalogue, Records]:
        """The workspace and its index, to be read. Raises sqlite3.Error, WorkspaceError."""
        root, catalogue = Root.open(self.root, encoding=self.encoding), thawed(self.catalogue)
        store = Store(Path(self.store), reading=True)
        return root, catalogue, Records(root, store, catalogue, rules=self.rules)


def worked(
    work: Callable[[T], R],
    pieces: Sequence[T],
    *,
    begin: Callable[[], object],
    workers: int,
    cancel: threading.Event | None,
) -> Generator[R]:
    """Apply `work` to each piece, in any order, in workers initialised with `begin`. Ends early where they cannot be
    started or die: the caller handles the missing pieces. Raises Cancelled."""
    if not pieces or is_being_started():
        return
    with suppress(OSError):
        pool = new_pool(min(workers, len(pieces)), partial(_start, begin))
        yield from fed(pool, work, deque(pieces), most=workers * _IN_FLIGHT, cancel=cancel)


def _start(begin: Callable[[], object]) -> None:
    """Runs once in a new worker."""
    start()
    with suppress(OSError, AttributeError):
        os.nice(_NICE)
    # A worker that fails to initialise is useless; its error output would be drawn over the screen.
    with suppress(Exception):
        begin()
