"""One workspace and its index: what is at hand as soon as it is opened."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import msgspec

from services.bench.sync.refresh_lock import Turns
from services.bench.sync.sharing import Sharing, Subscriber, TopicSubscriber
from services.bench.window.usage import Usage
from services.concurrency.cached_answers import KeptAnswers
from services.concurrency.job_context import follower
from services.index.index import Index
from services.measures import Measures
from services.model import Progress, SearchAnswer, TypeChange
from services.settings import Settings
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

IndexedT = TypeVar("IndexedT", bound="Indexed")
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a workspace is opened, as `Bench.open` has it. `start`: the solution or project file that was named."""

    settings: Settings
    start: str | None
    in_process: bool
    lasting: bool
    patience: float | None


class Indexed:
    """The index of a workspace, followed and shared. Every method blocks and may be called from any thread."""

    def __init__(self, root: Root, opening: Opening) -> None:
        start, settings = opening.start, opening.settings
        self.making = threading.RLock()
        self._root = root
        self._state = StateFolder.open(root)
        self.settings = settings
        self.root = root.path
        self.name = Path(start).stem if start else root.path.name
        self.measures = Measures(self._state)
        self._turns = Turns(self._state)
        self._usage = Usage(self._state)
        self._index = Index(root, self._state, settings=settings.index, start=start)
        self._index.remember(self._usage.weights())
        self._sharing = Sharing(self.root, self._state, self._index, refresh=self.refresh)
        self._opening = opening
        # A person at a screen does not wait for dependencies to be worked out; whoever asks once does.
        self._patience = opening.patience if opening.in_process else 0.0
        self._found_before: KeptAnswers[SearchAnswer] = KeptAnswers(lambda: self._index.moment)

    @property
    def state(self) -> StateFolder:
        """The program's own files of this workspace."""
        return self._state

    def load(self) -> bool:
        """Takes the kept index if there is one: then everything can be asked at once."""
        with self.measures.timed("index.load.ms"):
            return self._index.load()

    def refresh(
        self,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> tuple[TypeChange, ...]:
        """Brings the index up to date with the disk and tells subscribers. Where another process is at it, waits and
        takes what it made. Raises Cancelled."""
        report, cancel = heard(progress, cancel)
        with self.measures.timed("index.refresh.ms"), self._turns.turn(report, cancel) as waited:
            if waited and self._index.state == "empty":
                self._index.load()
            self._sharing.relate_first()
            return self._sharing.tell(self._index.refresh(report=report, cancel=cancel))

    def reading(self) -> AbstractContextManager[object]:
        """Everything this thread asks of the index within it is of one revision, unless it refreshes itself."""
        return self._index.reading()

    def sum_up(self) -> None:
        """Makes what the first outline would wait for, once `relate` is done."""
        self._index.sum_up()

    def relate(
        self,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> bool:
        """Works out which types name which, for outlines and ranking; quick where little has changed. Whether anything
        had. Raises Cancelled."""
        report, cancel = heard(progress, cancel)
        with self.measures.timed("index.relate.ms"):
            return self._index.relate(report=report, cancel=cancel)

    def read_bodies(self, *, cancel: threading.Event | None = None) -> bool:
        """Works out which types the bodies of types name, as far as that is not known: nobody waits for it. Whether
        anything was not. Raises Cancelled."""
        _, cancel = heard(None, cancel)
        with self.measures.timed("index.bodies.ms"):
            return self._index.read_bodies(cancel=cancel)

    @property
    def is_related(self) -> bool:
        """Whether nobody has to wait for `relate`."""
        return self._index.is_related

    def _relate_for_window(self) -> None:
        """`relate`, but for a person at a screen, who sees what is known and the rest when it is. A window that is
        handed over is whole."""
        if self._patience != 0.0:
            self.relate()

    def _leads(self) -> bool:
        """Whether this process is the one of its workspace that indexes."""
        return self._sharing.state != "following"

    def subscribe(self, callback: Subscriber, *, cosmetic: bool = False) -> Callable[[], None]:
        """Calls back with what each refresh changed, on the refreshing thread; returns how to stop. `cosmetic`: also
        with types of which nothing but layout or comments did, for whoever shows lines."""
        sharing = self._sharing
        return (sharing.edits if cosmetic else sharing.changes).subscribe(callback)

    def on_shared(self, callback: TopicSubscriber) -> Callable[[], None]:
        """Calls back with the topics (services/bench/sync/topics.py) that this or another process changed, on a
        thread of its own, once `watch` was called; returns how to stop."""
        return self._sharing.topics.subscribe(callback)

    def use(self, id_: str) -> None:
        """Counts a symbol as used now: it rises in searches, here and in other processes."""
        self._usage.note(id_)
        self._index.remember(self._usage.weights())

    def search(self, query: str, *, limit: int = 50) -> SearchAnswer:
        """As-you-type search; an empty query lists what was recently used."""
        began = time.perf_counter()
        with self.measures.timed("symbol.search.ms"):
            found = self._found_before.get((query, limit), lambda: self._index.search(query, limit=limit))
        return msgspec.structs.replace(found, elapsed_ms=round((time.perf_counter() - began) * 1000, 2))


def of_one_revision(method: Callable[Concatenate[IndexedT, P], T]) -> Callable[Concatenate[IndexedT, P], T]:
    """All that a method asks of the index is of one revision."""

    @wraps(method)
    def asked(self: IndexedT, *arguments: P.args, **named: P.kwargs) -> T:
        with self.reading():
            return method(self, *arguments, **named)

    return asked


def heard(
    progress: Callable[[Progress], None] | None, cancel: threading.Event | None
) -> tuple[Callable[[Progress], None], threading.Event | None]:
    """Who is told and who may end it: those who are named, else whoever follows this thread."""
    follows = follower()
    return progress or follows.progress or silent, cancel if cancel is not None else follows.cancel


def silent(_: Progress) -> None:
    """A report nobody reads."""
