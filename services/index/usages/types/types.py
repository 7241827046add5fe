"""Types of expressions as trees, and how type texts and the framework table's notation become such."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from services.index.framework.table import FrameworkTable
from services.index.names.binder import Binder, Target
from services.index.names.context import Context, Level
from services.index.names.space import Known, Space
from services.index.names.type_text import KEYWORDS, Named, Node, Predefined, Tuple, Wrapped, parse
from services.model import Kind

_DEEPEST = 12
ARRAY, NULLABLE, OBJECT = "System.Array", "System.Nullable`1", "System.Object"
METHOD = -1
"""The owner of a type parameter that belongs to a method."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type. `arguments`: those of all its parts, outermost first, None where unknown; of an array its element."""

    known: Known
    arguments: tuple[AnyType | None, ...] = ()

    @property
    def fqn(self) -> str:
        """Its full name without arguments."""
        return self.known.fqn


@dataclass(frozen=True, slots=True)
class TypeParameter:
    """A type parameter of the type with catalogue index `owner`, or of a method."""

    name: str
    owner: int


@dataclass(frozen=True, slots=True)
class TupleType:
    """A tuple; a name is empty where an element has none."""

    elements: tuple[AnyType | None, ...]
    names: tuple[str, ...]


AnyType = Type | TypeParameter | TupleType
Assigned = Mapping[TypeParameter, AnyType | None]


def framework(fqn: str, *arguments: AnyType | None) -> Type:
    """A framework type."""
    return Type(Known(fqn), arguments)


def substituted(type_: AnyType | None, assigned: Assigned) -> AnyType | None:
    """`type_` with type parameters replaced; one that is assigned None becomes unknown."""
    if type_ is None or not assigned:
        return type_
    if isinstance(type_, TypeParameter):
        return assigned.get(type_, type_)
    if isinstance(type_, TupleType):
        return TupleType(tuple(substituted(e, assigned) for e in type_.elements), type_.names)
    if not type_.arguments:
        return type_
    return Type(type_.known, tuple(substituted(a, assigned) for a in type_.arguments))


def arities(fqn: str) -> list[int]:
    """How many type parameters each part of a nested type's full name has."""
    return [int(part.rpartition("`")[2]) if "`" in part else 0 for part in fqn.split("+")]


