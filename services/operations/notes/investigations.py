"""Investigations: questions about the code base, answered by the program alone or by a model that reads (SPEC section
15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from services.errors import AmbiguousSymbol, BudgetExceeded, NoModel, ReadOnly, SymbolNotFound, UsageError
from services.model import Conclusion
from services.operations.operation import CURATES, Faces, Param, Work, always, declare
from services.ops.values import OpState

if TYPE_CHECKING:
    from services.bench import Bench
    from services.ops.values import Op

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
    scope: Annotated[tuple[str, ...], Param("Path or id of where to begin.", flag="--seed")] = (),
    pin: Annotated[bool, _PIN] = False,
    pack: Annotated[str | None, _PACK] = None,
    by_model: Annotated[
        bool, Param("Have the model that is set up look, with tools that only read.", flag="--by-model")
    ] = False,
    wait: Annotated[bool, Param("Until the model has concluded.", flag="--wait")] = False,
    *,
    work: Work,
) -> Conclusion:
    """Answer a question: the places that matter, why, and how they hang together; labelled static.

    By a model it is an operation that lasts (`opId`); places that it names are looked up before anybody sees them.
    """
    from services.bench.window.context import ContextRequest

    if by_model:
        return _by_model(bench, question, scope, (pin, pack), wait=wait or pin or pack is not None)
    asked = ContextRequest(words=question, seeds=scope)
    told = bench.investigation.conclude(asked, pin=pin, report=work.progress, cancel=work.cancel)
    _keep_pack(bench, pack, [item.symbol.id for item in told.items])
    return told


def _by_model(
    bench: Bench, question: str, scope: tuple[str, ...], kept: tuple[bool, str | None], *, wait: bool
) -> Conclusion:
    from services.semantic.investigator import Question

    for each in scope:
        bench.lookup.sure(each)
    op = bench.investigator.start(Question(question, scope))
    if wait:
        op = bench.ops.run(op.op_id)
    if not wait or not op.state.is_end:
        return Conclusion(question=question, kind="asked", text=_waiting(op), op_id=op.op_id)
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
    """Answer what a model concluded, and whether its places still say what they said."""
    kept = bench.investigator.store.get(op_id)
    if kept is None:
        raise UsageError(_missing(bench, op_id), opId=op_id)
    told = bench.inquiries.told(kept)
    if pin:
        bench.window.pin(f"conclusion:{kept.id}")
    _keep_pack(bench, pack, kept.types)
    return told


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
