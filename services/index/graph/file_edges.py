"""Edges of one file: types named, by the naming type.

Edges of files summed by type, both ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Self, TypeVar

import msgspec


class FileEdges(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`inside`: (from type, to type, how often) by catalogue index; `outside`: (from type, full name, how often);
    `mentioned`: simple names that stand in type texts, bound or not, and namespaces that are not wholly known;
    `deduced`: (simple name, number of type arguments, namespace) of types of packages, as far as this file tells;
    `words`: of bodies, CRC-32s (32 bits each) of their identifiers; `places`: where the file names types, as
    services.index.graph.packing.py packs them; `signatures`: of its declarations, by pairs of CRC-32s: of a name, and
    of what other files may see of it."""

    inside: tuple[tuple[int, int, int], ...]
    outside: tuple[tuple[int, str, int], ...]
    mentioned: tuple[str, ...]
    deduced: tuple[tuple[str, int, str], ...]
    words: bytes = b""
    places: bytes = b""
    signatures: bytes = b""


T = TypeVar("T", int, str)


class Sums:
    """How often each type names which (`forward`, and `outside` the workspace), and is named by which (`reverse`).
    A type that names none, or is named by none, is not there."""

    def __init__(self) -> None:
        self.forward: dict[int, Counter[int]] = {}
        self.reverse: dict[int, Counter[int]] = {}
        self.outside: dict[int, Counter[str]] = {}
        self._own = (set[int](), set[int](), set[int]())  # whose counters nobody else has

    @classmethod
    def of(cls, files: Iterable[FileEdges]) -> Self:
        """Those of some files."""
        sums = cls()
        for edges in files:
            sums.add(edges)
        return sums

    def fork(self) -> Sums:
        """The same, to be added to while others read these. A counter is copied when it changes first."""
        other = Sums()
        other.forward, other.reverse = dict(self.forward), dict(self.reverse)
        other.outside = dict(self.outside)
        return other

    def add(self, edges: FileEdges, *, sign: int = 1) -> None:
        """Adds the edges of a file, or takes them out."""
        forward, reverse, outside = self._own
        for source, target, count in edges.inside:
            _count(_own(self.forward, forward, source), target, sign * count)
            _count(_own(self.reverse, reverse, target), source, sign * count)
            for sums, at in ((self.forward, source), (self.reverse, target)):
                if not sums[at]:
                    del sums[at]
        for source, name, count in edges.outside:
            _count(_own(self.outside, outside, source), name, sign * count)
            if not self.outside[source]:
                del self.outside[source]


def _own(sums: dict[int, Counter[T]], own: set[int], at: int) -> Counter[T]:
    """The counter of a type, which nobody else has."""
    counter = sums.get(at)
    if counter is None or at not in own:
        counter = sums[at] = Counter(counter or ())
        own.add(at)
    return counter


def _count(counter: Counter[T], what: T, count: int) -> None:
    counter[what] += count
    if not counter[what]:
        del counter[what]
