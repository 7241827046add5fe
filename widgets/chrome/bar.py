"""A bar of cells in parts, and eighths of a cell where one part alone fills it."""

from __future__ import annotations

from collections.abc import Sequence

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def shares(parts: Sequence[int], whole: int, width: int) -> list[int]:
    """Cells of `width` for each part of `whole`: rounded so that together they take no more than `width`; a
    part that is not zero has at least a cell while there is room."""
    cells, left = [], width
    for part in parts:
        share = 0 if whole <= 0 or part <= 0 else max(1, round(part * width / whole))
        cells.append(min(share, left))
        left -= cells[-1]
    return cells


def fraction_bar(fraction: float, width: int) -> str:
    """`width` cells filled from the left to `fraction` (0 to 1), to an eighth of a cell."""
    eighths = round(min(max(fraction, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)
