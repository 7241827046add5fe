"""Line diff: common ends first, then lines that are unique in both (the patience algorithm), then the longest common
subsequence between those, by rapidfuzz's bit-parallel LCS."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

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


_MOST_CELLS = 400_000_000
"""Lines times lines for which a common subsequence is worked out (50 MB of bits); beyond, all count as changed."""


class EqualBlock(NamedTuple):
    """Lines `a` to `a + size - 1` of one are lines `b` to `b + size - 1` of the other, 0-based."""

    a: int
    b: int
    size: int


def matching_blocks(one: Sequence[str], other: Sequence[str]) -> list[EqualBlock]:
    """Return the equal blocks, in order, each as large as possible; the last is an empty one at both ends."""
    ids: dict[str, int] = {}
    a = [ids.setdefault(line, len(ids)) for line in one]
    b = [ids.setdefault(line, len(ids)) for line in other]
    pairs: list[EqualBlock] = []
    _match(a, b, (0, len(a), 0, len(b)), pairs)
    return [*_joined(pairs), EqualBlock(len(a), len(b), 0)]


def _match(a: list[int], b: list[int], window: tuple[int, int, int, int], found: list[EqualBlock]) -> None:
    """Adds the blocks of a window (first and end of each side) in order."""
    a0, a1, b0, b1 = window
    head = 0
    while a0 + head < a1 and b0 + head < b1 and a[a0 + head] == b[b0 + head]:
        head += 1
    tail = 0
    while a1 - tail > a0 + head and b1 - tail > b0 + head and a[a1 - tail - 1] == b[b1 - tail - 1]:
        tail += 1
    if head:
        found.append(EqualBlock(a0, b0, head))
    _between(a, b, (a0 + head, a1 - tail, b0 + head, b1 - tail), found)
    if tail:
        found.append(EqualBlock(a1 - tail, b1 - tail, tail))


def _between(a: list[int], b: list[int], window: tuple[int, int, int, int], found: list[EqualBlock]) -> None:
    """A window whose ends differ: cut at the lines that are unique in both."""
    a0, a1, b0, b1 = window
    if a0 == a1 or b0 == b1 or (a1 - a0 == 1 and b1 - b0 == 1):
        return  # nothing is left that could be the same
    anchors = _anchors(a, b, window)
    if not anchors:
        _subsequence(a, b, window, found)
        return
    for x, y in anchors:
        if x < a0 or y < b0:
            continue
        _subsequence_or_ends(a, b, (a0, x, b0, y), found)
        found.append(EqualBlock(x, y, 1))
        a0, b0 = x + 1, y + 1
    _subsequence_or_ends(a, b, (a0, a1, b0, b1), found)


def _subsequence_or_ends(
    a: list[int], b: list[int], window: tuple[int, int, int, int], found: list[EqualBlock]
) -> None:
    a0, a1, b0, b1 = window
    if a0 < a1 and b0 < b1:
        _subsequence(a, b, window, found)


def _subsequence(
    a: list[int], b: list[int], window: tuple[int, int, int, int], found: list[EqualBlock]
) -> None:
    a0, a1, b0, b1 = window
    if (a1 - a0) * (b1 - b0) > _MOST_CELLS:
        return
    from rapidfuzz.distance import LCSseq

    found += [
        EqualBlock(a0 + code.src_start, b0 + code.dest_start, code.src_end - code.src_start)
        for code in LCSseq.opcodes(a[a0:a1], b[b0:b1])
        if code.tag == "equal"
    ]


def _anchors(a: list[int], b: list[int], window: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Find lines unique on both sides, as the longest run of pairs that rises on both (patience sorting)."""
    a0, a1, b0, b1 = window
    once_a = {line for line, count in Counter(a[a0:a1]).items() if count == 1}
    once = {line for line, count in Counter(b[b0:b1]).items() if count == 1} & once_a
    where = {b[y]: y for y in range(b0, b1) if b[y] in once}
    tops: list[int] = []
    chain: list[tuple[int, int, int]] = []
    ends: list[int] = []
    for x in range(a0, a1):
        if a[x] in once:
            y = where[a[x]]
            place = bisect.bisect_left(tops, y)
            chain.append((x, y, ends[place - 1] if place else -1))
            tops[place : place + 1] = [y]
            ends[place : place + 1] = [len(chain) - 1]
    result = []
    at = ends[-1] if ends else -1
    while at >= 0:
        x, y, at = chain[at]
        result.append((x, y))
    return result[::-1]


def _joined(blocks: Sequence[EqualBlock]) -> list[EqualBlock]:
    joined: list[EqualBlock] = []
    for block in blocks:
        if joined and (joined[-1].a + joined[-1].size, joined[-1].b + joined[-1].size) == block[:2]:
            joined[-1] = joined[-1]._replace(size=joined[-1].size + block.size)
        else:
            joined.append(block)
    return joined
