"""The job that a thread works on: a call may come to wait far below where it was made, for the index or for the
dependencies, and its caller wants to know how far that is, and may give up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import NamedTuple

from services.concurrency.cancellation import checkpoint
from services.model import Progress


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
