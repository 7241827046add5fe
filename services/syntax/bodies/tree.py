"""A stretch of source as a tree of plain nodes: read once off the parser's, quick to walk again and again."""

from __future__ import annotations

import re

from tree_sitter import Node as ParsedNode
from tree_sitter import TreeCursor

from services.syntax.bodies.generics import Misread, Parsed, compare, parsed
from services.syntax.bodies.node import Node
from services.syntax.bodies.reshape import (
    loosen,
    reassociate,
    recall,
    with_dereferences,
    without_dereferences,
)
from services.syntax.parse.headers import with_unions
from services.syntax.parse.lexer import Lexed, shown_again
from services.syntax.parse.rewrites import hidden, rewritten

_WRAPPED = {
    "unit": (b"", b""),
    "statements": (b"", b";"),
    "member": (b"class C{", b"}"),
    "enum": (b"enum E{", b"}"),
    "type": (b"", b"{}"),
    "block": (b"class C{", b"{}}"),
    "type name": (b"class C{", b" _;}"),
    "type name 1": (b"class C{", b"<int> _;}"),
    "type name 2": (b"class C{", b"<int,int> _;}"),
}
_BODY_OPENS = re.compile(rb"[(\[{;)\]]")
# `(a)[b]` is an element of `a`; to the grammar, a collection is cast. Without its parentheses it is read as one.
_NAME = rb"[A-Za-z_@\x80-\xff][\w\x80-\xff]*"
_ELEMENT_OF = re.compile(
    rb"(?<=[=(,?:+\-*/%&|^<{;}\[])(\s*)\((\s*"
    + _NAME
    + rb"(?:\s*\.\s*"
    + _NAME
    + rb")*\s*)\)(?=\s*\[\s*[^\s,\]])"
)
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U(000[0-9A-Fa-f]{5}|0010[0-9A-Fa-f]{4})")
_ESCAPED = re.compile(rb"\{\{(?=\{[^{])")
_RAW = re.compile(rb"(\$\$+)(\"{3,})(.*?)\2(?!\")", re.DOTALL)
_PAIR = re.compile(rb"\\.")
_OPEN_BRACES = re.compile(rb"\{+")
_SKIPPED = frozenset({"comment", "line_comment", "preproc_region", "preproc_endregion"})
_MOST_BLANKED = 24  # statements
_DEEPEST = 400
"""Nodes inside one another that are read; what lies deeper is left out."""


class Tree:
    """A member, the header of a type, or the head of a file, parsed. Offsets are those of the file. `unread`: what the
    grammar refuses, so that the tree says nothing of the names in it; `repaired`: whether it refused anything."""

    def __init__(self, lexed: Lexed, start: int, end: int, *, wrapped: str = "member") -> None:
        """`wrapped`: what the stretch is: `member`, `enum` (a member of one), `unit`, or a header without its body:
        `type`, `block` (of extensions); `type name`, the name of a type alone;
        or `statements`, of which the last may lack its end."""
        before, after = _WRAPPED[wrapped]
        shown = _without_escapes(shown_again(lexed.code[start:end]), lexed.clean[start:end])
        if wrapped == "type":
            shown = with_unions(shown)
        text = before + shown + after
        shift = start - len(before)
        plain = before + _ELEMENT_OF.sub(rb"\1 \2 ", shown) + after
        found = parsed(plain)
        self.start, self.end = start, end
        self.unread: list[tuple[int, int]] = []
        self.repaired = found.has_error
        if self.repaired:
            found = self._repaired(found, plain, lexed.clean[start:end], (before, after))
        self.has_error = found.has_error
        self.root = _read(found.tree.walk(), text, shift)
        if found.misread:
            _name_in_full(self.root, found.misread, shift)
        if found.is_compared:
            compare(self.root)
        if self.repaired:
            recall(self.root, text, shift)
            with_dereferences(self.root, text, shift)
        tests = b" is " in shown
        if tests:
            loosen(self.root)
        if tests or b"?" in shown or b"->" in shown:
            reassociate(self.root)

    def _repaired(self, found: Parsed, text: bytes, clean: bytes, wrap: tuple[bytes, bytes]) -> Parsed:
        """Without what the grammar refuses: rewritten, with its strings or without them, or else without the statements
        that hold it. `text`: wrapped; `clean`: not wrapped, without strings and comments."""
        before, after = wrap
        shift = self.start - len(before)
        plain = before + clean + after
        with_strings = text = _without_quotes(text, plain)
        for hiding in (False, True):
            repaired = before + rewritten(without_dereferences(clean), hiding=hiding) + after
            # Without strings, names in the holes of interpolated ones are lost.
            with_strings = _over(text, plain, repaired) if not hiding else with_strings
            for each in (_over(text, plain, repaired), repaired):
                again = parsed(each)
                if not again.has_error:
                    if hiding:
                        self.unread = [(self.start + a, self.start + b) for a, b in hidden(clean)]
                    return again
        for shown in (with_strings, text):
            left, spans = _without_errors(shown, plain)
            again = parsed(left)
            if spans and not again.has_error:
                self.unread = [(a + shift, b + shift) for a, b in spans]
                return again
        self.unread = [(a + shift, b + shift) for a, b in _refused(found.tree.root_node)]
        return found


