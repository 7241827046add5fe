"""Unified diffs of two texts, as `patch` and git write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.source.text.differ import Changed, changed_lines, matching_blocks
from services.workspace.text import Text

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
