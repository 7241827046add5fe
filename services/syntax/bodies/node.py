"""Nodes of a parsed body."""

from __future__ import annotations

from collections.abc import Iterator


class Node:
    """A node. `start`, `end`: offsets of the file; `children`: without comments; `named`: those with a kind of their
    own, and `this` and `base`; `broken`: whether the parser refused something in it."""

    __slots__ = (
        "_fields",
        "broken",
        "children",
        "end",
        "is_named",
        "named",
        "parent",
        "start",
        "text",
        "type",
    )

    def __init__(self, kind: str, start: int, end: int, *, is_named: bool, parent: Node | None) -> None:
        self.type = kind
        self.start = start
        self.end = end
        self.is_named = is_named
        self.parent = parent
        self.text = ""
        self.broken = False
        self.children: list[Node] = []
        self.named: list[Node] = []
        self._fields: dict[str, Node] | None = None

    def get(self, field: str) -> Node | None:
        """The first child of a field."""
        return self._fields.get(field) if self._fields is not None else None

    def has(self, kind: str) -> bool:
        """Whether a child is of a kind: `has("static")`."""
        return any(child.type == kind for child in self.children)

    def child(self, *kinds: str) -> Node | None:
        """The first child of one of these kinds."""
        return next((child for child in self.children if child.type in kinds), None)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def replace(self, old: Node, new: Node) -> None:
        """Puts another child in the place of one."""
        self.children = [new if each is old else each for each in self.children]
        self.named = [new if each is old else each for each in self.named]
        for field, each in (self._fields or {}).items():
            if each is old and self._fields is not None:
                self._fields[field] = new
        new.parent = self

    def put(self, field: str, child: Node) -> None:
        """Names a child by its field."""
        if self._fields is None:
            self._fields = {}
        self._fields.setdefault(field, child)
