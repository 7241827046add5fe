"""Three-way merge of lines (diff3): a change of one side is taken, different changes of both sides are a conflict.

Lines are compared without their endings, and retain the ending of their side: a change of endings alone by one side
does not make every line a conflict."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.source.text.differ import EqualBlock, matching_blocks


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
