"""The part of a segment that filters and deletions leave, with what ranking needs to know of each name in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from services.index.search.alphabet import ascii_folds, fold
from services.index.search.columns import ACCESSES, KINDS, Symbols
from services.index.search.texts import Texts

Filters = tuple[tuple[str, str], ...]
Mask = NDArray[np.bool_]

_LONGEST = 255


class View:
    """`mask`: bool by place, or None if everything is left; `counts`: int32 symbols left by name; `by_access` and
    `by_length`: int32 by name, larger is better, the tie order with accessibility or length first."""

    def __init__(self, symbols: Symbols, mask: Mask | None) -> None:
        self.mask = mask
        self.counts, access = _left(symbols, mask)
        openness = 7 - access.astype(np.int32)
        shortness = _LONGEST - np.minimum(symbols.names.lengths, _LONGEST).astype(np.int32)
        self.by_access = (openness << 13) | (shortness << 5) | symbols.fame
        self.by_length = (shortness << 8) | (openness << 5) | symbols.fame

    def keep(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of the places that are left."""
        return places if self.mask is None else places[self.mask[places]]


def _left(symbols: Symbols, mask: Mask | None) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """By name: how many symbols are left, and the most open access among them."""
    if mask is None:
        return np.diff(symbols.starts), symbols.access[symbols.starts[:-1]]
    before = np.zeros(len(mask) + 1, np.int32)
    np.cumsum(mask, dtype=np.int32, out=before[1:])
    bounds = before[symbols.starts]
    left = np.append(symbols.access[mask], np.uint8(len(ACCESSES)))
    return np.diff(bounds), left[bounds[:-1]]


def filter_mask(symbols: Symbols, field: str, value: str) -> Mask:
    """Which places one filter leaves."""
    return _FIELDS[field](symbols, value)


def _kind(symbols: Symbols, value: str) -> Mask:
    """A kind by its name without blanks, or by the beginning of it."""
    names = [str(kind).replace(" ", "") for kind in KINDS]
    return _chosen(names, value)[symbols.kind]


def _access(symbols: Symbols, value: str) -> Mask:
    return _chosen([name.replace(" ", "") for name in ACCESSES], value)[symbols.access]


def _chosen(names: list[str], value: str) -> Mask:
    wanted = value.replace("-", "").replace("_", "")
    exact = [name == wanted for name in names]
    chosen = np.zeros(256, np.bool_)
    chosen[: len(names)] = exact if any(exact) else [name.startswith(wanted) for name in names]
    return chosen


def _project(symbols: Symbols, value: str) -> Mask:
    names = [fold(name) for name in symbols.projects]
    wanted = [name == value for name in names]
    chosen = wanted if any(wanted) else [value in name for name in names]
    return np.array([*chosen, False], np.bool_)[symbols.project_id]


def _namespace(symbols: Symbols, value: str) -> Mask:
    """Containers with these segments in a row, the last of which may be begun only."""
    wanted = "." + value.strip(".")
    containers = symbols.containers
    found = (
        _containing(containers, wanted.encode("ascii"))
        if wanted.isascii()
        else np.zeros(len(containers), np.bool_)
    )
    for index in np.flatnonzero(~containers.ascii).tolist():
        found[index] = wanted in fold("." + containers.text(index))
    return found[symbols.container_id]


def _containing(containers: Texts, wanted: bytes) -> Mask:
    """Which texts have a segment that begins with `wanted`, whose first character is the dot before it. Every place a
    segment can begin at is followed character by character."""
    folds, offsets = ascii_folds(), containers.offsets
    dots = np.flatnonzero((containers.blob == ord(".")) | (containers.blob == ord("+"))) + 1
    begins = np.sort(np.concatenate((offsets[:-1], dots)))
    begins = begins[begins < len(containers.blob)]
    owners = np.searchsorted(offsets, begins, side="right") - 1
    ends = offsets[owners + 1]
    for place, value in enumerate(wanted[1:]):
        at = np.minimum(begins + place, len(containers.blob) - 1)
        kept = (begins + place < ends) & (folds[containers.blob[at] & 127] == value)
        begins, owners, ends = begins[kept], owners[kept], ends[kept]
    found = np.zeros(len(containers), np.bool_)
    found[owners] = True
    return found


_FIELDS = {"kind": _kind, "access": _access, "in": _project, "ns": _namespace}
