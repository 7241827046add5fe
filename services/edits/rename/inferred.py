"""Names that an expression gives to what it stands in: `new { total }` has a property `total`, `(total, 1)` an element.

After a rename that name would be another one: it is written out, so that whatever reads it goes on to do so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.edits.declared import Declared
from services.edits.identifiers import written
from services.edits.values import Replacement
from services.index.usages.bound_texts import CompiledText
from services.syntax.bodies.node import Node

_MAY_BE = re.compile(rb"\bnew\s*\{|[(,]\s*@?\w+\s*(?:\.\s*\w+\s*)*[,)]")


def named(text: CompiledText, declared: Declared, at: int, starts: set[int]) -> Iterator[Replacement]:
    """The names to write out in declaration `at` of a file, where renamed names begin at `starts`."""
    if at < 0 or _MAY_BE.search(text.lexed.clean, *_span(text, at)) is None:
        return
    node = declared.node(text, at)
    for each in node.walk() if node is not None else ():
        if each.type != "identifier" or each.start + each.text.startswith("@") not in starts:
            continue
        whole = _expression(each)
        around = whole.parent
        if around is None:
            continue
        name = written(each.text.lstrip("@"))
        if around.type == "anonymous_object_creation_expression" and _stands_alone(around, whole):
            yield Replacement(text.path, whole.start, whole.start, f"{name} = ", named=False)
        elif around.type == "argument" and len(around.named) == 1 and _is_read(text, around, each):
            yield Replacement(text.path, whole.start, whole.start, f"{name}: ", named=False)


def _span(text: CompiledText, at: int) -> tuple[int, int]:
    declaration = text.record.declarations[at]
    return declaration.start, declaration.end


def _expression(name: Node) -> Node:
    """The expression that ends with a name: `a.b` of `b`."""
    around = name.parent
    if around is not None and around.type == "member_access_expression" and around.named[-1] is name:
        return around
    return name


def _stands_alone(around: Node, whole: Node) -> bool:
    """Whether an expression is an element of `new { … }` without a name of its own."""
    at = next(i for i, each in enumerate(around.children) if each is whole)
    before = around.children[at - 1].type if at else ""
    return before in ("{", ",")


def _is_read(text: CompiledText, argument: Node, name: Node) -> bool:
    """Whether an element of a tuple may be read by its name in the file."""
    around = argument.parent
    if around is None or around.type != "tuple_expression":
        return False
    word = re.escape(name.text.lstrip("@").encode())
    return re.search(rb"\.\s*@?" + word + rb"(?![\w\x80-\xff])", text.lexed.clean) is not None
