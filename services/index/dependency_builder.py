"""Builder of type dependencies: a few files at a time, or as far as a caller waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, closing, suppress
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from services.concurrency.cancellation import AnyCancel, Deadline, checkpoint, until
from services.concurrency.exclusion import ExclusiveWork
from services.errors import Cancelled
from services.index.build.refresh import Report
from services.index.core import IndexCore
from services.index.graph.bodies import BodyReader
from services.index.graph.graph import Graph
from services.index.index_snapshot import IndexSnapshot
from services.index.persistence import IndexPersistence
from services.model import Progress

if TYPE_CHECKING:
    from services.index.graph.worker_process import Found, Ground
    from services.index.names.packages import Deduced

_AT_ONCE = 16
_UNREAD = "Not all bodies were read. Ask again to go on."
_LOOKED = 0.1
"""Seconds between two checks by a thread that waits for another."""


class _Wanted(threading.Event):
    """Event that is set while threads wait to build dependencies: readers of bodies then stop."""

    def __init__(self, threads: Collection[int]) -> None:
        super().__init__()
        self._threads = threads

    def is_set(self) -> bool:
        """Whether any thread waits."""
        return bool(self._threads)


class DependencyBuilder:
    """Builder of an index's dependencies. Thread-safe."""

    def __init__(self, core: IndexCore, persistence: IndexPersistence) -> None:
        self._core = core
        self._persistence = persistence
        self._running = ExclusiveWork()
        self._wanted: set[int] = set()
        """The threads that wait to relate, or do: bodies are read on when there are none."""
        self._progress: Progress | None = None

    @property
    def graph(self) -> Graph | None:
        """The dependencies worked out so far; none before the first have been."""
        now = self._core.now
        return now.graph if now.related_at >= 0 else None

    def relations(self, index: int) -> str:
        """Something that differs where the dependencies of a type do."""
        graph = self.graph
        if graph is None:
            return ""
        told = (graph.depends_on(index), graph.outside(index), graph.used_by(index))
        return f"{crc32(repr(told).encode()):x}"

    @property
    def is_done(self) -> bool:
        """Whether the dependencies of everything are worked out; where there are no projects, none ever are."""
        now = self._core.now
        return now.is_related or not now.infos

    def relate_within(self, seconds: float) -> bool:
        """Run `relate` for about that time; returns whether all is complete. The first run, which takes long, is left
        to `relate`, and so is work in progress on another thread."""
        if not self.is_done and self._core.now.related_at >= 0 and not self._running.is_running:
            with suppress(Cancelled):
                self.relate(cancel=Deadline(seconds))
        return self.is_done

    def relate(self, *, report: Report | None = None, cancel: threading.Event | None = None) -> bool:
        """Compute which types name which, for files that have changed since the last time; returns whether there were
        any. Raises Cancelled (finished work is stored)."""
        worked = False
        if self._is_whole(self._core.published):
            self._core.take_dependencies()
            return worked  # a reader of bodies has it for minutes
        self._wanted.add(threading.get_ident())
        try:
            with self._exclusive(report, cancel):
                # Where changed files or projects gave names another meaning meanwhile, all of it is repeated.
                while not self._is_whole(of := self._core.published):
                    worked = self._relate(of, report, cancel) or worked
        finally:
            self._wanted.discard(threading.get_ident())
            self._core.take_dependencies()
        return worked

    def _is_whole(self, of: IndexSnapshot) -> bool:
        return not of.knows_projects or of.is_related

    def _relate(self, of: IndexSnapshot, report: Report | None, cancel: threading.Event | None) -> bool:
        """Works out the dependencies of a revision, and publishes them; whether they still counted."""
        core, graph = self._core, of.graph.fork()
        whole = False
        try:
            self._run_workers(of, graph, report, cancel)
            names = of.names() if graph.left() else None
            while names is not None and (
                left := graph.update(names, core.lock, most=_AT_ONCE, cancel=cancel)
            ):
                self._tell(report, len(graph), left)
            graph.publish_inferred()
            graph.sum_up()
            whole = True
        finally:
            counted = core.publish_graph(of, graph, whole=whole)
        self._persistence.save_graph()
        self._persistence.keep_columns()
        return counted

    def read_bodies(self, *, report: Report | None = None, cancel: threading.Event | None = None) -> bool:
        """Compute which types the bodies of files name, where that is unknown; returns whether any was. Runs in the
        background after `relate`. Raises Cancelled (finished work is stored)."""
        worked, is_done = False, False
        while not is_done:
            while self._wanted:
                checkpoint(cancel, _UNREAD)
                time.sleep(_LOOKED)
            with self._exclusive(report, cancel):
                anything, is_done = self._read_bodies(report, cancel)
            worked = worked or anything
        self._core.take_dependencies()
        return worked

    def _read_bodies(self, report: Report | None, cancel: threading.Event | None) -> tuple[bool, bool]:
        """Reads bodies until somebody wants to relate: whether there were any, and whether none are left."""
        of = self._core.published
        graph = of.graph.fork()
        left = graph.unread() if of.knows_projects else []
        if not left:
            return False, True
        graph.take_bodies(self._persistence.stored_bodies(graph))
        left, done = graph.unread(), 0
        try:
            for found in self._body_edges(of, graph, left, AnyCancel(cancel, _Wanted(self._wanted))):
                graph.take_bodies(found)
                done += len(found)
                if report is not None:
                    report(Progress(phase="Reading bodies", done=done, total=len(left)))
        except Cancelled:
            checkpoint(cancel, _UNREAD)
            return True, False
        finally:
            self._core.publish_graph(of, graph, whole=False)
            if done and cancel is not None and cancel.is_set():
                self._persistence.save_graph()  # nobody needs to read these again
        if done:
            self._persistence.save_graph()
        return True, True

    def _body_edges(
        self, of: IndexSnapshot, graph: Graph, left: Sequence[int], cancel: threading.Event
    ) -> Iterator[Found]:
        """Iterate over the edges of bodies: from worker processes, whose learnt types are freed with them; the
        remaining files, or a few files, are handled by this process. Raises Cancelled."""
        from services.index.graph.worker_process import WORTH_BODY_WORKERS, body_edges_from_workers

        core = self._core
        ground = self._ground(of) if len(left) >= WORTH_BODY_WORKERS else None
        if ground is not None:
            with closing(body_edges_from_workers(ground, left, cancel=cancel)) as made:
                yield from made
            left = graph.unread()
        search = of.own_usage_search() if left else None
        if search is None:
            return
        reader = BodyReader(of.catalogue, search.mentions())
        for file in until(cancel, left, message=_UNREAD):
            with core.lock:  # names learn while they answer
                edges = reader.edges(file)
            yield {file: msgspec.msgpack.encode(edges)}

    def _run_workers(
        self, of: IndexSnapshot, graph: Graph, report: Report | None, cancel: threading.Event | None
    ) -> None:
        """Has worker processes bind, where there is much to bind; what they did not is left. Raises Cancelled."""
        from services.index.graph.worker_process import WORTH_WORKERS, edges_from_workers

        left = graph.left()
        # Inferred types are unknown until all files are bound.
        ground = self._ground(of, {}) if len(left) >= WORTH_WORKERS else None
        if ground is None:
            return
        found = edges_from_workers(ground, left, workers=self._core.settings.workers, cancel=cancel)
        with closing(found):
            for edges in found:
                graph.take(edges)
                self._tell(report, len(graph), max(0, len(left) - len(graph)))

    def _ground(self, of: IndexSnapshot, inferred: Deduced | None = None) -> Ground | None:
        """Return the input of workers, by default with the inferred types; None where they cannot read the index."""
        from services.index.build.worker_process import WorkerInput
        from services.index.graph.worker_process import Ground

        kept = WorkerInput.of(self._core, of)
        told = of.graph.inferred if inferred is None else inferred
        return Ground(kept, of.infos, told) if kept is not None else None

    def _tell(self, report: Report | None, done: int, left: int) -> None:
        self._progress = Progress(phase="Relating types", done=done, total=done + left)
        if report is not None:
            report(self._progress)

    def _exclusive(
        self, report: Report | None, cancel: threading.Event | None
    ) -> AbstractContextManager[None]:
        """Wait while another thread works, and report its progress. Raises Cancelled."""

        def waiting() -> None:
            if report is not None and self._progress is not None:
                report(self._progress)

        message = "Cancelled while dependencies were being worked out."
        return self._running.turn(cancel, message=message, waiting=waiting)
