"""Type texts read as types: those of source in a context, and those of the external table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from services.index.binding.types.symbol import Bound
from services.index.binding.types.types import (
    CALLEE,
    DYNAMIC,
    EXTERNAL,
    FUNCTION,
    IN_METHOD,
    NULLABLE,
    POINTER,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    arities,
    array_of,
    named,
)
from services.index.names.names import Names
from services.index.names.space import Context, Known, Level
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

_VALUES = frozenset({"struct", "unmanaged"})
_COMPOSED = frozenset(">])?*")
"""How the text of a type ends that is more than a name."""
_SHAPED = frozenset(")]?*")
"""How the text of a type ends that is no name."""
Target = tuple[AnyType | None, str | None]
"""A type, or else the full name of a namespace."""


class Declared(Protocol):
    """Types that the workspace declares."""

    def itself(self, index: int) -> Type:
        """A type with its own type parameters, those of outer types before them."""
        ...

    def inherited(self, type_: Type, fqn: str) -> Type | None:
        """The base of a type, or itself, that has a full name."""
        ...


class TypeReader:
    """Reads type texts of source. `is_value`: whether a type is a value type."""

    def __init__(self, names: Names, declared: Declared, is_value: Callable[[AnyType | None], bool]) -> None:
        self._binder = names.binder
        self._space = names.space
        self._declared = declared
        self._is_value = is_value
        self._read: dict[tuple[Context, str, int, frozenset[str]], AnyType | None] = {}
        self._values: frozenset[str] = frozenset()

    def expect(self, bounds: Mapping[str, Bound]) -> None:
        """From now on, the type parameters of the method that is read have these constraints."""
        self._values = frozenset(name for name, bound in bounds.items() if bound.kinds & _VALUES)

    @contextmanager
    def bounded(self, bounds: Mapping[str, Bound]) -> Iterator[None]:
        """Like `expect`, inside alone."""
        before = self._values
        self.expect(bounds)
        try:
            yield
        finally:
            self._values = before

    def read(self, text: str, context: Context, *, own: int = IN_METHOD) -> AnyType | None:
        """The type that a text means, or None. `own`: whose the type parameters in `context.own` are."""
        key = (context, text, own, self._values)
        if key not in self._read:
            node = parse(text)
            self._read[key] = self._node(node, context, own) if node is not None else None
        return self._read[key]

    def target(self, path: Named, context: Context, *, dotted: bool = False) -> Target | None:
        """Resolve a path that is no value: a type, or a namespace."""
        target = self._binder.target(path, context, dotted=dotted)
        if target is None:
            return None
        if target.namespace is not None:
            return None, target.namespace
        return self._named(path, context, IN_METHOD), None

    def _node(self, node: Node, context: Context, own: int) -> AnyType | None:
        if isinstance(node, Predefined):
            return self._predefined(node, context, own)
        if isinstance(node, Wrapped):
            return self._wrapped(node, context, own)
        if isinstance(node, Tuple):
            parts = tuple(self._node(inner, context, own) for inner, _ in node.elements)
            return TupleType(parts, tuple(name for _, name in node.elements))
        if isinstance(node, FunctionPointer):
            return named(FUNCTION, *(self._node(each, context, own) for each in node.arguments))
        return self._named(node, context, own)

    def _predefined(self, node: Predefined, context: Context, own: int) -> AnyType | None:
        from services.index.names.type_text import CONTEXTUAL, TypeTextSegment

        if node.name in CONTEXTUAL:
            found = self._named(Named((TypeTextSegment(node.name),)), context, own)
            if isinstance(found, TypeParameter) or (isinstance(found, Type) and found.index is not None):
                return found
        return named(KEYWORDS.get(node.name, DYNAMIC))

    def _wrapped(self, node: Wrapped, context: Context, own: int) -> AnyType | None:
        if node.suffix.startswith("["):
            return self._array(node, context, own)
        inner = self._node(node.inner, context, own)
        if node.suffix == "?":
            return named(NULLABLE, inner) if self._is_value(inner) or self._is_bounded(inner) else inner
        return named(POINTER, inner) if node.suffix == "*" else inner

    def _is_bounded(self, type_: AnyType | None) -> bool:
        """Whether a type is a parameter of the method that is read that values alone go to."""
        return isinstance(type_, TypeParameter) and type_.owner == IN_METHOD and type_.name in self._values

    def _array(self, node: Wrapped, context: Context, own: int) -> AnyType | None:
        """Ranks are written outermost first: `int[][,]` has elements `int[,]`."""
        ranks: list[str] = []
        inner: Node = node
        while isinstance(inner, Wrapped) and inner.suffix.startswith("["):
            ranks.append(inner.suffix)
            inner = inner.inner
        found = self._node(inner, context, own)
        for rank in ranks:
            found = array_of(found, rank)
        return found

    def _named(self, node: Named, context: Context, own: int) -> AnyType | None:
        target = self._binder.target(node, context)
        if target is None or target.namespace is not None:
            return None
        if target.known is None and _is_shaped(target.display):
            return self._alias(target.display, context)
        if target.known is None:
            return self._unlisted(node, target.display, context, own)
        is_alias = target.display[-1:] in _COMPOSED and not any(s.arguments for s in node.segments)
        if is_alias and "<?" not in target.display:
            return self._alias(target.display, context)
        written = [[self._node(a, context, own) for a in segment.arguments] for segment in node.segments]
        return Type(target.known, self._arguments(target.known, node, written, context))

    def _unlisted(self, node: Named, display: str, context: Context, own: int) -> AnyType | None:
        """A type parameter, or a type of a package that nothing is known of but its name."""
        name = node.segments[0].name
        if len(node.segments) > 1 or display != name:
            last = next(reversed(node.segments))
            count = len(last.arguments)
            arguments = tuple(self._node(a, context, own) for a in last.arguments)
            fqn = display.partition("<")[0]
            return Type(Known(f"{fqn}`{count}" if count else fqn), arguments)
        if name in context.own:
            return TypeParameter(name, own)
        for enclosing in context.enclosing:
            if name in enclosing.declaration.type_parameters:
                return TypeParameter(name, enclosing.index)
        return None

    def _alias(self, display: str, context: Context) -> AnyType | None:
        """Return the constructed type of an alias."""
        node = parse(display)
        outermost = Context(context.project, (), (), (Level(""),), context.file)
        if node is None or (isinstance(node, Named) and not any(s.arguments for s in node.segments)):
            return None
        return self._node(node, outermost, IN_METHOD)

    def _arguments(
        self, known: Known, node: Named, written: list[list[AnyType | None]], context: Context
    ) -> tuple[AnyType | None, ...]:
        """The arguments of all parts of a nested type: written ones, else those that the type before it gives to its
        base, else those that the place is inside of."""
        counts = arities(known.fqn)
        parts = known.fqn.split("+")
        found: list[AnyType | None] = []
        for at, count in enumerate(counts):
            back = len(counts) - at
            given = written[-back] if back <= len(written) else []
            if len(given) == count:
                found += given
                continue
            around = [self._declared.itself(each.index) for each in context.enclosing]
            if 1 < back <= len(written):
                before = self._named(Named(node.segments[: 1 - back], node.qualifier), context, IN_METHOD)
                around = [before] if isinstance(before, Type) else []
            found += self._surrounding("+".join(parts[: at + 1]), count, around)
        return tuple(found)

    def _surrounding(self, fqn: str, count: int, around: Sequence[Type]) -> Sequence[AnyType | None]:
        """The arguments of an outer type, by the first of the types `around` that is or derives from it."""
        for each in around:
            base = self._declared.inherited(each, fqn)
            if base is not None and len(base.arguments) >= count:
                return base.arguments[-count:]
        return [None] * count


def _is_shaped(display: str) -> bool:
    """Whether an alias names a type without a name: a keyword, a tuple, an array, a pointer."""
    return display[-1:] in _SHAPED or display in KEYWORDS or display.startswith(FUNCTION)


class TableText:
    """A type in the notation of the external table, with `!0` and `!!0` as they are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def type(self) -> AnyType | None:
        """The type at the cursor, which moves past it."""
        found = self._tuple() if self._text.startswith("(", self._at) else self._simple()
        ranks: list[str] = []
        while self._at < len(self._text) and self._text[self._at] in "[*&":
            end = self._text.index("]", self._at) + 1 if self._text[self._at] == "[" else self._at + 1
            ranks.append(self._text[self._at : end])
            self._at = end
        for rank in reversed(ranks) if all(rank[0] == "[" for rank in ranks) else ranks:
            found = named(rank, found) if rank != "&" else found
        return found

    def _simple(self) -> AnyType | None:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in "[],*&() ":
            self._at += 1
        name = self._text[start : self._at]
        arguments: list[AnyType | None] = []
        if self._text.startswith("[", self._at) and self._text[self._at + 1 : self._at + 2] not in ("]", ","):
            while self._text[self._at] in "[,":
                self._at += 1
                arguments.append(self.type())
            self._at += 1
        if name.startswith("!!"):
            return CALLEE[int(name[2:])]
        if name.startswith("!"):
            return EXTERNAL[int(name[1:])]
        return named(name, *arguments) if name and name != "?" else None

    def _tuple(self) -> AnyType:
        elements: list[AnyType | None] = []
        names: list[str] = []
        while self._text[self._at] != ")":
            self._at += 1
            elements.append(self.type())
            start = self._at
            while self._text[self._at] not in ",)":
                self._at += 1
            names.append(self._text[start : self._at].strip())
        self._at += 1
        return TupleType(tuple(elements), tuple(names))


def from_table(text: str) -> AnyType | None:
    """Read a type in the notation of the external table; None for one that it cannot express."""
    try:
        return TableText(text).type()
    except (IndexError, ValueError):
        return None
