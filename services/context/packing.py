"""What of a ranking is shown, and how, so that it keeps to a budget: outlines for the first ten, signatures for the
rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from services.model import Level

OUTLINED = 10
_OUTLINES = 0.75
"""Of the budget for outlines: the rest is for signatures."""
_ONE = 0.4
"""Of what is left for outlines one may take: where a huge type took all, nothing else would be shown."""
_AT_ONCE = 24
_MISSES = 8
"""Signatures that do not fit any more before no more are looked at."""


class Costs(NamedTuple):
    """Tokens of a type at its levels."""

    signature: int
    outline: int


CostsOf = Callable[[Sequence[int]], Mapping[int, Costs]]
"""What units cost; those that cannot be rendered are left out."""


class Packed(NamedTuple):
    """A unit as it is shown."""

    unit: int
    level: Level
    cost: int


def packed(ranking: Sequence[int], costs: CostsOf, budget: int, *, most: int) -> Iterator[Packed]:
    """The best `most` units that fit, in the order of the ranking. Those that cannot be rendered are left out."""
    outlines = int(budget * _OUTLINES)
    left, misses = budget, 0
    for rank, (unit, cost) in enumerate(islice(_costed(ranking, costs), most)):
        wants = rank < OUTLINED and cost.outline <= min(left, max(int(outlines * _ONE), cost.signature))
        level = Level.OUTLINE if wants or cost.outline <= cost.signature else Level.SIGNATURE
        tokens = cost.outline if level is Level.OUTLINE else cost.signature
        if tokens > left:
            misses += 1
            if misses >= _MISSES:
                return
            continue
        left -= tokens
        outlines -= tokens if rank < OUTLINED else 0
        yield Packed(unit, level, tokens)


def _costed(ranking: Sequence[int], costs: CostsOf) -> Iterator[tuple[int, Costs]]:
    """Each unit with its costs, a few at a time: of a long ranking most are never asked for."""
    for at in range(0, len(ranking), _AT_ONCE):
        units = ranking[at : at + _AT_ONCE]
        known = costs(units)
        yield from ((unit, known[unit]) for unit in units if unit in known)
