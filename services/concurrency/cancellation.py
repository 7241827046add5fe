"""Context of a call: the job that a thread works on, and cooperative cancellation: long work calls `checkpoint`
where it may end or rest.

A call may come to wait far below where it was made, for the index or for the dependencies, and its caller wants to
know how far that is, and may give up.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

from services.errors import Cancelled
from services.model import Progress


class BackgroundCancel(threading.Event):
    """Cancellation event of background work, which can also be paused: while paused, the work rests at its
    checkpoints and leaves the processor to others. `patience`: the most seconds that the work rests in all."""

    def __init__(self, *, patience: float = math.inf) -> None:
        super().__init__()
        self.patience = patience
        self._until = 0.0

    def pause(self, seconds: float) -> None:
        """The job rests for so long from now on, unless it is to end before."""
        self._until = time.monotonic() + seconds

    def wait_while_paused(self) -> None:
        """Wait while paused, until the maximum pause is over or the event is set."""
        while not self.is_set() and (left := min(self._until - time.monotonic(), self.patience)) > 0:
            began = time.monotonic()
            self.wait(left)
            self.patience -= time.monotonic() - began


class Deadline(threading.Event):
    """Cancellation event that is set once `seconds` have passed on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._ends = time.monotonic() + seconds

    def is_set(self) -> bool:
        """Whether it is time, or somebody wished it before."""
        return super().is_set() or time.monotonic() >= self._ends


class AnyCancel(threading.Event):
    """Cancellation event that is set as soon as any of several is. Supports `is_set`, not `wait`."""

    def __init__(self, *wishes: threading.Event | None) -> None:
        super().__init__()
        self._wishes = [each for each in wishes if each is not None]

    def join(self, wish: threading.Event | None) -> None:
        """Counts one more."""
        if wish is not None:
            self._wishes.append(wish)

    def is_set(self) -> bool:
        """Whether any of them is set."""
        return super().is_set() or any(each.is_set() for each in self._wishes)

    def wait_while_paused(self) -> None:
        """Waits while one of them lets the job rest."""
        for each in self._wishes:
            if isinstance(each, BackgroundCancel):
                each.wait_while_paused()


def checkpoint(cancel: threading.Event | None, message: str) -> None:
    """A place in long work where it rests if others go first, and ends if it is to. Raises Cancelled, with that
    message."""
    if isinstance(cancel, BackgroundCancel | AnyCancel):
        cancel.wait_while_paused()
    if cancel is not None and cancel.is_set():
        raise Cancelled(message)


T = TypeVar("T")


def until(cancel: threading.Event | None, items: Iterable[T], *, message: str, every: int = 1) -> Iterator[T]:
    """The items, with a checkpoint before one of `every` so many. Raises Cancelled, with that message."""
    for number, item in enumerate(items):
        if not number % every:
            checkpoint(cancel, message)
        yield item


class Job(NamedTuple):
    """Context of a job. `progress` is called on the working thread; setting `cancel` ends the work with Cancelled;
    `yield_slot` is entered on the working thread while it waits for something outside this process, and yields
    whether another job may run meanwhile."""

    progress: Callable[[Progress], None] | None = None
    cancel: threading.Event | None = None
    yield_slot: Callable[[], AbstractContextManager[bool]] = lambda: nullcontext(True)


_NONE = Job()
_JOB: ContextVar[Job] = ContextVar("job", default=_NONE)


@contextmanager
def job(
    progress: Callable[[Progress], None] | None,
    cancel: threading.Event | None,
    yield_slot: Callable[[], AbstractContextManager[bool]] = _NONE.yield_slot,
) -> Iterator[None]:
    """Make a job the current one of this thread for the block."""
    token = _JOB.set(Job(progress, cancel, yield_slot))
    try:
        yield
    finally:
        _JOB.reset(token)


def current_job() -> Job:
    """Return the current job of this thread, or a job without listeners where none was begun."""
    return _JOB.get()


def report_job(progress: Progress) -> None:
    """Report progress of the current job. Raises Cancelled where the job was cancelled."""
    job_checkpoint()
    report = _JOB.get().progress
    if report is not None:
        report(progress)


def job_checkpoint() -> None:
    """Checkpoint of the current job. Raises Cancelled where the job was cancelled."""
    checkpoint(_JOB.get().cancel, "Whoever called has given up.")
