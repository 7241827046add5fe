"""Operations on operations that last (SPEC section 15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from services.concurrency.job_context import Job
from services.errors import UsageError
from services.model.base import Value
from services.operations.needs import Need
from services.operations.operation import DECIDES, GIVES_UP, Faces, Param, Work, declare
from services.ops.values import Op, OpEvent

if TYPE_CHECKING:
    from services.bench import Bench

_ID = Param("Its id, as ListOps answers it.", name="opId")


class OpsAnswer(Value, kw_only=True, frozen=True):
    """Operations, the latest first. `paused`: kinds of which none is begun."""

    ops: tuple[Op, ...]
    paused: tuple[str, ...] = ()


@declare("ListOps", Faces("list_ops", "ops", "ops"), index=Need.NOTHING)
def list_ops(
    bench: Bench,
    kind: Annotated[str | None, Param("Of this kind alone.", flag="--kind")] = None,
    most: Annotated[int, Param("At most so many.", flag="--max", least=1, most=1_000)] = 50,
) -> OpsAnswer:
    """List operations that last, with how far each is."""
    jobs = bench.ops.jobs
    return OpsAnswer(
        ops=jobs.listed(kinds=[kind] if kind else (), most=most), paused=tuple(sorted(jobs.paused()))
    )


@declare("PauseOps", Faces(None, "pause-ops"), effect=DECIDES, index=Need.NOTHING, errors=(UsageError,))
def pause_ops(
    bench: Bench,
    kind: Annotated[str, Param("Such as semantic: notes by a model.")],
    resume: Annotated[bool, Param("Begin them again.", flag="--resume")] = False,
) -> OpsAnswer:
    """Begin no operation of a kind until it is resumed, in any process; running ones continue.

    What is asked for with --wait is done all the same.
    """
    paused = bench.ops.pause(kind, is_paused=not resume)
    return OpsAnswer(ops=bench.ops.jobs.listed(kinds=[kind]), paused=tuple(sorted(paused)))


@declare("StreamOp", Faces("stream_op", "op"), index=Need.NOTHING, errors=(UsageError,))
def stream_op(
    bench: Bench,
    op_id: Annotated[str, _ID],
    after: Annotated[
        int,
        Param("Number of the last event that is known.", flag="--after", least=0),
    ] = 0,
    follow: Annotated[
        bool, Param("Wait for the events to come, until the last one.", flag="--follow")
    ] = False,
    work: Work = Work(),  # noqa: B008 - a value without state
) -> Iterator[OpEvent]:
    """Stream the events of an operation; the last one has its outcome."""
    return bench.ops.events(op_id, after=after, follow=follow, work=Job(work.progress, work.cancel))


@declare(
    "CancelOp", Faces("cancel_op", "cancel-op"), effect=GIVES_UP, index=Need.NOTHING, errors=(UsageError,)
)
def cancel_op(bench: Bench, op_id: Annotated[str, _ID]) -> Op:
    """Cancel an operation; its worker is notified within a second."""
    return bench.ops.cancel(op_id)
