"""The part of a segment that filters and deletions leave, with what ranking needs to know of each name in it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from services.index.search.match.alphabet import ascii_folds, fold
from services.index.search.match.columns import ACCESSES, KINDS, Symbols
from services.index.search.match.query import SearchQuery
from services.model import Kind

_MOST_NAMED = 12
_SEPARATORS = str.maketrans("", "", "-_")
_KINDS = [str(kind).replace(" ", "") for kind in KINDS]
_ACCESSES = [access.replace(" ", "") for access in ACCESSES]


def chosen(field: str, value: str, projects: Sequence[str]) -> list[bool]:
    """Which kinds, access levels or projects a filter means, in their order: the one of that name, else those that
    begin with it, or for projects have it in them. `value`: folded."""
    if field == "in":
        names = [fold(name) for name in projects]
        begun = [value in name for name in names]
    else:
        names = _KINDS if field == "kind" else _ACCESSES
        value = value.translate(_SEPARATORS)
        begun = [name.startswith(value) for name in names]
    exact = [name == value for name in names]
    return exact if any(exact) else begun


def unknown(query: SearchQuery, projects: Sequence[str]) -> str:
    """Return an error for filters that match no existing value; empty where all match."""
    return " ".join(
        _no_such(field, value, projects)
        for field, value in query.filters
        if field != "ns" and not any(chosen(field, value, projects))
    )


def _no_such(field: str, value: str, projects: Sequence[str]) -> str:
    if field == "in":
        names = sorted(set(projects))
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        there = "there is" if len(names) == 1 else "there are"
        return f"No project has {value!r} in its name: {there} {', '.join(names[:_MOST_NAMED])}{more}."
    known = [kind for kind in KINDS if kind is not Kind.NAMESPACE] if field == "kind" else ACCESSES
    names = [name.replace(" ", "-") for name in known]
    return f"No {field} begins with {value!r}: there are {', '.join(names)}."


Filters = tuple[tuple[str, str], ...]
Mask = NDArray[np.bool_]

_LONGEST = 255
_NUMBERS = 1 << 16
"""Most project numbers of a column: dead rows may have those of removed projects."""
_FEW_OF = 128
"""Fewer names than one of so many are counted one by one, in less time than all of them."""


class FilterView:
    """View of a segment after filters. `mask`: bool by place, or None if nothing is filtered; `counts`: int32 symbols
    left by name; `access`: uint8 by name, the most open among them; `by_access` and `by_length`: int32 by name, larger
    is better, the tie order with accessibility or length first. Each is computed on first use."""

    def __init__(self, symbols: Symbols, mask: Mask | None) -> None:
        self.mask = mask
        self._symbols = symbols

    def among(self, symbols: Symbols, access: NDArray[np.uint8]) -> FilterView:
        """Return the view of one of several segments. `symbols`: with the fame that names have in all of them;
        `access`: the most open access of each name in all of them."""
        other = FilterView(symbols, self.mask)
        other.counts, other.access = self.counts, access
        return other

    @cached_property
    def _names(self) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        return _left(self._symbols, self.mask)

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """Symbols left by name."""
        return self._names[0]

    @cached_property
    def access(self) -> NDArray[np.uint8]:
        """Return the most open access by name."""
        return self._names[1]

    @cached_property
    def by_access(self) -> NDArray[np.int32]:
        """Return the tie order by name: access, then length, then fame."""
        return (self._openness << 13) | (self._shortness << 5) | self._symbols.fame

    @cached_property
    def by_length(self) -> NDArray[np.int32]:
        """Return the tie order by name: length, then access, then fame."""
        return (self._shortness << 8) | (self._openness << 5) | self._symbols.fame

    @cached_property
    def by_fame(self) -> NDArray[np.int32]:
        """Return the tie order by name: fame, then length, then access."""
        return (self._symbols.fame.astype(np.int32) << 11) | (self._shortness << 3) | self._openness

    @property
    def _openness(self) -> NDArray[np.int32]:
        return 7 - self.access.astype(np.int32)

    @property
    def _shortness(self) -> NDArray[np.int32]:
        return _LONGEST - np.minimum(self._symbols.names.lengths, _LONGEST).astype(np.int32)

    def count(self, names: Mask) -> int:
        """How many symbols are left that have one of these names, a bool by name."""
        if np.count_nonzero(names) * _FEW_OF < len(names):
            return int(self.counts.take(np.flatnonzero(names)).sum())
        return int(np.einsum("i,i", self.counts, names))  # in a third of the time of a product and its sum

    def keep(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places that are left by the filters."""
        return places if self.mask is None else places[self.mask[places]]


