"""A member as the binder sees it, declared in the workspace or listed in the external table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec

from services.index.binding.types.member import Member
from services.index.binding.types.types import (
    CALLEE,
    AnyType,
    Assigned,
    Type,
    TypeParameter,
    substituted,
)
from services.model import Kind

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
