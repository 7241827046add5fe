"""Parts of declarations read from nodes: names, types, modifiers, parameters, attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from services.syntax.parse.lexer import Lexed, shown_again
from services.syntax.parse.skeleton import Skeleton
from services.syntax.records.declaration import CUT, ParameterRecord
from services.syntax.records.words import as_meant

ACCESS_WORDS = frozenset({"public", "private", "protected", "internal", "file"})
_PARAMETER_WORDS = frozenset({"modifier", "this", "ref", "out", "in", "params", "scoped"})
_DEFAULT_SHOWN = 40
_SIGN = re.compile(rb"[-+*/%&|^!~<>=]+|true\b|false\b")


class Front(NamedTuple):
    """Head of a declaration: `access` as declared or empty, the other modifiers in order, attribute names,
    and what a hash may see of each attribute list."""

    access: str = ""
    modifiers: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    attribute_codes: tuple[bytes, ...] = ()


_NO_FRONT = Front()


class Head(msgspec.Struct):
    """The children of a declaration: its front, constraint clauses, and the others by node type. `script` reads their
    nodes."""

    script: Script
    front: Front = _NO_FRONT
    clauses: list[Node] = msgspec.field(default_factory=list)
    rest: dict[str, Node] = msgspec.field(default_factory=dict)


class Script:
    """The file as written, behind the nodes: the parser saw no comments, no string contents, and rewritten words."""

    def __init__(self, lexed: Lexed, skeleton: Skeleton, *, rewritten: bool) -> None:
        self.lexed = lexed
        self._origin = skeleton.origin
        self._ending = skeleton.ending
        self._parsed = skeleton.text
        self._rewritten = rewritten

    def range(self, node: Node) -> tuple[int, int]:
        """Return the span of a node in the file."""
        start, end = node.start_byte, node.end_byte
        return self._origin(start), self._ending(end) if end > start else self._origin(start)

    def span(self, first: Node, last: Node) -> tuple[int, int]:
        """Return the span of neighbours in the file, from the start of the first to the end of the last."""
        start, end = self.range(first)
        return start, end if last is first else self.range(last)[1]

    def code(self, node: Node) -> bytes:
        """Return the text of a node in the view for hashes."""
        start, end = self.range(node)
        return self.lexed.code[start:end]

    def parsed(self, node: Node) -> bytes:
        """Return the bytes of a node in the parsed text. `Node.text` raises TypeError in a long one (grammar.py)."""
        return self._parsed[node.start_byte : node.end_byte]

    def text(self, node: Node) -> str:
        """The node's text without comments, blanks folded outside strings, names as the language means them."""
        if self._rewritten:
            return _folded(self.code(node))
        data = self.parsed(node)
        known = _WORDS.get(data)
        if known is None:
            if b'"' in data or b"'" in data:
                return _folded(self.code(node))
            known = _folded(data)
            if len(_WORDS) > _MOST_WORDS:
                _WORDS.clear()
            _WORDS[data] = known
        return known

    def is_union(self, keyword: Node | None) -> bool:
        """Whether the `class` keyword is a substitute for `union` (headers.py)."""
        return (
            self._rewritten
            and keyword is not None
            and self.lexed.clean.startswith(b"union", self.range(keyword)[0])
        )

    def sign(self, node: Node) -> str:
        """The sign of an operator, whole where the parser saw a part of it (`+` of `+=`)."""
        found = _SIGN.match(self.lexed.clean, self.range(node)[0])
        return found[0].decode() if found is not None else self.text(node)

    def name(self, node: Node) -> str:
        """An identifier without the `@` of a verbatim one."""
        return self.text(node).lstrip("@")


# Most texts are the same few words and types: looking one up takes a fifth of decoding it. A cache of pure values.
_WORDS: dict[bytes, str] = {}
_MOST_WORDS = 20_000


def _folded(data: bytes) -> str:
    if b" " in data or b"\n" in data:
        data = b" ".join(data.split())
    if b'"' in data or b"'" in data:
        return shown_again(data).decode("utf-8", "replace")
    text = data.decode("utf-8", "replace")
    return text if b"\\" not in data and data.isascii() else as_meant(text)


