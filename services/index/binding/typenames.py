"""Type names in code, read and noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from services.index.binding.session import Session, simple
from services.index.binding.types.types import (
    FUNCTION,
    NULLABLE,
    POINTER,
    AnyType,
    TupleType,
    Type,
    array_of,
    named,
)
from services.index.names.type_text import KEYWORDS, attribute_classes
from services.syntax.bodies.node import Node

_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_NAMES_NEXT = re.compile(r"(?:[\w]\s+|[>?\])]\s*)\Z")
PATHS = frozenset(
    {"identifier", "generic_name", "qualified_name", "alias_qualified_name", "member_access_expression"}
)
"""Nodes that may be the name of a type; the last is one where a value could stand."""


class TypeNames:
    """Reads the types of one declaration."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._readers: Mapping[str, Callable[[Node, str], AnyType | None]] = {
            "nullable_type": self._nullable,
            "array_type": self._array,
            "pointer_type": self._pointer,
            "ref_type": self._inner,
            "scoped_type": self._inner,
            "type": self._inner,
            "tuple_type": self._tuple,
            "function_pointer_type": self._function,
        }

    def read(self, node: Node | None, kind: str = "type") -> AnyType | None:
        """The type that a node means; its names are noted. None for `var`, and for what is not known."""
        if node is None:
            return None
        if node.type in PATHS:
            return self._named(node, kind)
        if node.type == "predefined_type":
            return self._predefined(node)
        if node.type == "implicit_type":
            return self._implicit(node, kind)
        read = self._readers.get(node.type)
        return read(node, kind) if read is not None else None

    def _predefined(self, node: Node) -> AnyType | None:
        word = node.text or "".join(child.text for child in node.children)
        fqn = KEYWORDS.get(word)
        if fqn is None or word in ("nint", "nuint"):
            return self._session.read(word)
        return named(fqn)

    def _implicit(self, node: Node, kind: str) -> AnyType | None:
        """`var`, where no type is called so."""
        found = self._session.read("var")
        if isinstance(found, Type) and found.index is not None:
            self._session.note_type(node, found, kind)
            return found
        return None

    def _named(self, node: Node, kind: str) -> AnyType | None:
        text = path_of(node)
        if node.type == "identifier" and node.text == "var":
            return self._implicit(node, kind)
        if text.startswith("("):
            return self._hidden_tuple(node, text)
        found = self._session.read(text)
        if node.type == "identifier":
            self._session.note_type(node, found, kind)
            return found
        self._note(node, kind)
        return found

    def _hidden_tuple(self, node: Node, text: str) -> AnyType | None:
        """A tuple that was parsed as a name, so that the call around it is one to the grammar."""
        for path in _DOTTED.finditer(text):
            if _NAMES_NEXT.search(text, 0, path.start()):
                continue  # an element's name
            for word in _WORD.finditer(path[0]):
                named_ = re.sub(r"\s", "", path[0][: word.end()])
                found = self._session.target(named_, dotted=word.end() < len(path[0]))
                if found is not None:
                    start = node.start + len(text[: path.start() + word.start()].encode())
                    end = start + len(word[0].encode())
                    part = Node("identifier", start, end, is_named=True, parent=node)
                    self._session.note_type(part, found[0], "argument")
        return self._session.read(text)

    def _note(self, node: Node, kind: str) -> None:
        """Notes each name of a path, and those in its type arguments."""
        if node.type not in ("identifier", "generic_name"):
            qualifier, last = node.get("qualifier"), node.get("name") or node.named[-1]
            if qualifier is None and node.type != "alias_qualified_name":
                qualifier = node.named[0]
            if qualifier is not None and qualifier.type in PATHS:
                self._note(qualifier, "type")
            self._note_one(last, open_path(node), kind)
            self._arguments(last)
            return
        self._note_one(node, open_path(node), kind)
        self._arguments(node)

    def _note_one(self, node: Node, path: str, kind: str) -> None:
        found = self._session.target(path, dotted=True)
        self._session.note_type(node, found[0] if found is not None else None, kind)

    def _arguments(self, node: Node) -> None:
        if node.type == "generic_name":
            self.arguments(node)

    def arguments(self, node: Node) -> tuple[AnyType | None, ...]:
        """The type arguments of a generic name."""
        listed = node.child("type_argument_list")
        if listed is not None and not listed.named:
            return (None,) * arity_of(listed)
        return tuple(self.read(each, "argument") for each in listed.named) if listed is not None else ()

    def attribute(self, node: Node) -> AnyType | None:
        """The class of an attribute, by its name."""
        found: AnyType | None = None
        text = path_of(node)
        verbatim = text.rpartition(".")[2].startswith("@")
        for written in (text,) if verbatim else attribute_classes(text):
            found = self._session.read(written)
            if found is not None:
                break
        last = node.get("name") or node if node.type == "qualified_name" else node
        if node.type in ("qualified_name", "alias_qualified_name"):
            last = node.get("name") or node.named[-1]
            qualifier = node.get("qualifier")
            if qualifier is not None and qualifier.type in PATHS:
                self._note(qualifier, "type")
        self._session.note_type(last, found, "attribute")
        self._arguments(last)
        return found

    # Composed types

    def _nullable(self, node: Node, kind: str) -> AnyType | None:
        inner = self.read(node.get("type") or node.named[0], kind)
        return named(NULLABLE, inner) if self._session.world.is_value(inner) else inner

    def _array(self, node: Node, kind: str) -> AnyType | None:
        """Ranks are written outermost first."""
        ranks: list[str] = []
        inner: Node | None = node
        while inner is not None and inner.type == "array_type":
            rank = inner.get("rank") or inner.child("array_rank_specifier")
            commas = sum(child.type == "," for child in rank.children) if rank is not None else 0
            ranks.append(f"[{',' * commas}]")
            inner = inner.get("type") or inner.named[0]
        found = self.read(inner, kind)
        for rank in ranks:
            found = array_of(found, rank)
        return found

    def _pointer(self, node: Node, kind: str) -> AnyType | None:
        return named(POINTER, self.read(node.get("type") or node.named[0], kind))

    def _inner(self, node: Node, kind: str) -> AnyType | None:
        return self.read(node.get("type") or (node.named[-1] if node.named else None), kind)

    def _tuple(self, node: Node, kind: str) -> AnyType | None:
        del kind
        elements = [each for each in node.named if each.type == "tuple_element"]
        types = tuple(self.read(each.get("type") or each.named[0], "argument") for each in elements)
        names = tuple(simple(name) if (name := each.get("name")) is not None else "" for each in elements)
        return TupleType(types, names)

    def _function(self, node: Node, kind: str) -> AnyType | None:
        parts = [
            self.read(each.get("type") or each.named[-1], kind)
            for each in node.named
            if each.type == "function_pointer_parameter"
        ]
        returns = node.get("returns")
        parts.append(self.read(returns, kind))
        return named(FUNCTION, *parts)