def _without_escapes(shown: bytes, clean: bytes) -> bytes:
    """Return the text without escaped braces before a hole, as in `$"{{{a}}}"` and in raw strings with more braces
    than `$`: the grammar takes them for one."""
    if b"{{{" not in shown:
        return shown
    found: list[bytes] = []
    at = 0
    for raw in _RAW.finditer(shown) if b"$$" in shown else ():
        found += [_unescaped(shown, clean, at, raw.start()), _with_holes_alone(raw)]
        at = raw.end()
    return b"".join([*found, _unescaped(shown, clean, at, len(shown))])


def _without_quotes(text: bytes, clean: bytes) -> bytes:
    """The text without escaped quotes in its strings, which the grammar refuses in the format of a hole."""
    if b'\\"' not in text:
        return text
    return _PAIR.sub(
        lambda m: b"  " if m[0] == b'\\"' and not clean[m.start() : m.end()].strip() else m[0], text
    )


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
    """Return the text without the statements in which the grammar finds errors, and their spans. `clean`: the text
    without strings and comments."""
    spans: list[tuple[int, int]] = []
    for _ in range(_MOST_BLANKED):
        place = _error_in(parsed(text).tree.root_node)
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


def _error_in(node: ParsedNode) -> tuple[int, int] | None:
    """Return the span of the first error."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.is_missing or (current.type == "ERROR" and not _has_inner(current)):
            return current.start_byte, current.end_byte
        waiting.extend(child for child in reversed(current.children) if child.has_error or child.is_missing)
    return None


def _refused(root: ParsedNode) -> list[tuple[int, int]]:
    """Return the spans of the errors."""
    found: list[tuple[int, int]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR":
            found.append((node.start_byte, node.end_byte))
        else:
            waiting += [child for child in node.children if child.has_error]
    return found


def _has_inner(node: ParsedNode) -> bool:
    return any(child.has_error or child.is_missing for child in node.children)


def _name_in_full(root: Node, misread: tuple[Misread, ...], shift: int) -> None:
    """Puts generic names in the place of the plain ones that they were parsed as."""
    waiting = {each.end + shift: each for each in misread}
    for node in [node for node in root.walk() if node.type == "identifier" and node.end in waiting]:
        name = waiting[node.end]
        assert node.parent is not None
        node.parent.replace(node, _read(name.node.walk(), name.text, name.shift + shift))


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
    there = cursor.node
    node = _node(there, parent, shift)
    if node.type in _SKIPPED:
        return node
    parent.children.append(node)
    if node.is_named or node.type in ("this", "base"):
        parent.named.append(node)
    if node.type == "ERROR" or (there is not None and there.is_missing):
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


def _node(there: ParsedNode | None, parent: Node | None, shift: int) -> Node:
    assert there is not None
    return Node(
        there.type,
        there.start_byte + shift,
        there.end_byte + shift,
        is_named=there.is_named,
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
    """Return the end of the header of the type declared at (start, end): before the brace of its body, or its
    semicolon."""
    depth = 0
    for match in _BODY_OPENS.finditer(lexed.clean, start, end):
        sign = match[0]
        if sign in (b"{", b";") and depth == 0:
            return match.start()
        depth += 1 if sign in (b"(", b"[", b"{") else -1 if sign in (b")", b"]") else 0
    return end
