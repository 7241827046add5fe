"""Operations that advise on the prompt window: what it lacks, and what is related to it (SPEC section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import BudgetExceeded
from services.model import Completeness, Suggestions
from services.operations.operation import CURATES, Faces, Param, declare

if TYPE_CHECKING:
    from services.bench import Bench

_ADD = Param("Pin the best set of them that fits.", flag="--add")
_BUDGET = Param(
    "Tokens that pins may then take; the soft budget where it is left out.", flag="--budget", least=1
)
_LIMIT = Param("Most to tell.", flag="--limit", least=1, most=500)


@declare("Complete", Faces("complete", "complete", "missing"), effect=CURATES, errors=(BudgetExceeded,))
def complete(
    bench: Bench, add: Annotated[bool, _ADD] = False, budget: Annotated[int | None, _BUDGET] = None
) -> Completeness:
    """List the workspace types that the window's text refers to and does not show, and the pins nothing refers to."""
    return bench.advice.completeness(add=add, budget=budget)


@declare("Suggest", Faces("suggest", "suggest", "suggestions"))
def suggest(bench: Bench, limit: Annotated[int, _LIMIT] = 20) -> Suggestions:
    """Suggest types and members related to what is in the window, each with a reason. Nothing is added."""
    return bench.advice.suggestions(limit=limit)
