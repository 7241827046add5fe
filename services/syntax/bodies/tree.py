"""A stretch of source as a tree of plain nodes: read once off the parser's, quick to walk again and again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node as Parsed
from tree_sitter import Tree as ParsedTree
from tree_sitter import TreeCursor

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
_BODY_OPENS = re.compile(rb"[(\[{;)\]]")
# The grammar takes `F<(int a, int b)>(c)` for comparisons: such a tuple is parsed as a name of its length.
_TUPLE_ARGUMENT = re.compile(rb"<\((?:[^(){};<>]|<[^(){};<>]*>){1,400}\)>(?=\s*\()")
# To the grammar, `foreach (A<B> c in d)` compares: such a loop is parsed as `using  (A<B> c =  d)`.
_GENERIC_LOOP = re.compile(
    rb"\bforeach(\s*\(\s*[A-Za-z_][\w.:]{0,199}\s*<[^{};=]{1,200}>\??(?:\[[,\s]*\])?\s+@?[A-Za-z_]\w*\s+)in\b"
)
_LOOP_WORD = "forea"
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
_TESTS = frozenset({"is_pattern_expression", "is_expression", "as_expression", "binary_expression"})
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
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U(000[0-9A-Fa-f]{5}|0010[0-9A-Fa-f]{4})")
_ESCAPED = re.compile(rb"\{\{(?=\{[^{])")
_RAW = re.compile(rb"(\$\$+)(\"{3,})(.*?)\2(?!\")", re.DOTALL)
_OPEN_BRACES = re.compile(rb"\{+")
_NOTHING_HANDED = re.compile(rb"\s*(\(\s*\))")
_SKIPPED = frozenset({"comment", "line_comment", "preproc_region", "preproc_endregion"})
_MOST_BLANKED = 24  # statements
_DEEPEST = 400
"""Nodes inside one another that are read; what lies deeper is left out."""


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


class Tree:
    """A member, the header of a type, or the head of a file, parsed. Offsets are those of the file. `blanked`: where
    statements stand that the grammar refuses, which are left out; `repaired`: whether it refused anything."""

    def __init__(self, lexed: Lexed, start: int, end: int, *, wrapped: str = "member") -> None:
        """`wrapped`: what the stretch is: `member`, `enum` (a member of one), `unit`, or a header without its body:
        `type`, `block` (of extensions)."""
        before, after = _WRAPPED[wrapped]
        shown = _without_escapes(shown_again(lexed.code[start:end]), lexed.clean[start:end])
        text = before + shown + after
        tree = parse(_prepared(text))
        self.start, self.end = start, end
        self.blanked: list[tuple[int, int]] = []
        self.repaired = tree.root_node.has_error
        if self.repaired:
            tree = self._repaired(tree, text, lexed.clean[start:end], (before, after))
        self.has_error = tree.root_node.has_error
        self.root = _read(tree.walk(), text, start - len(before))
        if self.repaired:
            _recall(self.root, text, start - len(before))
        if b"foreach" in shown:
            _restore(self.root)
        tests = b" is " in shown
        if tests:
            _loosen(self.root)
        if tests or b"?" in shown:
            _reassociate(self.root)

    def _repaired(self, tree: ParsedTree, text: bytes, clean: bytes, wrap: tuple[bytes, bytes]) -> ParsedTree:
        """Without what the grammar refuses: rewritten, with its strings or without them, or else without the statements
        that hold it. `text`: wrapped; `clean`: not wrapped, without strings and comments."""
        before, after = wrap
        plain = before + clean + after
        with_strings = text
        for hiding in (False, True):
            repaired = before + rewritten(clean, hiding=hiding) + after
            # Without strings, names in the holes of interpolated ones are lost.
            with_strings = _over(text, plain, repaired) if not hiding else with_strings
            for each in (_over(text, plain, repaired), repaired):
                again = parse(_prepared(each))
                if not again.root_node.has_error:
                    return again
        for shown in (with_strings, text):
            left, spans = _without_errors(shown, plain)
            again = parse(_prepared(left))
            if spans and not again.root_node.has_error:
                shift = self.start - len(before)
                self.blanked = [(a + shift, b + shift) for a, b in spans]
                return again
        return tree


def _without_escapes(shown: bytes, clean: bytes) -> bytes:
    """The text without braces that stand for themselves before a hole, as in `$"{{{a}}}"` and in raw strings with more
    braces than `$`: the grammar takes them for one."""
    if b"{{{" not in shown:
        return shown
    found: list[bytes] = []
    at = 0
    for raw in _RAW.finditer(shown) if b"$$" in shown else ():
        found += [_unescaped(shown, clean, at, raw.start()), _with_holes_alone(raw)]
        at = raw.end()
    return b"".join([*found, _unescaped(shown, clean, at, len(shown))])


def _unescaped(shown: bytes, clean: bytes, start: int, end: int) -> bytes:
    clean = clean[start:end]
    return _ESCAPED.sub(lambda m: m[0] if clean[m.start() : m.end()].strip() else b"  ", shown[start:end])


def _with_holes_alone(raw: re.Match[bytes]) -> bytes:
    opens = len(raw[1])
    return _OPEN_BRACES.sub(lambda m: m[0][:opens].rjust(len(m[0])) if len(m[0]) > opens else m[0], raw[0])


def _over(text: bytes, plain: bytes, repaired: bytes) -> bytes:
    """The text with what was changed between two others of its length."""
    if plain == repaired:
        return text
    return bytes(new if new != old else own for own, old, new in zip(text, plain, repaired, strict=True))


def _without_errors(text: bytes, clean: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """The text without the statements in which the grammar finds errors, and where these stand. `clean`: the text
    without strings and comments."""
    spans: list[tuple[int, int]] = []
    for _ in range(_MOST_BLANKED):
        place = _error_in(parse(text).root_node)
        if place is None:
            break
        begin = max(clean.rfind(sign, 0, place[0]) for sign in (b";", b"{", b"}")) + 1
        ends = [at for at in (clean.find(sign, max(begin, place[1] - 1)) for sign in (b";", b"}")) if at >= 0]
        end = min(ends, default=len(text))
        if end <= begin or not clean[begin:end].strip():
            break
        spans.append((begin, end))
        text = text[:begin] + b" " * (end - begin) + text[end:]
        clean = clean[:begin] + b" " * (end - begin) + clean[end:]
    return text, spans


def _error_in(node: Parsed) -> tuple[int, int] | None:
    """Where the first error stands."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.is_missing or (current.type == "ERROR" and not _has_inner(current)):
            return current.start_byte, current.end_byte
        waiting.extend(child for child in reversed(current.children) if child.has_error or child.is_missing)
    return None


