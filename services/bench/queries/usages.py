"""Usages as values: the first of them whole, all of them counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from services.index.index import Index
from services.index.usages.search import FileSpots, Spot
from services.model import SymbolRef, Usage

BOUND, NAME_MATCH = "bound", "name match"


class Told(NamedTuple):
    """`usages`: the first ones; `total`, `bound`: how many there are."""

    usages: tuple[Usage, ...]
    total: int
    bound: int


def usages_of(index: Index, files: Iterator[FileSpots], *, limit: int, grade: str) -> Told:
    """The first `limit` usages of a grade (`bound` or `all`). Raises what the search raises."""
    told: list[Usage] = []
    total = bound = 0
    for found in files:
        spots = [spot for spot in found.spots if spot.bound or grade != BOUND]
        total += len(spots)
        bound += sum(spot.bound for spot in spots)
        told += _values(index, found, spots[: limit - len(told)])
    return Told(tuple(told), total, bound)


def _values(index: Index, found: FileSpots, spots: list[Spot]) -> Iterator[Usage]:
    enclosing: dict[int, SymbolRef | None] = {}
    for spot in spots:
        at = spot.declaration
        if at not in enclosing:
            enclosing[at] = index.declared(found.file, at)
        yield Usage(
            file=found.path,
            line=spot.line,
            column=spot.column,
            end_column=spot.end_column,
            snippet=spot.snippet,
            grade=BOUND if spot.bound else NAME_MATCH,
            kind=spot.kind,
            enclosing=enclosing[at],
        )
