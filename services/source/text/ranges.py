"""Ranges of lines, as the reads of a content are stored: sorted, separate (first, last) pairs, 1-based, inclusive."""

from __future__ import annotations

from collections.abc import Sequence

Lines = tuple[tuple[int, int], ...]


def covers(lines: Lines, first: int, last: int) -> bool:
    """Whether every line from `first` to `last` is in one of the ranges; an empty range (`last < first`) is where the
    line before or the line after it is."""
    if last < first:
        return any(a - 1 <= last and first <= b + 1 for a, b in lines)
    return any(a <= first and last <= b for a, b in lines)


def joined(lines: Lines, more: Sequence[tuple[int, int]]) -> Lines:
    """The ranges with `more` of them; neighbours become one."""
    for first, last in more:
        if first <= last and not covers(lines, first, last):
            lines = _with_one(lines, first, last)
    return lines


def shifted(lines: Lines, old: tuple[int, int], new: tuple[int, int]) -> Lines:
    """The ranges known after lines `old` became lines `new`: those before stay, those after move, the new ones are
    known."""
    moved = new[1] - old[1]
    if old[0] <= old[1] and covers(lines, *old):
        grown = ((a + moved if a > old[1] else a, b + moved if b >= old[1] else b) for a, b in lines)
        return tuple((first, last) for first, last in grown if first <= last)
    known = [(first, min(last, old[0] - 1)) for first, last in lines]
    known += [(max(first, old[1] + 1) + moved, last + moved) for first, last in lines]
    return joined((), [*known, new])


def to_text(lines: Lines) -> str:
    """Format ranges: `3-5,9-9`."""
    return ",".join(f"{first}-{last}" for first, last in lines)


def from_text(text: str) -> Lines:
    """Parse the format of `to_text`."""
    pairs = (pair.split("-") for pair in text.split(",") if pair)
    return tuple((int(first), int(last)) for first, last in pairs)


def _with_one(lines: Lines, first: int, last: int) -> Lines:
    apart = [(a, b) for a, b in lines if b < first - 1 or a > last + 1]
    touching = [(a, b) for a, b in lines if not (b < first - 1 or a > last + 1)]
    whole = (min([first, *(a for a, _ in touching)]), max([last, *(b for _, b in touching)]))
    return tuple(sorted([*apart, whole]))
