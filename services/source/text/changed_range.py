"""Changed range of two texts, found from their bytes without splitting the equal lines."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Literal

from services.workspace.text import Text

_BLOCK = 1 << 13


Same = tuple[int, int]
"""How many bytes two texts have in common at the start and, apart from those, at the end."""


Changed = tuple[tuple[int, int], tuple[int, int]]
"""(first, last) line, in either of two texts, of the one stretch outside of which both have the same bytes."""


def changed_lines(before: Text | None, after: Text, same: Same | None = None) -> Changed:
    """Return the changed lines. `same`: the result of `shared_bytes`, where it is known."""
    if before is None:
        return (1, 0), (1, after.line_count)
    head, tail = same or shared_bytes(before.data, after.data)
    first = before.line_at(head) if before.line_count else 1
    ends = [(text, len(text.data) - tail) for text in (before, after)]
    if all(_begins_line(text, end) for text, end in ends):
        lasts = [text.line_at(end - 1) if end > text.offsets[0] else 0 for text, end in ends]
    else:
        # What stays begins within a line of one of them: that line is another in both.
        lasts = [text.line_at(end) for text, end in ends]
    return (first, max(lasts[0], first - 1)), (first, max(lasts[1], first - 1))


def shared_bytes(one: bytes, other: bytes) -> Same:
    """How many bytes both have in common at the start and, apart from those, at the end."""
    most = min(len(one), len(other))
    head = _shared(one, other, most, _from_start, "big")
    return head, _shared(one, other, most - head, _from_end, "little")


def _begins_line(text: Text, offset: int) -> bool:
    at = bisect.bisect_left(text.offsets, offset)
    return at < len(text.offsets) and text.offsets[at] == offset


def _shared(
    one: bytes,
    other: bytes,
    most: int,
    cut: Callable[[bytes, int, int], bytes],
    order: Literal["big", "little"],
) -> int:
    """How many bytes up to `most` are the same, counted from one end. Read in the `order` that puts that end first, two
    blocks differ first in the highest byte of their difference."""
    at = 0
    while at < most:
        end = min(at + _BLOCK, most)
        ours, theirs = cut(one, at, end), cut(other, at, end)
        if ours != theirs:
            differ = int.from_bytes(ours, order) ^ int.from_bytes(theirs, order)
            return end - (differ.bit_length() + 7) // 8
        at = end
    return most


def _from_start(data: bytes, start: int, end: int) -> bytes:
    return data[start:end]


def _from_end(data: bytes, start: int, end: int) -> bytes:
    return data[len(data) - end : len(data) - start]
