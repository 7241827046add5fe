"""Dereferences of pointers that the grammar refuses.

`*p++ = x` and `*(T*)p = x` are parsed as `_=p++ ??x`, any other `*(T*)p` as `~(T*)p`. Both keep every name where it is;
afterwards the tree is made that of what is written.
"""

from __future__ import annotations

import re

from services.syntax.bodies.node import Node

_MOST_STEPS = 99
_FARTHEST = 2_000
_LOOKED_BACK = 80
_STAR = re.compile(rb"\*(?!=)")
_OPERATOR_BEFORE = re.compile(
    rb"(?:[(\[{},;?:&|^%/~<*]|=>?|(?<!\+)\+|(?<!-)-|(?<![\w\])])!"
    rb"|(?<![\w@.])(?:return|else|do|throw|ref|in|case|await|and|or|not|when))\s*\Z"
)
_CAST_BEFORE = re.compile(
    rb"(?<![\w\x80-\xff>)\]])\((?:s?byte|u?short|u?int|u?long|nu?int|char|bool|float|double|decimal)\s*\)\s*\Z"
)
# What the operand of `*` is made of, up to an assignment.
_STEP = re.compile(rb"\s*(?:\+\+|--|->|::|[.&*@]|!(?!=)|([(\[])|[A-Za-z_\x80-\xff][\w\x80-\xff]*)")
_ASSIGNMENT = re.compile(rb"\s*((?:[-+*/%&|^]|<<|>>>?|\?\?)?=(?![=>]))\s?")
_BRACKET = re.compile(rb"[()\[\]{}]")
_ASSIGNED = re.compile(rb"(?:[-+*/%&|^]|<<|>>>?|\?\?)?=")


def without_dereferences(text: bytes) -> bytes:
    """A text of the same length without dereferences. `text`: without strings and comments."""
    changed = bytearray(text)
    for match in _STAR.finditer(text):
        at = match.start()
        before = bytes(changed[max(0, at - _LOOKED_BACK) : at])
        is_prefix = _OPERATOR_BEFORE.search(before) is not None or _CAST_BEFORE.search(before) is not None
        assigned = _assigned(text, at + 1) if is_prefix or before.rstrip().endswith(b")") else None
        if assigned is not None and before[-1:].isspace():
            changed[at - 1 : at + 1] = b"_="
            begin, end = assigned
            changed[begin:end] = (b"??" if end - begin > 1 else b"|").ljust(end - begin)
        elif assigned is None and is_prefix:
            changed[at] = ord("~")
    return bytes(changed)


def _assigned(text: bytes, at: int) -> tuple[int, int] | None:
    """Return the span of the assignment operator, with a blank after it, whose left operand begins at an offset."""
    for _ in range(_MOST_STEPS):
        sign = _ASSIGNMENT.match(text, at)
        if sign is not None:
            return sign.start(1), sign.end()
        step = _STEP.match(text, at)
        if step is None:
            return None
        at = step.end()
        if step[1] is not None:
            closed = _closed(text, at)
            if closed is None:
                return None
            at = closed
    return None


def _closed(text: bytes, at: int) -> int | None:
    """The offset after the bracket that closes the one before `at`."""
    depth = 1
    for match in _BRACKET.finditer(text, at, at + _FARTHEST):
        depth += 1 if match[0] in b"([{" else -1
        if not depth:
            return match.end()
    return None


def with_dereferences(root: Node, text: bytes, shift: int) -> None:
    """Makes the tree that of what is written. `text`: as it is written; `shift`: what offsets in it lack."""
    for node in list(root.walk()):
        if node.type == "prefix_unary_expression":
            sign = node.children[0]
            if sign.type == "~" and sign.text == "*":
                sign.type = "*"
        elif node.type == "assignment_expression":
            sign = node.get("operator") or node.child("=")
            if sign is not None and text.startswith(b"*", sign.start - shift):
                _assign(node, sign, text, shift)


def _assign(node: Node, sign: Node, text: bytes, shift: int) -> None:
    """Restore `_=p ??x` to `*p =x`: the left operand of the substituted assignment is dereferenced."""
    left, right = node.named[0], node.named[-1]
    inner = right
    while (found := _ASSIGNED.match(text, _sign_at(inner) - shift)) is None:
        if not inner.named or inner.named[0].start != right.start:
            return
        inner = inner.named[0]
    pointer, value, around = inner.named[0], inner.named[-1], inner.parent
    target = Node("prefix_unary_expression", sign.start, pointer.end, is_named=True, parent=node)
    target.children, target.named = [sign, pointer], [pointer]
    pointer.parent = target
    begin, end = found.start() + shift, found.end() + shift
    assigned = Node(found[0].decode(), begin, end, is_named=False, parent=node)
    assigned.text = assigned.type
    node.replace(sign, assigned)
    node.replace(left, target)
    if inner is right or around is None:
        node.replace(right, value)
    else:
        around.replace(inner, value)
        while around is not node and around is not None:
            around.start = value.start
            around = around.parent
    sign.parent, sign.type, sign.text = target, "*", "*"
    node.start = target.start


def _sign_at(node: Node) -> int:
    """Return the offset of the operator of a binary expression; a value before everything for any other."""
    sign = node.get("operator") if node.type == "binary_expression" else None
    return sign.start if sign is not None else -1
