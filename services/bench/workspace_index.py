"""Index of one workspace for every face: refreshed by one process at a time, searched, measured."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress

import msgspec

from services.bench.recorder import LASTS, RecordedWork, Recorder
from services.bench.sharing import Sharing, Subscriber
from services.bench.window.usage import RecentUse
from services.concurrency.background import Debouncer
from services.concurrency.cancellation import BackgroundCancel, Deadline, Job, checkpoint, current_job
from services.concurrency.exclusion import SharedTurns
from services.concurrency.latest import CachedAnswers
from services.errors import Busy, Cancelled, CodeCortexError
from services.index.build.workers import is_being_started
from services.index.index import Index
from services.measures import Measures
from services.model import Progress, SearchAnswer, Symbol, TypeChange
from services.workspace.state import StateFolder

_SOON = 0.5
"""Seconds after which it is made ready for changes: until then its first answers are waited for."""
_PATIENCE = 10.0
"""Seconds for which that makes room for whoever asks, all together."""


class IndexSaver:
    """Saver that prepares the index for the first change, and saves it after each when idle. Thread-safe."""

    def __init__(self, index: Index, *, leads: Callable[[], bool]) -> None:
        """`leads`: whether this process is the one of its workspace that indexes."""
        self._index = index
        self._leads = leads
        self._preparing = Debouncer(self._prepare, seconds=_SOON)
        self._saving = Debouncer(self._keep)
        self._follows = False

    def follow(self, subscribe: Callable[[Subscriber], object]) -> None:
        """Does so from now on, once."""
        if not self._follows:
            self._follows = True
            self._preparing.nudge()
            subscribe(lambda _: self._saving.nudge())

    def pause(self, seconds: float) -> None:
        """Pause background work for some seconds."""
        self._preparing.pause(seconds)

    def close(self) -> None:
        """Ends what is under way."""
        self._preparing.close()
        self._saving.close()

    def _prepare(self, cancel: BackgroundCancel) -> None:
        cancel.patience = _PATIENCE
        with suppress(CodeCortexError):
            self._index.prepare(cancel)

    def _keep(self, _: BackgroundCancel) -> None:
        # What cannot be written is written at the next quiet moment, or on closing, which says why not.
        with suppress(CodeCortexError):
            if self._leads():
                self._index.keep()


PATIENCE = 120.0
"""Seconds after which a refresh goes on beside another: one that hangs must not hold up everybody for ever. Two at once
do the same work twice and harm nothing."""

_LOCK, _BODIES_LOCK = "refresh", "bodies"
_BODIES_PATIENCE = 1_800.0
_EVERY, _MOST_EVERY = 0.02, 0.5


class RefreshLock:
    """Lock of the thread that refreshes, exclusive among all processes."""

    def __init__(
        self, state: StateFolder, name: str = _LOCK, *, doing: str = "indexing", longest: float = PATIENCE
    ) -> None:
        """Create the lock. `doing`: what its holder does; `longest`: seconds to wait for it."""
        self._state = state
        self._name = name
        self._doing = doing
        self._longest = longest

    def of_bodies(self) -> RefreshLock:
        """Return the lock for reading bodies, which takes minutes."""
        return RefreshLock(self._state, _BODIES_LOCK, doing="reading bodies", longest=_BODIES_PATIENCE)

    @contextlib.contextmanager
    def held(self, report: Callable[[Progress], None], cancel: threading.Event | None) -> Iterator[bool]:
        """Waits for the lock; whether it had to. Raises Cancelled while it waits."""
        began = time.monotonic()
        with contextlib.ExitStack() as locked:
            waited = False
            while not self._take(locked):
                waited = True
                elapsed = time.monotonic() - began
                checkpoint(cancel, f"Cancelled while another process was {self._doing}.")
                if elapsed > self._longest or is_being_started():
                    break
                report(
                    Progress(phase=f"Another process is {self._doing}", done=0, total=None, elapsed=elapsed)
                )
                time.sleep(min(_MOST_EVERY, max(_EVERY, elapsed / 20)))
            yield waited

    def _take(self, locked: contextlib.ExitStack) -> bool:
        try:
            locked.enter_context(self._state.locked(self._name, timeout=0))
        except Busy:
            return False
        except CodeCortexError:
            # Where no lock can be made nobody else shares this state.
            return True
        return True


Report = Callable[[Progress], None]
_BODIES = 20.0
"""Seconds for which a command that asks once reads bodies; the next one goes on there."""
_PACKAGES = 10.0
"""The same for restored packages, which are read once a version on a machine."""


class WorkspaceIndex:
    """Index with refresh and search. `facade`: the index itself, for queries that need neither. Thread-safe."""

    def __init__(
        self,
        facade: Index,
        sharing: Sharing,
        lock: RefreshLock,
        *,
        usage: RecentUse,
        measures: Measures,
        recorder: Recorder,
        patience: float | None = None,
        turns: SharedTurns | None = None,
    ) -> None:
        """Create the service. `patience`: seconds for which an answer waits for dependencies, None for no limit,
        without background reading; `turns`: those of another service that refreshes the same index in this process."""
        self.facade = facade
        self.turns = turns if turns is not None else SharedTurns()
        self.patience = patience
        self._sharing = sharing
        self._lock, self._bodies_lock = lock, lock.of_bodies()
        self._usage = usage
        self._measures = measures
        self._recorder = recorder
        self._found_before: CachedAnswers[SearchAnswer] = CachedAnswers(lambda: facade.moment)
        facade.remember(usage.weights())

    def load(self) -> bool:
        """Load the stored index if there is one, unless that is done: then everything can be queried at once."""
        if self.facade.state in ("ready", "refreshing"):
            return True
        with self._measures.timed("index.load.ms"):
            return self.facade.load()

    def refresh(
        self, *, progress: Report | None = None, cancel: threading.Event | None = None
    ) -> tuple[TypeChange, ...]:
        """Bring the index up to date with the disk and notify subscribers; return what changed, type by type: nothing
        where another thread did it meanwhile. Where another process refreshes, wait and load its result. Raises
        Cancelled."""
        cancel = _job(None, cancel)[1]
        return self.turns.take(lambda: self._refresh(progress, cancel), cancel) or ()

    def _refresh(self, progress: Report | None, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        with (
            self._recorded("Bring the index up to date", progress, cancel) as work,
            self._measures.timed("index.refresh.ms"),
            self._lock.held(work.report, work.cancel) as waited,
        ):
            if waited and self.facade.state == "empty":
                self.facade.load()
            self._sharing.build_dependencies_first()
            return self._sharing.notify(self.facade.refresh(report=work.report, cancel=work.cancel))

    def relate(self, *, progress: Report | None = None, cancel: threading.Event | None = None) -> bool:
        """Works out which types name which, for outlines and ranking; quick where little has changed. Whether anything
        had. Raises Cancelled."""
        if self.is_related:
            return False  # asked for each type of a circle of thousands: to record it takes longer
        with (
            self._recorded("Work out dependencies", progress, cancel) as work,
            self._measures.timed("index.relate.ms"),
        ):
            return self.facade.dependencies.relate(report=work.report, cancel=work.cancel)

    def _recorded(
        self, title: str, progress: Report | None, cancel: threading.Event | None
    ) -> AbstractContextManager[RecordedWork]:
        report, cancel = _job(progress, cancel)
        return self._recorder("index", title, Job(report, cancel), after=LASTS)

    def read_bodies(self, *, progress: Report | None = None, cancel: threading.Event | None = None) -> bool:
        """Work out which types the bodies of types name, as far as that is not known, and before that read the
        declarations of restored packages. Return whether anything was not known. Raises Cancelled."""
        with self._recorded("Read bodies", progress, cancel) as work:
            if self.read_packages(cancel=work.cancel):
                self.relate(cancel=work.cancel)
            if not self.facade.graph().has_unread:
                return False
            with (
                self._bodies_lock.held(work.report, work.cancel),
                self._measures.timed("index.bodies.ms"),
            ):
                return self.facade.dependencies.read_bodies(report=work.report, cancel=work.cancel)

    def read_packages(self, *, cancel: threading.Event | None = None) -> bool:
        """Reads what restored packages declare, once a version on this machine; whether anything was not known. Raises
        Cancelled: what was read counts from the next refresh on."""
        _, cancel = _job(None, cancel)
        with self._measures.timed("index.packages.ms"):
            fresh = self.facade.read_packages(cancel=cancel)
        if fresh:
            self.refresh(cancel=cancel)
        return fresh

    def relate_for_window(self) -> None:
        """Works dependencies out, but for a person at a screen, who sees what is known and the rest when it is. A
        window that is handed over is whole."""
        if self.patience != 0.0:
            self.relate()

    def know_packages(self) -> None:
        """Read restored packages where no background thread does so, as far as that is fast."""
        if self.patience is None:
            with suppress(Cancelled):
                self.read_packages(cancel=Deadline(_PACKAGES))

    def relate_whole(self) -> None:
        """Compute dependencies and names in bodies, where no background thread does so, as far as that is fast."""
        self.relate()
        if self.patience is None:
            with suppress(Cancelled):
                self.read_bodies(cancel=Deadline(_BODIES))

    @property
    def is_related(self) -> bool:
        """Whether dependencies are ready, so that `relate` returns at once."""
        return self.facade.is_related

    def search(self, query: str, *, limit: int = 50) -> SearchAnswer:
        """Search as you type; an empty query lists recently used symbols."""
        began = time.perf_counter()
        with self._measures.timed("symbol.search.ms"):
            found = self._found_before.get((query, limit), lambda: self.facade.search(query, limit=limit))
        return msgspec.structs.replace(found, elapsed_ms=round((time.perf_counter() - began) * 1000, 2))

    def search_in_worker(self) -> None:
        """Searches in a process of its own from now on, where there are processors for two and it can be started: so
        searches of one client do not make the calls of another late."""
        if (os.cpu_count() or 1) > 1:
            self.facade.search_in_worker()

    def symbols(
        self, *, progress: Report | None = None, cancel: threading.Event | None = None
    ) -> Iterator[Symbol]:
        """Yield every symbol of the workspace, after computing how files affect each other's names. Raises
        Cancelled."""
        self.relate(progress=progress, cancel=cancel)
        yield from self.facade.symbols()

    def use(self, id_: str) -> None:
        """Counts a symbol as used now: it rises in searches, here and in other processes."""
        self._usage.note(id_)
        self.facade.remember(self._usage.weights())


def _job(progress: Report | None, cancel: threading.Event | None) -> tuple[Report, threading.Event | None]:
    """Return progress callback and cancel event: the given ones, else those of this thread's job."""
    job = current_job()
    return progress or job.progress or _silent, cancel if cancel is not None else job.cancel


def _silent(_: Progress) -> None:
    """Ignore a progress report."""
