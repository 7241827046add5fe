"""Type texts as trees: `Dictionary<string, List<int?>>[]` and all other C# types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

_WORDS = frozenset({"class", "class?", "struct", "notnull", "unmanaged", "default", "allows ref struct"})


def types_in(constraints: str) -> Iterator[str]:
    """The types that all clauses list, without `class`, `new()` and the like."""
    for clause in constraints.split("where ")[1:]:
        yield from _types(clause.partition(":")[2])


def bounds(constraints: str, name: str) -> Iterator[str]:
    """Iterate over bounds like types_in, for the clause `where name : …` alone."""
    for clause in constraints.split("where ")[1:]:
        parameter, _, listed = clause.partition(":")
        if parameter.strip() == name:
            yield from _types(listed)


def _types(listed: str) -> Iterator[str]:
    depth = start = 0
    for at, char in enumerate(f"{listed},"):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            text = listed[start:at].strip()
            start = at + 1
            if text and text not in _WORDS and not text.endswith("()"):
                yield text


_TOKEN = re.compile(r"\s*(::|[<>()\[\],?*.&]|@?\w+|.)")
_WORD = re.compile(r"\w+")
_QUALIFIER = re.compile(r"\b\w+(?:\.|::)(?=\w)")
_DEEPEST = 60
_LONGEST = 20_000

KEYWORDS: Mapping[str, str] = {
    "bool": "System.Boolean",
    "byte": "System.Byte",
    "sbyte": "System.SByte",
    "short": "System.Int16",
    "ushort": "System.UInt16",
    "int": "System.Int32",
    "uint": "System.UInt32",
    "long": "System.Int64",
    "ulong": "System.UInt64",
    "nint": "System.IntPtr",
    "nuint": "System.UIntPtr",
    "char": "System.Char",
    "float": "System.Single",
    "double": "System.Double",
    "decimal": "System.Decimal",
    "string": "System.String",
    "object": "System.Object",
    "void": "System.Void",
}
"""Full names of the keyword types."""
PREDEFINED = frozenset(KEYWORDS) | {"dynamic"}
CONTEXTUAL = frozenset({"dynamic", "nint", "nuint"})
"""Keywords that may also be the name of a type or an alias."""


def attribute_classes(written: str) -> tuple[str, str]:
    """The names that the class of an attribute may have, in the order in which they are tried: with the suffix that may
    be left off (C# specification 23.3), before type arguments, and as written."""
    end = len(written)
    if written.endswith(">"):
        depth = 0
        for end in range(len(written) - 1, 0, -1):
            depth += {">": 1, "<": -1}.get(written[end], 0)
            if depth == 0:
                break
    return f"{written[:end].rstrip()}Attribute{written[end:]}", written


class TypeTextSegment(msgspec.Struct, frozen=True):
    """Name in a dotted path, with its type arguments."""

    name: str
    arguments: tuple[Node, ...] = ()


class Named(msgspec.Struct, frozen=True):
    """A dotted path. `qualifier`: what stood before `::`, if anything; `global` for the global namespace."""

    segments: tuple[TypeTextSegment, ...]
    qualifier: str = ""


class Predefined(msgspec.Struct, frozen=True):
    """A keyword type."""

    name: str


class Wrapped(msgspec.Struct, frozen=True):
    """A type with something before or after it: `?`, `*`, `[]`, `[,]`, `ref `, `ref readonly `."""

    inner: Node
    suffix: str = ""
    prefix: str = ""


class Tuple(msgspec.Struct, frozen=True):
    """A tuple type with the names its elements have."""

    elements: tuple[tuple[Node, str], ...]


class FunctionPointer(msgspec.Struct, frozen=True):
    """`delegate*<…>`: `head` up to the bracket."""

    head: str
    arguments: tuple[Node, ...]


Node = Named | Predefined | Wrapped | Tuple | FunctionPointer


@lru_cache(maxsize=20_000)
def unqualified(text: str) -> str:
    """A type text without namespaces, annotations and blanks, keywords as their types: two that differ in it are not
    the same type, two that are equal in it may well be."""
    short = _QUALIFIER.sub("", text).replace("?", "").replace(" ", "")
    return _WORD.sub(lambda word: KEYWORDS.get(word[0], word[0]).rpartition(".")[2], short)


def parse(text: str) -> Node | None:
    """The tree of a type text; None where it is none, or longer than anybody writes one. Types within such a one are
    read by themselves: to read all of it for each of them would take the square of its length."""
    return _parsed(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=20_000)
def _parsed(text: str) -> Node | None:
    parser = _Parser([token for token in _TOKEN.findall(text) if token.strip()])
    try:
        node = parser.type(0)
    except (IndexError, ValueError):
        return None
    return node if parser.at == len(parser.tokens) else None


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise ValueError(token)

    def type(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise ValueError("too deep")
        prefix = ""
        while self.peek() in ("ref", "readonly", "scoped", "in", "out"):
            prefix += self.take() + " "
        node = self.suffixed(self.core(depth))
        return Wrapped(node, prefix=prefix) if prefix else node

    def core(self, depth: int) -> Node:
        token = self.peek()
        if token == "(":
            return self.tuple(depth)
        if token == "delegate":
            return self.function_pointer(depth)
        if token in PREDEFINED:
            return Predefined(self.take())
        return self.named(depth)

    def suffixed(self, node: Node) -> Node:
        depth = 0
        while self.peek() in ("?", "*", "["):
            depth += 1
            if depth > _DEEPEST:
                raise ValueError("too deep")
            suffix = self.take()
            if suffix == "[":
                while self.peek() == ",":
                    suffix += self.take()
                self.expect("]")
                suffix += "]"
            node = Wrapped(node, suffix)
        return node

    def tuple(self, depth: int) -> Node:
        self.expect("(")
        elements: list[tuple[Node, str]] = []
        while True:
            inner = self.type(depth + 1)
            name = self.take() if self.peek() not in (",", ")") else ""
            elements.append((inner, name.lstrip("@")))
            if self.take() == ")":
                return Tuple(tuple(elements))

    def function_pointer(self, depth: int) -> Node:
        head = self.take()
        while self.peek() != "<":
            token = self.take()
            head += f" {token}" if token.isidentifier() else token
        return FunctionPointer(head, self.arguments(depth))

    def named(self, depth: int) -> Node:
        first = self.identifier()
        qualifier = ""
        if self.peek() == "::":
            self.take()
            qualifier, first = first, self.identifier()
        segments = [self.segment(first, depth)]
        while self.peek() == ".":
            self.take()
            segments.append(self.segment(self.identifier(), depth))
        return Named(tuple(segments), qualifier)

    def segment(self, name: str, depth: int) -> TypeTextSegment:
        return TypeTextSegment(name, self.arguments(depth) if self.peek() == "<" else ())

    def arguments(self, depth: int) -> tuple[Node, ...]:
        self.expect("<")
        found = [self.type(depth + 1)]
        while (token := self.take()) == ",":
            found.append(self.type(depth + 1))
        if token != ">":
            raise ValueError(token)
        return tuple(found)

    def identifier(self) -> str:
        token = self.take().lstrip("@")
        if not token.replace("_", "a").isalnum():
            raise ValueError(token)
        return token


def identifiers(text: str) -> tuple[str, ...]:
    """The names in a type text, keywords left out."""
    return tuple(word for word in _WORD.findall(text) if word not in PREDEFINED)


_WORD = re.compile(r"[^\W\d]\w*")
