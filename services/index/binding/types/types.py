"""Types as trees."""

from __future__ import annotations

from collections.abc import Mapping

from services.index.names.space import Known

OBJECT, STRING, NULLABLE, VOID = "System.Object", "System.String", "System.Nullable`1", "System.Void"
TASK, TASK_OF = "System.Threading.Tasks.Task", "System.Threading.Tasks.Task`1"
EXPRESSION = "System.Linq.Expressions.Expression`1"
DYNAMIC, POINTER, ANONYMOUS, FUNCTION = "dynamic", "*", "<anonymous>", "delegate*"
IN_METHOD, OF_CALLEE, OF_ASSEMBLY = -1, -2, -3
"""Owners of type parameters: the method around the place; a method that is called (`!!0`); a type of an assembly
(`!0`). A workspace type's own have its index."""


class Type:
    """A constructed type. `known`: which; `arguments`: those of all its parts, outermost first, None where unknown. An
    array is `[]`, `[,]` of its element, a pointer `*`."""

    __slots__ = ("_hash", "arguments", "fqn", "index", "known")

    def __init__(self, known: Known, arguments: tuple[AnyType | None, ...] = ()) -> None:
        self.known = known
        self.fqn = known.fqn
        self.index = known.index
        self.arguments = arguments
        self._hash = hash((known.fqn, known.index, arguments))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Type)
            and self._hash == other._hash
            and self.fqn == other.fqn
            and self.index == other.index
            and self.arguments == other.arguments
        )

    def __repr__(self) -> str:
        return self.fqn + (f"[{', '.join(map(str, self.arguments))}]" if self.arguments else "")


class TypeParameter:
    """A type parameter."""

    __slots__ = ("_hash", "name", "owner")

    def __init__(self, name: str, owner: int) -> None:
        self.name = name
        self.owner = owner
        self._hash = hash((name, owner))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeParameter) and self.name == other.name and self.owner == other.owner

    def __repr__(self) -> str:
        return f"{self.name}:{self.owner}"


class TupleType:
    """A tuple; a name is empty where an element has none."""

    __slots__ = ("_hash", "elements", "names")

    def __init__(self, elements: tuple[AnyType | None, ...], names: tuple[str, ...]) -> None:
        self.elements = elements
        self.names = names
        self._hash = hash((elements, names))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TupleType) and self.elements == other.elements and self.names == other.names

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"


AnyType = Type | TypeParameter | TupleType
Assigned = Mapping[TypeParameter, AnyType | None]
CALLEE = tuple(TypeParameter(f"!!{at}", OF_CALLEE) for at in range(24))
"""The type parameters of a method that is called, by place."""
EXTERNAL = tuple(TypeParameter(f"!{at}", OF_ASSEMBLY) for at in range(24))
"""Those of a type of an assembly."""


def named(fqn: str, *arguments: AnyType | None) -> Type:
    """A type that is not the workspace's."""
    return Type(Known(fqn), arguments)


def substituted(type_: AnyType | None, assigned: Assigned) -> AnyType | None:
    """`type_` with type parameters replaced; one that is assigned None becomes unknown."""
    if type_ is None or not assigned:
        return type_
    if isinstance(type_, TypeParameter):
        return assigned.get(type_, type_)
    if isinstance(type_, TupleType):
        return TupleType(tuple(substituted(each, assigned) for each in type_.elements), type_.names)
    if not type_.arguments:
        return type_
    arguments = tuple([substituted(each, assigned) for each in type_.arguments])
    if type_.fqn == NULLABLE and is_nullable(arguments[0]):
        return arguments[0]
    return type_ if arguments == type_.arguments else Type(type_.known, arguments)


def is_array(type_: AnyType | None) -> bool:
    """Whether a type is an array, of any rank."""
    return isinstance(type_, Type) and type_.fqn[0] == "["


def array_of(element: AnyType | None, rank: str = "[]") -> Type:
    """An array type."""
    return named(rank, element)


def is_nullable(type_: AnyType | None) -> bool:
    """Whether a type is a nullable value type."""
    return isinstance(type_, Type) and type_.fqn == NULLABLE


def unwrapped(type_: AnyType | None) -> AnyType | None:
    """The type under a nullable value type; any other as it is."""
    return (
        type_.arguments[0] if isinstance(type_, Type) and type_.fqn == NULLABLE and type_.arguments else type_
    )


def is_dynamic(type_: AnyType | None) -> bool:
    """Whether a type is `dynamic`."""
    return isinstance(type_, Type) and type_.fqn == DYNAMIC


def is_foreign(type_: AnyType | None) -> bool:
    """Whether a type is known to be none of the workspace's, nor made of any."""
    return isinstance(type_, Type) and type_.index is None and all(map(is_foreign, type_.arguments))


def mentions(type_: AnyType | None, owner: int) -> bool:
    """Whether a type parameter of an owner is in a type."""
    if isinstance(type_, TypeParameter):
        return type_.owner == owner
    parts = type_.elements if isinstance(type_, TupleType) else type_.arguments if type_ is not None else ()
    return any(mentions(part, owner) for part in parts)


def plain(type_: AnyType | None) -> AnyType | None:
    """A type without what an identity conversion overlooks: names of tuple elements, and `dynamic` for `object`."""
    if isinstance(type_, TupleType):
        return TupleType(tuple(map(plain, type_.elements)), ())
    if isinstance(type_, Type):
        if type_.fqn == DYNAMIC:
            return named(OBJECT)
        if type_.arguments:
            arguments = tuple(map(plain, type_.arguments))
            if type_.fqn.startswith("System.ValueTuple`"):
                return TupleType(arguments, ())
            return Type(type_.known, arguments)
    return type_


def same(one: AnyType | None, other: AnyType | None) -> bool:
    """Whether two known types are identity convertible."""
    return one == other or (one is not None and other is not None and plain(one) == plain(other))


def arities(fqn: str) -> list[int]:
    """How many type parameters each part of a nested type's full name has."""
    return [int(part.rpartition("`")[2]) if "`" in part else 0 for part in fqn.split("+")]
