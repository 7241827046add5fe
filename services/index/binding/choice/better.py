"""The better of two applicable members (C# specification 12.6.4.3)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.index.binding.types.conversions import READ_ONLY_SPAN, SPAN, Conversions, Fit
from services.index.binding.types.symbol import Candidate, Parameter, given
from services.index.binding.types.types import (
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    is_array,
    same,
    substituted,
)
from services.index.binding.types.world import World
from services.index.binding.values import Argument, Value

_SIGNED = {
    "System.SByte": {"Byte", "UInt16", "UInt32", "UInt64", "UIntPtr"},
    "System.Int16": {"UInt16", "UInt32", "UInt64", "UIntPtr"},
    "System.Int32": {"UInt32", "UInt64", "UIntPtr"},
    "System.IntPtr": {"UInt32", "UInt64", "UIntPtr"},
    "System.Int64": {"UInt64"},
}
_SPANS = {READ_ONLY_SPAN: 2, SPAN: 1}
"""What parameters are spread to rather than to any other collection (C# 13)."""
_TASKS = frozenset({"System.Threading.Tasks.Task`1", "System.Threading.Tasks.ValueTask`1"})


class Applicable(msgspec.Struct):
    """A candidate that may take the arguments. `types`: of the parameters in the order of the arguments."""

    candidate: Candidate
    parameters: tuple[Parameter, ...]
    types: tuple[AnyType | None, ...]
    fits: tuple[Fit, ...]
    generic: tuple[AnyType | None, ...]
    expanded: bool
    defaults: bool

    @property
    def worst(self) -> Fit:
        """How the argument fits that fits worst."""
        return min(self.fits, default=Fit.YES)

    @property
    def returns(self) -> AnyType | None:
        """The return type of the call."""
        found = self.candidate.returns
        return substituted(found, given(self.generic)) if self.generic else found


class Better:
    """Compares members and conversions."""

    def __init__(self, world: World, conversions: Conversions) -> None:
        self._world = world
        self._conversions = conversions

    def best(self, found: Sequence[Applicable], arguments: Sequence[Argument]) -> Applicable | None:
        """The one that is better than all others."""
        best = found[0]
        for each in found[1:]:
            if self._compared(each, best, arguments) > 0:
                best = each
        for each in found:
            if each is not best and self._compared(best, each, arguments) <= 0:
                return None
        return best

    def _compared(self, one: Applicable, other: Applicable, arguments: Sequence[Argument]) -> int:
        ways: set[int] = set()
        weak: set[int] = set()
        for at, argument in enumerate(arguments):
            types = one.types[at], other.types[at]
            if types[0] is not None and types[1] is not None and same(types[0], types[1]):
                ways.add(self._by_way(one, other, at))
            elif self._is_weak(argument.value, *types):
                weak.add(self.conversion(argument.value, *types))
            else:
                ways.add(self.conversion(argument.value, *types))
        signs = ways - {0} or weak - {0}
        if not signs:
            return self._tied(one, other)
        return signs.pop() if len(signs) == 1 else 0

    def _is_weak(self, value: Value, one: AnyType | None, other: AnyType | None) -> bool:
        """Whether what a function is converted to counts only where no other argument decides: the compiler departs
        from the specification so where the parameters of the delegates differ."""
        if value.deferred is None:
            return False
        delegates = self._world.delegate(one), self._world.delegate(other)
        if delegates[0] is None or delegates[1] is None:
            return False
        lists = [
            [each.type(p.type) for p in each.symbol.parameters] for each in delegates if each is not None
        ]
        return len(lists[0]) != len(lists[1]) or not all(map(_alike, *lists))

    def _by_way(self, one: Applicable, other: Applicable, at: int) -> int:
        """Compare by passing mode: by value is better than `in`."""
        ways = one.parameters[at].way == "in", other.parameters[at].way == "in"
        return (not ways[0]) - (not ways[1])

    def _tied(self, one: Applicable, other: Applicable) -> int:
        arity = bool(one.candidate.symbol.arity), bool(other.candidate.symbol.arity)
        if arity[0] != arity[1]:
            return -1 if arity[0] else 1
        if one.expanded != other.expanded:
            return -1 if one.expanded else 1
        if one.defaults != other.defaults:
            return -1 if one.defaults else 1
        counts = len(one.candidate.symbol.parameters), len(other.candidate.symbol.parameters)
        if one.expanded and counts[0] != counts[1]:
            return 1 if counts[0] > counts[1] else -1
        if one.expanded:
            lists = [c.candidate.type(c.candidate.symbol.parameters[-1].type) for c in (one, other)]
            spans = [_SPANS.get(each.fqn, 0) if isinstance(each, Type) else 0 for each in lists]
            way = spans[0] - spans[1] or self.target(*lists)
            if way:
                return 1 if way > 0 else -1
        specific = self._more_specific(one, other)
        if specific:
            return specific
        if one.candidate.level != other.candidate.level:
            return 1 if one.candidate.level < other.candidate.level else -1
        return 0

    def _more_specific(self, one: Applicable, other: Applicable) -> int:
        sign = 0
        for p, q in zip(one.parameters, other.parameters, strict=True):
            way = _specific(p.type, q.type)
            if way and sign and way != sign:
                return 0
            sign = sign or way
        return sign

    def conversion(self, value: Value, one: AnyType | None, other: AnyType | None) -> int:
        """1 where the conversion of an expression to the first type is better than that to the second."""
        if one is None or other is None or same(one, other):
            return 0
        if value.deferred is not None:
            way = value.deferred.better(one, other)
            if way:
                return way
        elif value.type is not None:
            exact = same(value.type, one), same(value.type, other)
            if exact[0] != exact[1]:
                return 1 if exact[0] else -1
            spans = self._conversions.spans(value.type, one), self._conversions.spans(value.type, other)
            if not any(exact) and spans[0] != spans[1]:
                return 1 if spans[0] else -1
        return self.target(one, other)

    def target(self, one: AnyType | None, other: AnyType | None) -> int:
        """1 where the first is the better target of conversions (12.6.4.7)."""
        if one is None or other is None or same(one, other):
            return 0
        spans = self._spans(one, other)
        if spans:
            return spans
        forth = self._conversions.fit(one, other) is Fit.YES
        back = self._conversions.fit(other, one) is Fit.YES
        if forth != back:
            return 1 if forth else -1
        if isinstance(one, Type) and isinstance(other, Type):
            if one.fqn == other.fqn and one.fqn in _TASKS:
                return self.target(one.arguments[0], other.arguments[0])
            if other.fqn.removeprefix("System.") in _SIGNED.get(one.fqn, ()):
                return 1
            if one.fqn.removeprefix("System.") in _SIGNED.get(other.fqn, ()):
                return -1
        return 0

    def _spans(self, one: AnyType, other: AnyType) -> int:
        """Compare two spans: `ReadOnlySpan` is better than `Span` (C# 14)."""
        if isinstance(one, Type) and isinstance(other, Type):
            names = one.fqn, other.fqn
            if names == (READ_ONLY_SPAN, SPAN):
                return 1
            if names == (SPAN, READ_ONLY_SPAN):
                return -1
        return 0


def _alike(one: AnyType | None, other: AnyType | None) -> bool:
    return one is not None and other is not None and same(one, other)


def _specific(one: AnyType | None, other: AnyType | None) -> int:
    """1 where the first type, as it is declared, is more specific: a type parameter is less so than any other type."""
    if one is None or other is None or one == other:
        return 0
    parameters = isinstance(one, TypeParameter), isinstance(other, TypeParameter)
    if parameters[0] != parameters[1]:
        return -1 if parameters[0] else 1
    if is_array(one) != is_array(other):
        return 0
    parts = _parts(one), _parts(other)
    if len(parts[0]) != len(parts[1]):
        return 0
    ways = {_specific(p, q) for p, q in zip(*parts, strict=True)} - {0}
    return ways.pop() if len(ways) == 1 else 0


def _parts(type_: AnyType) -> tuple[AnyType | None, ...]:
    if isinstance(type_, TupleType):
        return type_.elements
    return type_.arguments if isinstance(type_, Type) else ()
