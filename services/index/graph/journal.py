"""Journal of files whose edges came and went, for caches derived from them.

Which types have come and gone between two looks at a catalogue.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from services.index.catalog.catalogue import Catalogue, Follower
from services.index.compiled import home_of
from services.index.graph.by_file import FileEdges, opened

_MOST = 4_000
"""Most files in the journal: a change of the projects adds all of them, and then everything is recomputed anyway."""

Mark = tuple[int, object]
"""How far a journal went when it was looked at, and what came last."""


class Journal:
    """Files' edges, read or encoded, in the order in which they came or went, the last `_MOST` or fewer. Not
    thread-safe."""

    def __init__(self) -> None:
        self._first = 0
        self._edges: list[FileEdges | bytes] = []
        self._start = object()

    def fork(self) -> Journal:
        """Return an independent copy."""
        other: Journal = copy(self)
        other._edges = self._edges.copy()
        return other

    @property
    def mark(self) -> Mark:
        """Return a mark of the present end."""
        return self._first + len(self._edges), self._edges[-1] if self._edges else self._start

    def add(self, edges: FileEdges | bytes) -> None:
        """Edges of a file came or went."""
        if len(self._edges) >= _MOST:
            self.forget()
        self._edges.append(edges)

    def forget(self) -> None:
        """Clear the journal: changes up to now become unknown."""
        self._first += len(self._edges)
        self._edges, self._start = [], object()

    def since(self, mark: Mark) -> set[int] | None:
        """The types that name others, or are named, by edges that came or went since it ended there; None where that is
        forgotten, or where this one did not go on from there."""
        end, last = mark
        at = end - self._first
        if not 0 <= at <= len(self._edges) or (self._edges[at - 1] if at else self._start) is not last:
            return None
        found: set[int] = set()
        for edges in map(opened, self._edges[at:]):
            found.update(end for source, target, _ in edges.inside for end in (source, target))
            found.update(source for source, _, _ in edges.outside)
        return found


class LiveTypes:
    """The types that had a declaration at the last look, by index. Not thread-safe."""

    def __init__(self) -> None:
        self._follow = Follower()
        self.count = 0
        """How many types there were at the last look, gone ones too."""
        self._gone: set[int] = set()
        self._homes: dict[int, int] = {}  # of the types that have namesakes, as far as they were looked at

    def changed(self, catalogue: Catalogue) -> tuple[set[int], set[int]]:
        """Return (added, removed) types since the last call; at the first call, all present types are added. A type
        that has become part of another symbol, compiled by other projects, is also added."""
        came, gone, touched = set[int](), set[int](), self._follow.touched(catalogue)
        for index in touched:
            was = index < self.count and index not in self._gone
            if bool(catalogue.type(index).parts) != was:
                (gone if was else came).add(index)
        new = range(self.count, catalogue.type_count)
        self._gone = (self._gone | gone | set(new)) - came
        self.count = catalogue.type_count
        return came | self._moved(catalogue, touched), gone

    def _moved(self, catalogue: Catalogue, touched: Iterable[int]) -> set[int]:
        """Return those of these types and their namesakes that are part of another symbol than at the last call."""
        found = set[int]()
        for index in touched:
            namesakes = catalogue.by_fqn[catalogue.type(index).fqn]
            for at in namesakes if len(namesakes) > 1 else ():
                home = home_of(catalogue, at)
                if self._homes.get(at) != home and catalogue.type(at).parts:
                    found.add(at)
                self._homes[at] = home
        return found

    def gone(self) -> list[int]:
        """Types without a declaration, as of the last call."""
        return sorted(self._gone)

    def take(self, count: int, gone: Iterable[int], *, are_now: Catalogue | None) -> None:
        """At the last look there were so many types, these without a declaration. `are_now`: the catalogue of which
        that is still true; None where every type has to be compared at the next look."""
        self.count, self._gone = count, set(gone)
        if are_now is not None:
            self._follow.skip(are_now)

    def copied(self) -> LiveTypes:
        """Return an independent copy."""
        other: LiveTypes = copy(self)
        other._follow, other._homes = copy(self._follow), dict(self._homes)
        return other
