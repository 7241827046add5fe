"""Texts parsed with type arguments where the language has them.

A generic name that the grammar takes for a comparison is parsed as a plain one of its length, and by itself where
nothing but a type may stand. `<` of a comparison that it takes for a declaration, `F(a < b, c > d)`, is parsed as `<=`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node as ParsedNode
from tree_sitter import Tree as ParsedTree

from services.syntax.bodies.node import Node
from services.syntax.bodies.type_arguments import GenericName, generic_names
from services.syntax.parse.grammar import parse

_LISTS = frozenset({"type_argument_list", "type_parameter_list"})
_BEFORE, _AFTER = b"class C:", b"{}"


class Misread(NamedTuple):
    """Generic name that the tree shows as a plain one ending at `end`. `node`: the name, parsed as part of `text`;
    `shift`: what to add to offsets in that."""

    end: int
    node: ParsedNode
    text: bytes
    shift: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed text. `is_compared`: whether signs of comparisons in it are not as they are written."""

    tree: ParsedTree
    misread: tuple[Misread, ...] = ()
    is_compared: bool = False

    @property
    def has_error(self) -> bool:
        """Whether the grammar refuses something."""
        return self.tree.root_node.has_error


def parsed(text: bytes) -> Parsed:
    """`text` parsed."""
    tree = parse(text)
    if b"<" not in text:
        return Parsed(tree)
    found = [each for each in generic_names(text) if _is_misread(tree.root_node, each)]
    if not found:
        return Parsed(tree)
    names = [each for each in found if each.is_one]
    misread = _by_themselves(text, names) if names else ()
    shown = _compared(text, [each for each in found if not each.is_one])
    again = Parsed(parse(_as_plain(shown, names) if misread else shown), misread, shown != text)
    return Parsed(tree) if again.has_error and not tree.root_node.has_error else again


def compare(root: Node) -> None:
    """Gives comparisons that were parsed as others the sign that they have."""
    for node in root.walk():
        if node.type == "<=" and node.text.strip() == "<":
            node.start += node.text.index("<")
            node.end = node.start + 1
            node.type = node.text = "<"


def _is_misread(root: ParsedNode, name: GenericName) -> bool:
    around = root.descendant_for_byte_range(name.begin, name.end)
    if around is None or "string" in around.type:
        return False
    if name.is_one:
        return around.type not in _LISTS
    declared = around.parent.parent if around.parent is not None else None
    argument = declared.parent if declared is not None and declared.type == "declaration_expression" else None
    return argument is not None and all(each.type != "out" for each in argument.children)


def _compared(text: bytes, names: Iterable[GenericName]) -> bytes:
    """Replace each `<` that begins no type arguments by `<=`, where a blank is next to it."""
    for each in names:
        at = next((at for at in (each.begin, each.begin - 1) if text[at : at + 2].strip() == b"<"), None)
        text = text[:at] + b"<=" + text[at + 2 :] if at is not None else text
    return text


def _as_plain(text: bytes, names: Iterable[GenericName]) -> bytes:
    parts: list[bytes] = []
    done = 0
    for each in names:
        parts += (text[done : each.name_end], b"x" * (each.end - each.name_end))
        done = each.end
    return b"".join([*parts, text[done:]])


def _by_themselves(text: bytes, names: list[GenericName]) -> tuple[Misread, ...]:
    """The names parsed as base types; nothing where the grammar refuses one."""
    listed = _BEFORE + b",".join(text[each.start : each.end] for each in names) + _AFTER
    tree = parse(listed)
    if tree.root_node.has_error:
        return ()
    bases = (
        base
        for each in tree.root_node.named_children[0].named_children
        if each.type == "base_list"
        for base in each.named_children
    )
    return tuple(
        Misread(name.end, base, listed, name.start - base.start_byte)
        for name, base in zip(names, bases, strict=True)
    )
