"""Members as the binder sees them, declared in the workspace or listed in the external table."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec

from services.index.binding.types.types import (
    CALLEE,
    AnyType,
    Assigned,
    Type,
    TypeParameter,
    substituted,
)
from services.model import Kind
from services.syntax.records.declaration import Declaration, ParameterRecord

_WAYS = frozenset({"ref", "out", "in"})
MemberKey = tuple[int, int]
"""(type, hash of what distinguishes a member among those of its type)."""


class Member(msgspec.Struct, frozen=True):
    """A member of a workspace type. `index`: the type; `file`, `at`: its declaration, that of the type if implicit."""

    index: int
    file: int
    at: int
    declaration: Declaration

    @property
    def name(self) -> str:
        """Its simple name."""
        return self.declaration.name

    @property
    def is_static(self) -> bool:
        """Whether it belongs to the type rather than to its objects."""
        declaration = self.declaration
        return declaration.kind in (Kind.CONSTANT, Kind.ENUM_MEMBER) or "static" in declaration.modifiers

    @property
    def is_extension(self) -> bool:
        """Whether it can be called on its first parameter."""
        parameters = self.declaration.parameters
        return (
            self.declaration.kind is Kind.METHOD
            and bool(parameters)
            and "this" in parameters[0].modifier.split()
        )

    @property
    def is_of_block(self) -> bool:
        """Whether it is called on the receiver of its extension block, which is no parameter of its own."""
        return self.declaration.receiver is not None and not self.is_static

    @property
    def parameters(self) -> tuple[ParameterRecord, ...]:
        """Its parameters, the receiver of its extension block first: those of the static method that it is too."""
        declaration = self.declaration
        received = (declaration.receiver,) if declaration.receiver is not None and self.is_of_block else ()
        return (*received, *(declaration.parameters or ()))

    def same(self, other: Member) -> bool:
        """Whether both are one declaration, or the same member of two parts of one type."""
        mine, its = self.declaration, other.declaration
        if (self.file, self.at) == (other.file, other.at):
            return (mine.kind, mine.name, mine.parameters) == (its.kind, its.name, its.parameters)
        return (
            self.index == other.index
            and mine.kind is its.kind
            and mine.name == its.name
            and (
                mine.parameters is not None
                and signature(mine.parameters) == signature(its.parameters or ())
                and len(mine.type_parameters) == len(its.type_parameters)
                and mine.explicit == its.explicit
                and mine.receiver == its.receiver
                and (mine.kind is not Kind.CONVERSION or mine.returns == its.returns)
            )
        )

    @property
    def key(self) -> MemberKey:
        """Its key, which all declarations of it have, and which lasts while it is declared as it is."""
        its = self.declaration
        distinguished = (
            its.name.lstrip("@"),
            its.kind.value,
            its.explicit,
            its.parameters and [(sorted(ways), type_) for ways, type_ in signature(its.parameters)],
            its.parameters is not None and len(its.type_parameters),
            its.receiver.type if its.receiver is not None else "",
            its.returns if its.kind is Kind.CONVERSION else "",
        )
        return self.index, zlib.crc32(repr(distinguished).encode())


def way(parameter: ParameterRecord) -> frozenset[str]:
    """How a parameter is passed, empty by value: methods may differ in it alone."""
    return _WAYS.intersection(parameter.modifier.split())


def signature(parameters: Sequence[ParameterRecord]) -> tuple[tuple[frozenset[str], str], ...]:
    """Return the signature that distinguishes methods of one name in a type: parameter types and passing modes."""
    return tuple((way(p), p.type) for p in parameters)


CONSTRUCTOR, INDEXER, IMPLICIT, EXPLICIT = ".ctor", "this[]", "implicit operator", "explicit operator"
METHODS = frozenset({Kind.METHOD, Kind.CONSTRUCTOR, Kind.OPERATOR, Kind.CONVERSION})


class Parameter(msgspec.Struct, frozen=True):
    """A parameter. `way`: ref, out, in, or empty; `spread`: whether it is `params`; `at`: of a local function where its
    name stands."""

    name: str
    type: AnyType | None
    way: str = ""
    spread: bool = False
    optional: bool = False
    at: int = -1


class Bound(msgspec.Struct, frozen=True):
    """Constraint of a type parameter: one of these types' heirs, and of a kind (class, struct, new)."""

    types: tuple[AnyType, ...] = ()
    kinds: frozenset[str] = frozenset()


class Signature(msgspec.Struct, frozen=True):
    """Types of a member, its own type parameters as `!!0`. `receiver`: how many parameters the receiver of its
    extension block, which stands first, takes: none or one; `block`: how many of its type parameters are the
    block's."""

    parameters: tuple[Parameter, ...] | None
    returns: AnyType | None
    bounds: tuple[Bound, ...] = ()
    block: int = 0


class Symbol(msgspec.Struct, eq=False, dict=True):
    """A member. `owner`: the type that declares it, as it is inside; `member`: where the workspace declares it.

    flags: static, abstract, virtual, override, extension, hidden (private), explicit, protected."""

    name: str
    kind: Kind
    owner: Type
    flags: frozenset[str]
    load: Callable[[], Signature]
    member: Member | None = None
    priority: int = 0
    access: str = "public"
    arity: int = msgspec.field(default=0)

    @cached_property
    def signature(self) -> Signature:
        """Its types, read when they are needed."""
        return self.load()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, the receiver of its extension block first."""
        return self.signature.parameters or ()

    @property
    def returns(self) -> AnyType | None:
        """The type of the member, or its return type."""
        return self.signature.returns

    @property
    def is_static(self) -> bool:
        """Whether it belongs to the type."""
        return "static" in self.flags

    @property
    def is_method(self) -> bool:
        """Whether it is called rather than read."""
        return self.kind in METHODS

    @property
    def is_extension(self) -> bool:
        """Whether it is called on its first parameter."""
        return "extension" in self.flags


class Candidate(msgspec.Struct, frozen=True):
    """A member as found on a type. `holder`: the type that declares it, with its arguments; None for an extension
    member; `assigned`: what the holder's type parameters are; `level`: how far up it was declared first;
    `asked`: the type that a static member of an extension block is asked of."""

    symbol: Symbol
    holder: Type | None
    assigned: Assigned = msgspec.field(default_factory=dict[TypeParameter, "AnyType | None"])
    level: int = 0
    asked: AnyType | None = None

    def type(self, type_: AnyType | None) -> AnyType | None:
        """A type of the member's, as the holder has it."""
        return substituted(type_, self.assigned)

    @property
    def returns(self) -> AnyType | None:
        """The type or return type of the member as seen from the holder; its own type parameters are `!!0`."""
        return substituted(self.symbol.returns, self.assigned)


def given(arguments: Sequence[AnyType | None]) -> Assigned:
    """The type arguments of a called method by its type parameters."""
    return dict(zip(CALLEE, arguments, strict=False))
