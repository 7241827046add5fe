"""Symbols of a public API, and their names and types in metadata and documentation ids (C# specification, annex
D.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

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
from services.model import Kind, Value
from services.syntax.records.declaration import Declaration

_REFERENCES = frozenset({"string", "object", "dynamic", "void"})
_SPECIAL = {name: word for word, name in KEYWORDS.items() if word not in ("nint", "nuint", "dynamic")}
_MOST_ELEMENTS = 7
"""Elements of a tuple beyond which the rest is a tuple in the last place."""


class NameScope(msgspec.Struct, frozen=True):
    """Context in which a type is named. `positions`: what documentation ids write for each type parameter in scope;
    `values`: type parameters constrained to value types; `variances`: `in` or `out` of those that declare one;
    `given`: the types substituted for type parameters of a base."""

    positions: Mapping[str, str]
    values: frozenset[str] = frozenset()
    variances: Mapping[str, str] = msgspec.field(default_factory=dict)
    given: Mapping[str, str] = msgspec.field(default_factory=dict)


class Style(NamedTuple):
    """Style in which the names of types are written as text in signatures and messages. `annotated`: with `?`
    behind nullable references; `told`: as in the compiler's messages, with the variance of type arguments and
    asterisks in arrays of several ranks."""

    annotated: bool = False
    told: bool = False


PLAIN = Style()
TOLD = Style(annotated=True, told=True)
FOUND = Style(told=True)
"""As a message, but without annotations: what symbols are found again by."""


class ApiTypeNames:
    """Writes types. `is_value`: whether a type of a full name, as metadata writes it with `.` between outer and nested
    types, is a struct or an enum."""

    def __init__(self, is_value: Callable[[str], bool]) -> None:
        self._is_value = is_value

    def doc_id(self, text: str, scope: NameScope) -> str:
        """``System.Collections.Generic.List{`0}``; what cannot be parsed stays as it is."""
        node = parse(text)
        return text if node is None else self._doc(node, scope)

    def display(self, text: str, scope: NameScope, style: Style = PLAIN) -> str:
        """The type as C# writes it."""
        node = parse(text)
        return text if node is None else self.display_node(node, scope, style)

    def _doc(self, node: Node, scope: NameScope) -> str:
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

    def _doc_wrapped(self, node: Wrapped, scope: NameScope) -> str:
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

    def display_node(self, node: Node, scope: NameScope, style: Style = PLAIN) -> str:
        """The type of a parsed text, as `display`."""
        if isinstance(node, Predefined):
            return node.name
        if isinstance(node, Wrapped):
            inner = self.display_node(node.inner, scope, style)
            dropped = node.suffix == "?" and not style.annotated and not self.is_value(node.inner, scope)
            suffix = "" if dropped else node.suffix
            if style.told and suffix.startswith("[,"):
                suffix = f"[*{suffix[1:-1].replace(',', ',*')}]"
            return f"{node.prefix}{inner}{suffix}"
        if isinstance(node, Tuple):
            elements = [
                f"{self.display_node(inner, scope, style)} {name}".rstrip() for inner, name in node.elements
            ]
            return f"({', '.join(elements)})"
        if isinstance(node, FunctionPointer):
            inner = (self.display_node(each, scope, style) for each in node.arguments)
            return f"{node.head}<{', '.join(inner)}>"
        if len(node.segments) == 1 and node.segments[0].name in scope.given:
            return scope.given[node.segments[0].name]
        special = _special(node)
        if special is not node:
            return self.display_node(special, scope, style)
        return ".".join(
            segment.name
            + (
                f"<{', '.join(self._argument(a, scope, style) for a in segment.arguments)}>"
                if segment.arguments
                else ""
            )
            for segment in node.segments
        )

    def _argument(self, node: Node, scope: NameScope, style: Style) -> str:
        inner = node.inner if isinstance(node, Wrapped) and node.suffix == "?" else node
        variance = ""
        if style.told and isinstance(inner, Named) and _is_parameter(inner, scope):
            variance = scope.variances.get(inner.segments[0].name, "")
        return f"{variance} {self.display_node(node, scope, style)}".lstrip()

    def is_value(self, node: Node, scope: NameScope) -> bool:
        """Whether a type is no reference, so that `?` makes another one of it."""
        if isinstance(node, Predefined):
            return node.name not in _REFERENCES
        if isinstance(node, Tuple):
            return True
        if not isinstance(node, Named):
            return isinstance(node, FunctionPointer) or (isinstance(node, Wrapped) and node.suffix == "*")
        if _is_parameter(node, scope):
            return node.segments[0].name in scope.values
        name = ".".join(
            f"{each.name}`{len(each.arguments)}" if each.arguments else each.name for each in node.segments
        )
        word = _SPECIAL.get(name)
        return self._is_value(name) if word is None else word not in _REFERENCES


def _special(node: Named) -> Node:
    """A type by the keyword or sign that C# has for it, where it has one."""
    path, arguments = ".".join(each.name for each in node.segments), node.segments[-1].arguments
    if any(each.arguments for each in node.segments[:-1]):
        return node
    if not arguments and path in _SPECIAL:
        return Predefined(_SPECIAL[path])
    if path == "System.Nullable" and len(arguments) == 1:
        return Wrapped(arguments[0], "?")
    if path == "System.ValueTuple" and 2 <= len(arguments) <= _MOST_ELEMENTS:
        return Tuple(tuple((each, "") for each in arguments))
    return node


def _is_parameter(node: Named, scope: NameScope) -> bool:
    first = node.segments[0]
    return len(node.segments) == 1 and not first.arguments and first.name in scope.positions


