"""What changed within a line that took another's place: the words of either that the other has not."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_ALIKE = 0.4
"""Share of the longer line that has to stay for a mark to say more than the sign before the line."""
_LONGEST = 2_000

Spans = tuple[tuple[int, int], ...]


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