def path_of(node: Node) -> str:
    """The text of a type, blanks left out where they mean nothing."""
    if not node.children:
        return node.text
    if node.type == "identifier":
        return node.text
    words: list[str] = []
    for leaf in _leaves(node):
        if words and words[-1][-1:].isalnum() and leaf[:1].isalnum():
            words.append(" ")
        words.append(leaf)
    return "".join(words)


def _leaves(node: Node) -> list[str]:
    if not node.children or node.type == "identifier":
        return [node.text]
    return [leaf for child in node.children for leaf in _leaves(child)]


def open_path(node: Node) -> str:
    """Return a dotted name in which `int` replaces each type argument."""
    if node.type == "qualified_name":
        qualifier, last = node.get("qualifier") or node.named[0], node.get("name") or node.named[-1]
        return f"{open_path(qualifier)}.{open_path(last)}"
    if node.type == "alias_qualified_name":
        alias, last = node.get("alias") or node.named[0], node.get("name") or node.named[-1]
        return f"{simple(alias)}::{open_path(last)}"
    if node.type == "member_access_expression":
        receiver, last = node.get("expression") or node.named[0], node.get("name") or node.named[-1]
        return f"{open_path(receiver)}.{open_path(last)}"
    if node.type == "generic_name":
        listed = node.child("type_argument_list")
        count = arity_of(listed)
        return f"{node.named[0].text}<{', '.join(['int'] * count)}>"
    return node.text


def arity_of(listed: Node | None) -> int:
    """How many type arguments a list has, those left out of `List<>` among them."""
    return 1 + sum(child.type == "," for child in listed.children) if listed is not None else 0


def type_kind(type_: AnyType | None) -> str:
    """The simple name of a type, without arity."""
    return (
        type_.fqn.rpartition(".")[2].rpartition("+")[2].partition("`")[0] if isinstance(type_, Type) else ""
    )