class TypeReader:
    """Reads types. `parameters_of`: the type parameters of a workspace type; `kind_of`: its kind."""

    def __init__(
        self,
        binder: Binder,
        space: Space,
        table: FrameworkTable,
        parameters_of: Callable[[int], tuple[str, ...]],
        kind_of: Callable[[int], Kind],
    ) -> None:
        self._binder = binder
        self._space = space
        self._table = table
        self._parameters_of = parameters_of
        self._kind_of = kind_of
        self._read: dict[tuple[Context, str, int], AnyType | None] = {}

    def read(self, text: str, context: Context, *, own: int = METHOD) -> AnyType | None:
        """The type that a text means, or None. `own`: whose the type parameters in `context.own` are."""
        key = (context, text, own)
        if key not in self._read:
            node = parse(text)
            self._read[key] = self._node(node, context, own) if node is not None else None
        return self._read[key]

    def is_value(self, type_: AnyType | None) -> bool:
        """Whether a type is a value type, as far as is known."""
        if not isinstance(type_, Type):
            return isinstance(type_, TupleType)
        if type_.known.index is not None:
            return self._kind_of(type_.known.index) in (Kind.STRUCT, Kind.ENUM, Kind.RECORD_STRUCT)
        found = self._table.get(type_.fqn)
        return found is not None and found.kind in (Kind.STRUCT, Kind.ENUM)

    def _node(self, node: Node, context: Context, own: int) -> AnyType | None:
        if isinstance(node, Predefined):
            fqn = KEYWORDS.get(node.name)
            return framework(fqn) if fqn is not None else None
        if isinstance(node, Wrapped):
            return self._wrapped(node, context, own)
        if isinstance(node, Tuple):
            parts = tuple(self._node(inner, context, own) for inner, _ in node.elements)
            return TupleType(parts, tuple(name for _, name in node.elements))
        return self._named(node, context, own) if isinstance(node, Named) else None

    def _wrapped(self, node: Wrapped, context: Context, own: int) -> AnyType | None:
        inner = self._node(node.inner, context, own)
        if node.suffix.startswith("["):
            return framework(ARRAY, inner)
        if node.suffix == "?":
            return framework(NULLABLE, inner) if self.is_value(inner) else inner
        return None if node.suffix == "*" else inner

    def _named(self, node: Named, context: Context, own: int) -> AnyType | None:
        target = self._binder.target(node, context)
        if target is None or target.namespace is not None:
            return None
        if target.known is None:
            return self._unlisted(node, target, context, own)
        if "<" in target.display and not any(s.arguments for s in node.segments):
            inside = any(e.index == target.known.index for e in context.enclosing)
            if not inside and "<?" not in target.display:
                return self._alias(target.display, context)
        written = [[self._node(a, context, own) for a in segment.arguments] for segment in node.segments]
        return Type(target.known, self._arguments(target.known, written, context))

    def _unlisted(self, node: Named, target: Target, context: Context, own: int) -> AnyType | None:
        """A type parameter, or a type of a package that nothing is known of but its name."""
        name = node.segments[0].name
        if len(node.segments) > 1 or target.display != name:
            return Type(Known(target.display.partition("<")[0]))
        if name in context.own:
            return TypeParameter(name, own)
        for enclosing in context.enclosing:
            if name in enclosing.declaration.type_parameters:
                return TypeParameter(name, enclosing.index)
        return None

    def _alias(self, display: str, context: Context) -> AnyType | None:
        """What an alias for a constructed type stands for."""
        node = parse(display)
        outermost = Context(context.project, (), (), (Level(""),))
        if not isinstance(node, Named) or not any(s.arguments for s in node.segments):
            return None
        return self._node(node, outermost, METHOD)

    def _arguments(
        self, known: Known, written: list[list[AnyType | None]], context: Context
    ) -> tuple[AnyType | None, ...]:
        """The arguments of all parts of a nested type: written ones, else those that the place is inside of."""
        counts = arities(known.fqn)
        parts = known.fqn.split("+")
        found: list[AnyType | None] = []
        for at, count in enumerate(counts):
            back = len(counts) - at
            given = written[-back] if back <= len(written) else []
            if len(given) == count:
                found += given
            else:
                found += self._surrounding("+".join(parts[: at + 1]), count, context)
        return tuple(found)

    def _surrounding(self, fqn: str, count: int, context: Context) -> Sequence[AnyType | None]:
        for enclosing in context.enclosing:
            if self._space.fqn_of(enclosing.index) == fqn:
                names = self._parameters_of(enclosing.index)
                return [TypeParameter(name, enclosing.index) for name in names]
        return [None] * count

    def known_name(self, path: Named, context: Context, *, dotted: bool) -> Target | None:
        """What a path in an expression means, where it is no value."""
        return self._binder.target(path, context, dotted=dotted)

    def of_target(self, path: Named, target: Target, context: Context) -> Type | None:
        """The type of a path that means `target`; of one that a package has, its name alone is known."""
        if target.known is None:
            plain = target.display == path.segments[0].name
            return None if plain else Type(Known(target.display.partition("<")[0]))
        read = self._named(path, context, METHOD)
        return read if isinstance(read, Type) else Type(target.known)

    # The framework table's notation

    def from_table(
        self, text: str, own: Sequence[AnyType | None], of_method: Sequence[AnyType | None]
    ) -> AnyType | None:
        """A type of the member table, with the arguments of the type at hand and of the method."""
        return _TableText(text, own, of_method).type(0)


class _TableText:
    def __init__(self, text: str, own: Sequence[AnyType | None], of_method: Sequence[AnyType | None]) -> None:
        self._text = text
        self._own = own
        self._method = of_method
        self._at = 0

    def type(self, depth: int) -> AnyType | None:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in "[],":
            self._at += 1
        name = self._text[start : self._at]
        found = self._of(name)
        arguments: list[AnyType | None] = []
        if self._text.startswith("[", self._at) and self._text[self._at + 1 : self._at + 2] not in ("]", ","):
            while self._at < len(self._text) and self._text[self._at] in "[,":
                self._at += 1
                arguments.append(self.type(depth + 1) if depth < _DEEPEST else None)
            self._at += 1
            if isinstance(found, Type):
                found = Type(found.known, tuple(arguments))
        while self._text.startswith("[", self._at) and self._text[self._at + 1 : self._at + 2] in ("]", ","):
            self._at = self._text.find("]", self._at) + 1
            found = framework(ARRAY, found)
        return found

    def _of(self, name: str) -> AnyType | None:
        if name.startswith("!!"):
            at = int(name[2:]) if name[2:].isdigit() else -1
            return self._method[at] if 0 <= at < len(self._method) else None
        if name.startswith("!"):
            at = int(name[1:]) if name[1:].isdigit() else -1
            return self._own[at] if 0 <= at < len(self._own) else None
        return framework(name) if name and name != "?" and name[-1] not in "*&" else None


def last_name(text: str) -> str:
    """The simple name of the type that a text is of, without type arguments, ranks and `?`."""
    return text.partition("<")[0].rpartition(".")[2].rpartition(":")[2].rstrip("?[]")


def unwrapped(type_: AnyType | None) -> AnyType | None:
    """The type under a nullable value type; any other as it is."""
    if isinstance(type_, Type) and type_.fqn == NULLABLE and type_.arguments:
        return type_.arguments[0]
    return type_


def is_open(type_: AnyType | None) -> bool:
    """Whether a type parameter of a method is in a type, or it is not known."""
    if isinstance(type_, TypeParameter):
        return type_.owner == METHOD
    if isinstance(type_, TupleType):
        return any(map(is_open, type_.elements))
    return type_ is None or any(map(is_open, type_.arguments))
