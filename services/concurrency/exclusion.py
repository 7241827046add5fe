"""Mutual exclusion: values and work that one thread has at a time, work that calls share, and advisory locks on open
files."""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from services.concurrency.cancellation import checkpoint

T = TypeVar("T")
_LOOK = 0.1
"""Seconds after which a thread that waits looks whether it is cancelled."""


class Guarded(Generic[T]):
    """Value that threads use in turn: it is reachable only in a `with` block, of which one runs at a time. Not
    reentrant."""

    def __init__(self, value: T) -> None:
        self._value = value
        self._lock = threading.Lock()

    def __enter__(self) -> T:
        self._lock.acquire()
        return self._value

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class ExclusiveWork:
    """Work that one thread does at a time; others wait, and may be cancelled meanwhile, or do without it. Not
    reentrant."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        """Whether a thread is at work."""
        return self._lock.locked()

    @contextmanager
    def turn(
        self,
        cancel: threading.Event | None = None,
        *,
        message: str = "Cancelled while another thread was at work.",
        waiting: Callable[[], object] = lambda: None,
    ) -> Iterator[None]:
        """Wait until no other thread is at work; others wait for the block. `waiting`: called while this thread
        waits. Raises Cancelled, with that message."""
        while not self._lock.acquire(timeout=_LOOK):
            checkpoint(cancel, message)
            waiting()
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def attempt(self) -> Iterator[bool]:
        """Yield whether no other thread is at work, without waiting; if so, others wait for the block."""
        has_turn = self._lock.acquire(blocking=False)
        try:
            yield has_turn
        finally:
            if has_turn:
                self._lock.release()


class SharedTurns:
    """Work shared by threads: a caller that arrives during a run needs the next run, which one thread does for all
    that wait. Thread-safe."""

    def __init__(self) -> None:
        self._changing = threading.Condition()
        self._begun = 0
        self._ended = 0
        self._is_taken = False

    def take(self, work: Callable[[], T], cancel: threading.Event | None = None) -> T | None:
        """Do the work, or wait until another thread has that began after this call; the result, None for another
        thread's. Where the work of another fails, this thread does it. Raises Cancelled."""
        with self._changing:
            wanted = self._begun + 1
            while self._is_taken:
                self._changing.wait(_LOOK)
                checkpoint(cancel, "Cancelled while another call looked at the files.")
                if self._ended >= wanted:
                    return None
            if self._ended >= wanted:
                return None
            self._is_taken = True
            self._begun += 1
            own = self._begun
        try:
            result = work()
            with self._changing:
                self._ended = own
            return result
        finally:
            with self._changing:
                self._is_taken = False
                self._changing.notify_all()


_POLL = 0.02


def lock(descriptor: int, timeout: float | None = None, *, shared: bool = False) -> bool:
    """Whether the lock was had within `timeout` seconds (None: wait for ever; 0: only try). It ends with
    the descriptor. `shared`: others may have it too, as long as they share it. Raises OSError where the file system
    has no locks."""
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    if timeout is None:
        fcntl.flock(descriptor, kind)
        return True
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL)
        else:
            return True


def unlock(descriptor: int) -> None:
    """Release the lock without closing the file; no effect where it is not locked."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
