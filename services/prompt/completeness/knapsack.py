"""The best choice of levels within a room: the multiple-choice knapsack, by dynamic programming over its size.

The answer is the best there is while the room has at most MOST_STEPS units; in a larger one sizes are rounded up to
whole steps, so that the choice always fits, and its value is the best of all choices in a room smaller by as many steps
as there are things to choose from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MOST_STEPS = 16_384


class Option(NamedTuple):
    """One way to take a thing: what it costs, a whole number of 0 or more, and what it is worth, above 0."""

    cost: int
    value: int


def best(things: Sequence[Sequence[Option]], room: int) -> list[int | None]:
    """Which option of each thing to take, None for none, so that the worth is greatest and the cost at most `room`.

    Of equal worth the cheaper choice is taken, then the one that takes earlier things."""
    import numpy as np

    if room < 0 or not things:
        return [None] * len(things)
    if sum(max((o.cost for o in options), default=0) for options in things) <= room:
        return [_worthiest(options) for options in things]
    step = -(-(room + 1) // MOST_STEPS)
    size = room // step + 1
    worth = np.zeros(size, dtype=np.int64)  # by room, in steps
    taken = np.full((len(things), size), -1, dtype=np.int16)
    for n in range(len(things) - 1, -1, -1):
        before = worth.copy()
        for number, option in enumerate(things[n]):
            cost = -(-option.cost // step)
            if cost >= size:
                continue
            offered = before[: size - cost] + option.value
            better = offered > worth[cost:]
            worth[cost:][better] = offered[better]
            taken[n, cost:][better] = number
    return _traced(things, taken, int(np.argmax(worth)), step)


def _traced(things: Sequence[Sequence[Option]], taken, at: int, step: int) -> list[int | None]:
    """The choice behind the best worth, which the smallest room has that is as good."""
    chosen: list[int | None] = []
    for n, options in enumerate(things):
        number = int(taken[n, at])
        chosen.append(number if number >= 0 else None)
        if number >= 0:
            at -= -(-options[number].cost // step)
    return chosen


def _worthiest(options: Sequence[Option]) -> int | None:
    ranked = sorted(range(len(options)), key=lambda n: (-options[n].value, options[n].cost))
    return ranked[0] if ranked else None
