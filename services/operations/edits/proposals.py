"""Operations on proposals of agents (settings `agents.write = ask`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from services.errors import CacheExpired, LockRequired, ProposalRefused, UsageError, VersionConflict
from services.model import Proposal, ProposalState, Value
from services.model.source import NEW_LOCK, is_adt
from services.operations.edits.consent import as_plain, awaited
from services.operations.needs import Need
from services.operations.operation import (
    DECIDES,
    GIVES_UP,
    Faces,
    Operation,
    Param,
    Work,
    always,
    by_name,
    declare,
)
from services.source.journal.actor import Owner, acting, actor, agent
from services.source.write.refusal import NOTHING_WRITTEN

if TYPE_CHECKING:
    from services.bench import Bench

_ID = Param("Its id, `P_` and eight letters.", name="proposalId")
_LEASE = 60.0


class ProposalList(Value, kw_only=True, frozen=True):
    """Proposals, latest first."""

    proposals: tuple[Proposal, ...]


@declare("ListProposals", Faces("list_proposals", "proposals", "proposals"), index=Need.NOTHING)
def list_proposals(
    bench: Bench,
    pending: Annotated[bool, Param("Only those that are to be decided.", flag="--pending")] = False,
) -> ProposalList:
    """List the changes that agents proposed, and what became of them."""
    found = bench.proposals.listed(pending=pending)
    return ProposalList(proposals=tuple(map(_without_handles, found)))


@declare("GetProposal", Faces("get_proposal", "proposal"), index=Need.NOTHING, errors=(UsageError,))
def get_proposal(
    bench: Bench,
    id_: Annotated[str, _ID],
    wait: Annotated[int, Param("Seconds to wait for a decision.", flag="--wait", least=0, most=600)] = 0,
    *,
    work: Work,
) -> Proposal:
    """Show the state of a proposal: pending, applied, changed (by a person, and applied), refused or withdrawn."""
    return _without_handles(awaited(bench, id_, wait, work))


def _to_apply(bench: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of the proposed call; an invalid one is refused without an index."""
    with suppress(UsageError):
        proposal = bench.proposals.get(given["id_"])
        if (operation := _operation(proposal)) is not None:
            return operation.need(bench, proposal.arguments)
    return Need.NOTHING


@declare(
    "ApplyProposal", Faces(None, "apply-proposal"), effect=DECIDES, index=_to_apply, errors=(UsageError,)
)
def apply_proposal(
    bench: Bench,
    id_: Annotated[str, _ID],
    content: Annotated[
        str | None, Param("Other lines than the agent's, to be written in their place.", flag="--content")
    ] = None,
) -> Proposal:
    """Apply a change that an agent proposed, as it is or with other lines.

    Everything is checked again: where the file has changed since, it fails as the agent's own write would.
    """
    by = str(actor())

    def applied(proposal: Proposal) -> Proposal:
        arguments = dict(proposal.arguments)
        if content is not None:
            if "content" not in arguments:
                raise UsageError(f"{proposal.operation} has no lines that could be changed.")
            arguments["content"] = content
        with acting(Owner(proposal.agent, proposal.session, proposal.purpose)), _told_to_a_person(proposal):
            answer = _run(bench, proposal, arguments)
        state = ProposalState.APPLIED if content is None else ProposalState.CHANGED
        return msgspec.structs.replace(
            proposal, arguments=arguments, state=state, decided_by=by, answer=as_plain(answer)
        )

    return _without_handles(bench.proposals.decide(id_, applied))


@declare(
    "RefuseProposal", Faces(None, "refuse-proposal"), effect=DECIDES, index=Need.NOTHING, errors=(UsageError,)
)
def refuse_proposal(
    bench: Bench,
    id_: Annotated[str, _ID],
    reason: Annotated[str, Param("Why; the agent is told.", flag="--reason", is_text=always)],
) -> Proposal:
    """Decide against a change that an agent proposed. Nothing is written."""
    if not reason.strip():
        raise UsageError("Say why: the agent will be told.")
    by = str(actor())
    return _without_handles(
        bench.proposals.decide(
            id_,
            lambda proposal: msgspec.structs.replace(
                proposal, state=ProposalState.REFUSED, decided_by=by, reason=reason
            ),
        )
    )


@declare(
    "WithdrawProposal",
    Faces("withdraw_proposal", "withdraw-proposal"),
    effect=GIVES_UP,
    index=Need.NOTHING,
    errors=(UsageError, ProposalRefused),
)
def withdraw_proposal(bench: Bench, id_: Annotated[str, _ID]) -> Proposal:
    """Take a proposal back before it is decided. An agent can take back its own."""
    asking = agent()

    def withdrawn(proposal: Proposal) -> Proposal:
        if asking is not None and (asking.user, asking.session) != (proposal.agent, proposal.session):
            raise ProposalRefused(f"Proposal {proposal.id} is another agent's.", proposalId=proposal.id)
        return msgspec.structs.replace(proposal, state=ProposalState.WITHDRAWN, decided_by=str(actor()))

    return _without_handles(bench.proposals.decide(id_, withdrawn))


@contextmanager
def _told_to_a_person(proposal: Proposal) -> Iterator[None]:
    """Reword a conflict for a person: its advice is meant for the agent that wrote the call."""
    try:
        yield
    except (VersionConflict, CacheExpired) as error:
        changed = f"{proposal.object} is not as {proposal.agent} read it any more."
        raise type(error)(
            f"{NOTHING_WRITTEN} {error.details.get('reason', changed)} Refuse the change and say so, and the agent can "
            "propose another.",
            **error.details,
        ) from error


def _run(bench: Bench, proposal: Proposal, arguments: dict[str, Any]) -> Any:
    """Run the proposed call. A lock that expired while the proposal waited is taken again temporarily."""
    operation = _operation(proposal)
    if operation is None:
        raise UsageError(f"This version has no operation {proposal.operation}. Refuse the proposal.")
    try:
        return operation.run(bench, arguments)
    except LockRequired:
        if "lockHandle" not in arguments or "object" not in arguments:
            raise
    if is_adt(arguments["object"]):
        return operation.run(bench, arguments | {"lockHandle": NEW_LOCK})
    lock = bench.writing.lock(arguments["object"], purpose="apply a proposal", lease=_LEASE)
    try:
        return operation.run(bench, arguments | {"lockHandle": lock.lock_handle})
    finally:
        bench.writing.unlock(arguments["object"], lock.lock_handle or "")


def _operation(proposal: Proposal) -> Operation | None:
    """Return the proposed operation; None where this version lacks it."""
    return by_name(proposal.operation)


def _without_handles(proposal: Proposal) -> Proposal:
    """A handle is its owner's alone."""
    return msgspec.structs.replace(proposal, arguments=proposal.change)
