"""Where two texts differ, found from their bytes without looking at the lines that stay."""

from __future__ import annotations

import bisect
from collections.abc import Callable

from services.workspace.text import Text


def changed_lines(before: Text | None, after: Text) -> tuple[tuple[int, int], tuple[int, int]]:
    """(first, last) line of the one stretch outside of which both texts have the same bytes, in either."""
    if before is None:
        return (1, 0), (1, after.line_count)
    one, other = before.data, after.data
    most = min(len(one), len(other))
    head = _longest(most, lambda size: one[:size] == other[:size])
    tail = _longest(most - head, lambda size: one[len(one) - size :] == other[len(other) - size :])
    first = before.line_at(head) if before.line_count else 1
    lasts = [
        text.line_at(max(len(text.data) - tail - 1, 0)) if text.line_count else 0 for text in (before, after)
    ]
    return (first, max(lasts[0], first - 1)), (first, max(lasts[1], first - 1))


def _longest(most: int, same: Callable[[int], bool]) -> int:
    """The largest number up to `most` for which `same` holds, as it does for every smaller one."""
    return bisect.bisect_left(range(1, most + 1), True, key=lambda size: not same(size))
