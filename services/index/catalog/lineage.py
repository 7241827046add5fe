"""Lineage of a catalogue's rows: what was made of some rows must not be used with others."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

_MOST = 64
"""Earlier names that are remembered; data stored under an older one is rebuilt."""


class Lineage:
    """Name of an append-only sequence of rows. Two processes may continue from the same stored rows independently: a
    change of shared rows yields another name, and the number of its first rows that are shared with the earlier one
    is known. So the data stored under a name always belongs to one catalogue. Not thread-safe."""

    def __init__(
        self, name: str = "", earlier: Mapping[str, int] | None = None, *, shared: bool = False
    ) -> None:
        """`name`: by default, a new one; `earlier`: names of its first rows, and how many these are; `shared`: whether
        others may have these rows."""
        self.name = name or uuid4().hex
        self.earlier = dict(earlier or {})
        self._shared = shared

    def fork(self) -> Lineage:
        """That of rows which go on from these."""
        return Lineage(self.name, self.earlier, shared=self._shared)

    def share(self) -> None:
        """Mark these rows as shared with other processes from now on."""
        self._shared = True

    def change(self, rows: int) -> None:
        """So many rows there are, and something is about to be changed."""
        if self._shared:
            self.earlier[self.name] = rows
            while len(self.earlier) > _MOST:
                del self.earlier[next(iter(self.earlier))]
            self.name, self._shared = uuid4().hex, False

    def holds(self, name: str, rows: int) -> bool:
        """Whether the first `rows` rows bear this name."""
        return name == self.name or rows <= self.earlier.get(name, -1)
