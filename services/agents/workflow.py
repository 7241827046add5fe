"""Workflows: started, resumed and done as jobs that survive their process (SPEC section 12)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from services.agents.agents import MODEL_TOOLS, TestTask, test_workflow
from services.agents.react import ActingTools, AgentLimits, AgentStopped, ReactLoop, WorkflowInterrupted
from services.errors import Busy, UsageError
from services.llm.client import ChatModel
from services.ops.jobs import REVIEWS, WORKFLOWS, Op
from services.ops.ops import OperationService
from services.ops.worker import Run
from services.settings import WorkflowSettings

KINDS = (WORKFLOWS, REVIEWS)
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_ATTEMPTS = 5


class WorkflowActor(NamedTuple):
    """Actor of a workflow. `session`: the same when it is resumed; `allow`: rights that the person gave; `hold`: told
    when a person is waited for, and when no more."""

    session: str
    allow: frozenset[str]
    hold: Callable[[bool], object]


class CheckedOut(NamedTuple):
    """Commit that a workflow is about. `is_here`: whether it is checked out; `is_clean`: without changes of what git
    knows."""

    commit: str
    is_here: bool
    is_clean: bool


class Workflows:
    """The workflows of one workspace."""

    def __init__(
        self,
        ops: Callable[[], OperationService],
        tools: Callable[[WorkflowActor], ActingTools],
        model: Callable[[], ChatModel],
        *,
        settings: Callable[[], WorkflowSettings],
        checked_out: Callable[[str], CheckedOut],
    ) -> None:
        """`tools`: operations for an actor; `model`: the one that is set up, or the error that there is none;
        `checked_out`: looks a commit up."""
        self._ops = ops
        self._tools = tools
        self._model = model
        self._settings = settings
        self._checked_out = checked_out

    def start(self, change: str, allow: Collection[str] = ()) -> Op:
        """Queue the workflow that writes tests for a commit, or answer the one of the same commit that is queued or
        running; one that was interrupted, or stopped by a limit, is resumed, since the files that it wrote are there.
        Raises NoModel, UsageError, WorkspaceError, ReadOnly."""
        self._model()
        settings = self._settings()
        found = self._checked_out(change or "HEAD")
        if _COMMIT.fullmatch(found.commit) is None:
            raise UsageError(f"{change!r} is no commit. Name one, such as HEAD.")
        if not found.is_here or not found.is_clean:
            why = "is not checked out" if not found.is_here else "has uncommitted changes on it"
            raise UsageError(
                f"{found.commit[:12]} {why}: tests would be run of something else. Check it out, clean."
            )
        task = TestTask(
            change=found.commit,
            project="" if settings.project == "none" else settings.project,
            branch=f"codecortex/tests-{found.commit[:12]}",
            target=settings.target,
            retries=settings.retries,
            coverage=settings.coverage,
            notify=settings.notify != "none",
            allow=tuple(sorted(allow)),
        )
        key = sha256(f"tests {task.project} {task.change}".encode()).hexdigest()[:24]
        last = self._ops().jobs.last(WORKFLOWS, key)
        if last is not None and _can_go_on(last.error or {}):
            return self.resume(last.op_id, allow)
        return self._ops().start(
            WORKFLOWS,
            f"Tests for {found.commit[:12]}",
            key=key,
            payload=msgspec.to_builtins(task),
            attempts=_ATTEMPTS,
            asks_model=True,
        )

    def resume(self, op_id: str, allow: Collection[str] = ()) -> Op:
        """Queue a workflow that failed or was cancelled again, from the step where it was. `allow`: further rights.
        Raises UsageError where there is nothing to resume."""
        op = self._ops().jobs.get(op_id)
        if op.kind not in KINDS:
            raise UsageError(f"{op_id} is no workflow: it is of the kind {op.kind}.", opId=op_id)

        def altered(payload: Any) -> Any:
            if op.kind != WORKFLOWS or not allow:
                return payload
            return {**payload, "allow": sorted({*payload.get("allow", ()), *allow})}

        return self._ops().resume(op_id, altered)

    def handle(self, run: Run) -> dict[str, Any]:
        """Run the job; return whether the gate is passed, why, the files, and the address of the request. Raises
        AgentStopped, WorkflowInterrupted, ModelError, NotAllowed, and the errors of the operations."""
        task = msgspec.convert(run.payload, TestTask)
        settings = self._settings()
        if not self._checked_out(task.change).is_here:
            raise Busy(f"{task.change[:12]} is not checked out here. Another machine can go on with it.")
        actor = WorkflowActor(
            task.change[:6], frozenset(task.allow), lambda waits: run.hold(is_waiting=waits)
        )
        tools = self._tools(actor)
        limits = AgentLimits(steps=settings.steps, tokens=settings.tokens, seconds=settings.minutes * 60.0)
        offered = [each for each in tools.tools if each.name in MODEL_TOOLS]
        told = ReactLoop(run, tools, self._model, limits=limits).drive(test_workflow(task, offered))
        run.tell("judged", " ".join(told["reasons"]), told["files"])
        return told


def _can_go_on(error: Mapping[str, Any]) -> bool:
    """Whether a workflow that failed with an error may come further when it is resumed."""
    if error.get("code") == AgentStopped.code:
        return error.get("limit") in ("steps", "tokens", "seconds", "cut")
    return error.get("code") == WorkflowInterrupted.code
