"""Reachability of the end of a statement (C# specification 13.2), judged by its own text."""

from __future__ import annotations

from collections.abc import Iterator

from services.syntax.bodies.node import Node

_LOOPS = frozenset({"while_statement", "do_statement", "for_statement"})
_LEAVES = frozenset(
    {"throw_statement", "return_statement", "goto_statement", "break_statement", "continue_statement"}
)
_AROUND_ONE = frozenset(
    {
        "lock_statement",
        "using_statement",
        "fixed_statement",
        "checked_statement",
        "unsafe_statement",
        "labeled_statement",
    }
)
_FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression", "local_function_statement"})
_OWN_BREAKS = _LOOPS | _FUNCTIONS | {"foreach_statement", "switch_statement"}


def is_end_reached(node: Node) -> bool:
    """Whether what follows a statement is reached, where the statement is. Of conditions only `true` is known to be."""
    kind = node.type
    if kind in _LEAVES:
        return False
    if kind == "block":
        return _is_end_of_block_reached(node)
    if kind in _LOOPS:
        return not _is_endless(node)
    if kind in _AROUND_ONE:
        return not node.named or is_end_reached(node.named[-1])
    if kind == "if_statement":
        ways = node.get("consequence"), node.get("alternative")
        return any(way is None or is_end_reached(way) for way in ways)
    if kind == "try_statement":
        return _is_end_of_try_reached(node)
    return kind != "switch_statement" or _is_end_of_switch_reached(node)


def returns(body: Node) -> bool:
    """Whether a function's body has a `return` of its own."""
    return any(_within(body, "return_statement", _FUNCTIONS))


def _is_end_of_block_reached(block: Node) -> bool:
    is_reached = True
    for each in block.named:
        # A label is taken to be gone to from wherever.
        is_reached = (is_reached or each.type == "labeled_statement") and is_end_reached(each)
    return is_reached


def _is_endless(loop: Node) -> bool:
    condition, body = loop.get("condition"), loop.get("body")
    is_true = loop.type == "for_statement" if condition is None else _is_true(condition)
    return is_true and (body is None or not _breaks(body))


def _is_true(condition: Node) -> bool:
    while condition.type == "parenthesized_expression" and condition.named:
        condition = condition.named[-1]
    return condition.type == "boolean_literal" and condition.has("true")


def _breaks(body: Node) -> bool:
    """Whether a `break` leaves what this is the body of."""
    return any(_within(body, "break_statement", _OWN_BREAKS))


def _within(body: Node, kind: str, but: frozenset[str]) -> Iterator[Node]:
    """Yield the nodes of a kind in a body, except those nested in nodes of these other kinds."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type == kind:
            yield node
        elif node.type not in but:
            waiting += node.named


def _is_end_of_try_reached(node: Node) -> bool:
    last = node.child("finally_clause")
    if last is not None and not all(map(is_end_reached, last.named)):
        return False
    catches = [each.get("body") for each in node.children if each.type == "catch_clause"]
    return any(each is None or is_end_reached(each) for each in (node.get("body"), *catches))


def _is_end_of_switch_reached(node: Node) -> bool:
    body = node.get("body")
    sections = [] if body is None else body.named
    has_default = any(section.has("default") for section in sections)
    return not has_default or any(map(_breaks, sections))
