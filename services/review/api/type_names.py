"""Type texts as documentation ids and signatures write them (C# specification, annex D.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from services.index.names.type_text import (
    KEYWORDS,
    FunctionPointer,
    Named,
    Node,
    Predefined,
    Tuple,
    Wrapped,
    parse,
)

_REFERENCES = frozenset({"string", "object", "dynamic", "void"})
_MOST_ELEMENTS = 7
"""Elements of a tuple beyond which the rest is a tuple in the last place."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a text stands. `positions`: what documentation ids write for each type parameter in sight; `values`: those
    whose constraints say that they are no references."""

    positions: Mapping[str, str]
    values: frozenset[str] = frozenset()


class TypeNames:
    """Writes types. `is_value`: whether a type of a full name, as metadata writes it with `.` between outer and nested
    types, is a struct or an enum."""

    def __init__(self, is_value: Callable[[str], bool]) -> None:
        self._is_value = is_value

    def doc_id(self, text: str, scope: Scope) -> str:
        """``System.Collections.Generic.List{`0}``; what cannot be parsed stays as it is."""
        node = parse(text)
        return text if node is None else self._doc(node, scope)

    def display(self, text: str, scope: Scope, *, annotated: bool = False) -> str:
        """The type as C# writes it; without the annotations of references unless `annotated`."""
        node = parse(text)
        return text if node is None else self._shown(node, scope, annotated=annotated)

    def _doc(self, node: Node, scope: Scope) -> str:
        if isinstance(node, Predefined):
            return "System.Object" if node.name == "dynamic" else KEYWORDS[node.name]
        if isinstance(node, Wrapped):
            return self._doc_wrapped(node, scope)
        if isinstance(node, Tuple):
            return _tuple([self._doc(inner, scope) for inner, _ in node.elements])
        if isinstance(node, FunctionPointer):
            return ""  # as the compiler has it
        if _is_parameter(node, scope):
            return scope.positions[node.segments[0].name]
        return ".".join(
            segment.name + (f"{{{','.join(self._doc(a, scope) for a in segment.arguments)}}}"
                            if segment.arguments else "")
            for segment in node.segments
        )  # fmt: skip

    def _doc_wrapped(self, node: Wrapped, scope: Scope) -> str:
        if node.suffix.startswith("["):
            element, ranks = node, list[str]()
            # `int[][,]` is an array of `int[,]`: the ranks that stand first are the outer ones.
            while isinstance(element, Wrapped) and element.suffix.startswith("["):
                ranks.append(element.suffix)
                element = element.inner
            return self._doc(element, scope) + "".join(map(_rank, ranks))
        inner = self._doc(node.inner, scope)
        if node.suffix == "?":
            return f"System.Nullable{{{inner}}}" if self.is_value(node.inner, scope) else inner
        if node.suffix == "*":
            return f"{inner}*"
        return f"{inner}@" if "ref" in node.prefix else inner

    def _shown(self, node: Node, scope: Scope, *, annotated: bool) -> str:
        if isinstance(node, Predefined):
            return node.name
        if isinstance(node, Wrapped):
            inner = self._shown(node.inner, scope, annotated=annotated)
            dropped = node.suffix == "?" and not annotated and not self.is_value(node.inner, scope)
            return f"{node.prefix}{inner}{'' if dropped else node.suffix}"
        if isinstance(node, Tuple):
            elements = [
                f"{self._shown(inner, scope, annotated=annotated)} {name}".rstrip()
                for inner, name in node.elements
            ]
            return f"({', '.join(elements)})"
        if isinstance(node, FunctionPointer):
            inner = (self._shown(each, scope, annotated=annotated) for each in node.arguments)
            return f"{node.head}<{', '.join(inner)}>"
        return ".".join(
            segment.name + (f"<{', '.join(self._shown(a, scope, annotated=annotated) for a in segment.arguments)}>"
                            if segment.arguments else "")
            for segment in node.segments
        )  # fmt: skip

    def is_value(self, node: Node, scope: Scope) -> bool:
        """Whether a type is no reference, so that `?` makes another one of it."""
        if isinstance(node, Predefined):
            return node.name not in _REFERENCES
        if isinstance(node, Tuple):
            return True
        if not isinstance(node, Named):
            return isinstance(node, FunctionPointer) or (isinstance(node, Wrapped) and node.suffix == "*")
        if _is_parameter(node, scope):
            return node.segments[0].name in scope.values
        return self._is_value(
            ".".join(
                f"{each.name}`{len(each.arguments)}" if each.arguments else each.name
                for each in node.segments
            )
        )


def _is_parameter(node: Named, scope: Scope) -> bool:
    first = node.segments[0]
    return len(node.segments) == 1 and not first.arguments and first.name in scope.positions


def _tuple(elements: list[str]) -> str:
    if len(elements) > _MOST_ELEMENTS:
        elements = [*elements[:_MOST_ELEMENTS], _tuple(elements[_MOST_ELEMENTS:])]
    return f"System.ValueTuple{{{','.join(elements)}}}"


def _rank(brackets: str) -> str:
    return "[]" if brackets == "[]" else f"[{','.join(['0:'] * (len(brackets) - 1))}]"
