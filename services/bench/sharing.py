"""Change notifications among the processes of a workspace; one of them watches the disk (SPEC section 6): the first
to come brings changes in; the others follow its bulletin, and one of them takes over when it goes.

What other processes write is brought in when the journal has it: the disk's own word of it takes longer, and reaches
processes that follow another one twice as late.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from services.bench.topics import INDEX, WATCHING, WRITES, StateWatch, files_of_topics
from services.concurrency.background import CoalescingWorker
from services.concurrency.cancellation import Deadline
from services.concurrency.exclusion import ExclusiveWork
from services.errors import Busy, Cancelled, CodeCortexError
from services.index.index import Index
from services.model import ChangeClass, Notice, Progress, TypeChange
from services.workspace.files.folders import OWN_IGNORE_FILE
from services.workspace.files.root import Root
from services.workspace.source_kinds import PROJECT_SUFFIXES, is_source
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.source.write.writer import Writer
    from services.workspace.watch import Batch, Watcher

LEADER = "indexer"
"""The lock whose holder watches the disk. It ends with its process, however that ends."""


class LeaderElection:
    """Leader election of the process that watches the disk. `tick` is to be called a few times a second, and
    applies changes on the caller's thread."""

    def __init__(
        self,
        state: StateFolder,
        *,
        watcher: Callable[[Callable[[Batch], None]], Watcher],
        bring: Callable[[Batch], None],
        publish: Callable[[Batch], None],
        news: Callable[[], Batch | None],
    ) -> None:
        """Create the election. `bring`: applies a batch to this process's index; `publish`: notifies other
        processes; `news`: returns the leader's changes since the last call, None for nothing."""
        self._state = state
        self._make_watcher = watcher
        self._bring = bring
        self._publish = publish
        self._news = news
        self._held = contextlib.ExitStack()
        self._watcher: Watcher | None = None
        self._changing = ExclusiveWork()  # leading begins in one thread and ends in another
        self._closed = False

    @property
    def is_leader(self) -> bool:
        """Whether this process is the one that watches the disk."""
        return self._watcher is not None

    @property
    def state(self) -> str:
        """`on`, `polling` or `lost` (services/workspace/watch.py) where this process watches; else `following`."""
        watcher = self._watcher
        return "following" if watcher is None else watcher.state

    def start(self) -> None:
        """Start as leader or follower. A new leader scans everything once more, since changes before the watch
        started were not seen."""
        if self._take_lead() and self._watcher is not None:
            self._watcher.look()

    def tick(self, *, indexed: bool) -> None:
        """Renew the election and apply the leader's changes. `indexed`: whether the stored index has changed at
        all."""
        if self.is_leader:
            return
        if self._take_lead():
            # What happened between the last batch of the one that is gone and now, nobody saw.
            from services.workspace.watch import Batch

            self._brought_in(Batch(everything=True))
        elif indexed and (batch := self._news()) is not None:
            self._bring(batch)

    def close(self) -> None:
        """Stop, and release the leadership."""
        with self._changing.turn():
            self._closed = True
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.close()
        self._held.close()

    def _take_lead(self) -> bool:
        with self._changing.turn():
            if self._closed:
                return False
            try:
                self._held.enter_context(self._state.locked(LEADER, timeout=0))
            except Busy:
                return False
            except CodeCortexError:
                # Where no lock can be had, nobody else can see this state either.
                pass
            self._watcher = self._make_watcher(self._brought_in)
            self._watcher.start()
            return True

    def _brought_in(self, batch: Batch) -> None:
        self._bring(batch)
        with contextlib.suppress(CodeCortexError):
            self._publish(batch)


Subscriber = Callable[[tuple[TypeChange, ...]], None]
TopicSubscriber = Callable[[frozenset[str]], None]

_RELATES_FOR = 3.0
"""Seconds for which changes wait until dependencies are worked out."""
_IGNORE_FILES = (".gitignore", OWN_IGNORE_FILE)

T = TypeVar("T")


