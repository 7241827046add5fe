"""Container and name as one text, for terms whose humps span both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from services.index.search import alphabet
from services.index.search.columns import Symbols
from services.index.search.query import Term
from services.index.search.score import Aligned, align

Places = NDArray[np.int64]


def laid(symbols: Symbols, places: Places, term: Term) -> Aligned:
    """The term laid over `container.name` of each place."""
    containers, names = symbols.container_id[places], symbols.name_id[places]
    left, left_classes = symbols.containers.characters(containers)
    right, right_classes = symbols.names.characters(names)
    shape = (len(places), left.shape[1] + 1 + right.shape[1])
    points, classes = np.zeros(shape, np.uint32), np.zeros(shape, np.uint8)
    points[:, : left.shape[1]], classes[:, : left.shape[1]] = left, left_classes
    dots = _dots(symbols, places)
    rows = np.arange(len(places))
    points[rows, dots], classes[rows, dots] = ord("."), alphabet.PUNCTUATION
    columns = dots[:, None] + 1 + np.arange(right.shape[1])
    points[rows[:, None], columns], classes[rows[:, None], columns] = right, right_classes
    return align(points, classes, term)


def positions(symbols: Symbols, places: Places, term: Term) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """For each place, the characters the term matched in the name and in the container, ascending."""
    found, dots = laid(symbols, places, term), _dots(symbols, places).tolist()
    return [
        (tuple(p - dot - 1 for p in matched if p > dot), tuple(p for p in matched if p < dot))
        for matched, dot in zip(found.positions(), dots, strict=True)
    ]


def _dots(symbols: Symbols, places: Places) -> NDArray[np.int64]:
    """Where the dot between container and name is in each joined text."""
    return np.minimum(symbols.containers.lengths[symbols.container_id[places]], 255).astype(np.int64)
