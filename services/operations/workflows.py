"""Workflows of agents: started, listed, shown, resumed, cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import NoModel, NotAllowed, ReadOnly, RemoteError, UsageError
from services.operations.investigations import OpsAnswer
from services.operations.operation import PUBLISHES, Faces, Param, always, declare
from services.operations.review.changes import FEATURE
from services.ops.values import Op, OpState
from services.source.journal.actor import agent

if TYPE_CHECKING:
    from services.bench import Bench

_ACTIONS = ("start", "list", "show", "resume", "cancel")
_NAMES = ("review", "tests")
_RIGHTS = ("write", "run", "publish")


@declare(
    "Workflow",
    Faces("workflow", "workflow", "ops"),
    effect=PUBLISHES._replace(idempotent=False),
    errors=(RemoteError, NoModel, ReadOnly, NotAllowed),
    feature=FEATURE,
)
def workflow(
    bench: Bench,
    action: Annotated[str, Param("What to do.", choices=_ACTIONS)] = "list",
    name: Annotated[str, Param("For start: review or tests; else the id of one.", is_text=always)] = "",
    change: Annotated[str, Param("Change to review, or commit to write tests for.", is_text=always)] = "",
    by_model: Annotated[bool, Param("Review: the model comments too.", flag="--by-model")] = False,
    publish: Annotated[bool, Param("Review: send the comments.", flag="--publish")] = False,
    allow: Annotated[
        tuple[str, ...], Param("Right that it has without asking: write, run, publish.", flag="--allow")
    ] = (),
    wait: Annotated[bool, Param("Do it here and now.", flag="--wait")] = False,
) -> OpsAnswer:
    """Start, list, show, resume or cancel a workflow of agents.

    `review` fetches, analyses, comments and publishes. `tests` writes tests for what a commit changed, runs and
    judges them (`workflow.*` of the settings), opens a merge request and tells about it. Each step is recorded: killed,
    a workflow goes on where it was, and nothing is sent twice.
    """
    _require_rights(allow)
    match action:
        case "list":
            from services.agents.workflow import KINDS

            return OpsAnswer(ops=bench.ops.jobs.listed(kinds=KINDS))
        case "show":
            op = bench.ops.jobs.get(name)
        case "cancel":
            op = bench.ops.cancel(name)
        case "resume":
            op = bench.workflows.resume(name, allow)
        case _:
            op = _started(bench, name, change, by_model=by_model, publish=publish, allow=allow)
    if wait and op.state is OpState.QUEUED:
        op = bench.ops.run(op.op_id)
    return OpsAnswer(ops=(op,))


def _require_rights(allow: tuple[str, ...]) -> None:
    """Raise NotAllowed where an agent gives rights, UsageError for a right that there is not."""
    if allow and agent() is not None:
        raise NotAllowed("Rights of a workflow are given by the person who starts it.", right="person")
    if wrong := [each for each in allow if each not in _RIGHTS]:
        raise UsageError(f"{wrong[0]!r} is no right. There are: {', '.join(_RIGHTS)}.")


def _started(
    bench: Bench, name: str, change: str, *, by_model: bool, publish: bool, allow: tuple[str, ...]
) -> Op:
    if name == "tests":
        return bench.workflows.start(change, allow)
    if name == "review":
        from services.review.agent import ReviewTask

        budget = bench.settings.window.budget
        return bench.review_agent.start(
            ReviewTask(change=change, by_model=by_model, publish=publish, budget=budget)
        )
    raise UsageError(f"There is no workflow {name!r}. There are: {', '.join(_NAMES)}.")
