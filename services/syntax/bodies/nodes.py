"""What is read off single nodes of a body: their parts, names, and whether a function gives a value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

_OPERANDS = frozenset({"this", "base"})
_STATEMENTS = frozenset(
    {
        "invocation_expression",
        "object_creation_expression",
        "implicit_object_creation_expression",
        "assignment_expression",
        "await_expression",
        "prefix_unary_expression",
        "postfix_unary_expression",
        "conditional_access_expression",
        "parenthesized_expression",
        "throw_expression",
    }
)
_NEVER_ENDS = re.compile(rb"\b(?:throw|while|for|do|goto)\b")
FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression", "local_function_statement"})
"""Functions inside a body."""


def field(node: Node | None, name: str) -> Node | None:
    """A child by its field."""
    return node.child_by_field_name(name) if node is not None else None


def text(node: Node | None) -> str:
    """The node's text, blanks folded."""
    if node is None or node.text is None:
        return ""
    return " ".join(node.text.decode("utf-8", "replace").split())


def simple_name(node: Node) -> str:
    """The identifier of a name, without the `@` of a verbatim one."""
    if node.type == "generic_name":
        node = node.named_children[0]
    return text(node).lstrip("@")


def type_arguments(node: Node) -> tuple[str, ...]:
    """The type arguments of a generic name; `int` for those left out in `typeof(List<>)`."""
    if node.type != "generic_name":
        return ()
    listed = node.named_children[-1]
    written = tuple(map(text, listed.named_children))
    return written or ("int",) * (1 + sum(1 for c in listed.children if c.type == ","))


def is_var(node: Node) -> bool:
    """Whether a type is `var`, perhaps after `ref`."""
    if node.type in ("ref_type", "scoped_type"):
        inner = field(node, "type")
        return inner is not None and is_var(inner)
    return node.type == "implicit_type"


def last_operand(node: Node) -> Node | None:
    """The last child that is an expression; `this` and `base` are tokens without a name to the grammar."""
    operands = [c for c in node.children if (c.is_named and c.type != "comment") or c.type in _OPERANDS]
    return operands[-1] if operands else None


def gives(body: Node | None) -> bool | None:
    """Whether a function with this body gives a value; None where it may be either."""
    if body is None:
        return None
    if body.type != "block":
        return None if body.type in _STATEMENTS else True
    if any(last_operand(found) is not None for found in _returns(body)):
        return True
    # A body that never ends may be that of any function.
    return None if _NEVER_ENDS.search(body.text or b"") else False


def _returns(node: Node) -> Iterator[Node]:
    """The `return`s of a body, without those of functions in it."""
    for child in node.named_children:
        if child.type == "return_statement":
            yield child
        elif child.type not in FUNCTIONS:
            yield from _returns(child)
