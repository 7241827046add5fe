"""Lock for one refresh of the index at a time, among all threads and processes of a workspace; a second one finds
the work done, and loads it from the store."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from services.concurrency.cancellation import checkpoint
from services.errors import Busy, CodeCortexError
from services.index.build.workers import is_being_started
from services.model import Progress
from services.workspace.state import StateFolder

PATIENCE = 120.0
"""Seconds after which a refresh goes on beside another: one that hangs must not hold up everybody for ever. Two at once
do the same work twice and harm nothing."""

_LOCK = "refresh"
_EVERY = 0.1


class RefreshLock:
    """Lock of the thread that refreshes, exclusive among all processes."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state

    @contextlib.contextmanager
    def held(self, report: Callable[[Progress], None], cancel: threading.Event | None) -> Iterator[bool]:
        """Waits for the lock; whether it had to. Raises Cancelled while it waits."""
        began = time.monotonic()
        with contextlib.ExitStack() as locked:
            waited = False
            while not self._take(locked):
                waited = True
                elapsed = time.monotonic() - began
                checkpoint(cancel, "Cancelled while another process was indexing.")
                if elapsed > PATIENCE or is_being_started():
                    break
                report(Progress(phase="Another process is indexing", done=0, total=None, elapsed=elapsed))
                time.sleep(_EVERY)
            yield waited

    def _take(self, locked: contextlib.ExitStack) -> bool:
        try:
            locked.enter_context(self._state.locked(_LOCK, timeout=0))
        except Busy:
            return False
        except CodeCortexError:
            # Where no lock can be made nobody else shares this state.
            return True
        return True
