"""Trees put right where the grammar reads code otherwise than the language does, or refuses it, as dereferences of
pointers."""

from __future__ import annotations

import re

from services.syntax.bodies.node import Node

_LOOSER = frozenset(
    {
        "binary_expression",
        "assignment_expression",
        "conditional_expression",
        "lambda_expression",
        "await_expression",
        "prefix_unary_expression",
        "cast_expression",
        "throw_expression",
        "ref_expression",
        "range_expression",
    }
)
_ACCESSES = frozenset({"conditional_access_expression", "member_access_expression"})
_TYPE_TESTS = frozenset({"is_pattern_expression", "is_expression", "as_expression"})
_TESTS = _TYPE_TESTS | {"binary_expression"}
_TIGHTER = _TESTS | {"prefix_unary_expression"}
_PATTERNS = frozenset(
    {
        "constant_pattern",
        "or_pattern",
        "and_pattern",
        "negated_pattern",
        "type_pattern",
        "relational_pattern",
    }
)
_SPINE = _LOOSER | _TESTS | _PATTERNS
_LOOSE = frozenset({"&&", "||", "??", "==", "!=", "&", "|", "^"})
_CHAINED = frozenset(
    {
        "member_access_expression",
        "invocation_expression",
        "element_access_expression",
        "conditional_access_expression",
        "postfix_unary_expression",
    }
)
_BY_STRENGTH = (
    ("assignment_expression", "lambda_expression", "throw_expression"),
    ("conditional_expression",),
    ("??",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">=", "is_expression", "is_pattern_expression", "as_expression"),
    ("<<", ">>", ">>>"),
    ("+", "-"),
    ("*", "/", "%"),
    ("switch_expression", "with_expression"),
)
_STRENGTHS = {each: at for at, level in enumerate(_BY_STRENGTH) for each in level}
_COALESCING, _STRONGEST = _STRENGTHS["??"], len(_BY_STRENGTH)
_LIKE_LISTS = frozenset({"recursive_pattern", "parenthesized_pattern", "constant_pattern"})
"""How a list pattern is parsed that was put in parentheses."""
_PARTS = ("subpattern", "argument")
_NOTHING_HANDED = re.compile(rb"\s*(\(\s*\))")


def recall(root: Node, text: bytes, shift: int) -> None:
    """Calls that are assigned to, which were parsed as elements, or as what is called where nothing is handed over; and
    list patterns that were parsed in parentheses. `text`: as it is written; `shift`: what offsets in it lack."""
    for node in list(root.walk()):
        if node.type in _LIKE_LISTS and text.startswith(b"[", node.start - shift):
            _list(node)
            continue
        if node.type == "element_access_expression":
            listed = node.get("subscript")
            if listed is not None and text.startswith(b"(", listed.start - shift):
                node.type, listed.type = "invocation_expression", "argument_list"
                for token in (listed.children[0], listed.children[-1]):
                    token.type = token.text
                node.put("function", node.named[0])
                node.put("arguments", listed)
        elif node.type == "assignment_expression":
            left = node.get("left")
            empty = _NOTHING_HANDED.match(text, left.end - shift) if left is not None else None
            if left is not None and empty is not None:
                _call(node, left, (empty.start(1) + shift, empty.end() + shift))


def _list(node: Node) -> None:
    """Makes a list pattern of one in parentheses."""
    inner = node.child("positional_pattern_clause", "parenthesized_expression", "tuple_expression") or node
    parts = [each.named[-1] if each.type in _PARTS and each.named else each for each in inner.children]
    node.type = "list_pattern"
    node.children, node.named = parts, [each for each in parts if each.is_named]
    for each in parts:
        each.parent = node


def _call(around: Node, function: Node, handed: tuple[int, int]) -> None:
    """Puts a call without arguments in the place of what it calls."""
    call = Node("invocation_expression", function.start, handed[1], is_named=True, parent=around)
    listed = Node("argument_list", *handed, is_named=True, parent=call)
    around.replace(function, call)
    function.parent = call
    call.children, call.named = [function, listed], [function, listed]
    call.put("function", function)
    call.put("arguments", listed)


