"""Hierarchies and graphs of a workspace in memory, with names that a terminal would act on."""

from __future__ import annotations

from collections.abc import Callable

from services.model import (
    Direction,
    GraphAnswer,
    GraphEdge,
    GraphNode,
    HierarchyAnswer,
    HierarchyRow,
    Resolved,
    SymbolRef,
)


class MemoryHierarchy:
    """Everything leads to itself, and to something outside. `one`: finds a symbol."""

    def __init__(self, one: Callable[[str], tuple[SymbolRef, Resolved]]) -> None:
        self._one = one

    def tree(self, path: str, direction: Direction, *, depth: int = 1, **_: object) -> HierarchyAnswer:
        symbol, resolved = self._one(path)
        its = HierarchyRow(
            name=symbol.path, symbol=symbol, count=2, file="Tree.cs", line=1, depth=1, again=True
        )
        outside = HierarchyRow(name="System.\x1b[31mObject", note="outside", depth=depth)
        return HierarchyAnswer(resolved=resolved, symbol=symbol, direction=direction, rows=(its, outside))


class MemoryPictures:
    """A tree that uses itself."""

    def picture(self, path: str | None = None, **given: object) -> GraphAnswer:
        node = GraphNode(id="T_00000001", name="Tree", path="Orchard.Tree", kind="class")
        edge = GraphEdge(source=node.id, target=node.id, relation="uses")
        return GraphAnswer(
            nodes=(node,), edges=(edge,), format=str(given.get("format")), text="classDiagram\n", tokens=3
        )
