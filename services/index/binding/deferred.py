"""Expressions other than functions that take their type from what they go to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from services.index.binding.types.conversions import READ_ONLY_SPAN, SPAN, Fit
from services.index.binding.types.types import (
    NULLABLE,
    OF_CALLEE,
    STRING,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    is_array,
    named,
    same,
    unwrapped,
)
from services.index.binding.values import (
    Argument,
    DeferredAlternatives,
    DeferredCollection,
    DeferredTuple,
    Value,
)

if TYPE_CHECKING:
    from services.index.binding.binder import ExpressionBinder
    from services.index.binding.types.world import World

_FORMATTED = frozenset({"System.FormattableString", "System.IFormattable"})
_LISTS = frozenset(
    f"System.Collections.Generic.{name}`1"
    for name in ("IEnumerable", "ICollection", "IList", "IReadOnlyCollection", "IReadOnlyList")
)


class DefaultLiteral:
    """`default`."""

    def fit(self, wanted: AnyType | None) -> Fit:
        """Into anything."""
        return Fit.YES if wanted is not None else Fit.MAYBE

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Nothing is in it."""
        return wanted

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """Compare equal."""
        del one, other
        return 0


class NullLiteral(DefaultLiteral):
    """`null`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def fit(self, wanted: AnyType | None) -> Fit:
        """Into references, nullable values and pointers."""
        if isinstance(wanted, Type) and (wanted.fqn == NULLABLE or wanted.fqn[0] == "*" or is_array(wanted)):
            return Fit.YES
        if self._world.is_value(wanted):
            return Fit.NO
        if isinstance(wanted, TypeParameter) and wanted.owner != OF_CALLEE:
            return Fit.YES if self._world.is_reference(wanted) else Fit.NO
        return Fit.YES if self._world.is_reference(wanted) else Fit.MAYBE


class ThrowOf(DefaultLiteral):
    """`throw` as an expression."""


class Interpolated:
    """An interpolated string. `handles`: whether a type is a handler of such strings; `converts`: how `string` fits;
    `is_constant`: whether all of it is known while compiling."""

    def __init__(
        self,
        handles: Callable[[Type], bool],
        converts: Callable[[AnyType | None, AnyType | None], Fit],
        is_constant: Callable[[], bool],
    ) -> None:
        self._handles = handles
        self._converts = converts
        self._is_constant = is_constant

    def fit(self, wanted: AnyType | None) -> Fit:
        """A string, what formats one, or a handler."""
        if wanted is None or isinstance(wanted, TypeParameter):
            return Fit.MAYBE
        if isinstance(wanted, Type):
            if wanted.fqn in (
                STRING,
                "System.Object",
                "System.IComparable",
                "System.ICloneable",
                *_FORMATTED,
            ):
                return Fit.YES
            if wanted.fqn.startswith(("System.Collections.Generic.IEnumerable", READ_ONLY_SPAN)):
                return Fit.YES
            if self._handles(wanted):
                return Fit.YES
        return self._converts(named(STRING), wanted)

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Return `string` for any target."""
        del wanted
        return named(STRING)

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """A handler, then a string; a constant is a string before all else (C# specification 12.6.4.5)."""
        ranks = [self._rank(each) for each in (one, other)]
        if 2 in ranks and self._is_constant():
            ranks = [rank % 2 for rank in ranks]
        return (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])

    def _rank(self, type_: AnyType | None) -> int:
        if not isinstance(type_, Type):
            return 0
        return 2 if self._handles(type_) else int(type_.fqn == STRING)


class TupleLiteral(DeferredTuple):
    """`(a, b)`."""

    def __init__(
        self, expressions: ExpressionBinder, elements: Sequence[Value], names: tuple[str, ...]
    ) -> None:
        self._expressions = expressions
        self.elements = elements
        self.names = names

    def natural(self) -> AnyType | None:
        """Its type, where each element has one."""
        if any((e.deferred is not None and e.type is None) or e.what == "methods" for e in self.elements):
            return None
        return TupleType(tuple(e.type for e in self.elements), self.names)

    def fit(self, wanted: AnyType | None) -> Fit:
        """Element by element."""
        overloads = self._expressions.session.overloads
        wanted = unwrapped(wanted)
        if not isinstance(wanted, TupleType):
            natural = self.natural()
            if natural is not None:
                return self._expressions.session.conversions.fit(natural, wanted)
            return Fit.MAYBE if wanted is None or isinstance(wanted, TypeParameter) else Fit.NO
        if len(wanted.elements) != len(self.elements):
            return Fit.NO
        pairs = zip(self.elements, wanted.elements, strict=True)
        return min((overloads.converts(e, w) for e, w in pairs), default=Fit.YES)

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Convert each element to the type at its position."""
        parts: Sequence[AnyType | None] = [None] * len(self.elements)
        inner = unwrapped(wanted)
        if isinstance(inner, TupleType) and len(inner.elements) == len(self.elements):
            parts = inner.elements
        settle = self._expressions.settle
        types = tuple(settle(e, part) for e, part in zip(self.elements, parts, strict=True))
        if isinstance(inner, TupleType) and len(inner.elements) == len(self.elements):
            return wanted
        return TupleType(types, self.names)

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """Compare by the elements, which must all agree."""
        if not isinstance(one, TupleType) or not isinstance(other, TupleType):
            return 0
        better = self._expressions.session.overloads.better
        ways = {
            better.conversion(*row) for row in zip(self.elements, one.elements, other.elements, strict=False)
        }
        ways -= {0}
        return ways.pop() if len(ways) == 1 else 0


class Alternatives(DeferredAlternatives):
    """`a ? b : c`, a switch expression: one of several. `natural`: what they have in common."""

    def __init__(
        self, expressions: ExpressionBinder, options: Sequence[Value], natural: AnyType | None
    ) -> None:
        self._expressions = expressions
        self.options = options
        self._natural = natural

    def fit(self, wanted: AnyType | None) -> Fit:
        """Convert the natural type where there is one, else each alternative."""
        overloads = self._expressions.session.overloads
        if self._natural is not None:
            found = self._expressions.session.conversions.fit(self._natural, wanted)
            if found is not Fit.NO:
                return found
        return min((overloads.converts(each, wanted) for each in self.options), default=Fit.MAYBE)

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Convert each alternative."""
        target = self._natural or wanted
        types = [self._expressions.settle(each, target) for each in self.options]
        known = [t for t, v in zip(types, self.options, strict=True) if t is not None and not v.is_null]
        if target is not None:
            return self._natural or wanted
        return known[0] if known and all(each == known[0] for each in known) else None

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """Compare by all alternatives, which must agree."""
        if self._natural is not None:
            if self._natural == one or self._natural == other:
                return 1 if self._natural == one else -1
            return 0
        better = self._expressions.session.overloads.better
        ways = {better.conversion(each, one, other) for each in self.options} - {0}
        return ways.pop() if len(ways) == 1 else 0


