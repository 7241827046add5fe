"""Worker threads that run jobs one at a time, extending the lease of each while it runs."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from services.concurrency.background import daemon_thread, start_thread
from services.concurrency.exclusion import Guarded
from services.errors import Busy, Cancelled, CodeCortexError, ReadOnly
from services.model import Progress
from services.ops.jobs import LEASE, Claim, Ending, JobQueue, LeaseLost, Op, OpProgress

Handler = Callable[["Run"], Any]
"""Does the work of one kind of job and returns its result, a JSON value. Raises Cancelled where `Run.cancel` is set."""

_REPORT_EVERY = 0.25
_HEARTBEAT = 0.5
"""Seconds between two renewals of a lease, at most: so soon a worker hears that its job is to end."""
_LOOK_AGAIN = 0.2
_MOST_WAITING = 16
"""Jobs that wait for a person, for each of which there is a further thread."""
_POLL = 2.0
"""Seconds between two polls of the queue without a notification."""


class Run:
    """Attempt at a job, as its handler sees it. `cancel` is set when the job is to end: because it was cancelled, or
    because the claim was lost. `result`: the result of the attempt."""

    def __init__(
        self,
        jobs: JobQueue,
        claim: Claim,
        cancel: threading.Event,
        held: Callable[[bool], object] = lambda _: None,
    ) -> None:
        """Take over a claim.

        `held`: told when the job begins to wait for a person, and when no more."""
        self._jobs = jobs
        self._claim = claim
        self._held = held
        self._is_waiting = False
        self._steps = jobs.recorded(claim)
        self.cancel = cancel
        self.result: Any = None
        self._reported = 0.0
        self._phase = ""

    @property
    def op(self) -> Op:
        """The job as it was when it was claimed."""
        return self._claim.op

    @property
    def payload(self) -> Any:
        """Return the payload of the job."""
        return self._claim.payload

    def checkpoint(self) -> None:
        """Raises Cancelled once the job is to end."""
        if self.cancel.is_set():
            raise Cancelled(f"{self.op.title} was cancelled.")

    def step(self, name: str, act: Callable[[], Any]) -> Any:
        """The result of `act`, a JSON value; that of an earlier attempt, where it is recorded. Raises Cancelled,
        LeaseLost, and what `act` does."""
        if name not in self._steps:
            self.checkpoint()
            result = act()
            # What was done is not done again because the database was away for a moment.
            insist(lambda: self._jobs.record(self._claim, name, result), self.cancel)
            self._steps[name] = result
        return self._steps[name]

    def tell(self, kind: str, text: str, refs: Sequence[str] = ()) -> None:
        """Add an event."""
        self._jobs.tell(self._claim, kind, text, refs)

    def progress(self, done: int, total: int | None = None, phase: str = "") -> None:
        """Report progress."""
        self._jobs.progress(self._claim, OpProgress(done=done, total=total, phase=phase))

    def report(self, progress: Progress) -> None:
        """Report progress, at most a few times a second; each new phase is an event."""
        if progress.phase != self._phase:
            self._phase = progress.phase
            self.tell("phase", progress.phase)
        now = time.monotonic()
        if now - self._reported >= _REPORT_EVERY:
            self._reported = now
            self.progress(progress.done, progress.total, progress.phase)

    def hold(self, *, is_waiting: bool) -> None:
        """Report whether the job waits for a person."""
        self._jobs.hold(self._claim, is_waiting=is_waiting)
        self.wait(is_waiting=is_waiting)

    def wait(self, *, is_waiting: bool) -> None:
        """Report to the worker whether the job waits."""
        if is_waiting != self._is_waiting:
            self._is_waiting = is_waiting
            self._held(is_waiting)

    def spend(self, tokens: int) -> None:
        """Add to the tokens that the job has used."""
        self._jobs.spend(self._claim, tokens)


def work(
    jobs: JobQueue,
    claim: Claim,
    handler: Handler,
    *,
    lease: float = LEASE,
    stop: threading.Event | None = None,
    held: Callable[[bool], object] = lambda _: None,
) -> None:
    """Do one claimed job; the options are those of `attempt`."""
    with contextlib.suppress(Exception), attempt(jobs, claim, lease=lease, stop=stop, held=held) as run:
        run.result = handler(run)


@contextlib.contextmanager
def attempt(
    jobs: JobQueue,
    claim: Claim,
    *,
    lease: float = LEASE,
    stop: threading.Event | None = None,
    held: Callable[[bool], object] = lambda _: None,
) -> Iterator[Run]:
    """Attempt a claimed job, whose lease is extended for the length of the block; an exception of the block decides
    how the attempt ended, and propagates. `stop`: this process is to end; the job is given back, and the next worker
    continues from the recorded steps. `held`: as `Run`."""
    over = threading.Event()
    run = Run(jobs, claim, threading.Event(), held)
    keeping = start_thread(_keep, jobs, claim, run.cancel, over, lease, stop, name="lease")
    ending = Ending(is_cancelled=True)
    try:
        yield run
        ending = Ending(result=run.result)
    except (Cancelled, LeaseLost):
        ending = Ending(is_given_back=stop is not None and stop.is_set(), is_cancelled=True)
        raise
    except CodeCortexError as error:
        ending = Ending(error=error.as_value(), again=error.retry)
        raise
    except Exception as error:
        # A fault in one job must not end the worker, nor be lost.
        ending = Ending(
            error={"code": "InternalError", "message": f"{type(error).__name__}: {error}"}, again=True
        )
        raise
    finally:
        over.set()
        run.wait(is_waiting=False)
        keeping.join()
        # The present owner of the claim records how it ends; on a full disk, the finished work remains valid.
        with contextlib.suppress(LeaseLost, ReadOnly, Busy):
            insist(lambda: jobs.end(claim, ending), stop or threading.Event(), seconds=lease)


def _keep(
    jobs: JobQueue,
    claim: Claim,
    cancel: threading.Event,
    over: threading.Event,
    lease: float,
    stop: threading.Event | None,
) -> None:
    """Extends the lease more often than needed, and passes on the wish to end."""
    while not over.wait(min(_HEARTBEAT, lease / 3)):
        if stop is not None and stop.is_set():
            cancel.set()
        try:
            goes_on = jobs.extend(claim, lease=lease)
        except CodeCortexError as error:
            goes_on = not isinstance(error, LeaseLost)
        if not goes_on:
            cancel.set()


def usual_threads() -> int:
    """How many jobs are done at once: half as many as there are processors, four at most, one at least."""
    return max(1, min(4, (os.cpu_count() or 1) // 2))


def insist(call: Callable[[], object], stop: threading.Event, *, seconds: float = LEASE) -> None:
    """Call until the database is not busy or away any more, for so many seconds, or until `stop` is set. Raises Busy,
    and what else `call` does."""
    ends = time.monotonic() + seconds
    while True:
        try:
            call()
        except Busy:
            if time.monotonic() >= ends or stop.wait(_LOOK_AGAIN):
                raise
        else:
            return


class _Threads:
    """Threads of a worker. `waiting`: how many of their jobs wait for a person; `further`: how many threads there are
    because of that."""

    def __init__(self, running: list[threading.Thread]) -> None:
        self.running = running
        self.waiting = self.further = 0


class Worker:
    """Threads that run jobs of some kinds, one at a time each, until they are closed. `after`: the seconds for which
    a job must have waited before this process begins it, called for jobs that use a model and for others
    (`JobQueue.claim`), None to leave them to other processes; `threads`: how many there are. While a job waits for a
    person, there is one more, so that it holds no other job up."""

    def __init__(
        self,
        jobs: JobQueue,
        handlers: Mapping[str, Handler],
        *,
        lease: float = LEASE,
        poll: float = _POLL,
        after: Callable[[bool], float | None] = lambda _: 0.0,
        threads: int = 1,
    ) -> None:
        self._jobs = jobs
        self._handlers = handlers
        self._lease = lease
        self._poll = poll
        self._after = after
        self._news = threading.Event()
        self._stop = threading.Event()
        self._threads = Guarded(_Threads([self._thread() for _ in range(max(1, threads))]))

    def _thread(self, *, is_further: bool = False) -> threading.Thread:
        # Several run the same loop, and are waited for at the end.
        return daemon_thread(self._loop, is_further, name="jobs")

    def start(self) -> None:
        """Begin."""
        with self._threads as threads:
            for thread in threads.running:
                thread.start()

    def wake(self) -> None:
        """Look at the queue now."""
        self._news.set()

    def close(self) -> None:
        """End: what is under way is left to the next worker."""
        with self._threads as threads:
            self._stop.set()
            running = [*threads.running]
        self._news.set()
        for thread in running:
            if thread.ident is not None:
                thread.join()

    def _hold(self, is_waiting: bool) -> None:
        with self._threads as threads:
            threads.waiting += 1 if is_waiting else -1
            if threads.further < threads.waiting <= _MOST_WAITING and not self._stop.is_set():
                threads.further += 1
                thread = self._thread(is_further=True)
                threads.running.append(thread)
                thread.start()

    def _is_needed(self) -> bool:
        """Whether a further thread is still wanted; it ends where not."""
        with self._threads as threads:
            if threads.further <= threads.waiting:
                return True
            threads.further -= 1
            threads.running.remove(threading.current_thread())
            return False

    def _loop(self, is_further: bool) -> None:
        while not self._stop.is_set() and (not is_further or self._is_needed()):
            if not self._worked() and not self._stop.is_set():
                self._news.wait(self._poll)
                self._news.clear()

    def _worked(self) -> bool:
        try:
            claim = self._claimed()
        except CodeCortexError:
            # The file is busy, or cannot be written: the next poll tries again.
            return False
        if claim is None:
            return False
        try:
            handler = self._handlers[claim.op.kind]
            work(self._jobs, claim, handler, lease=self._lease, stop=self._stop, held=self._hold)
        except CodeCortexError:
            return False
        return True

    def _claimed(self) -> Claim | None:
        waits = {asks: left_for for asks in (False, True) if (left_for := self._after(asks)) is not None}
        for left_for in sorted(set(waits.values())):
            asks = [asks for asks, own in waits.items() if own == left_for]
            claim = self._jobs.claim(
                self._handlers,
                lease=self._lease,
                left_for=left_for,
                asks_model=asks[0] if len(asks) == 1 else None,
            )
            if claim is not None:
                return claim
        return None