class Subscribers(Generic[T]):
    """Subscribers to one kind of event. `host`: where they subscribe until this is closed. Thread-safe."""

    def __init__(self, host: Subscribers[T] | None = None) -> None:
        self._host = host
        self._callbacks: dict[object, Callable[[T], None]] = {}
        self._stops: list[Callable[[], None]] = []

    def subscribe(self, callback: Callable[[T], None]) -> Callable[[], None]:
        """Subscribe a callback; return the function that unsubscribes it."""
        if self._host is not None:
            self._stops.append(self._host.subscribe(callback))
            return self._stops[-1]
        key = object()
        self._callbacks[key] = callback

        def unsubscribe() -> None:
            self._callbacks.pop(key, None)

        return unsubscribe

    def __bool__(self) -> bool:
        """Return whether there are subscribers."""
        return bool(self._callbacks if self._host is None else self._host)

    def notify(self, told: T) -> None:
        """Notify all subscribers in turn, those of the host too."""
        if self._host is not None:
            self._host.notify(told)
        for callback in tuple(self._callbacks.values()):  # others come and go meanwhile
            callback(told)

    def close(self) -> None:
        """Unsubscribe everybody from the host."""
        for stop in self._stops:
            stop()


_NO_WATCHES = Notice(
    severity="warning",
    message="The system has no watches left: changes in some folders are seen up to half a minute late.",
    what_to_do="Raise fs.inotify.max_user_watches and fs.inotify.max_user_instances.",
)
_FOLDER_GONE = Notice(
    severity="warning",
    message="The folder is gone, or another lies in its place: what is shown was read before.",
    what_to_do="Put it back, and it is followed again; or start again on the folder that is meant.",
)


