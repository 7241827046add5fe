"""Where words begin in texts, as a tree of the characters from there on: what begins nearly as a term does is found by
going down it with the term, all nodes of a level at once, instead of reading every text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search.match.automaton import Automaton, Readers
from services.index.search.match.maps import Marks

DEPTH = 10
"""Characters from the beginning of a word on that the tree knows: nearly all terms with few enough typing errors end in
it, and longer ones leave few texts."""

_LONGEST = 255
_BITS = 6
_END = np.uint64((1 << _BITS) - 1)

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordTree:
    """The beginnings of words in n texts, in the order of their first `DEPTH` characters. `owners`: int32, whose text
    each is of; `behind`: int32, the byte after these characters. Nodes, level by level: `levels`, int32 (DEPTH + 1,),
    where those of each level begin; `codes`, uint8, the character that leads to a node; `first`, `last`, int32, its
    beginnings; `children`, int32 (nodes + 1,), where its children begin, which end where the next node's begin."""

    owners: Ids
    behind: Ids
    levels: Ids
    codes: NDArray[np.uint8]
    first: Ids
    last: Ids
    children: Ids

    @classmethod
    def build(cls, marks: Marks, starts: NDArray, at: NDArray) -> WordTree:
        """Of texts whose characters are `marks[starts[i]:starts[i + 1]]`. `at`: the byte at which each character is,
        and the end."""
        begins = np.flatnonzero(marks.humps)
        owners = np.searchsorted(starts, begins, side="right") - 1
        inside = begins - starts[owners] < _LONGEST
        begins, owners = begins[inside], owners[inside]
        windows = _windows(marks.codes, begins, np.minimum(starts[owners + 1], starts[owners] + _LONGEST))
        order = np.argsort(windows)
        windows = windows[order]
        runs = [_runs_of(windows, depth) for depth in range(1, DEPTH + 1)]
        levels = np.cumsum([0, *(len(first) for first, _, _ in runs)])
        below = [first for first, _, _ in runs[1:]] + [np.empty(0, np.int64)]
        children = [
            np.searchsorted(deeper, first) + level
            for (first, _, _), deeper, level in zip(runs, below, levels[1:], strict=True)
        ]
        first, last, codes = (np.concatenate(column) for column in zip(*runs, strict=True))
        return cls(
            owners=owners[order].astype(np.int32),
            behind=at[np.minimum(begins + DEPTH, len(at) - 1)[order]].astype(np.int32),
            levels=levels.astype(np.int32),
            codes=codes.astype(np.uint8),
            first=first.astype(np.int32),
            last=last.astype(np.int32),
            children=np.concatenate((*children, levels[-1:])).astype(np.int32),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray], prefix: str) -> WordTree:
        """The tree whose arrays `arrays()` named."""
        return cls(**{name: arrays[f"{prefix}{name}"] for name in cls.__slots__})

    def arrays(self, prefix: str) -> dict[str, NDArray]:
        """Every array by name."""
        return {f"{prefix}{name}": getattr(self, name) for name in self.__slots__}

    def reached(self, automaton: Automaton) -> tuple[Ids, NDArray[np.int64], Readers]:
        """The texts in which a word begins with the whole term as far as the tree goes, some twice, in no order; the
        places of the beginnings in which it may do so further on, and where the automaton is in these."""
        nodes = np.arange(self.levels[1])
        readers = automaton.begin(len(nodes))
        found: list[NDArray[np.int64]] = []
        left = nodes[:0]
        for depth in range(1, DEPTH + 1):
            readers = readers.read(self.codes.take(nodes))
            ended = readers.ended()
            found.append(nodes[ended])
            left = np.flatnonzero(readers.alive() & ~ended)
            nodes = nodes.take(left)
            if depth == DEPTH or not len(nodes):
                break
            begins = self.children.take(nodes)
            counts = self.children.take(nodes + 1) - begins
            readers = readers.take(np.repeat(left, counts))
            nodes = _ranges(begins, counts)
        first = self.first.take(nodes)
        counts = self.last.take(nodes) - first
        return (
            self._owners(np.concatenate(found)),
            _ranges(first, counts),
            readers.take(np.repeat(left, counts)),
        )

    def _owners(self, nodes: NDArray[np.int64]) -> Ids:
        first = self.first.take(nodes)
        return self.owners.take(_ranges(first, self.last.take(nodes) - first))


def _windows(codes: NDArray[np.uint8], begins: NDArray, ends: NDArray) -> NDArray[np.uint64]:
    """The characters of each beginning, up to the end of its text, as one number in whose order they are."""
    found = np.zeros(len(begins), np.uint64)
    for place in range(DEPTH):
        at = begins + place
        inside = at < ends
        code = codes.take(np.minimum(at, len(codes) - 1)) + np.uint8(1)
        found = (found << np.uint64(_BITS)) | (code * inside).astype(np.uint64)
    return found


def _runs_of(windows: NDArray[np.uint64], depth: int) -> tuple[NDArray, NDArray, NDArray]:
    """Of the windows, ascending, that agree in so many characters and have them: where each run begins and ends, and
    the last of these characters."""
    begun = windows >> np.uint64(_BITS * (DEPTH - depth))
    changes = np.flatnonzero(begun[1:] != begun[:-1]) + 1
    first = np.concatenate(([0], changes)) if len(begun) else changes
    last = np.append(changes, len(begun)) if len(begun) else changes
    codes = begun[first] & _END
    there = codes > 0
    return first[there], last[there], codes[there] - np.uint64(1)


def _ranges(first: NDArray[np.int32], counts: NDArray[np.int32]) -> NDArray[np.int64]:
    """So many numbers from each first one on, one range after the other."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(first - (ends - counts), counts)
