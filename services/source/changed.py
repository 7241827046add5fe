"""Where two texts differ, found from their bytes without looking at the lines that stay."""

from __future__ import annotations

import bisect
from collections.abc import Callable

from services.workspace.text import Text

_BLOCK = 1 << 16


Same = tuple[int, int]
"""How many bytes two texts have in common at the start and, apart from those, at the end."""


def changed_lines(
    before: Text | None, after: Text, same: Same | None = None
) -> tuple[tuple[int, int], tuple[int, int]]:
    """(first, last) line of the one stretch outside of which both texts have the same bytes, in either. `same`: what
    `shared_bytes` says of them, where it is known."""
    if before is None:
        return (1, 0), (1, after.line_count)
    head, tail = same or shared_bytes(before.data, after.data)
    first = before.line_at(head) if before.line_count else 1
    lasts = [
        text.line_at(max(len(text.data) - tail - 1, 0)) if text.line_count else 0 for text in (before, after)
    ]
    return (first, max(lasts[0], first - 1)), (first, max(lasts[1], first - 1))


def shared_bytes(one: bytes, other: bytes) -> Same:
    """How many bytes both have in common at the start and, apart from those, at the end."""
    most = min(len(one), len(other))
    head = _shared(most, lambda start, end: one[start:end] == other[start:end])
    tail = _shared(most - head, lambda start, end: _from_end(one, start, end) == _from_end(other, start, end))
    return head, tail


def _shared(most: int, same: Callable[[int, int], bool]) -> int:
    """How many bytes up to `most` are the same, counted from one end; block by block, then within the last one."""
    at = 0
    while at < most and same(at, min(at + _BLOCK, most)):
        at = min(at + _BLOCK, most)
    rest = range(1, min(_BLOCK, most - at) + 1)
    return at + bisect.bisect_left(rest, True, key=lambda size: not same(at, at + size))


def _from_end(data: bytes, start: int, end: int) -> bytes:
    return data[len(data) - end : len(data) - start]