class Sharing:
    """Change notifications of one process. `changes`: subscribers to the types that changed, except for layout and
    comments; `edits`: to all changes; `topics`: to what (services/bench/topics.py) this or another process
    changed, on a thread of its own, once `listen` was called; `coalesced`: a slower thread after that, for
    callbacks that take time."""

    def __init__(
        self,
        root: Root,
        state: StateFolder,
        index: Index,
        *,
        refresh: Callable[[], Any],
        host: Sharing | None = None,
    ) -> None:
        """Create the notifications. `refresh`: refreshes the whole index, and notifies; `host`: those of the service
        whose index this one uses, which follows the disk."""
        self._root = root
        self._state = state
        self._index = index
        self._refresh = refresh
        self._host = host
        self._election: LeaderElection | None = None
        # Made at once: what others, or this process, change before it looks for the first time is told then.
        self._watch = StateWatch(files_of_topics(state), self._looked)
        # Bringing files in takes a while: who did what is told before, and what comes next meanwhile.
        self._worker = CoalescingWorker(self._follow)
        self._notices: tuple[Notice, ...] = ()
        self._told_state = ""
        self._watches = False
        self.changes: Subscribers[tuple[TypeChange, ...]] = Subscribers(host.changes if host else None)
        self.edits: Subscribers[tuple[TypeChange, ...]] = Subscribers(host.edits if host else None)
        self.topics: Subscribers[frozenset[str]] = Subscribers()
        self.coalesced: Subscribers[frozenset[str]] = Subscribers()

    @property
    def state(self) -> str:
        """How the disk is followed: off, following (another process), or as services/workspace/watch.py has it."""
        if self._host is not None and self._watches:
            return self._host.state
        return self._election.state if self._election is not None else "off"

    @property
    def is_leader(self) -> bool:
        """Whether this process is the one of its workspace that indexes."""
        return self.state != "following"

    def subscribe(self, callback: Subscriber, *, cosmetic: bool = False) -> Callable[[], None]:
        """Calls back with what each refresh changed, on the refreshing thread; returns how to stop. `cosmetic`: also
        with types of which nothing but layout or comments did, for whoever shows lines."""
        return (self.edits if cosmetic else self.changes).subscribe(callback)

    def notices(self) -> tuple[Notice, ...]:
        """That there is no folder to follow; else why the last changes could not be brought in, if they could not, and
        that some are seen late."""
        state = self.state
        if state == "lost":
            return (_FOLDER_GONE,)
        return (*self._notices, _NO_WATCHES) if state == "short" else self._notices

    def watch(self) -> None:
        """Begins to follow. Does nothing where it is done already."""
        if self._watches:
            return
        self._watches = True
        if self._host is None:
            self._follow_disk()
        self._told_state = self.state
        self.listen()

    def _follow_disk(self) -> None:
        from services.workspace.watch import Watcher

        self._election = LeaderElection(
            self._state,
            watcher=lambda brought: Watcher(
                self._root.path, brought, in_place=self._root.is_in_place, matters=_matters
            ),
            bring=self._apply,
            publish=lambda batch: self._index.bulletin.add(None if batch.everything else batch.paths),
            news=self._news,
        )
        self._election.start()

    def listen(self) -> None:
        """Begins to hear of state files alone, which needs no index. Does nothing where it is done already."""
        self._watch.start()

    def close(self) -> None:
        """Follows no more."""
        self.changes.close()
        self.edits.close()
        self._watch.close()
        self._worker.close()
        if self._election is not None:
            self._election.close()

    def notify(self, changes: tuple[TypeChange, ...]) -> tuple[TypeChange, ...]:
        """Notify subscribers, unless nothing changed; return the changes."""
        if changes:
            self.edits.notify(changes)
        if telling := tuple(each for each in changes if each.change is not ChangeClass.COSMETIC):
            self.changes.notify(telling)
        return changes

    def build_dependencies_first(self) -> None:
        """Compute missing dependencies before changes are applied: they determine what becomes stale, and every
        process has to report equal results."""
        if self.changes and self._index.state in ("kept", "ready") and not self._index.is_related:
            with suppress(Cancelled):
                self._index.dependencies.relate(cancel=Deadline(_RELATES_FOR))

    def apply_changes(self, paths: Collection[str]) -> None:
        """Brings files in that are known to have changed."""
        from services.workspace.watch import Batch

        if self._election is None:
            return  # the index is still being made, and reads every file
        if matter := {path for path in paths if _matters(path)}:
            self._apply(Batch(paths=matter))

    def _looked(self, topics: frozenset[str]) -> None:
        """State files were looked at."""
        if self.state != self._told_state:
            self._told_state = self.state
            topics |= {WATCHING}
        if topics:
            self.topics.notify(topics)
        following = self._election
        if topics or (following is not None and not following.is_leader):
            self._worker.submit(topics)

    def _follow(self, topics: frozenset[str]) -> None:
        """Brings in what others did, and looks after the lead."""
        if topics:
            self.coalesced.notify(topics)
        if self._election is not None:
            self._election.tick(indexed=INDEX in topics)

    def _news(self) -> Batch | None:
        from services.workspace.watch import Batch

        paths = self._index.bulletin.news()
        if paths is None:
            return Batch(everything=True)
        return Batch(paths=set(paths)) if paths else None

    def _apply(self, batch: Batch) -> None:
        """Apply a batch. Errors, including faults of the program, are added to `notices`, and do not end the
        thread: the next batch or scan retries."""
        try:
            if batch.everything or not all(map(is_source, batch.paths)):
                self._refresh()
            else:
                self.build_dependencies_first()
                self.notify(self._index.update(batch.paths, report=_silent, cancel=None))
        except Exception as error:  # noqa: BLE001 - see above
            why = error.message if isinstance(error, CodeCortexError) else f"{type(error).__name__}: {error}"
            message = f"Changes on disk could not be followed: {why}"
            self._notices = (Notice(severity="warning", message=message, what_to_do="Refresh (r)."),)
        else:
            self._notices = ()


def _matters(path: str) -> bool:
    return (
        is_source(path) or path.lower().endswith(PROJECT_SUFFIXES) or path.rpartition("/")[2] in _IGNORE_FILES
    )


def _silent(_: Progress) -> None:
    """Ignore a progress report."""


class RemoteWrites:
    """Hears of topics on one thread. Every write is brought in once."""

    def __init__(self, writer: Callable[[], Writer], bring: Callable[[Collection[str]], object]) -> None:
        self._writer = writer
        self._bring = bring
        self._since = time.time_ns() // 1_000_000
        self._known: frozenset[int] = frozenset()

    def on_topics(self, topics: frozenset[str]) -> None:
        """Apply other processes' writes, where there are any. Files that cannot be read now are retried with the
        disk event."""
        if WRITES not in topics:
            return
        try:
            found = self._writer().written_by_others(since=self._since)
        except CodeCortexError:
            return
        files = {file for entry in found if entry.group not in self._known for file in entry.files}
        self._known = frozenset(entry.group for entry in found)
        if files:
            self._bring(files)
