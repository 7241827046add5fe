"""File changes gathered into batches: a hint to look, never the truth (SAFETY, The watcher is a hint).

The watching library reports two things only in its log or not at all: that the system's queue of events overflowed
and some were lost; and that the kernel has no watches left, so that folders are not watched."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import msgspec
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from services.concurrency.background import daemon_thread
from services.workspace.files.openers import SHARED_FOLDER, STATE_FOLDER

_IN_MODIFY = 0x2
_CLOEXEC = os.O_CLOEXEC
_RAN_OUT = (errno.ENOSPC, errno.EMFILE)


def watches_left(folder: Path) -> bool:
    """Whether one more folder could be watched, tested by watching `folder` briefly. True where the system does not
    count (anything but Linux)."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "inotify_init1"):
        return True
    descriptor = library.inotify_init1(_CLOEXEC)
    if descriptor < 0:
        return ctypes.get_errno() not in _RAN_OUT
    try:
        watch = library.inotify_add_watch(descriptor, os.fsencode(folder), _IN_MODIFY)
        return watch >= 0 or ctypes.get_errno() not in _RAN_OUT
    finally:
        os.close(descriptor)


_LIBRARY = logging.getLogger("watchdog.observers")
_SAYS = "overflow"
_WARNS = "Callback with id"


class LostEvents(logging.Handler):
    """Log handler that calls `lost` when the library reports lost events, from `listen` until `leave`. While a
    listener exists, no log message reaches the terminal, which a screen owns."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def listen(self) -> None:
        """Begins."""
        _LIBRARY.addHandler(self)
        # Folders that come together are watched with the first of them, and again, by the same callback, as each is
        # reported: the library warns of that, and of the like as they go, on stderr.
        warnings.filterwarnings("ignore", message=_WARNS, category=RuntimeWarning, module="watchdog")

    def leave(self) -> None:
        """Ends; a second call does nothing."""
        _LIBRARY.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a log message of the library."""
        if _SAYS in record.getMessage():
            self._lost()


LONGEST = 0.8
"""Seconds from the first event of a batch to its end, at most (SPEC section 6)."""

QUIET = 0.12
"""Seconds without an event that end a batch early."""

RESCAN_EVERY = 300.0
"""Seconds after which everything is looked at again in any case; a tenth of it while watching is impaired, and once
after events were lost."""

LOOK_EVERY = 1.0
"""Seconds between two looks at whether the root is still there: its own going makes no event."""

_MANY = 2_000  # past so many paths in a batch looking at everything is quicker
_GIT_TELLS = ("HEAD", "index", "packed-refs")
# Reads make events too: without a filter the watcher of a large tree drowns in those of our own reading.
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]


class Batch(msgspec.Struct):
    """Batch of changes: `paths` relative to the root, with `/`; `everything` where the paths are unknown."""

    paths: set[str] = msgspec.field(default_factory=set)
    everything: bool = False


