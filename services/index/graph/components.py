"""Strongly connected groups and depth of a graph of numbers (Tarjan, iterative), and what can be reached in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any


def components(graph: Mapping[int, Iterable[int]]) -> list[list[int]]:
    """The strongly connected groups, each after every group that it leads to."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in graph:
        if root in order:
            continue
        work = [(root, iter(graph.get(root, ())))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in order:
                    order[successor] = low[successor] = len(order)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(graph.get(successor, ()))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], order[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    found.append(_popped(stack, on_stack, node))
    return found


def _popped(stack: list[int], on_stack: set[int], until: int) -> list[int]:
    group: list[int] = []
    while True:
        node = stack.pop()
        on_stack.discard(node)
        group.append(node)
        if node == until:
            return group


def depths(graph: Mapping[int, Iterable[int]]) -> dict[int, int]:
    """Layers to the nearest leaf, 0 for a leaf; a group counts as one node (004 section 7)."""
    depth: dict[int, int] = {}
    for group in components(graph):
        members = set(group)
        below = [depth[s] for node in group for s in graph.get(node, ()) if s not in members and s in depth]
        level = min(below) + 1 if below else 0
        depth.update(dict.fromkeys(group, level))
    return depth


def reached(
    graph: Mapping[int, Iterable[int]],
    start: Iterable[int],
    *,
    within: Collection[int] | None = None,
    order: Callable[[int], Any] | None = None,
) -> list[int]:
    """Return all reachable nodes, breadth first; the start only where a path leads back to it. `order`: of nodes at
    the same distance."""
    found: dict[int, None] = {}
    layer = list(start)
    while layer:
        others = dict.fromkeys(other for each in layer for other in graph.get(each, ()))
        new = [other for other in others if other not in found and (within is None or other in within)]
        layer = new if order is None else sorted(new, key=order)
        found.update(dict.fromkeys(layer))
    return list(found)