class NewOf:
    """`new(…)`. `create`: binds the call of the constructor of a type."""

    def __init__(
        self,
        expressions: ExpressionBinder,
        arguments: Sequence[Argument],
        create: Callable[[AnyType | None], AnyType | None],
    ) -> None:
        self._expressions = expressions
        self._arguments = arguments
        self._create = create

    def fit(self, wanted: AnyType | None) -> Fit:
        """Into what has a constructor that takes its arguments."""
        wanted = unwrapped(wanted)
        world = self._expressions.world
        if wanted is None or isinstance(wanted, TypeParameter):
            return Fit.MAYBE
        if world.kind(wanted) in ("interface", "enum") or is_array(wanted):
            return Fit.NO
        return Fit.YES

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Creates one."""
        self._create(unwrapped(wanted))
        return wanted

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """Compare equal."""
        del one, other
        return 0


class Collection(DeferredCollection):
    """`[a, ..b]`. `elements`: the single ones; `spread`: what is spread."""

    def __init__(
        self, expressions: ExpressionBinder, elements: Sequence[Value], spread: Sequence[Value]
    ) -> None:
        self._expressions = expressions
        self.elements = elements
        self.spread = spread

    def fit(self, wanted: AnyType | None) -> Fit:
        """Into arrays, spans, interfaces of lists, and what can be filled."""
        wanted = unwrapped(wanted)
        if wanted is None or isinstance(wanted, TypeParameter):
            return Fit.MAYBE
        element = self._element(wanted)
        if element is None:
            known = isinstance(wanted, Type) and not self._expressions.world.is_unknown(wanted)
            return Fit.NO if known else Fit.MAYBE
        overloads, shapes = self._expressions.session.overloads, self._expressions.shapes
        fits = [overloads.converts(each, element) for each in self.elements]
        for each in self.spread:
            spread = shapes.filled_with(each.type) if each.type is not None else None
            fits.append(self._expressions.session.conversions.fit(spread, element))
        return min(fits, default=Fit.YES)

    def _element(self, wanted: AnyType) -> AnyType | None:
        if isinstance(wanted, Type) and wanted.fqn == STRING:
            return None
        return self._expressions.shapes.filled_with(wanted)

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Its elements go to what it is filled with."""
        inner = unwrapped(wanted)
        element = self._element(inner) if inner is not None else None
        for each in self.elements:
            self._expressions.settle(each, element)
        for each in self.spread:
            self._expressions.settle(each, None)
        return wanted

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """Spans come before arrays and lists, `ReadOnlySpan` before `Span` (C# 13)."""
        ranks = [_collected(each) for each in (one, other)]
        parts = [self._element(each) if each is not None else None for each in (one, other)]
        if parts[0] != parts[1] and None not in parts:
            better = self._expressions.session.overloads.better
            ways = {better.conversion(each, *parts) for each in self.elements} - {0}
            if len(ways) == 1:
                return ways.pop()
        return (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])


def _collected(type_: AnyType | None) -> int:
    if not isinstance(type_, Type):
        return 0
    if type_.fqn == READ_ONLY_SPAN:
        return 3
    if type_.fqn == SPAN:
        return 2
    return 0 if type_.fqn in _LISTS else 1


class Unbound:
    """A stack allocation or the like: a span, or a pointer. `fit`: how one type converts to another."""

    def __init__(self, element: AnyType | None, fit: Callable[[AnyType | None, AnyType | None], Fit]) -> None:
        self._element = element
        self._fit = fit

    def fit(self, wanted: AnyType | None) -> Fit:
        """Into spans and pointers of its elements, and what a span converts to (C# specification 12.8.22)."""
        if is_array(wanted) or (isinstance(wanted, Type) and wanted.fqn == STRING):
            return Fit.NO
        if not isinstance(wanted, Type) or (
            self._element is None and wanted.fqn not in (SPAN, READ_ONLY_SPAN, "*")
        ):
            return Fit.MAYBE
        if wanted.fqn not in (SPAN, READ_ONLY_SPAN, "*"):
            return self._fit(named(SPAN, self._element), wanted)
        element = wanted.arguments[0] if wanted.arguments else None
        if element is None or self._element is None or same(element, self._element):
            return Fit.YES
        return Fit.MAYBE if isinstance(element, TypeParameter) or wanted.fqn == "*" else Fit.NO

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Return the target type; without one a pointer in unsafe code, else a span."""
        return wanted or named(SPAN, self._element)

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """`Span` is what it is."""
        names = [isinstance(each, Type) and each.fqn == SPAN for each in (one, other)]
        return names[0] - names[1]
