"""The hunks between two texts, every line with its number on the sides where it is.

What changed within a line that took another's place: the words of either that the other has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.model import DiffLine, Hunk
from services.source.text.differ import LineChange, groups, line_changes

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_ALIKE = 0.4
"""Share of the longer line that has to be equal for marks within the line to be useful."""
_LONGEST = 2_000
_MOST_PAIRS = 1_000
"""Lines that another block took the place of, beyond which nobody looks for words in them: comparing those of a whole
generated file takes seconds."""

Spans = tuple[tuple[int, int], ...]


def line_marks(old: Sequence[str], new: Sequence[str]) -> list[tuple[Spans, Spans]]:
    """What changed within each line of a block and the line that took its place; nothing of a block that is long."""
    pairs = list(zip(old, new, strict=False))  # the longer side's last lines took no place
    return [emphasis(*pair) for pair in pairs] if len(pairs) <= _MOST_PAIRS else [((), ())] * len(pairs)


def emphasis(old: str, new: str) -> tuple[Spans, Spans]:
    """Columns (end exclusive) that changed in either; none where the lines have too little in common, or much."""
    if old == new or max(len(old), len(new)) > _LONGEST:
        return (), ()
    one, other = _WORD.findall(old), _WORD.findall(new)
    from rapidfuzz.distance import LCSseq

    steps = list(LCSseq.opcodes(one, other))
    same = sum(
        len(word)
        for code in steps
        if code.tag == "equal"
        for word in _solid(one[code.src_start : code.src_end])
    )
    longer = max(sum(map(len, _solid(one))), sum(map(len, _solid(other))))
    if longer == 0 or same < _ALIKE * longer:
        return (), ()
    changed = [code for code in steps if code.tag != "equal"]
    return (
        _columns(one, [(code.src_start, code.src_end) for code in changed]),
        _columns(other, [(code.dest_start, code.dest_end) for code in changed]),
    )


def _solid(words: list[str]) -> Iterator[str]:
    return (word for word in words if not word.isspace())


def _columns(words: list[str], ranges: list[tuple[int, int]]) -> Spans:
    """Ranges of words as ranges of characters, those that touch joined."""
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        start, end = ends[first], ends[last]
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        elif start < end:
            joined.append((start, end))
    return tuple(joined)


def hunks_of(
    old: Sequence[str], new: Sequence[str], *, context: int = 3, ignore_space: bool = False
) -> tuple[Hunk, ...]:
    """The hunks from `old` to `new`, lines with their endings, with `context` lines about each change. `ignore_space`:
    lines that differ in white space alone are the same, shown as they are now."""
    changes = line_changes(*(_squeezed(old), _squeezed(new)) if ignore_space else (old, new))
    return tuple(_hunk(old, new, group, context) for group in groups(changes, context=context))


def _squeezed(lines: Sequence[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def counts_of(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines were added and deleted."""
    changes = line_changes(old, new)
    return sum(c.b1 - c.b0 for c in changes), sum(c.a1 - c.a0 for c in changes)


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[LineChange], context: int) -> Hunk:
    before = min(context, group[0].a0)
    after = min(context, len(old) - group[-1].a1)
    a0, a1 = group[0].a0 - before, group[-1].a1 + after
    b0, b1 = group[0].b0 - before, group[-1].b1 + after
    return Hunk(
        old_start=a0 + 1 if a1 > a0 else a0,
        old_count=a1 - a0,
        new_start=b0 + 1 if b1 > b0 else b0,
        new_count=b1 - b0,
        lines=tuple(_lines(old, new, group, (a0, a1, b0))),
    )


def _lines(
    old: Sequence[str], new: Sequence[str], group: Sequence[LineChange], ends: tuple[int, int, int]
) -> Iterator[DiffLine]:
    a, last, b = ends
    for change in group:
        yield from _same(new, (a, b), change.a0 - a)
        yield from _changed(old, new, change)
        a, b = change.a1, change.b1
    yield from _same(new, (a, b), last - a)


def _same(new: Sequence[str], starts: tuple[int, int], count: int) -> Iterator[DiffLine]:
    """Lines that both sides have, from `starts` (0-based) on."""
    a, b = starts
    for offset, line in enumerate(new[b : b + count], 1):
        yield _line(line, old=a + offset, new=b + offset)


def _changed(old: Sequence[str], new: Sequence[str], change: LineChange) -> Iterator[DiffLine]:
    """Deleted lines, then the added ones; each that has a counterpart knows what differs from it."""
    out, in_ = old[change.a0 : change.a1], new[change.b0 : change.b1]
    marks = line_marks([_bare(line) for line in out], [_bare(line) for line in in_])
    marks += [((), ())] * (max(len(out), len(in_)) - len(marks))
    for at, line in enumerate(out):
        yield _line(line, old=change.a0 + at + 1, spans=marks[at][0])
    for at, line in enumerate(in_):
        yield _line(line, new=change.b0 + at + 1, spans=marks[at][1])


def _line(
    line: str, *, old: int | None = None, new: int | None = None, spans: tuple[tuple[int, int], ...] = ()
) -> DiffLine:
    return DiffLine(text=_bare(line), old=old, new=new, spans=spans, ended=line.endswith("\n"))


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")
