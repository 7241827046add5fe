"""How units hang together: the shortest ways along which one names the next."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

Neighbours = Mapping[int, tuple[set[int], set[int]]]

_MOST_HOPS = 4
_MOST_SEEN = 20_000


def connections(units: Sequence[int], neighbours: Neighbours) -> list[tuple[int, ...]]:
    """The shortest way from each of these to another of them that is not part of a longer one told before, the longest
    first, at most one for each pair. Each names the next."""
    found: list[tuple[int, ...]] = []
    for start in units:
        found += ways(start, set(units) - {start}, neighbours)
    found.sort(key=lambda way: (-sum(unit in units for unit in way), len(way), [units.index(way[0])]))
    told: list[tuple[int, ...]] = []
    for way in found:
        if not any(_holds(longer, way) for longer in told):
            told.append(way)
    return told


def ways(start: int, ends: set[int], neighbours: Neighbours) -> list[tuple[int, ...]]:
    """The shortest way from one unit to each of the others that it reaches."""
    before: dict[int, int] = {start: start}
    depth = {start: 0}
    queue = deque([start])
    found: list[tuple[int, ...]] = []
    while queue and len(before) < _MOST_SEEN:
        at = queue.popleft()
        if depth[at] == _MOST_HOPS:
            continue
        for next_ in sorted(neighbours.get(at, (set(), set()))[1]):
            if next_ not in before:
                before[next_], depth[next_] = at, depth[at] + 1
                queue.append(next_)
                if next_ in ends:
                    found.append(_traced(next_, before))
    return found


def _traced(end: int, before: Mapping[int, int]) -> tuple[int, ...]:
    way = [end]
    while before[way[-1]] != way[-1]:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def _holds(longer: Sequence[int], way: Sequence[int]) -> bool:
    return any(tuple(longer[at : at + len(way)]) == tuple(way) for at in range(len(longer) - len(way) + 1))
