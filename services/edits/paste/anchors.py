"""Parts of a text that is shown with gaps, each found by the lines at its edges."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from services.edits.paste.matching import IndexedLines, Tier, is_telling

Gap = tuple[int, int]
_MOST_LOST = 3
"""Lines of the file that a part may take away beyond twice those that it brings."""


def anchored_gaps(shown: Sequence[str], marks: Sequence[int], base: Sequence[str]) -> list[Gap] | None:
    """Return the gap of each mark, where the lines next to all marks are in the file, each run of them once; None
    where they are not."""
    lines = IndexedLines(base)
    starts, ends = [0, *(mark + 1 for mark in marks)], [*marks, len(shown)]
    regions: list[Gap] = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = list(shown[start:end])
        region = _region(part, lines, is_first=number == 0, is_last=number == len(marks))
        if region is None or (regions and region[0] < regions[-1][1]):
            return None
        if _loses(part, base[region[0] : region[1]]):
            return None
        regions.append(region)
    return [(one[1], other[0]) for one, other in itertools.pairwise(regions)]


def _region(part: Sequence[str], lines: IndexedLines, *, is_first: bool, is_last: bool) -> Gap | None:
    size = len(lines.lines)
    if not any(line.strip() for line in part):
        return (0, 0) if is_first else (size, size) if is_last else None
    start = 0 if is_first else _edge(part, lines, forth=True)
    end = size if is_last else _edge(part, lines, forth=False)
    if is_first and end is None:
        end = _same_start(part, lines.lines)
    if is_last and start is None:
        start = _same_end(part, lines.lines)
    return None if start is None or end is None or start > end else (start, end)


def _edge(part: Sequence[str], lines: IndexedLines, *, forth: bool) -> int | None:
    """Return the start or end of a part in the file: where most of its lines match in a row."""
    size = len(part)
    for count in range(size, 0, -1):
        run = part[:count] if forth else part[size - count :]
        places = lines.places(run, Tier.ENDS)
        if places:
            is_certain = len(places) == 1 and any(any(map(str.isalnum, line)) for line in run)
            return (places[0] if forth else places[0] + count) if is_certain else None
    return None


def _same_start(part: Sequence[str], base: Sequence[str]) -> int | None:
    """Return the end of a first part that equals the start of the file, or changes only lines before the first
    brace."""
    if [*map(str.rstrip, part)] == [*map(str.rstrip, base[: len(part)])]:
        return len(part)
    opening, there = _opening(part), _opening(base)
    return there if there is not None and opening == len(part) else None


def _same_end(part: Sequence[str], base: Sequence[str]) -> int | None:
    """The start of a last part that is as the file ends."""
    start = len(base) - len(part)
    is_same = start >= 0 and [*map(str.rstrip, part)] == [*map(str.rstrip, base[start:])]
    return start if is_same else None


def _opening(lines: Sequence[str]) -> int | None:
    """The index behind the first line that ends with a brace that opens."""
    return next((at + 1 for at, line in enumerate(lines) if line.rstrip().endswith("{")), None)


def _loses(part: Sequence[str], region: Sequence[str]) -> bool:
    """Whether far more lines of the file would go than come."""
    shown, there = ({line.strip() for line in lines if is_telling(line)} for lines in (part, region))
    return len(there - shown) > 2 * len(shown - there) + _MOST_LOST