def head_of(children: list[Node], script: Script) -> Head:
    """Sorts the children of a declaration."""
    head = Head(script)
    access: list[str] = []
    modifiers: list[str] = []
    attributes: list[str] = []
    codes: list[bytes] = []
    for child in children:
        kind = child.type
        if kind == "modifier":
            word = script.text(child)
            if word in ACCESS_WORDS:
                access.append(word)
            else:
                modifiers.append(word)
        elif kind == "attribute_list":
            codes.append(script.code(child))
            attributes += attribute_names(child, script)
        elif kind == "type_parameter_constraints_clause":
            head.clauses.append(child)
        else:
            head.rest.setdefault(kind, child)
    head.front = Front(access_of(access), tuple(modifiers), tuple(attributes), tuple(codes))
    return head


def access_of(words: list[str]) -> str:
    """The access that one or two words declare; empty without one."""
    if len(words) < 2:
        return words[0] if words else ""
    return "private protected" if "private" in words else "protected internal"


def attribute_names(attributes: Node, script: Script) -> list[str]:
    """The names in one attribute list, with their type arguments."""
    return [
        script.text(name)
        for child in attributes.named_children
        if child.type == "attribute" and (name := child.child_by_field_name("name")) is not None
    ]


def parameters_of(parameter_list: Node, script: Script) -> tuple[ParameterRecord, ...]:
    """The parameters of a list, defaults whole."""
    return tuple([_parameter(nodes, script) for nodes in _parameter_nodes(parameter_list)])


def parameter_spans(parameter_list: Node, script: Script) -> list[tuple[int, int]]:
    """Return the span of each parameter of a list in the file."""
    return [script.span(nodes[0], nodes[-1]) for nodes in _parameter_nodes(parameter_list)]


def _parameter_nodes(parameter_list: Node) -> Iterator[list[Node]]:
    """The children of each parameter. The grammar has no node for a `params` parameter: its fields hang on the list."""
    loose: list[Node] = []
    for child in parameter_list.children:
        if child.type == "parameter":
            if child.children:
                yield child.children
        elif child.type in (",", ")", "]"):
            if loose:
                yield loose
                loose = []
        elif child.type not in ("(", "["):
            loose.append(child)


def _parameter(children: list[Node], script: Script) -> ParameterRecord:
    words: list[str] = []
    names: list[Node] = []
    default = ""
    for at, child in enumerate(children):
        kind = child.type
        if kind in _PARAMETER_WORDS:
            words.append(script.text(child))
        elif kind == "=":
            default = " ".join(script.text(rest) for rest in children[at + 1 :])
            break
        elif kind == "scoped_type":  # behind `params`
            words.append("scoped")
            names.append(child.named_children[-1])
        elif kind != "attribute_list":
            names.append(child)
    name = script.name(names[-1]) if len(names) > 1 else ""
    type_text = script.text(names[0]) if names else ""
    return ParameterRecord(type_text, " ".join(words), name, default)


def shortened(parameters: tuple[ParameterRecord, ...] | None) -> tuple[ParameterRecord, ...] | None:
    """Return the parameters as stored: a long default is cut."""
    if not parameters or all(len(p.default) <= _DEFAULT_SHOWN for p in parameters):
        return parameters
    return tuple(
        p if len(p.default) <= _DEFAULT_SHOWN else ParameterRecord(p.type, p.modifier, p.name, CUT)
        for p in parameters
    )


def type_parameters_of(node: Node | None, script: Script) -> tuple[str, ...]:
    """The names of a type parameter list, variance left out."""
    if node is None:
        return ()
    return tuple(
        script.name(name)
        for child in node.named_children
        if child.type == "type_parameter" and (name := child.child_by_field_name("name")) is not None
    )


def variance_of(node: Node | None) -> tuple[str, ...]:
    """`in`, `out` or "" of each parameter of a type parameter list; empty where none has one."""
    if node is None:
        return ()
    words = tuple(
        next((each.type for each in child.children if each.type in ("in", "out")), "")
        for child in node.named_children
        if child.type == "type_parameter"
    )
    return words if any(words) else ()


def bases_of(node: Node | None, script: Script) -> tuple[str, ...]:
    """A base list as written, without constructor arguments."""
    if node is None:
        return ()
    return tuple(_base(child, script) for child in node.named_children if child.type != "argument_list")


def _base(node: Node, script: Script) -> str:
    return script.text(node.named_children[0] if node.type == "primary_constructor_base_type" else node)
