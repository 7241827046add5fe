"""The operations of a workspace that last: asked for, followed, cancelled, and readable as files (SPEC section 15)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from services.concurrency.job_context import Job
from services.decoding import decode
from services.errors import CodeCortexError, UsageError
from services.model import Notice, Progress
from services.ops import DATABASE
from services.ops.jobs import LEASE, Claim, JobRequest
from services.ops.sqlite_jobs import SqliteJobs
from services.ops.values import Op, OpEvent, OpState
from services.ops.worker import Handler, Run, Worker, attempt, usual_threads, work
from services.source.journal.actor import actor
from services.source.journal.clock import Clock
from services.workspace.state import StateFolder

FOLDER = "ops"
KEPT = 200
"""Ended operations that are kept, for people to look back at."""
_NOBODY = Job()
_LOOK_EVERY = 0.05
_LONGEST_LOOK = 0.5


class Ops:
    """Thread-safe, and safe beside other processes. Nothing works on what is queued until `serve`."""

    def __init__(
        self,
        state: StateFolder,
        handlers: Mapping[str, Handler],
        *,
        clock: Clock | None = None,
        lease: float = LEASE,
        after: Callable[[bool], float | None] = lambda _: 0.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """`handlers`: who does the work, by kind; `after`: the seconds for which jobs that ask a model, or those that
        do not, must have been left lying before this process begins them, None where it leaves them to others; `sleep`:
        waits for seconds of `clock`."""
        self._state = state
        self._handlers = dict(handlers)
        self._lease = lease
        self._after = after
        self._sleep = sleep
        self.jobs = SqliteJobs(state.path(DATABASE), clock=clock, ensure=state.ensure, changed=self._publish)
        self._worker: Worker | None = None
        self._adopted = self._adopt()

    def notices(self) -> tuple[Notice, ...]:
        """What a person should see: that the list of operations had to be filled again."""
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
        """What this process works on is left to the next one."""
        if self._worker is not None:
            self._worker.close()
        self.jobs.close()

    def serve(self) -> None:
        """Work on what is queued from now on, on a thread of its own; where there is one, it looks now."""
        if self._worker is not None:
            self._worker.wake()
        else:
            self._worker = Worker(
                self.jobs, self._handlers, lease=self._lease, after=self._after, threads=usual_threads()
            )
            self._worker.start()

    def start(self, kind: str, title: str, **asked: Any) -> Op:
        """Queue an operation for whoever serves, or answer the one that is queued or running under its key. `asked`:
        the other fields of JobRequest. Raises UsageError for an unknown kind, ReadOnly, Busy."""
        self._require(kind)
        (op_id,) = self.start_all([JobRequest(kind=kind, title=title, by=str(actor()), **asked)])
        return self.jobs.get(op_id)

    def start_all(self, requests: Sequence[JobRequest]) -> list[str]:
        """Queue operations in one go; the id of each. Raises UsageError for an unknown kind, ReadOnly, Busy."""
        for kind in {each.kind for each in requests}:
            self._require(kind)
        self._prune()
        submitted = self.jobs.submit_all(requests)
        if self._worker is not None:
            self._worker.wake()
        return [each.op_id for each in submitted]

    def pause(self, kind: str, *, is_paused: bool) -> frozenset[str]:
        """Begin no operation of a kind, in no process, until it is resumed; the kinds that are paused then. What was
        begun goes on. Raises UsageError for an unknown kind, ReadOnly, Busy."""
        self._require(kind)
        self.jobs.pause(kind, is_paused=is_paused)
        if self._worker is not None:
            self._worker.wake()
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
        """Something done here and now as an operation that others see and may cancel. Where nothing can be written it
        goes on unrecorded: None."""
        try:
            claim = self._begun(JobRequest(kind=kind, title=title, by=str(actor()), attempts=1, **asked))
        except CodeCortexError:
            claim = None
        if claim is None:
            yield None
            return
        with attempt(self.jobs, claim, lease=self._lease) as run:
            yield run

    def _begun(self, request: JobRequest) -> Claim | None:
        self._prune()
        submitted = self.jobs.submit(request)
        return self.jobs.claim([request.kind], lease=self._lease, only=submitted.op_id)

    def events(
        self, op_id: str, *, after: int = 0, follow: bool = True, work: Job = _NOBODY
    ) -> Iterator[OpEvent]:
        """The events after that number, as they come, until the last one; `follow`: wait for those to come. `work`: who
        is told how far the operation is, and may give up following. Raises UsageError for an unknown operation."""
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
        """Write an operation as a file. The database has it too: a disk that is full costs nobody the work."""
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
        """Takes in what files tell where the database is new, because it was deleted or damaged; of how many
        operations. A file that cannot be read is left as it is."""
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
