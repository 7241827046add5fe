"""Usages as values: the first of them whole, all of them counted."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from services.bench.queries.lookup import Lookup, resolved
from services.bench.queries.revision import of_one_revision
from services.index.index import Index
from services.index.usages.search import FileSpots, Spot
from services.measures import Measures
from services.model import Grade, Progress, SymbolRef, Usage, UsagesAnswer

_UP_TO = {"bound": (Grade.BOUND,), "related": (Grade.BOUND, Grade.RELATED), "all": tuple(Grade)}


class Usages:
    """Usages of symbols of one workspace."""

    def __init__(self, index: Index, lookup: Lookup, *, measures: Measures) -> None:
        self._index = index
        self._lookup = lookup
        self._measures = measures

    @of_one_revision
    def find(
        self,
        path: str,
        *,
        limit: int = 200,
        grade: str = "all",
        nameless: bool = False,
        crefs: bool = True,
        project: str = "",
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> UsagesAnswer:
        """Return the usages of a type or member. `grade`: `bound`, `related` or `all`; `nameless`: also uses
        without a name, as of a method that `foreach` finds; `crefs`: also in documentation comments; `project`:
        the one that compiles the source, where several do. Raises SymbolNotFound, AmbiguousSymbol, Cancelled,
        and UsageError for a destructor or a project that does not compile it."""
        began = time.perf_counter()
        found = self._lookup.found(path)
        with self._measures.timed("usages.find.ms"):
            files = self._index.usages(
                found, nameless=nameless, crefs=crefs, project=project, report=progress, cancel=cancel
            )
            counted = _counted(self._index, files, limit=limit, grade=grade)
        return UsagesAnswer(
            resolved=resolved(found),
            symbol=self._lookup.ref(found),
            usages=counted.usages,
            total=counted.total,
            bound=counted.bound,
            related=counted.related,
            truncated=counted.total > len(counted.usages),
            elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
        )


class _Counted(NamedTuple):
    """`usages`: the first ones; `total`, `bound`, `related`: how many there are."""

    usages: tuple[Usage, ...]
    total: int
    bound: int
    related: int


def _counted(index: Index, files: Iterator[FileSpots], *, limit: int, grade: str) -> _Counted:
    """The first `limit` usages up to a grade (`bound`, `related` or `all`). Raises what the search raises."""
    usages: list[Usage] = []
    counts = Counter[Grade]()
    for found in files:
        spots = [spot for spot in found.spots if spot.grade in _UP_TO[grade]]
        counts.update(spot.grade for spot in spots)
        usages += _values(index, found, spots[: limit - len(usages)])
    return _Counted(tuple(usages), counts.total(), counts[Grade.BOUND], counts[Grade.RELATED])


def _values(index: Index, found: FileSpots, spots: list[Spot]) -> Iterator[Usage]:
    enclosing: dict[int, SymbolRef | None] = {}
    for spot in spots:
        at = spot.declaration
        if at not in enclosing:
            enclosing[at] = index.files.declared(found.file, at)
        yield Usage(
            file=found.path,
            line=spot.line,
            column=spot.column,
            end_column=spot.end_column,
            snippet=spot.snippet,
            snippet_start=spot.snippet_start,
            grade=spot.grade,
            kind=spot.kind,
            enclosing=enclosing[at],
            reason=spot.reason,
        )
