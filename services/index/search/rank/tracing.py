"""Which characters of texts a term matched: the way back through tables of scores, for many texts at once.

From the place with the best score of the last character on, the way goes left as long as the character is not the one
that was taken there, then on to the character before it, as in fzf's FuzzyMatchV2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Table(NamedTuple):
    """Of n texts, by character of the term and place: `best`, the scores, (characters, width, n); `joined`, whether a
    chunk of two characters or more ends there. `firsts`: where each character is first found, (characters, n)."""

    best: NDArray[np.int16]
    joined: NDArray[np.bool_]
    firsts: NDArray[np.int64]


def traced(table: Table) -> NDArray[np.int64]:
    """The place of each character in each text, (n, characters). All texts have the term."""
    best, joined, firsts = table
    length, width, count = best.shape
    places = np.arange(width, dtype=np.int16)[:, None]
    diagonal, left = np.zeros_like(best), np.zeros_like(best)
    diagonal[1:, 1:], left[:, 1:] = best[:-1, :-1], best[:, :-1]
    at_last = places <= firsts[:, None]
    better = best > diagonal
    taken, as_good = at_last | (better & (best > left)), better & (best == left)
    prefers = joined.copy()
    prefers[:-1, :-1] |= joined[1:, 1:]
    from_right = taken.copy()
    from_right[:, :-1] |= as_good[:, :-1] & prefers[:, 1:]
    stops = np.maximum.accumulate(from_right * places, axis=1)
    from_after = taken.copy()
    from_after[:-1, :-1] |= as_good[:-1, :-1] & prefers[1:, 1:]
    from_after[-1] |= as_good[-1]
    found, texts = np.empty((count, length), np.int64), np.arange(count)
    place = best[-1].argmax(axis=0)
    for at in range(length - 1, -1, -1):
        stays = from_after[at, place, texts]
        place = np.where(stays, place, stops[at, place - 1, texts])
        found[:, at] = place
        place = place - 1
    return found
