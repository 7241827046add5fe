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
    """`progress` is told on the working thread; setting `cancel` ends the work with Cancelled; `yield_slot` is entered
    on the working thread while it waits for what is outside of this process, and says whether there is room to."""

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
    """What this thread does in the block is for that job."""
    token = _JOB.set(Job(progress, cancel, yield_slot))
    try:
        yield
    finally:
        _JOB.reset(token)


def current_job() -> Job:
    """The job of this thread; one that nobody follows, where none was begun."""
    return _JOB.get()


def report_job(progress: Progress) -> None:
    """Says how far the work is that this thread does. Raises Cancelled where whoever follows it has given up."""
    job_checkpoint()
    report = _JOB.get().progress
    if report is not None:
        report(progress)


def job_checkpoint() -> None:
    """A checkpoint of the work that this thread does. Raises Cancelled where whoever follows it has given up."""
    checkpoint(_JOB.get().cancel, "Whoever called has given up.")