def _has_inner(node: Parsed) -> bool:
    return any(child.has_error or child.is_missing for child in node.children)


def _prepared(text: bytes) -> bytes:
    """What is parsed for a text: of its length, without what the grammar takes for something else."""
    text = _TUPLE_ARGUMENT.sub(_as_name, text)
    return _GENERIC_LOOP.sub(rb"using  \1= ", text) if b"foreach" in text else text


def _restore(root: Node) -> None:
    """Loops that were parsed as `using` statements, since their variables are of generic types."""
    for node in [node for node in root.walk() if node.type == "using_statement"]:
        word = node.child("using")
        declared = node.child("variable_declaration")
        variable = declared.child("variable_declarator") if declared is not None else None
        if word is None or word.text != _LOOP_WORD or declared is None or variable is None:
            continue
        node.type, word.type = "foreach_statement", "foreach"
        parts = {"type": declared.named[0], "left": variable.named[0], "right": variable.named[-1]}
        for field, part in parts.items():
            part.parent = node
            node.put(field, part)
        at = node.children.index(declared)
        node.children[at : at + 1] = parts.values()
        node.named[node.named.index(declared) : node.named.index(declared) + 1] = parts.values()


def _recall(root: Node, text: bytes, shift: int) -> None:
    """Calls that are assigned to, which were parsed as elements, or as what is called where nothing is handed over.
    `text`: as it is written; `shift`: what offsets in it lack."""
    for node in list(root.walk()):
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


