"""Jobs and the operations that they do: request, state, progress and events (SPEC section 15), and the port of the
job queue, with the guarantees of every implementation (SPEC section 17).

1. A job is claimed by one worker at a time. A claim has a lease; a job whose lease lapsed, or whose process ended,
is claimed again under a higher fencing number, and the earlier worker can change nothing any more.

2. A job that is queued or running under a key is not queued again under that key.

3. A step whose result was recorded is not repeated by a later attempt.

4. A transient failure is retried after a pause that doubles, until the last attempt; then the job has failed, also
where each attempt ended with its process.

5. Events are numbered from 1 without a gap; the last one is the final state of the job.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

import msgspec

from services.errors import CodeCortexError
from services.model.base import Value

NOTES, REVIEWS, INVESTIGATIONS, WORKFLOWS = "semantic", "review", "investigate", "workflow"
"""Kinds of operations."""


class OpState(StrEnum):
    """State of an operation. `WAITING`: for a person; `DONE`, `FAILED` and `CANCELLED` are final."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_end(self) -> bool:
        """Whether nothing follows it."""
        return self in (OpState.DONE, OpState.FAILED, OpState.CANCELLED)


class OpEvent(Value, kw_only=True, frozen=True):
    """Event of an operation. `n`: counts from 1 without a gap; `at`: ms since 1970; `refs`: symbol paths or
    `file:line`; the last event's kind is the final state."""

    n: int
    at: int
    kind: str
    text: str
    refs: tuple[str, ...] = ()


class OpProgress(Value, kw_only=True, frozen=True):
    """How far an operation is; `total` is None while it is unknown."""

    done: int = 0
    total: int | None = None
    phase: str = ""


class Op(Value, kw_only=True, frozen=True):
    """Long-running operation. Times are ms since 1970; `by`: the actor who started it; `error`: `{code, message, …}`;
    `attempts`: how often it was begun; `events`: empty in lists."""

    op_id: str
    kind: str
    state: OpState
    by: str
    created_at: int
    title: str
    question: str = ""
    scope: tuple[str, ...] = ()
    started_at: int | None = None
    ended_at: int | None = None
    progress: OpProgress = msgspec.field(default_factory=OpProgress)
    events: tuple[OpEvent, ...] = ()
    result: Any = None
    error: dict[str, Any] | None = None
    tokens_used: int = 0
    attempts: int = 0


LEASE = 30.0
"""Seconds a claim lasts unless it is extended."""
ATTEMPTS = 3
FIRST_PAUSE = 1.0
"""Seconds before the second attempt; each pause is twice the one before."""


class LeaseLost(CodeCortexError):
    """The claim does not hold any more: the job was handed on, or has ended. `details`: opId."""

    code = "LeaseLost"


class JobRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Request to the queue. `key`: names the work, so that it is not done twice at once; empty, where it may be;
    `priority`: the higher is the sooner; `attempts`: at most; `asks_model`: only a process that has one can do it."""

    kind: str
    title: str
    by: str
    key: str = ""
    question: str = ""
    scope: tuple[str, ...] = ()
    payload: Any = None
    priority: int = 0
    attempts: int = ATTEMPTS
    asks_model: bool = False


class SubmittedJob(NamedTuple):
    """The id of the job, and whether the request made it."""

    op_id: str
    is_new: bool


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """The right to work on a job, under a fencing number."""

    op: Op
    payload: Any
    fence: int


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of an attempt: a `result`; or an `error` (`{code, message, …}`), which is retried where `again` is set;
    cancelled; or given back as though it had not begun, where its worker must stop."""

    result: Any = None
    error: dict[str, Any] | None = None
    again: bool = False
    is_cancelled: bool = False
    is_given_back: bool = False