class Watcher:
    """Watches a folder until it is closed. `on_batch` is called on the watcher's own thread, one batch at a time.

    `state`: `on`; `short` (the system had no watches left, so some folders may have none); `polling` (no native
    watching to be had here); `lost` (the root is gone, or another folder lies there; it is looked for)."""

    def __init__(
        self,
        root: Path,
        on_batch: Callable[[Batch], None],
        *,
        in_place: Callable[[], bool] | None = None,
        matters: Callable[[str], bool] = lambda _: True,
        left: Callable[[Path], bool] = watches_left,
    ) -> None:
        """`in_place`: whether the folder is still the one that is meant (default: whether there is one); `matters`:
        whether a change of a path (relative) counts; `left`: whether the system has watches left."""
        self._root = root
        self._on_batch = on_batch
        self._in_place = in_place or root.is_dir
        self._matters = matters
        self._left = left
        # The thread of the watch library hands over to the one that reports.
        self._wake = threading.Condition()
        self._batch = Batch()
        self._first = self._last = 0.0
        self._closed = False
        self._observer: BaseObserver | None = None
        self._shaken = False
        self._log = LostEvents(self._lost)
        self.state = "on"
        # Waited for at the end, unless it ends the watch itself.
        self._thread = daemon_thread(self._run, name="watcher")

    def start(self) -> None:
        """Begins watching."""
        self._log.listen()
        self._observe()
        self._thread.start()

    def close(self) -> None:
        """Stops watching; a batch under way is not delivered."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._unobserve()
        self._log.leave()  # while its threads end, the library may log that its watches are already gone
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def look(self) -> None:
        """Has everything looked at, soon."""
        with self._wake:
            self._gather("", everything=True)

    # Events

    def note(self, path: str | bytes, *, folder: bool = False) -> None:
        """An event about a path, absolute. Called by the observer's thread."""
        relative = self._relative(path if isinstance(path, str) else path.decode("utf-8", "surrogateescape"))
        if relative is None:
            return
        everything = relative == "" or folder
        if relative.startswith(".git/"):
            everything = relative.removeprefix(".git/") in _GIT_TELLS
            if not everything:
                return
        elif not everything and not self._matters(relative):
            return
        with self._wake:
            self._gather(relative, everything=everything)

    def _lost(self) -> None:
        """Events were lost. What changes before the library watches all folders again may be lost too: everything is
        looked at now, and soon once more."""
        with self._wake:
            self._shaken = True
            self._gather("", everything=True)

    def _gather(self, relative: str, *, everything: bool) -> None:
        now = time.monotonic()
        if not self._batch.paths and not self._batch.everything:
            self._first = now
        self._last = now
        if everything:
            self._batch.everything = True
        elif len(self._batch.paths) < _MANY:
            self._batch.paths.add(relative)
        else:
            self._batch.everything = True
        self._wake.notify()

    def _relative(self, path: str) -> str | None:
        prefix = f"{self._root}/"
        if path == str(self._root):
            return ""
        if not path.startswith(prefix):
            return None
        relative = path[len(prefix) :]
        is_own = relative.split("/", 1)[0] == SHARED_FOLDER or f"/{STATE_FOLDER}/" in f"/{relative}/"
        return None if is_own else relative

    # The thread

    def _run(self) -> None:
        looked = time.monotonic()
        while not self._closed:
            batch = self._next(looked)
            if batch is None:
                return
            if batch.everything:
                # New folders want watches, and folders without any are why everything is looked at often.
                self._look_after_watches()
                looked = time.monotonic()
            self._on_batch(batch)

    def _next(self, looked: float) -> Batch | None:
        """The next batch that is due, or None once closed."""
        with self._wake:
            while not self._closed:
                now = time.monotonic()
                due = self._due(now, looked)
                if due <= now:
                    batch, self._batch = self._batch, Batch()
                    if not batch.paths:
                        self._shaken = self._shaken and batch.everything
                        batch.everything = True
                    return batch
                self._wake.wait(min(due - now, LOOK_EVERY))
                self._look_after_root()
        return None

    def _due(self, now: float, looked: float) -> float:
        rest = RESCAN_EVERY if self.state == "on" and not self._shaken else RESCAN_EVERY / 10
        due = looked + rest
        if self._batch.paths or self._batch.everything:
            due = min(due, self._first + LONGEST, self._last + QUIET)
        return max(due, now) if due > now else due

    def _look_after_root(self) -> None:
        """Watch a root again that was away."""
        there = self._in_place()
        if self.state == "lost" and there:
            self._observe()
            self._gather("", everything=True)
        elif self.state != "lost" and not there:
            self.state = "lost"
            self._unobserve()
            self._gather("", everything=True)

    def _look_after_watches(self) -> None:
        """Folders that got no watch get one as soon as there are some."""
        if self.state == "on" and not self._left(self._root):
            self.state = "short"
        elif self.state == "short" and self._left(self._root):
            self._unobserve()
            self._observe()

    def _observe(self) -> None:
        handler = _Handler(self)
        for make, state in ((Observer, "on"), (PollingObserver, "polling")):
            observer = make()
            try:
                observer.schedule(handler, str(self._root), recursive=True, event_filter=_EVENTS)
                observer.start()
            except OSError:
                continue
            if state == "on" and not self._left(self._root):
                state = "short"
            self._observer, self.state = observer, state
            return
        self.state = "lost"

    def _unobserve(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.unschedule_all()
            observer.stop()


class _Handler(FileSystemEventHandler):
    """An atomic save arrives as a move: both ends are noted."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def on_any_event(self, event: FileSystemEvent) -> None:
        folder = event.is_directory and event.event_type in ("moved", "deleted", "created")
        self._watcher.note(event.src_path, folder=folder)
        if event.dest_path:
            self._watcher.note(event.dest_path, folder=folder)