def _left(symbols: Symbols, mask: Mask | None) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return by name the number of symbols left, and the most open access among them."""
    if mask is None:
        return np.diff(symbols.starts), symbols.access[symbols.starts[:-1]]
    left = np.flatnonzero(mask)
    owners = symbols.name_id[left]
    access = np.full(len(symbols.names), len(ACCESSES), np.uint8)
    access[owners[::-1]] = symbols.access[
        left[::-1]
    ]  # the first of a name is the most open, and written last
    return np.bincount(owners, minlength=len(symbols.names)).astype(np.int32), access


class Filter:
    """Places of a segment that pass single filters."""

    def __init__(self, symbols: Symbols, shared: NDArray[np.int32] | None = None) -> None:
        """`shared`: as of a segment."""
        self._symbols = symbols
        self._shared = shared

    def sharing(self, shared: NDArray[np.int32] | None) -> Filter:
        """Return the filter with other shared rows."""
        other: Filter = copy(self)
        other._shared = shared
        return other

    def mask(self, field: str, value: str) -> Mask:
        """The places one filter leaves, bool by place."""
        symbols = self._symbols
        if field == "ns":
            return self._namespace(value)
        means = chosen(field, value, symbols.projects)
        numbers = {"kind": symbols.kind, "access": symbols.access, "in": symbols.project_id}[field]
        by_number = np.zeros(_NUMBERS, np.bool_)
        by_number[: len(means)] = means
        found = by_number[numbers]
        if field == "in" and self._shared is not None:
            for project, first, last in self._shared.tolist():
                if by_number[project]:
                    found[symbols.position[first:last]] = True
        return found

    def _namespace(self, value: str) -> Mask:
        """Containers with these segments in a row, the last of which may be begun only."""
        wanted = "." + value.strip(".")
        containers = self._symbols.containers
        found = (
            self._containing(wanted.encode("ascii"))
            if wanted.isascii()
            else np.zeros(len(containers), np.bool_)
        )
        for index in np.flatnonzero(~containers.ascii).tolist():
            found[index] = wanted in fold("." + containers.text(index))
        return found.take(self._symbols.container_id)

    def _containing(self, wanted: bytes) -> Mask:
        """Which containers have a segment that begins with `wanted`, whose first character is the dot before it. Every
        place a segment can begin at is followed character by character."""
        containers, folds = self._symbols.containers, ascii_folds()
        begins, owners, ends = self._segments
        for place, value in enumerate(wanted[1:]):
            at = np.minimum(begins + place, len(containers.blob) - 1)
            kept = (begins + place < ends) & (folds[containers.blob[at] & 127] == value)
            begins, owners, ends = begins[kept], owners[kept], ends[kept]
        found = np.zeros(len(containers), np.bool_)
        found[owners] = True
        return found

    @cached_property
    def _segments(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return where in the blob each segment of a container begins, its container, and that container's end."""
        containers = self._symbols.containers
        starts = np.zeros(len(containers.blob) + 1, np.bool_)
        np.equal(containers.blob, ord("."), out=starts[1:])
        starts[1:] |= containers.blob == ord("+")
        starts[containers.offsets] = True
        begins = np.flatnonzero(starts[:-1])
        counts = np.diff(np.searchsorted(begins, containers.offsets))
        owners = np.repeat(np.arange(len(containers)), counts)
        return begins, owners, containers.offsets.take(owners + 1)
