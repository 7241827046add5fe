"""Which files' edges came and went, for whoever keeps something that was made of them."""

from __future__ import annotations

from services.index.graph.file_edges import FileEdges

_MOST = 4_000
"""Files of which it is kept: a change of the projects brings all of them, and then everything is asked again anyway."""


class Journal:
    """Files' edges in the order in which they came or went, the last `_MOST` or fewer. Not thread-safe."""

    def __init__(self) -> None:
        self._first = 0
        self._edges: list[FileEdges] = []

    @property
    def end(self) -> int:
        """How many have come or gone so far."""
        return self._first + len(self._edges)

    def add(self, edges: FileEdges) -> None:
        """Edges of a file came or went."""
        if len(self._edges) >= _MOST:
            self.forget()
        self._edges.append(edges)

    def forget(self) -> None:
        """Nobody can tell any more what came and went so far."""
        self._first = self.end + 1
        self._edges = []

    def since(self, end: int) -> set[int] | None:
        """The types that name others, or are named, by edges that came or went since `end` was this; None where that is
        forgotten."""
        if end < self._first:
            return None
        found: set[int] = set()
        for edges in self._edges[end - self._first :]:
            for source, target, _ in edges.inside:
                found.add(source)
                found.add(target)
            found.update(source for source, _, _ in edges.outside)
        return found