def _tuple(elements: list[str]) -> str:
    if len(elements) > _MOST_ELEMENTS:
        elements = [*elements[:_MOST_ELEMENTS], _tuple(elements[_MOST_ELEMENTS:])]
    return f"System.ValueTuple{{{','.join(elements)}}}"


def _rank(brackets: str) -> str:
    return "[]" if brackets == "[]" else f"[{','.join(['0:'] * (len(brackets) - 1))}]"


VISIBLE = frozenset({"public", "protected", "protected internal"})
"""Accessibilities that somebody else may see."""


class Interface(Value, kw_only=True, frozen=True):
    """An interface that a type implements. `seen`: whether others see it."""

    text: str
    seen: bool = True


class Constraint(Value, kw_only=True, frozen=True):
    """Constraint of a type parameter. `words`: class, struct, unmanaged, notnull, new(); `types`: by their names as
    C# writes them, each with its documentation id."""

    parameter: str
    words: frozenset[str] = frozenset()
    types: tuple[tuple[str, str], ...] = ()


class ApiSymbol(Value, kw_only=True, frozen=True):
    """A type or member that others see.

    `id`: its documentation id; `signature`: as C# writes it in full, without access and annotations of references;
    `named`: its name and parameter types, with annotations, as ApiCompat tells of members, `plain`: without annotations
    and `ref`, as it finds them again; `result`: what it returns, with annotations, `returns`: without; `owner`: id of
    the type that declares a member; `words`: modifiers, those of the language's own making too; `access`: as declared;
    `bases`: what a type derives from and implements that others see; `base`: what it derives from, seen or not;
    `interfaces`: in the order of metadata; `underlying`: of an enum; `constraints`: on its own type parameters;
    `parameters`: how many a member has; `accessors`: that others see, each with its access; `implicit`: the compiler
    makes it; `derivable`: whether others can derive from the type, or from the one that declares it; `symbol`: its id
    in the index; `file`, `line`: where it is declared."""

    id: str
    kind: Kind
    signature: str
    named: str
    plain: str = ""
    result: str = ""
    returns: str = ""
    owner: str = ""
    words: frozenset[str] = frozenset()
    access: str = "public"
    bases: tuple[str, ...] = ()
    base: str = ""
    interfaces: tuple[Interface, ...] = ()
    underlying: str = ""
    constraints: tuple[Constraint, ...] = ()
    parameters: int = 0
    accessors: tuple[tuple[str, str], ...] = ()
    implicit: bool = False
    derivable: bool = True
    symbol: str = ""
    file: str = ""
    line: int = 0


_BINARY = {
    "+": "Addition", "-": "Subtraction", "*": "Multiply", "/": "Division", "%": "Modulus", "&": "BitwiseAnd",
    "|": "BitwiseOr", "^": "ExclusiveOr", "<<": "LeftShift", ">>": "RightShift", ">>>": "UnsignedRightShift",
    "==": "Equality", "!=": "Inequality", "<": "LessThan", ">": "GreaterThan", "<=": "LessThanOrEqual",
    ">=": "GreaterThanOrEqual",
}  # fmt: skip
_UNARY = {
    "+": "UnaryPlus", "-": "UnaryNegation", "!": "LogicalNot", "~": "OnesComplement", "++": "Increment",
    "--": "Decrement", "true": "True", "false": "False",
}  # fmt: skip
_ASSIGNED = {
    "+=": "AdditionAssignment", "-=": "SubtractionAssignment", "*=": "MultiplicationAssignment",
    "/=": "DivisionAssignment", "%=": "ModulusAssignment", "&=": "BitwiseAndAssignment", "|=": "BitwiseOrAssignment",
    "^=": "ExclusiveOrAssignment", "<<=": "LeftShiftAssignment", ">>=": "RightShiftAssignment",
    ">>>=": "UnsignedRightShiftAssignment",
}  # fmt: skip
_BRACKETS = str.maketrans("<>.", "{}#")
"""As names that C# cannot spell stand in ids."""


def metadata_name(declaration: Declaration, parameters: int) -> str:
    """`#ctor`, `op_Addition`, `Item`; of anything else its own name."""
    kind = declaration.kind
    if kind is Kind.CONSTRUCTOR:
        return "#ctor"
    if kind is Kind.DESTRUCTOR:
        return "Finalize"
    if kind is Kind.INDEXER:
        return "Item"
    if kind is Kind.CONVERSION:
        way = "Implicit" if declaration.name.startswith("implicit") else "Explicit"
        return f"op_{'Checked' if 'checked' in declaration.name.split() else ''}{way}"
    if kind is Kind.OPERATOR or (kind is Kind.EXTENSION_MEMBER and declaration.name.startswith("operator ")):
        return _operator(declaration.name.removeprefix("operator").split(), parameters)
    return declaration.name.translate(_BRACKETS)


def name_in_id(id_: str) -> str:
    """Return the name that a documentation id ends in: `Sum` of `M:N.Shop.Sum(System.Int32)`, the name of the type for
    a constructor."""
    *owners, name = id_.partition("(")[0].partition(":")[2].split(".")
    simple = owners[-1] if name == "#ctor" and owners else name
    return simple.partition("`")[0]


def _operator(words: list[str], parameters: int) -> str:
    sign = words[-1] if words else ""
    checked = "Checked" if "checked" in words else ""
    if sign in _ASSIGNED:
        return f"op_{checked}{_ASSIGNED[sign]}"
    if parameters == 0 and sign in ("++", "--"):
        return f"op_{checked}{_UNARY[sign]}Assignment"
    named = _UNARY if parameters < 2 and sign in _UNARY else _BINARY
    return f"op_{checked}{named.get(sign, sign)}"
