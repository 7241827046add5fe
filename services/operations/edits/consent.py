"""Consent: every call of an operation through a server is checked here (SAFETY, Models and the network). A person's
calls need no consent."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

import msgspec

from services.errors import Cancelled, NotAllowed, ProposalPending, ProposalRefused, UsageError
from services.model import Proposal, ProposalState
from services.model.writes import ChangeAnswer, LockAnswer
from services.operations.operation import Operation, Right, Work
from services.source.journal.actor import Owner, actor, agent

if TYPE_CHECKING:
    from services.bench import Bench

_DRY_RUN = "dryRun"
_TARGETS = ("group", "fence", "tokens")
"""Parameters that say which write or lock is meant, where its name alone means whichever is the last, or which files
as they were; the rehearsal answers them by the same names."""


def call(
    bench: Bench,
    operation: Operation,
    arguments: Mapping[str, Any],
    work: Work | None = None,
) -> Any:
    """Run an operation for the actor (services/source/journal/actor.py).

    A write of an agent that the settings want asked about becomes a proposal: this waits `agents.patience` seconds for
    a person to decide and answers what the operation then answered. Raises NotAllowed, ProposalPending,
    ProposalRefused, Cancelled, and as Operation.run."""
    acting = agent()
    if acting is None:
        return operation.run(bench, arguments, work)
    refused = _refusal(bench, operation, arguments)
    if refused:
        raise NotAllowed(refused, right=operation.effect.right)
    if not _asks(bench, operation, arguments) or arguments.get(_DRY_RUN):
        return operation.run(bench, arguments, work)
    made = bench.proposals.add(_proposal(bench, operation, arguments, acting))
    return outcome(
        bench, made, work or Work(), done="run" if operation.effect.right is Right.RUN else "written"
    )


def _asks(bench: Bench, operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """Whether a person is to decide about a call."""
    if operation.effect.unless_with and arguments.get(operation.effect.unless_with):
        return False
    match operation.effect.right:
        case Right.WRITE:
            return bench.settings.agents.write == "ask"
        case Right.RUN:
            return to_run(bench, arguments)[1] == "ask"
        case _:
            return False


def to_run(bench: Bench, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Return the setting that applies to a command, and its value: of tests too where the runner is still to be found
    (RunTests). Raises CommandRefused."""
    agents = bench.settings.agents
    command = str(arguments.get("command", ""))
    is_test = not command or bench.asking.commands.plan(command).tests
    return ("agents.tests", agents.tests) if is_test else ("agents.run", agents.run)


def _refusal(bench: Bench, operation: Operation, arguments: Mapping[str, Any]) -> str:
    """Why an agent may not call it; empty if it may."""
    agents, name = bench.settings.agents, operation.name
    match operation.effect.right:
        case Right.PERSON:
            return f"{name} is for the person at the workbench, not for agents. Ask them."
        case Right.PUBLISH if agents.publish == "refuse":
            return f"The settings (agents.publish) keep agents from {name}. Ask the person to publish it."
        case Right.PIN if agents.pin == "refuse":
            return f"The settings (agents.pin) keep agents from {name}. Ask the person to pin it."
        case Right.RUN if (setting := to_run(bench, arguments))[1] == "refuse":
            return (
                f"The settings ({setting[0]}) keep agents from {name}. Read and search with the other tools."
            )
        case Right.LOCK | Right.WRITE if agents.write == "refuse":
            return f"The settings (agents.write) keep agents from {name}. Say what you would change instead."
        case _:
            return ""


def _proposal(bench: Bench, operation: Operation, arguments: Mapping[str, Any], acting: Owner) -> Proposal:
    """The call as a proposal, checked as far as it can be: what would fail now fails now. What it is decided about is
    what it does, so it names its target, whatever is the last when it is applied."""
    takes = {parameter.wire for parameter in operation.parameters}
    rehearsed = operation.run(bench, {**arguments, _DRY_RUN: True}) if _DRY_RUN in takes else None
    target = {name: getattr(rehearsed, name) for name in _TARGETS if name in takes}
    return Proposal(
        id="",
        operation=operation.name,
        arguments={**arguments, **target},
        object=_object_of(arguments, rehearsed),
        diff=_diff_of(rehearsed),
        agent=acting.user,
        session=acting.session,
        purpose=acting.purpose or bench.writer.purpose_of(_handles(arguments)),
        created_at=0,
    )


def _handles(arguments: Mapping[str, Any]) -> list[str]:
    """Return the lock handles of a call."""
    return [handle for handle in (arguments.get("lockHandle"), *arguments.get("lockHandles", ())) if handle]


def outcome(bench: Bench, proposal: Proposal, work: Work, *, done: str) -> Any:
    """Return the answer of a proposal that is decided within `agents.patience` seconds. `done`: its effect, in a word.
    Raises ProposalPending, ProposalRefused, Cancelled."""
    decided = _decided(bench, proposal.id, work)
    if decided.state in (ProposalState.APPLIED, ProposalState.CHANGED):
        return decided.answer
    if decided.state is ProposalState.PENDING:
        message = (
            f"A person was asked and has not decided within {bench.settings.agents.patience} s: nothing was {done}, "
            f"and {decided.id} still waits. Go on with something else, and ask GetProposal with this proposalId what "
            "became of it."
        )
        raise ProposalPending(message, proposalId=decided.id, diff=decided.diff)
    refused = decided.state is ProposalState.REFUSED
    why = f"a person refused it: {decided.reason}" if refused else decided.reason or "it was withdrawn."
    message = f"Nothing was {done}: {why}"
    raise ProposalRefused(message, proposalId=decided.id, reason=decided.reason, state=decided.state)


def _decided(bench: Bench, id_: str, work: Work) -> Proposal:
    """Return the proposal once it is decided, or pending after the time limit. Cancelling withdraws it."""
    seconds = bench.settings.agents.patience
    try:
        return awaited(bench, id_, seconds, work)
    except Cancelled:
        with suppress(UsageError):  # decided in the same moment
            bench.proposals.decide(id_, _withdrawn)
        raise


def awaited(bench: Bench, id_: str, seconds: float, work: Work) -> Proposal:
    """Return the proposal once it is decided or `seconds` are over; at once where too many calls wait already.
    Raises Cancelled, UsageError."""
    with work.yield_slot() if seconds else nullcontext(True) as room:
        return bench.proposals.wait(
            id_, seconds=seconds if room else 0, report=work.progress, cancel=work.cancel
        )


def _withdrawn(proposal: Proposal) -> Proposal:
    return msgspec.structs.replace(
        proposal, state=ProposalState.WITHDRAWN, decided_by=str(actor()), reason="The agent gave up waiting."
    )


def _diff_of(answer: Any) -> str:
    if isinstance(answer, ChangeAnswer):
        return "".join(file.diff for file in answer.files)
    return getattr(answer, "diff", "")


def _object_of(arguments: Mapping[str, Any], rehearsed: Any) -> str:
    command = arguments.get("command") or getattr(rehearsed, "command", "")
    named = str(arguments.get("object") or command or ", ".join(arguments.get("expected", ())))
    if isinstance(rehearsed, LockAnswer):
        return f"the lock of {rehearsed.owner} on {named}"
    return named or "the last write"


def as_plain(answer: Any) -> Any:
    """Convert an answer to JSON values, as a proposal stores it."""
    return msgspec.to_builtins(answer)
