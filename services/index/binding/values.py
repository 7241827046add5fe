"""Values of bound expressions, target-typed ones included."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import msgspec

from services.index.binding.types.conversions import Fit
from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import AnyType, is_foreign
from services.syntax.bodies.node import Node


class Deferred(Protocol):
    """Expression whose type depends on its target."""

    def fit(self, wanted: AnyType | None) -> Fit:
        """Whether it converts to a type."""
        ...

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Bind for good to a target type, None where there is none; return the resulting type."""
        ...

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """1 where the first type is the better one to convert to, -1 where the second is, 0 where neither."""
        ...


class DeferredFunction(ABC):
    """A lambda or an anonymous method. `written`: the types of the parameters that are listed; None where none are."""

    written: tuple[AnyType | None, ...] | None

    @abstractmethod
    def natural(self) -> AnyType | None:
        """Return the delegate that it is of by itself, where its parameters have types."""

    @abstractmethod
    def results(
        self, inputs: tuple[AnyType | None, ...], result: AnyType | None
    ) -> list[AnyType | Value | None]:
        """Return the type of the result for inference; None where it is unknown."""


class DeferredTuple:
    """A tuple literal."""

    elements: Sequence[Value]


class DeferredCollection:
    """A collection expression. `elements`: the single ones; `spread`: what is spread."""

    elements: Sequence[Value]
    spread: Sequence[Value]


class DeferredAlternatives:
    """One of several expressions."""

    options: Sequence[Value]


class Value(msgspec.Struct):
    """A bound expression. what: `value`, `type`, `namespace`, `methods`, `nothing`, which cannot be bound,
    or `elsewhere`.

    `type`: of a value, or the type itself; `path`: the dotted name of a type or a namespace; `members`: the methods
    of a group; `extensions`: whether those of its name may be meant; `receiver`: what the group is asked of;
    `through`: whether by a type; `constant`: an `int` known while compiling; `chained`: after `?.`; `whole`: whether
    all that the group may have is known; `symbol`: the member that it reads; `name`, `node`: of a group; `foreign`:
    whether, where its type is not known, it is none of the workspace's."""

    what: str
    type: AnyType | None = None
    path: str = ""
    members: tuple[Candidate, ...] = ()
    extensions: bool = False
    receiver: AnyType | None = None
    through: bool = False
    constant: int | None = None
    deferred: Deferred | None = None
    chained: bool = False
    whole: bool = True
    symbol: Candidate | None = None
    name: str = ""
    node: Node | None = None
    generic: tuple[AnyType | None, ...] = ()
    is_null: bool = False
    is_base: bool = False
    local: Local | None = None
    foreign: bool = False

    @property
    def eligible(self) -> Sequence[Candidate]:
        """Return the methods of a group that the receiver allows: static ones for a type, including those of
        extension blocks, instance ones for a value (C# specification 12.6.4.1)."""
        if self.through:
            statics = [each for each in self.members if each.symbol.is_static or each.symbol.is_extension]
            return statics or self.members
        if self.extensions:
            return [each for each in self.members if not each.symbol.is_static]
        return self.members

    @property
    def brings_none(self) -> bool:
        """Whether no type of the workspace can come of it where it is an argument."""
        return self.foreign or self.is_null or is_foreign(self.type)

    @property
    def is_outside(self) -> bool:
        """Whether the receiver of a group is known, or known to be outside the workspace."""
        return self.receiver is not None or self.foreign


NOTHING = Value("nothing")
ELSEWHERE = Value("elsewhere")
"""A type, or what is in one, that neither the workspace nor what it is known to use declares."""


class Argument(msgspec.Struct):
    """An argument. `way`: ref, out, in or empty; `declares`: whether it is `out var x`; `label`: its name's node."""

    value: Value
    name: str = ""
    way: str = ""
    declares: bool = False
    label: Node | None = None


class Choice(msgspec.Struct):
    """Resolved call. `best`: the member, None where none is; `others`: those that it may be instead; `types`: of
    the parameters that the arguments go to, in their order; `generic`: the method's type arguments; `returns`."""

    best: Candidate | None
    others: tuple[Candidate, ...] = ()
    types: tuple[AnyType | None, ...] = ()
    generic: tuple[AnyType | None, ...] = ()
    returns: AnyType | None = None
    certain: bool = True
    expanded: bool = False


class Local(msgspec.Struct):
    """A local, a parameter or a range variable: where it is declared, and what it is. `function`: of a local one;
    `constant`: an `int` known while compiling; `foreign`: as of a value."""

    at: int
    type: AnyType | None = None
    function: Symbol | None = None
    constant: int | None = None
    is_constant: bool = False
    foreign: bool = False


class Target(msgspec.Struct):
    """Target of a part of a deconstruction. `parts`: of a nested one."""

    type: AnyType | None = None
    local: Local | None = None
    parts: list[Target] | None = None
    node: Node | None = None


class Scope(msgspec.Struct):
    """Names declared in a block, and around it. `function`: whether it is the outermost of a function."""

    outer: Scope | None
    names: dict[str, Local] = msgspec.field(default_factory=dict[str, Local])

    def find(self, name: str, arity: int = 0) -> Local | None:
        """Return the local of a name; with `arity` type arguments, only local functions with as many type
        parameters."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None and (not arity or (found.function and found.function.arity == arity)):
                return found
            scope = scope.outer
        return None
