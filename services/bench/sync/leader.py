"""Following the disk, once among all processes of a workspace (SPEC section 6): the first to come watches it and brings
changes in; the others follow its bulletin, and one of them takes over when it goes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from services.errors import Busy, CodeCortexError
from services.workspace.state import StateFolder
from services.workspace.watch import Batch, Watcher

LEADER = "indexer"
"""The lock whose holder watches the disk. It ends with its process, however that ends."""

Bring = Callable[[Batch], None]
MakeWatcher = Callable[[Callable[[Batch], None]], Watcher]


class LeaderElection:
    """Leader election of the process that watches the disk. `tick` is to be called a few times a second, and
    applies changes on the caller's thread."""

    def __init__(
        self,
        state: StateFolder,
        *,
        watcher: MakeWatcher,
        bring: Bring,
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
        self._changing = threading.Lock()  # leading begins in one thread and ends in another
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
            self._brought_in(Batch(everything=True))
        elif indexed and (batch := self._news()) is not None:
            self._bring(batch)

    def close(self) -> None:
        """Stop, and release the leadership."""
        with self._changing:
            self._closed = True
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.close()
        self._held.close()

    def _take_lead(self) -> bool:
        with self._changing:
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
