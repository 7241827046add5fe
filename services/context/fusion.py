"""Several rankings made one: each gives what it ranks 1 / (10 + rank), all alike (reciprocal rank fusion, Cormack
2009).

Weights that were fitted to some repositories gained nothing on others (benchmarks/context)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

RANKED = 400
"""How far down a ranking counts."""
_BEFORE = 10


def ranked(scores: NDArray[np.float64], units: NDArray[np.int64], without: Collection[int] = ()) -> list[int]:
    """The units that have a score, best first, the first `RANKED` of them."""
    own = scores[units]
    order = np.argsort(-own, kind="stable")[: RANKED + len(without)]
    found = units[order[own[order] > 0]].tolist()
    return [at for at in found if at not in without][:RANKED]


def fused(rankings: Iterable[Sequence[int]]) -> dict[int, float]:
    """Scores of all that any of them ranks, best first."""
    found: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, at in enumerate(ranking, 1):
            found[at] += 1 / (_BEFORE + rank)
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def last(ranking: Mapping[int, float], behind: Collection[int]) -> list[int]:
    """The ranking with some of it behind all the rest."""
    return [*(at for at in ranking if at not in behind), *(at for at in ranking if at in behind)]
