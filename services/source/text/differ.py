"""Line diff of two texts: common ends first, then lines that are unique in both (the patience algorithm); the
unified diff, and the three-way merge (diff3).

In a merge a change of one side is taken, and different changes of both sides are a conflict. Lines are compared
without their endings, and retain the ending of their side: a change of endings alone by one side does not make every
line a conflict.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

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


CONTEXT = 3
NO_NEWLINE = "\\ No newline at end of file\n"


class LineChange(NamedTuple):
    """0-based, ends exclusive: lines of the old side, lines of the new."""

    a0: int
    a1: int
    b0: int
    b1: int


def diff_of(path: str, before: Text | None, after: Text | None, *, changed: Changed | None = None) -> str:
    """Return the diff from one text to another; only the surroundings of the changed lines are decoded. `changed`:
    the result of `changed_lines`, where it is known."""
    if before is None or after is None or before.encoding != after.encoding:
        return unified_diff(path, *(None if text is None else text.lines() for text in (before, after)))
    old, new = changed or changed_lines(before, after)
    start = max(1, old[0] - CONTEXT)
    sides = [
        text.lines(start, max(start - 1, min(text.line_count, last + CONTEXT)))
        for text, last in ((before, old[1]), (after, new[1]))
    ]
    stretch = LineChange(old[0] - start, old[1] + 1 - start, new[0] - start, new[1] + 1 - start)
    is_one_line = old[0] == old[1] and new[0] == new[1]
    return unified_diff(path, *sides, skipped=start - 1, changes=[stretch] if is_one_line else None)


def unified_diff(
    path: str,
    old: Sequence[str] | None,
    new: Sequence[str] | None,
    *,
    skipped: int = 0,
    changes: Sequence[LineChange] | None = None,
) -> str:
    """The diff from `old` to `new`, lines with their endings, in git's form; None: no file. Empty where equal.

    `skipped`: lines before these in both files; `changes`: as `line_changes` would answer, where that is known."""
    if old == new:
        return ""
    heads = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    old, new = old or (), new or ()
    body = "".join(_hunk(old, new, group, skipped) for group in groups(changes or line_changes(old, new)))
    return f"--- {heads[0]}\n+++ {heads[1]}\n{body}"


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """Return the differences of two texts, in order."""
    changes = []
    a = b = 0
    for block in matching_blocks(old, new):
        if (a, b) != (block.a, block.b):
            changes.append(LineChange(a, block.a, b, block.b))
        a, b = block.a + block.size, block.b + block.size
    return changes


def groups(changes: Sequence[LineChange], *, context: int = CONTEXT) -> Iterator[list[LineChange]]:
    """Changes whose contexts touch share a hunk."""
    group: list[LineChange] = []
    for change in changes:
        if group and change.a0 - group[-1].a1 > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[LineChange], skipped: int) -> str:
    before = min(CONTEXT, group[0].a0)
    after = min(CONTEXT, len(old) - group[-1].a1)
    a0, a1 = group[0].a0 - before, group[-1].a1 + after
    b0, b1 = group[0].b0 - before, group[-1].b1 + after
    lines = [f"@@ -{_range(a0, a1, skipped)} +{_range(b0, b1, skipped)} @@\n"]
    at = a0
    for change in group:
        lines += (
            _marked(" ", old[at : change.a0]),
            _marked("-", old[change.a0 : change.a1]),
            _marked("+", new[change.b0 : change.b1]),
        )
        at = change.a1
    return "".join([*lines, _marked(" ", old[at:a1])])


def _marked(sign: str, lines: Sequence[str]) -> str:
    """The lines, of which only the last may be without an ending, each with the sign before it."""
    if not lines:
        return ""
    text = sign + sign.join(lines)
    return text if lines[-1].endswith("\n") else f"{text}\n{NO_NEWLINE}"


def _range(start: int, end: int, skipped: int) -> str:
    """The line before where there is no line at all (POSIX diff -u)."""
    length = end - start
    start += skipped
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


class Conflict(msgspec.Struct, frozen=True):
    """Merge conflict: lines with their endings. `start`: 1-based line of `theirs` where it begins; `merged_at`: 0-based
    line of the merged text, which has `theirs` there."""

    start: int
    base: tuple[str, ...]
    mine: tuple[str, ...]
    theirs: tuple[str, ...]
    merged_at: int = 0


class Merged(msgspec.Struct, frozen=True):
    """`lines` is the merged text where there are no `conflicts`."""

    lines: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


def merge(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Merged:
    """Both sides' changes of `base` in one text. Where both left a line alone, theirs is taken: it is the file's."""
    ours = _matches(base, mine)
    other = _matches(base, theirs)
    lines: list[str] = []
    conflicts: list[Conflict] = []
    a = b = c = 0
    for start, size in [*_common(ours, other), (len(base), 0)]:
        to_b = ours[start] if size else len(mine)
        to_c = other[start] if size else len(theirs)
        before = (base[a:start], mine[b:to_b], theirs[c:to_c])
        _resolve(before, c + 1, lines, conflicts)
        lines += theirs[to_c : to_c + size]
        a, b, c = start + size, to_b + size, to_c + size
    return Merged(tuple(lines), tuple(conflicts))


def _resolve(
    parts: tuple[Sequence[str], Sequence[str], Sequence[str]],
    at: int,
    lines: list[str],
    conflicts: list[Conflict],
) -> None:
    base, mine, theirs = parts
    if _bare(theirs) == _bare(base):
        lines += mine
    elif _bare(mine) in (_bare(base), _bare(theirs)):
        lines += theirs
    else:
        conflicts.append(Conflict(at, tuple(base), tuple(mine), tuple(theirs), len(lines)))
        lines += theirs


def _common(one: dict[int, int], other: dict[int, int]) -> list[tuple[int, int]]:
    """Ranges of the base that are unchanged on both sides, as (first line, count), each contiguous on all three
    sides."""
    stretches: list[tuple[int, int]] = []
    for line in sorted(one.keys() & other.keys()):
        if stretches:
            start, size = stretches[-1]
            if start + size == line and one[start] + size == one[line] and other[start] + size == other[line]:
                stretches[-1] = (start, size + 1)
                continue
        stretches.append((line, 1))
    return stretches


def _matches(base: Sequence[str], side: Sequence[str]) -> dict[int, int]:
    blocks: list[EqualBlock] = matching_blocks(_bare(base), _bare(side))
    return {block.a + each: block.b + each for block in blocks for each in range(block.size)}


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line for line in lines]