def loosen(root: Node) -> None:
    """`a is > 3 && b` is `(a is > 3) && b`: to the grammar, what follows belongs to the pattern."""
    for node in [node for node in root.walk() if node.type == "is_pattern_expression"]:
        around = node.get("pattern")
        while around is not None and around.named and around.named[-1].type in _PATTERNS:
            around = around.named[-1]
        greedy = around.named[-1] if around is not None and around.named else None
        if around is None or greedy is None or not _is_loose(greedy) or node.parent is None:
            continue
        first = greedy
        while _is_loose(first.named[0]):
            first = first.named[0]
        operand = first.named[0]
        node.parent.replace(node, greedy)
        around.replace(greedy, operand)
        first.replace(operand, node)
        inner: Node | None = around
        while inner is not None and inner is not first:
            inner.end = operand.end
            inner = inner.parent
        outer: Node | None = first
        while outer is not None and outer is not greedy.parent:
            outer.start = node.start
            outer = outer.parent


def _is_loose(node: Node) -> bool:
    """Whether an expression binds less than `is`."""
    if node.type == "binary_expression":
        sign = node.get("operator")
        return sign is not None and sign.type in _LOOSE and bool(node.named)
    return node.type == "conditional_expression" and bool(node.named)


def reassociate(root: Node) -> None:
    """`a + b?.c` is `a + (b?.c)`: to the grammar, `?.` binds less than operators do. And `a is B.C ? d : e` is
    `(a is B.C) ? d : e`: to the grammar, it is asked of the pattern `B`; as `*a->b` is asked of `*a`."""
    found = [node for node in root.walk() if node.type in _ACCESSES]
    is_moved = False
    for node in reversed(found):
        condition = node.named[0] if node.named else None
        looser = _LOOSER if node.type == "conditional_access_expression" else _TIGHTER
        if condition is not None and condition.type in looser:
            _rotate(node, condition)
            is_moved = True
    if is_moved:
        _regroup(root)


def _rotate(node: Node, looser: Node) -> None:
    """Puts a chain that begins with an access in the place of the last operand of what it was read to be
    asked of, and that in the place of the chain."""
    top = node
    while top.parent is not None and top.parent.type in _CHAINED and top.parent.children[0] is top:
        top = top.parent
    spine = [looser]
    while spine[-1].named[-1].type in _SPINE and spine[-1].named[-1].named:
        spine.append(spine[-1].named[-1])
    last, around = spine[-1].named[-1], top.parent
    if around is None:
        return
    around.replace(top, looser)
    spine[-1].replace(last, top)
    node.replace(looser, last)
    for each in spine:
        each.end = top.end
    inner: Node | None = node
    while inner is not None and inner is not spine[-1]:
        inner.start = last.start
        inner = inner.parent


def _regroup(root: Node) -> None:
    """`a && b?.c == d` is `a && ((b?.c) == d)`: with the access in its place, what was read to have all of `a && b?.c`
    as its left operand has the part that binds no less than itself does."""
    for node in reversed(list(root.walk())):
        own = _strength(node)
        if own == _STRONGEST or node.parent is None or not node.children:
            continue
        left = part = node.children[0]
        while part.type not in _TYPE_TESTS and (
            _strength(part) < own or own == _COALESCING == _strength(part)
        ):
            part = part.named[-1]
        if part is left or part.parent is None:
            continue
        node.parent.replace(node, left)
        part.parent.replace(part, node)
        node.replace(left, part)
        node.start = part.start
        above = node.parent
        while above is not None and above is not left.parent:
            above.end = node.end
            above = above.parent


def _strength(node: Node) -> int:
    """How much an operation with a right operand binds (C# specification 12.4.2)."""
    return _STRENGTHS.get(_sign(node) or node.type, _STRONGEST) if node.named else _STRONGEST


def _sign(node: Node) -> str:
    sign = node.get("operator") if node.type == "binary_expression" else None
    return sign.type if sign is not None else ""


_MOST_STEPS = 99
_FARTHEST = 2_000
_LOOKED_BACK = 80
_STAR = re.compile(rb"\*(?!=)")
# A star that is none of these, and stands beside another one, is of a pointer to pointers.
_OPERATOR_BEFORE = re.compile(
    rb"(?:[(\[{},;?:&|^%/~<]|\*(?=\s)|=>?|(?<!\+)\+|(?<!-)-|(?<![\w\])])!"
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
