"""One declaration parsed whole: where a name stands in it, and what its locals are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from services.syntax.bodies.expressions import Hit, Local
from services.syntax.bodies.places import hit_of
from services.syntax.bodies.reading import Reader
from services.syntax.bodies.scopes import Scoped, scoped
from services.syntax.parse.lexer import Lexed, shown_again
from services.syntax.parse.parsing import parse
from services.syntax.parse.rewrites import rewritten

_WRAPPED = {
    "unit": (b"", b""),
    "member": (b"class C{", b"}"),
    "enum": (b"enum E{", b"}"),
    "type": (b"", b"{}"),
    "block": (b"class C{", b"{}}"),
}
_DEEPEST = 400
"""Nodes inside one another that are followed: what asks for the parent of one walks down to it from the root."""
_LONG = 2_000  # bytes; what is shorter is not nested deeper than anyone writes
_BODY_OPENS = re.compile(rb"[(\[{;)\]]")


class Body:
    """A member, or the header of a type. Offsets are those of the file that `lexed` is of."""

    def __init__(self, lexed: Lexed, start: int, end: int, *, wrapped: str = "member") -> None:
        """`wrapped`: what the stretch is: `member`, `enum` (a member of one), or a header without its
        body: `type`, `block` (of extensions)."""
        before, after = _WRAPPED[wrapped]
        self.start, self.end = start, end
        self._shift = start - len(before)
        shown = shown_again(lexed.code[start:end])
        tree = parse(before + shown + after)
        if tree.root_node.has_error:
            # The repaired text has no strings, so that names in holes of interpolated ones are lost to it.
            again = parse(before + rewritten(lexed.clean[start:end]) + after)
            if not again.root_node.has_error:
                tree = again
        self._text = before + shown + after
        self._root = tree.root_node
        self._reader = Reader(self._shift)
        self._locals: dict[str, list[Scoped]] = {}

    def hit(self, at: int, name: str) -> Hit:
        """What stands at an offset at which `name` was found; role `unknown` where the grammar refused the place."""
        node = self._node(at, len(name.encode()))
        if node is None or (self._root.has_error and _in_error(node)):
            return Hit(at, "unknown")
        return hit_of(self._reader, node, at)

    def local(self, name: str, at: int) -> Local | None:
        """The innermost local, parameter of a function inside, or range variable that `name` means at an offset."""
        found = self._innermost(name, at)
        return found.local if found is not None else None

    def declared_at(self, name: str, at: int) -> int | None:
        """The offset at which the local is declared that `name` means at an offset."""
        found = self._innermost(name, at)
        return found.named + self._shift if found is not None else None

    def is_initialiser(self, at: int) -> bool:
        """Whether an offset is in the value that a field or property begins with."""
        start = at - self._shift
        node = self._root.descendant_for_byte_range(start, start + 1)
        while node is not None and node.parent is not None:
            holder = node.parent
            if holder.type == "property_declaration":
                return node == holder.child_by_field_name("value") and node.type != "arrow_expression_clause"
            if holder.type == "variable_declarator" and node != holder.child_by_field_name("name"):
                around = holder.parent.parent if holder.parent is not None else None
                return around is not None and around.type in ("field_declaration", "event_field_declaration")
            node = holder
        return False

    def _innermost(self, name: str, at: int) -> Scoped | None:
        known = self._locals.get(name)
        if known is None:
            known = self._locals[name] = list(self._declared(name))
        at -= self._shift
        around = [found for found in known if found.start <= at < found.end]
        return min(around, key=lambda found: found.end - found.start) if around else None

    def _declared(self, name: str) -> Iterator[Scoped]:
        word = name.encode()
        for match in re.finditer(
            rb"(?<![\w\x80-\xff@])@?" + re.escape(word) + rb"(?![\w\x80-\xff])", self._text
        ):
            node = self._at(match.end() - len(word), match.end())
            found = scoped(self._reader, node) if node is not None else None
            if found is not None:
                yield found

    def _node(self, at: int, length: int) -> Node | None:
        start = at - self._shift
        return self._at(start, start + length)

    def _is_deep(self, start: int) -> bool:
        """Whether more nodes are around an offset of the tree than are followed."""
        if len(self._text) < _LONG:
            return False
        cursor = self._root.walk()
        return all(cursor.goto_first_child_for_byte(start) is not None for _ in range(_DEEPEST))

    def _at(self, start: int, end: int) -> Node | None:
        if self._is_deep(start):
            return None
        node = self._root.descendant_for_byte_range(start, end)
        if node is not None and node.parent is not None and node.parent.type == "identifier":
            node = node.parent  # a contextual keyword that is a name here
        if node is None or node.end_byte != end or node.start_byte not in (start, start - 1):
            return None
        return node


def header_end(lexed: Lexed, start: int, end: int) -> int:
    """Where the header of the type declared at (start, end) ends: before the brace of its body, or its semicolon."""
    depth = 0
    for match in _BODY_OPENS.finditer(lexed.clean, start, end):
        sign = match[0]
        if sign in (b"{", b";") and depth == 0:
            return match.start()
        depth += 1 if sign in (b"(", b"[", b"{") else -1 if sign in (b")", b"]") else 0
    return end


def _in_error(node: Node) -> bool:
    current: Node | None = node
    while current is not None and current.type not in ("block", "declaration_list"):
        if current.type == "ERROR":
            return True
        current = current.parent
    return False
