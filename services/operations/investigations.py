"""Operations that last: investigations, their conclusions, workflows of agents, and the queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from services.concurrency.cancellation import Job
from services.errors import (
    AmbiguousSymbol,
    BudgetExceeded,
    NoModel,
    NotAllowed,
    ReadOnly,
    RemoteError,
    SymbolNotFound,
    UsageError,
)
from services.model import Conclusion
from services.model.base import Value
from services.operations.needs import Need
from services.operations.operation import (
    CURATES,
    DECIDES,
    GIVES_UP,
    PUBLISHES,
    Faces,
    Param,
    Work,
    always,
    declare,
)
from services.operations.review.changes import FEATURE
from services.ops.jobs import Op, OpEvent, OpState
from services.source.journal.actor import agent

if TYPE_CHECKING:
    from services.bench import Bench
    from services.bench.window.context import ContextRequest
    from services.semantic.investigator import InvestigationQuestion

_ID = Param("Its id.", name="opId")


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
        Param("Last event that is known.", flag="--after", least=0),
    ] = 0,
    follow: Annotated[bool, Param("Wait for the events to come.", flag="--follow")] = False,
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


_LONGEST = 6_000_000
_PIN = Param("Pin what was found.", flag="--pin")
_PACK = Param("Keep the types found as a pack of this name.", flag="--pack")


@declare(
    "Investigate",
    Faces("investigate", "investigate", "items"),
    effect=CURATES._replace(only_with="pin"),
    errors=(SymbolNotFound, AmbiguousSymbol, BudgetExceeded, NoModel, ReadOnly),
)
def investigate(
    bench: Bench,
    question: Annotated[
        str,
        Param(
            "What is to be found out; `-`: from stdin.",
            longest=_LONGEST,
            words=True,
            piped=True,
            awaited=True,
            is_text=always,
        ),
    ],
    *,
    scope_paths: Annotated[
        tuple[str, ...],
        Param(
            "Namespaces, folders, projects, files or types to look at alone.",
            flag="--scope",
        ),
    ] = (),
    seeds: Annotated[tuple[str, ...], Param("Path or id of where to begin.", flag="--seed")] = (),
    pin: Annotated[bool, _PIN] = False,
    pack: Annotated[str | None, _PACK] = None,
    by_model: Annotated[
        bool, Param("Have the model that is set up look, with tools that only read.", flag="--by-model")
    ] = False,
    wait: Annotated[bool, Param("Until the model has concluded.", flag="--wait")] = False,
    work: Work,
) -> Conclusion:
    """Answer a question: the places that matter, why, and how they hang together; labelled static.

    An operation (`opId`), whose events StreamOp tells; by a model it lasts.
    """
    from services.bench.window.context import ContextRequest
    from services.semantic.investigator import InvestigationQuestion

    if by_model:
        asked_of_model = InvestigationQuestion(question, scope_paths, seeds)
        return _by_model(bench, asked_of_model, (pin, pack), wait=wait or pin or pack is not None)
    asked = ContextRequest(words=question, seeds=seeds, within=scope_paths)
    told = _static(bench, asked, pin=pin, work=work)
    _keep_pack(bench, pack, [item.symbol.id for item in told.items])
    return told


def _static(bench: Bench, asked: ContextRequest, *, pin: bool, work: Work) -> Conclusion:
    """Run an investigation without a model, as a recorded operation where anything can be written."""
    from services.semantic.investigator import KIND, title_of

    title, question = title_of(asked.words), bench.inquiries.mask(asked.words)
    caller = Job(work.progress, work.cancel)
    with bench.recorder(KIND, title, caller, question=question, scope=tuple(asked.within)) as recorded:
        told = bench.investigation.conclude(asked, pin=pin, report=recorded.report, cancel=recorded.cancel)
        places = [f"{item.symbol.file}:{item.symbol.start_line}" for item in told.items]
        recorded.tell("concluded", f"Places that matter: {len(places)}.", places)
        recorded.answer(
            {"text": told.text, "file": told.file, "types": [each.symbol.id for each in told.items]}
        )
    return msgspec.structs.replace(told, op_id=recorded.op_id)


def _by_model(
    bench: Bench, question: InvestigationQuestion, kept: tuple[bool, str | None], *, wait: bool
) -> Conclusion:
    for each in question.seeds:
        bench.lookup.sure(each)
    bench.context.require_scope(question.scope)
    op = bench.investigator.start(question)
    if wait:
        op = bench.ops.run(op.op_id)
    if not wait or not op.state.is_end:
        return Conclusion(question=question.text, kind="asked", text=_waiting(op), op_id=op.op_id)
    return get_conclusion.function(bench, op.op_id, *kept)


@declare(
    "GetConclusion",
    Faces(None, "conclusion"),
    effect=CURATES._replace(only_with="pin"),
    errors=(UsageError, BudgetExceeded, ReadOnly),
)
def get_conclusion(
    bench: Bench,
    op_id: Annotated[str, Param("Id of the investigation, as ListOps answers it.", name="opId")],
    pin: Annotated[bool, _PIN] = False,
    pack: Annotated[str | None, _PACK] = None,
) -> Conclusion:
    """Show a model's conclusion, and whether the lines that support it are unchanged."""
    kept = bench.investigator.store.get(op_id)
    if kept is None:
        return _found_alone(bench, op_id, pin=pin, pack=pack)
    told = bench.inquiries.told(kept)
    if pin:
        bench.window.pin(f"conclusion:{kept.id}")
    _keep_pack(bench, pack, kept.types)
    return told


def _found_alone(bench: Bench, op_id: str, *, pin: bool, pack: str | None) -> Conclusion:
    """Return the stored conclusion made without a model. Raises UsageError where there is none."""
    from services.semantic.investigator import KIND

    op = bench.ops.jobs.get(op_id)
    if op.kind != KIND or not isinstance(op.result, dict) or "text" not in op.result:
        raise UsageError(_missing(bench, op_id), opId=op_id)
    types: list[str] = [str(id_) for id_ in op.result["types"]]
    for id_ in types if pin else ():
        bench.window.pin(id_)
    _keep_pack(bench, pack, types)
    text, file = str(op.result["text"]), str(op.result["file"])
    return Conclusion(question=op.question, text=text, file=file, op_id=op_id)


def _keep_pack(bench: Bench, name: str | None, types: Sequence[str]) -> None:
    if name is not None:
        bench.packs.build(name, types=types)


def _missing(bench: Bench, op_id: str) -> str:
    """Why there is no conclusion of an operation. Raises UsageError where there is no such operation."""
    op = bench.ops.jobs.get(op_id)
    if op.state is OpState.FAILED and op.error is not None:
        return f"Nothing was concluded: {op.error.get('message', 'it failed')}"
    return _waiting(op) if not op.state.is_end else f"{op.title} has no conclusion: it is {op.state}."


def _waiting(op: Op) -> str:
    return f"The investigation {op.op_id} is {op.state}. `codecortex op {op.op_id} --follow` tells how far it is.\n"


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
    *,
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
