"""Lineage of a catalogue's rows: what was made of some rows must not be used with others."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

_MOST = 64
"""Earlier names that are remembered; what bears an older one is made anew."""


class Lineage:
    """The name of a sequence that only grows. Two processes may go on from the same kept rows, each its own way: who
    changes rows that others may have too gives what comes of it another name, and knows how many of its first rows bear
    the earlier one. What was kept under a name is therefore one catalogue. Not thread-safe."""

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
        """Others may go on from these rows from now on."""
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
