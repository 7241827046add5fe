"""Container and name as one text, for terms whose humps span both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from services.index.search.match import alphabet
from services.index.search.match.columns import Symbols
from services.index.search.match.query import Term
from services.index.search.rank.score import align

Places = NDArray[np.int64]


class Joined:
    """A term laid over `container.name` of n places. `scores`: int16 (n,)."""

    def __init__(self, symbols: Symbols, places: Places, term: Term) -> None:
        containers, names = symbols.container_id[places], symbols.name_id[places]
        left, left_classes = symbols.containers.characters(containers)
        right, right_classes = symbols.names.characters(names)
        shape = (len(places), left.shape[1] + 1 + right.shape[1])
        points, classes = np.zeros(shape, np.uint32), np.zeros(shape, np.uint8)
        points[:, : left.shape[1]], classes[:, : left.shape[1]] = left, left_classes
        self._dots = np.minimum(symbols.containers.lengths[containers], 255).astype(np.int64)
        rows = np.arange(len(places))
        points[rows, self._dots], classes[rows, self._dots] = ord("."), alphabet.PUNCTUATION
        columns = self._dots[:, None] + 1 + np.arange(right.shape[1])
        points[rows[:, None], columns], classes[rows[:, None], columns] = right, right_classes
        self._aligned = align((points, classes), [(term, len(places))])
        self.scores = self._aligned.scores

    def positions(self, at: Places) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """For some of the places, the characters the term matched in the name and in the container, ascending."""
        return [
            (tuple(p - dot - 1 for p in matched if p > dot), tuple(p for p in matched if p < dot))
            for matched, dot in zip(self._aligned.positions(at), self._dots[at].tolist(), strict=True)
        ]
