"""Background saving of the index after changes, so that other processes do not have to read every file's row at
their start."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from services.bench.sync.sharing import Subscriber
from services.concurrency.cancellation import BackgroundCancel
from services.concurrency.debouncer import Debouncer
from services.errors import CodeCortexError
from services.index.index import Index

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