def _call(around: Node, function: Node, handed: tuple[int, int]) -> None:
    """Puts a call without arguments in the place of what it calls."""
    call = Node("invocation_expression", function.start, handed[1], is_named=True, parent=around)
    listed = Node("argument_list", *handed, is_named=True, parent=call)
    around.replace(function, call)
    function.parent = call
    call.children, call.named = [function, listed], [function, listed]
    call.put("function", function)
    call.put("arguments", listed)


def _loosen(root: Node) -> None:
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


def _reassociate(root: Node) -> None:
    """`a + b?.c` is `a + (b?.c)`: to the grammar, `?.` binds less than operators do. And `a is B.C ? d : e` is
    `(a is B.C) ? d : e`: to the grammar, it is asked of the pattern `B`."""
    found = [node for node in root.walk() if node.type in _ACCESSES]
    for node in reversed(found):
        condition = node.named[0] if node.named else None
        looser = _LOOSER if node.type == "conditional_access_expression" else _TESTS
        if condition is not None and condition.type in looser:
            _rotate(node, condition)


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


def _as_name(match: re.Match[bytes]) -> bytes:
    return b"<" + b"T" * (len(match[0]) - 2) + b">"


def _read(cursor: TreeCursor, text: bytes, shift: int) -> Node:
    root = _node(cursor.node, None, shift)
    around = [root]
    while True:
        if len(around) < _DEEPEST and cursor.goto_first_child():
            pass
        else:
            _leaf(around[-1], text, shift)
            around.pop()
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return root
                if not around:
                    return root
                around.pop()
            if not around:
                return root
        around.append(_below(cursor, around[-1], shift))


def _below(cursor: TreeCursor, parent: Node, shift: int) -> Node:
    parsed = cursor.node
    node = _node(parsed, parent, shift)
    if node.type in _SKIPPED:
        return node
    parent.children.append(node)
    if node.is_named or node.type in ("this", "base"):
        parent.named.append(node)
    if node.type == "ERROR" or (parsed is not None and parsed.is_missing):
        _spoil(parent)
        node.broken = True
    field = cursor.field_name
    if field is not None:
        parent.put(field, node)
    return node


def _spoil(node: Node | None) -> None:
    while node is not None and not node.broken:
        node.broken = True
        if node.type in ("block", "declaration_list", "switch_section"):
            return
        node = node.parent


def _node(parsed: Parsed | None, parent: Node | None, shift: int) -> Node:
    assert parsed is not None
    return Node(
        parsed.type,
        parsed.start_byte + shift,
        parsed.end_byte + shift,
        is_named=parsed.is_named,
        parent=parent,
    )


def _leaf(node: Node, text: bytes, shift: int) -> None:
    """The text of a name, a literal or a token; a name that is a keyword elsewhere is a name alone."""
    if not node.children:
        node.text = text[node.start - shift : node.end - shift].decode("utf-8", "replace")
        if "\\" in node.text and node.type == "identifier":
            node.text = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), node.text)
    parent = node.parent
    if parent is not None and parent.type == "identifier":
        parent.text = node.text


def header_end(lexed: Lexed, start: int, end: int) -> int:
    """Where the header of the type declared at (start, end) ends: before the brace of its body, or its semicolon."""
    depth = 0
    for match in _BODY_OPENS.finditer(lexed.clean, start, end):
        sign = match[0]
        if sign in (b"{", b";") and depth == 0:
            return match.start()
        depth += 1 if sign in (b"(", b"[", b"{") else -1 if sign in (b")", b"]") else 0
    return end