class JobQueue(Protocol):
    """A queue of jobs. Every method is one transaction, and may be called from any thread and process. Those that take
    a claim raise LeaseLost where it does not hold."""

    def submit(self, request: JobRequest) -> SubmittedJob:
        """Queue a job, or answer the one that is queued or running under the key."""
        ...

    def submit_all(self, requests: Sequence[JobRequest]) -> list[SubmittedJob]:
        """Each as `submit`, in one go."""
        ...

    def claim(
        self,
        kinds: Collection[str],
        *,
        lease: float = LEASE,
        only: str | None = None,
        left_for: float = 0.0,
        asks_model: bool | None = None,
    ) -> Claim | None:
        """Claim the next job of these kinds, none of which is paused; None where there is none. `only`: claim this
        job or none, even if its kind is paused; `left_for`: skip jobs that have waited for fewer seconds, and kinds
        that were worked on within them; `asks_model`: only jobs that use a model, or only jobs that do not."""
        ...

    def begin(self, request: JobRequest, *, lease: float = LEASE) -> Claim | None:
        """Queue a job and claim it in one transaction, so that no other worker can; None where a job is queued or
        running under the key."""
        ...

    def pause(self, kind: str, *, is_paused: bool) -> None:
        """Begin no job of a kind any more, in any process, or resume. Running jobs continue."""
        ...

    def paused(self) -> frozenset[str]:
        """The kinds that are paused."""
        ...

    def count(self, kind: str, states: Collection[OpState], *, within: float | None = None) -> int:
        """How many jobs of a kind are in one of these states. `within`: those that ended within so many seconds."""
        ...

    def extend(self, claim: Claim, *, lease: float = LEASE) -> bool:
        """Begin the lease again. Returns whether the job may go on: False, where it is to be cancelled."""
        ...

    def record(self, claim: Claim, step: str, result: Any) -> None:
        """Record the result of a step, a JSON value; one that is recorded stays as it is."""
        ...

    def recorded(self, claim: Claim) -> dict[str, Any]:
        """The results of the steps that are recorded, by step."""
        ...

    def tell(self, claim: Claim, kind: str, text: str, refs: Sequence[str] = ()) -> OpEvent:
        """Add an event."""
        ...

    def progress(self, claim: Claim, progress: OpProgress) -> None:
        """Record the progress of the job."""
        ...

    def hold(self, claim: Claim, *, is_waiting: bool) -> None:
        """Record whether the job waits for a person; its lease continues."""
        ...

    def spend(self, claim: Claim, tokens: int) -> None:
        """Add to the tokens that the job has used."""
        ...

    def end(self, claim: Claim, ending: Ending) -> Op:
        """End the attempt."""
        ...

    def resume(self, op_id: str, by: str, altered: Callable[[Any], Any]) -> SubmittedJob:
        """Queue the work of a job that failed or was cancelled as a new one, which goes on from the recorded steps.
        `altered`: makes the payload of that of the old job. Raises UsageError where it has not ended so."""
        ...

    def cancel(self, op_id: str, by: str) -> Op:
        """Cancel a job: at once where it is not running, else as soon as its worker notices. Raises UsageError for an
        unknown one."""
        ...

    def get(self, op_id: str, *, after: int = 0) -> Op:
        """A job with its events after that number. Raises UsageError for an unknown one."""
        ...

    def last(self, kind: str, key: str) -> Op | None:
        """The job that was last submitted under a key, without its events; None where there was none."""
        ...

    def spent(self, kind: str, *, within: float) -> int:
        """Tokens that jobs of a kind, begun within so many seconds, have used."""
        ...

    def listed(self, *, kinds: Collection[str] = (), most: int = 100) -> tuple[Op, ...]:
        """Jobs without their events, the latest first."""
        ...

    def stamps(self) -> dict[str, str]:
        """Something for each job that differs where its state, its progress or its events do."""
        ...

    def prune(self, keep: int) -> tuple[str, ...]:
        """Delete the oldest ended jobs until `keep` ended ones remain. Returns the deleted ids."""
        ...
