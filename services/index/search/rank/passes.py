"""Passes of alignment: terms with many texts of different lengths, in as few passes as is efficient."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from services.index.search.match.query import Term
from services.index.search.match.sorted_arrays import ascending
from services.index.search.rank.alignment import AlignedTerm, Characters, align

_WIDTHS = (32, 64)
"""Texts up to these lengths are handled together, and longer ones separately: a table is as wide as its widest
text."""

_PAYS = 4_000
"""Cells of tables. A pass of its own costs as much as so many cells, which the texts have to save that are not
handled with longer ones."""

_Piece = tuple[int, NDArray[np.int64]]
"""Some texts of a part: its number, and their places in it, ascending."""


def lay(parts: Sequence[tuple[Characters, Term]]) -> list[AlignedTerm]:
    """Align each term with its texts."""
    found = [AlignedTerm(characters, term) for characters, term in parts]
    longest_first = sorted(range(len(parts)), key=lambda at: -len(parts[at][1].text))
    groups: list[list[_Piece]] = [[] for _ in range(len(_WIDTHS) + 1)]
    widths = [0] * len(groups)
    for at in longest_first:
        others = np.flatnonzero(found[at].scores < 0)
        lengths = np.count_nonzero(parts[at][0][0][others], axis=1)
        sizes = np.searchsorted(_WIDTHS, lengths)
        for size in ascending(sizes).tolist():
            mine = sizes == size
            groups[size].append((at, others[mine]))
            widths[size] = max(widths[size], int(lengths[mine].max()), 1)
    for group in _joined(groups, widths):
        _lay(parts, found, group)
    return found


def _joined(groups: list[list[_Piece]], widths: list[int]) -> list[list[_Piece]]:
    """The groups of texts, the shorter with the longer where a pass of its own does not pay."""
    made: list[list[_Piece]] = []
    held: list[_Piece] = []
    width = 0
    for size, group in enumerate(groups):
        if not group:
            continue
        count = sum(len(texts) for _, texts in held)
        if held and count * (widths[size] - width) > _PAYS:
            made.append(held)
            held = []
        held, width = [*held, *group], widths[size]
    return [_by_part(group) for group in (*made, held) if group]


def _by_part(group: list[_Piece]) -> list[_Piece]:
    """Return one piece a part, in order of first occurrence."""
    texts: dict[int, list[NDArray[np.int64]]] = {}
    for at, mine in group:
        texts.setdefault(at, []).append(mine)
    return [(at, np.sort(np.concatenate(mine))) for at, mine in texts.items()]


def _lay(parts: Sequence[tuple[Characters, Term]], found: list[AlignedTerm], group: list[_Piece]) -> None:
    group = sorted(group, key=lambda piece: -len(parts[piece[0]][1].text))
    texts = [tuple(part[mine] for part in parts[at][0]) for at, mine in group]
    width = max(int(np.count_nonzero(points, axis=1).max()) for points, _ in texts) or 1
    total = sum(len(points) for points, _ in texts)
    points, classes = np.zeros((total, width), np.uint32), np.zeros((total, width), np.uint8)
    first = 0
    for own in texts:
        last, wide = first + len(own[0]), min(width, own[0].shape[1])
        points[first:last, :wide], classes[first:last, :wide] = own[0][:, :wide], own[1][:, :wide]
        first = last
    aligned = align((points, classes), [(parts[at][1], len(mine)) for at, mine in group])
    first = 0
    for at, mine in group:
        found[at].take(mine, aligned, first)
        first += len(mine)
