"""Choosing among the places of a segment: sorted arrays of int64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def best(values: NDArray[np.int64], worth: NDArray, count: int) -> NDArray[np.int64]:
    """The `count` values worth most, ascending; equals are chosen by value so that the choice is stable."""
    if len(values) <= count:
        return values
    limit = np.partition(worth, len(worth) - count)[len(worth) - count]
    above = np.flatnonzero(worth > limit)
    equal = np.flatnonzero(worth == limit)[: count - len(above)]
    return values[np.sort(np.concatenate((above, equal)))]


def among(few: Places, many: Places) -> NDArray[np.bool_]:
    """Which of a few places are among many; `many` ascends."""
    if not len(many):
        return np.zeros(len(few), np.bool_)
    return many[np.minimum(np.searchsorted(many, few), len(many) - 1)] == few


def common(few: Places, many: Places) -> Places:
    """Those of a few places that are among many; both ascend."""
    return few[among(few, many)]


def ascending(places: Places) -> Places:
    """The places sorted, each once."""
    ordered = np.sort(places)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered
