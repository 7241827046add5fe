"""The part of a segment that filters and deletions leave, with what ranking needs to know of each name in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from services.index.search.alphabet import fold
from services.index.search.columns import ACCESSES, KINDS, Symbols

Filters = tuple[tuple[str, str], ...]
Mask = NDArray[np.bool_]

_LONGEST = 255


class View:
    """`mask`: bool by place, or None if everything is left; `counts`: int32 symbols left by name; `by_access` and
    `by_length`: int32 by name, larger is better, the tie order with accessibility or length first."""

    def __init__(self, symbols: Symbols, mask: Mask | None) -> None:
        self.mask = mask
        firsts = symbols.starts[:-1]
        if mask is None or not len(symbols):
            self.counts = np.diff(symbols.starts)
            access = symbols.access[firsts]
        else:
            self.counts = np.add.reduceat(mask, firsts, dtype=np.int32)
            access = np.minimum.reduceat(np.where(mask, symbols.access, np.uint8(7)), firsts)
        openness = 7 - np.minimum(access, 7).astype(np.int32)
        shortness = _LONGEST - np.minimum(symbols.names.lengths, _LONGEST).astype(np.int32)
        boost = np.log2(1 + np.maximum.reduceat(symbols.boost, firsts)) if len(symbols) else symbols.boost
        fame = np.minimum(boost, 31).astype(np.int32)
        self.by_access = (openness << 13) | (shortness << 5) | fame
        self.by_length = (shortness << 8) | (openness << 5) | fame

    def keep(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of the places that are left."""
        return places if self.mask is None else places[self.mask[places]]


def filter_mask(symbols: Symbols, filters: Filters, alive: Mask | None) -> Mask | None:
    """Which places all filters leave; two filters of one field must both hold. None if nothing is filtered."""
    mask = alive
    for field, value in filters:
        kept = _FIELDS[field](symbols, value)
        mask = kept if mask is None else mask & kept
    return mask


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
    text = fold("." + containers.blob.tobytes().decode("utf-8", "surrogatepass"))
    if len(text) != len(containers.blob) + 1:
        found = [wanted in fold("." + containers.text(index)) for index in range(len(containers))]
        return np.array(found, np.bool_)[symbols.container_id]
    return _containing(containers.offsets, text, wanted)[symbols.container_id]


def _containing(offsets: NDArray[np.int64], text: str, wanted: str) -> Mask:
    """Which texts have `wanted`, whose first character is the dot before a segment; `text` starts one early."""
    found = np.zeros(len(offsets) - 1, np.bool_)
    segment = wanted[1:]
    at = text.find(segment)
    while at > 0:
        owner = int(np.searchsorted(offsets, at - 1, side="right")) - 1
        begins = offsets[owner] == at - 1 or text[at - 1] == "."
        if begins and at - 1 + len(segment) <= offsets[owner + 1]:
            found[owner] = True
        at = text.find(segment, at + 1)
    return found


_FIELDS = {"kind": _kind, "access": _access, "in": _project, "ns": _namespace}
