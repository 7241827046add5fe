"""Long-running operations of a workspace: started, followed, cancelled, and readable as files (SPEC section 15)."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from services.concurrency.cancellation import Job
from services.decoding import decode
from services.errors import Busy, CodeCortexError, UsageError
from services.model import Notice, Progress
from services.ops import DATABASE
from services.ops.jobs import LEASE, JobRequest, Op, OpEvent, OpState, SubmittedJob
from services.ops.rows import job_file
from services.ops.sql_jobs import SqlJobs
from services.ops.worker import Handler, Run, Worker, attempt, insist, usual_threads, work
from services.source.journal.actor import actor
from services.source.journal.clock import LeaseClock
from services.workspace.state import StateFolder

FOLDER = "ops"
SharedJobs = Callable[[Callable[[str], None]], SqlJobs]
"""Opens the queue of a team, given what is told the ids of jobs whose state changed."""
KEPT = 200
"""Number of ended operations that remain listed."""
_FORWARD = "forward"
"""Kind of the jobs on this machine that queue a request with the team."""
_NOBODY = Job()
_WAITING = (OpState.QUEUED, OpState.RUNNING)
_LOOK_EVERY = 0.05
_LONGEST_LOOK = 0.5


class OperationService:
    """Service of long-running operations. Thread-safe, and safe with several processes. Queued operations wait until
    `serve`."""

    def __init__(
        self,
        state: StateFolder,
        handlers: Mapping[str, Handler],
        *,
        clock: LeaseClock | None = None,
        shared: SharedJobs | None = None,
        lease: float = LEASE,
        after: Callable[[bool], float | None] = lambda _: 0.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """`handlers`: the function that does the work, by kind; `shared`: makes the queue that a team has, instead of
        a file on this machine, which then holds only what waits for it; `after`: the seconds for which jobs that use
        a model, or jobs that do not, must have waited before this process begins them, None where it leaves them to
        other processes; `sleep`: waits for seconds of `clock`."""
        self._state = state
        self._handlers = dict(handlers)
        self._lease = lease
        self._after = after
        self._sleep = sleep
        file = job_file(state.path(DATABASE), ensure=state.ensure)
        if shared is None:
            self.jobs = SqlJobs(file, clock=clock, changed=self._publish)
            self._outbox = None
        else:
            self.jobs = shared(self._publish)
            self._outbox = SqlJobs(file, clock=clock)
        self._worker: Worker | None = None
        self._forwarder: Worker | None = None
        self._adopted = self._adopt() if shared is None else 0

    def notices(self) -> tuple[Notice, ...]:
        """Return notices for the person: that the list of operations was rebuilt from files, or that deliveries wait
        for the queue of the team."""
        if self._outbox is not None and (waiting := self._outbox.count(_FORWARD, _WAITING)):
            deliveries = "1 delivery waits" if waiting == 1 else f"{waiting} deliveries wait"
            message = f"{deliveries} for the database of the team, to be queued when it is back."
            return (Notice(severity="information", message=message),)
        if not self._adopted:
            return ()
        return (
            Notice(
                severity="warning",
                message=f"{DATABASE} was damaged or emptied: {self._adopted} operations were read from {FOLDER}/.",
                what_to_do="Ask again for what was not done yet.",
            ),
        )

    def close(self) -> None:
        """Stop the workers; unfinished jobs are left to the next process."""
        for worker in (self._worker, self._forwarder):
            if worker is not None:
                worker.close()
        for jobs in (self.jobs, self._outbox):
            if jobs is not None:
                jobs.close()

    def serve(self) -> None:
        """Work on what is queued from now on, on a thread of its own; where there is one, it looks now."""
        if self._worker is not None:
            self._worker.wake()
        else:
            self._worker = Worker(
                self.jobs, self._handlers, lease=self._lease, after=self._after, threads=usual_threads()
            )
            self._worker.start()
        if self._outbox is not None and self._forwarder is None:
            self._forwarder = Worker(self._outbox, {_FORWARD: self._forward}, lease=self._lease)
            self._forwarder.start()

    def _wake(self) -> None:
        if self._worker is not None:
            self._worker.wake()

    def start(self, kind: str, title: str, **asked: Any) -> Op:
        """Queue an operation, or return the one that is queued or running under its key. `asked`: the other fields of
        JobRequest. Raises UsageError for an unknown kind, ReadOnly, Busy."""
        self._require(kind)
        (op_id,) = self.start_all([JobRequest(kind=kind, title=title, by=str(actor()), **asked)])
        return self.jobs.get(op_id)

    def start_all(self, requests: Sequence[JobRequest]) -> list[str]:
        """Queue operations in one go; the id of each. Raises UsageError for an unknown kind, ReadOnly, Busy."""
        for kind in {each.kind for each in requests}:
            self._require(kind)
        self._prune()
        submitted = self.jobs.submit_all(requests)
        self._wake()
        return [each.op_id for each in submitted]

    def start_once(self, request: JobRequest, ids: Sequence[str]) -> SubmittedJob:
        """Queue an operation for deliveries of these ids, unless one of them was seen before. While the database of a
        team is away, the request waits on this machine. Raises UsageError for an unknown kind, ReadOnly, Busy."""
        self._require(request.kind)
        try:
            submitted = self.jobs.submit_once(request, ids)
        except Busy:
            if self._outbox is None:
                raise
            return self._keep(self._outbox, request, ids)
        if submitted.is_new:
            self._prune()
            self._wake()
        return submitted

    def _keep(self, outbox: SqlJobs, request: JobRequest, ids: Sequence[str]) -> SubmittedJob:
        outbox.prune(KEPT)
        payload = {"request": msgspec.to_builtins(request), "ids": [*ids]}
        kept = outbox.submit_once(
            JobRequest(kind=_FORWARD, title=request.title, by=request.by, payload=payload), ids
        )
        if self._forwarder is not None:
            self._forwarder.wake()
        return kept

    def _forward(self, run: Run) -> None:
        """Queue a request that waited here, under the same id, once the database of the team is back."""
        request, ids = msgspec.convert(run.payload["request"], JobRequest), run.payload["ids"]
        op_id = run.op.op_id
        try:
            insist(lambda: self.jobs.submit_once(request, ids, op_id=op_id), run.cancel, seconds=math.inf)
        except Busy:
            run.checkpoint()  # where this process is to end, the next one goes on
            raise
        self._wake()

    def resume(self, op_id: str, altered: Callable[[Any], Any] = lambda payload: payload) -> Op:
        """Queue what failed or was cancelled again, as a new operation that goes on from the recorded steps. `altered`:
        makes its payload of the old one. Raises UsageError, ReadOnly, Busy."""
        self._require(self.jobs.get(op_id).kind)
        made = self.jobs.resume(op_id, str(actor()), altered)
        self._wake()
        return self.jobs.get(made.op_id)

    def pause(self, kind: str, *, is_paused: bool) -> frozenset[str]:
        """Begin no operation of a kind, in any process, until it is resumed; returns the kinds that are paused then.
        Running operations continue. Raises UsageError for an unknown kind, ReadOnly, Busy."""
        self._require(kind)
        self.jobs.pause(kind, is_paused=is_paused)
        self._wake()
        return self.jobs.paused()

    def _require(self, kind: str) -> None:
        if kind not in self._handlers:
            kinds = sorted(self._handlers)
            raise UsageError(
                f"There are no operations of the kind {kind}. There are: {', '.join(kinds)}.", kinds=kinds
            )

    def run(self, op_id: str) -> Op:
        """Work on a queued operation here and now, unless somebody else does already, as often as it is tried; as it
        is then. Raises UsageError."""
        op = self.jobs.get(op_id)
        was_tried = False
        while op.state is OpState.QUEUED:
            claim = self.jobs.claim([op.kind], lease=self._lease, only=op_id)
            if claim is not None:
                work(self.jobs, claim, self._handlers[op.kind], lease=self._lease)
                was_tried = True
            elif was_tried:
                self._sleep(_LOOK_EVERY)  # the pause before the next attempt is not over
            else:
                break
            op = self.jobs.get(op_id)
        return self.jobs.get(op_id)

    @contextlib.contextmanager
    def recorded(self, kind: str, title: str, **asked: Any) -> Iterator[Run | None]:
        """Run the block as an operation that others see and may cancel. Yields None, and records nothing, where the
        state folder cannot be written."""
        request = JobRequest(kind=kind, title=title, by=str(actor()), attempts=1, **asked)
        self._prune()
        try:
            claim = self.jobs.begin(request, lease=self._lease)
        except CodeCortexError:
            claim = None
        if claim is None:
            yield None
            return
        with attempt(self.jobs, claim, lease=self._lease) as run:
            yield run

    def events(
        self, op_id: str, *, after: int = 0, follow: bool = True, work: Job = _NOBODY
    ) -> Iterator[OpEvent]:
        """Iterate over the events after number `after`, in order, until the last one; `follow`: wait for further
        events. `work`: the caller's job, which receives progress and may cancel the iteration. Raises UsageError for
        an unknown operation."""
        pause, told = _LOOK_EVERY, None
        while True:
            op = self.jobs.get(op_id, after=after)
            if work.progress is not None and follow and op.progress != told:
                told = op.progress
                work.progress(Progress(phase=told.phase, done=told.done, total=told.total))
            yield from op.events
            if op.state.is_end or not follow or (work.cancel is not None and work.cancel.is_set()):
                return
            pause = _LOOK_EVERY if op.events else min(pause * 2, _LONGEST_LOOK)
            after = op.events[-1].n if op.events else after
            time.sleep(pause)

    def cancel(self, op_id: str) -> Op:
        """Cancel an operation. Raises UsageError for an unknown one."""
        return self.jobs.cancel(op_id, str(actor()))

    def _publish(self, op_id: str) -> None:
        """Write an operation as a file. The database has it too: a full disk loses no work."""
        with contextlib.suppress(CodeCortexError):
            op = self.jobs.get(op_id)
            data = msgspec.json.format(msgspec.json.encode(op), indent=2)
            self._state.write(_file(op_id), data)
            self._state.shared.record(_file(op_id), data)

    def _prune(self) -> None:
        with contextlib.suppress(CodeCortexError):
            for op_id in self.jobs.prune(KEPT):
                self._state.remove(_file(op_id))
                self._state.shared.discard(_file(op_id))

    def _adopt(self) -> int:
        """Restore operations from their files where the database is new, because it was deleted or damaged; returns
        how many. A file that cannot be read is left as it is."""
        adopted = 0
        if self.jobs.listed(most=1):
            self._mend()
            return adopted
        with contextlib.suppress(OSError, CodeCortexError):
            for _, data in self._state.contents(FOLDER):
                with contextlib.suppress(ValueError):
                    self.jobs.adopt(decode(Op, data))
                    adopted += 1
        return adopted

    def _mend(self) -> None:
        """Writes the files of operations again that cannot be read any more."""
        with contextlib.suppress(OSError, CodeCortexError):
            for name, data in self._state.contents(FOLDER):
                try:
                    decode(Op, data)
                except ValueError:
                    self._publish(name.removesuffix(".json"))


def _file(op_id: str) -> str:
    return f"{FOLDER}/{op_id}.json"
