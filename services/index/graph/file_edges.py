"""Which types a file names, from which of its own.

Edges of files summed by type, both ways.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Self, TypeVar

import msgspec


class FileEdges(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`inside`: (from type, to type, how often) by catalogue index; `outside`: (from type, full name, how often);
    `mentioned`: simple names that stand in type texts, bound or not, and namespaces that are not wholly known;
    `deduced`: (simple name, number of type arguments, namespace) of types of packages, as far as this file tells."""

    inside: tuple[tuple[int, int, int], ...]
    outside: tuple[tuple[int, str, int], ...]
    mentioned: tuple[str, ...]
    deduced: tuple[tuple[str, int, str], ...]


T = TypeVar("T", int, str)


class Sums:
    """How often each type names which (`forward`, and `outside` the workspace), and is named by which (`reverse`).
    A type that names none, or is named by none, is not there."""

    def __init__(self) -> None:
        self.forward: dict[int, Counter[int]] = defaultdict(Counter)
        self.reverse: dict[int, Counter[int]] = defaultdict(Counter)
        self.outside: dict[int, Counter[str]] = defaultdict(Counter)

    @classmethod
    def of(cls, files: Iterable[FileEdges]) -> Self:
        """Those of some files."""
        sums = cls()
        for edges in files:
            sums.add(edges)
        return sums

    def add(self, edges: FileEdges, *, sign: int = 1) -> None:
        """Adds the edges of a file, or takes them out."""
        for source, target, count in edges.inside:
            _count(self.forward, source, target, sign * count)
            _count(self.reverse, target, source, sign * count)
        for source, name, count in edges.outside:
            _count(self.outside, source, name, sign * count)


def _count(sums: dict[int, Counter[T]], at: int, what: T, count: int) -> None:
    counter = sums[at]
    counter[what] += count
    if not counter[what]:
        del counter[what]
        if not counter:
            del sums[at]
