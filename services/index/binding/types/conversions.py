"""Implicit conversions between types (C# specification 10.2)."""

from __future__ import annotations

from enum import IntEnum

from services.index.binding.types.symbol import CONSTRUCTOR, EXPLICIT, IMPLICIT, Candidate
from services.index.binding.types.types import (
    DYNAMIC,
    NULLABLE,
    OBJECT,
    STRING,
    VOID,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    is_array,
    is_dynamic,
    named,
    same,
    unwrapped,
)
from services.index.binding.types.world import World
from services.model import Kind

_S = "System."
INTEGERS = frozenset(
    f"{_S}{name}"
    for name in ["SByte", "Byte", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Char", "IntPtr", "UIntPtr"]
)  # fmt: skip
NUMBERS = INTEGERS | {"System.Single", "System.Double", "System.Decimal"}
_WIDENED = {
    "SByte": "Int16 Int32 Int64 Single Double Decimal IntPtr",
    "Byte": "Int16 UInt16 Int32 UInt32 Int64 UInt64 Single Double Decimal IntPtr UIntPtr",
    "Int16": "Int32 Int64 Single Double Decimal IntPtr",
    "UInt16": "Int32 UInt32 Int64 UInt64 Single Double Decimal IntPtr UIntPtr",
    "Int32": "Int64 Single Double Decimal IntPtr",
    "UInt32": "Int64 UInt64 Single Double Decimal UIntPtr",
    "Int64": "Single Double Decimal",
    "UInt64": "Single Double Decimal",
    "IntPtr": "Int64 Single Double Decimal",
    "UIntPtr": "UInt64 Single Double Decimal",
    "Char": "UInt16 Int32 UInt32 Int64 UInt64 Single Double Decimal IntPtr UIntPtr",
    "Single": "Double",
}
WIDENED = {
    f"{_S}{one}": frozenset(f"{_S}{other}" for other in others.split()) for one, others in _WIDENED.items()
}
_RANGES = {
    "System.SByte": (-128, 127), "System.Byte": (0, 255), "System.Int16": (-32768, 32767), "System.UInt16": (0, 65535),
    "System.UInt32": (0, 2**32 - 1), "System.UInt64": (0, 2**64 - 1), "System.UIntPtr": (0, 2**32 - 1),
    "System.Char": (1, 0),
}  # fmt: skip
_C = "System.Collections.Generic."
_VARIANCE = {
    f"{_C}IEnumerable`1": "o", f"{_C}IEnumerator`1": "o",
    f"{_C}IReadOnlyList`1": "o", f"{_C}IReadOnlyCollection`1": "o",
    f"{_C}IAsyncEnumerable`1": "o", f"{_C}IAsyncEnumerator`1": "o", "System.Linq.IQueryable`1": "o",
    "System.Linq.IOrderedQueryable`1": "o", "System.Linq.IOrderedEnumerable`1": "o", "System.Linq.IGrouping`2": "oo",
    "System.IObservable`1": "o", "System.IObserver`1": "i", f"{_C}IComparer`1": "i", f"{_C}IEqualityComparer`1": "i",
    "System.IComparable`1": "i", "System.IProgress`1": "i", "System.Predicate`1": "i", "System.Comparison`1": "i",
    "System.Converter`2": "io",
    "Microsoft.Extensions.Options.IOptions`1": "o", "Microsoft.Extensions.Options.IOptionsMonitor`1": "o",
    "Microsoft.Extensions.Options.IOptionsSnapshot`1": "o", "Microsoft.Extensions.Logging.ILogger`1": "o",
}  # fmt: skip
SPAN, READ_ONLY_SPAN = "System.Span`1", "System.ReadOnlySpan`1"
_MOST_KEPT = 50_000


class Fit(IntEnum):
    """Result of a conversion test: DOUBTFUL for a function whose body then has an error; MAYBE where it is
    unknown."""

    NO = 0
    DOUBTFUL = 1
    MAYBE = 2
    YES = 3


class Conversions:
    """Implicit conversions of values of a type."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[tuple[AnyType, AnyType, bool], Fit] = {}

    def fit(self, given: AnyType | None, wanted: AnyType | None, *, own: bool = True) -> Fit:
        """`own`: whether conversions that types declare count."""
        if given is None or wanted is None:
            return Fit.MAYBE
        if same(given, wanted):
            return Fit.YES
        if isinstance(given, TypeParameter) or isinstance(wanted, TypeParameter):
            return self._of(given, wanted, own=own)
        key = (given, wanted, own)
        known = self._known.get(key)
        if known is None:
            if len(self._known) > _MOST_KEPT:
                self._known.clear()
            known = self._known[key] = self._of(given, wanted, own=own)
        return known

    def constant(self, value: int, wanted: AnyType | None) -> Fit:
        """Whether a constant of the type `int` becomes one of another number type."""
        if isinstance(wanted, Type):
            type_ = unwrapped(wanted)
            low, high = _RANGES.get(type_.fqn, (1, 0)) if isinstance(type_, Type) else (1, 0)
            if low <= value <= high:
                return Fit.YES
            if value == 0 and self._world.kind(type_) == "enum":
                return Fit.YES
        return Fit.NO

    def reference(self, given: AnyType | None, wanted: AnyType | None) -> Fit:
        """Test for an identity or implicit reference conversion, as variance requires."""
        if given is None or wanted is None:
            return Fit.MAYBE
        if same(given, wanted):
            return Fit.YES
        if self._world.is_value(given) or self._world.is_value(wanted):
            return Fit.NO
        return self._to_base(given, wanted)

    def _of(self, given: AnyType, wanted: AnyType, *, own: bool) -> Fit:
        if is_dynamic(given) or is_dynamic(wanted):
            return Fit.YES
        if (isinstance(wanted, Type) and wanted.fqn == VOID) or (
            isinstance(given, Type) and given.fqn == VOID
        ):
            return Fit.NO
        if isinstance(wanted, Type) and wanted.fqn == OBJECT:
            return Fit.NO if isinstance(given, Type) and given.fqn == "*" else Fit.YES
        if isinstance(wanted, TupleType):
            return self._to_tuple(given, wanted)
        if isinstance(wanted, Type) and wanted.fqn == NULLABLE:
            found = self._to_nullable(given, wanted)
            if found is not Fit.NO:
                return found
        if isinstance(given, Type) and isinstance(wanted, Type):
            if given.fqn in NUMBERS and wanted.fqn in NUMBERS:
                return Fit.YES if wanted.fqn in WIDENED.get(given.fqn, ()) else Fit.NO
            spanned = self._to_span(given, wanted)
            if spanned is not Fit.NO:
                return spanned
            if wanted.fqn == "*" and given.fqn == "*":
                return Fit.YES if wanted.arguments and same(wanted.arguments[0], named(VOID)) else Fit.NO
        found = self._to_base(given, wanted)
        return max(found, self._own(given, wanted)) if own and found is not Fit.YES else found

    def _to_tuple(self, given: AnyType, wanted: TupleType) -> Fit:
        if not isinstance(given, TupleType):
            return Fit.NO
        if len(given.elements) != len(wanted.elements):
            return Fit.NO
        pairs = zip(given.elements, wanted.elements, strict=True)
        return min((self.fit(one, other) for one, other in pairs), default=Fit.YES)

    def _to_nullable(self, given: AnyType, wanted: Type) -> Fit:
        inner = wanted.arguments[0] if wanted.arguments else None
        if isinstance(given, Type) and given.fqn == NULLABLE:
            return self.fit(unwrapped(given), inner)
        return self.fit(given, inner, own=False)

    def _to_span(self, given: Type, wanted: Type) -> Fit:
        """First-class spans (C# 14), and inline arrays (C# 12)."""
        if wanted.fqn not in (SPAN, READ_ONLY_SPAN) or not wanted.arguments:
            return Fit.NO
        element = wanted.arguments[0]
        if given.fqn == "[]":
            if wanted.fqn == SPAN:
                return Fit.YES if same(given.arguments[0], element) else Fit.NO
            return self.reference(given.arguments[0], element)
        if wanted.fqn == READ_ONLY_SPAN:
            if given.fqn in (SPAN, READ_ONLY_SPAN) and given.arguments:
                return self.reference(given.arguments[0], element)
            if given.fqn == STRING:
                return Fit.YES if same(element, named("System.Char")) else Fit.NO
        inline = self._world.inline_element(given)
        return Fit.YES if inline is not None and same(inline, element) else Fit.NO

    def spans(self, given: AnyType, wanted: AnyType) -> bool:
        """Whether it is an implicit span conversion that leads there (C# 14)."""
        if not isinstance(given, Type) or not isinstance(wanted, Type):
            return False
        spanned = given.fqn in ("[]", STRING, SPAN, READ_ONLY_SPAN)
        return spanned and self._to_span(given, wanted) is Fit.YES

    def _to_base(self, given: AnyType, wanted: AnyType) -> Fit:
        """Reference conversions and boxing, variance among them."""
        if isinstance(given, TypeParameter) and isinstance(wanted, TypeParameter):
            return Fit.YES if wanted in self._world.bound_of(given).types else Fit.NO
        if isinstance(wanted, TypeParameter):
            return Fit.NO
        if is_array(given) and is_array(wanted):
            return self._of_arrays(given, wanted)
        closure, whole = self._world.closure(given)
        best = Fit.NO
        for base in closure:
            if isinstance(wanted, Type) and base.fqn == wanted.fqn:
                best = max(best, self._variant(base, wanted))
        if best is not Fit.NO or whole:
            return best
        if isinstance(wanted, Type) and self._world.kind(wanted) in ("struct", "enum", "delegate"):
            return Fit.NO
        return Fit.MAYBE

    def _of_arrays(self, given: AnyType, wanted: AnyType) -> Fit:
        assert isinstance(given, Type)
        assert isinstance(wanted, Type)
        if given.fqn != wanted.fqn:
            return Fit.NO
        return self.reference(given.arguments[0], wanted.arguments[0])

    def _variant(self, given: Type, wanted: Type) -> Fit:
        """Two constructions of one type."""
        if given == wanted:
            return Fit.YES
        ways = self.variance(wanted)
        found = Fit.YES
        for at, (one, other) in enumerate(zip(given.arguments, wanted.arguments, strict=False)):
            way = ways[at : at + 1]
            if one is None or other is None:
                fit = Fit.MAYBE
            elif same(one, other):
                continue
            elif way == "o":
                fit = self.reference(one, other)
            else:
                fit = self.reference(other, one) if way == "i" else Fit.NO
            found = min(found, fit)
        return found

    def variance(self, type_: Type) -> str:
        """Return `o`, `i` or `-` for each type parameter."""
        if type_.index is not None:
            primary = self._world.workspace.primary(type_.index)
            ways = primary.variance if primary is not None else ()
            return "".join((way or "-")[0] for way in ways)
        name = type_.fqn.partition("`")[0]
        if name == "System.Func":
            return "i" * (len(type_.arguments) - 1) + "o"
        return "i" * len(type_.arguments) if name == "System.Action" else _VARIANCE.get(type_.fqn, "")

    # Conversions that types declare

    def _own(self, given: AnyType, wanted: AnyType) -> Fit:
        if self.operator(given, wanted) is not None or self._is_case(given, wanted):
            return Fit.YES
        doubtful = any(
            self._world.is_unknown(each) and self._world.kind(each) not in ("interface", "enum", "delegate")
            for each in (unwrapped(given), unwrapped(wanted))
        )
        return Fit.MAYBE if doubtful else Fit.NO

    def of_constant(self, constant: int, wanted: AnyType | None) -> bool:
        """Whether a constant converts to a type: it fits into it, or into what a conversion of the type takes."""
        if self.constant(constant, wanted) is Fit.YES:
            return True
        type_ = unwrapped(wanted)
        if not isinstance(type_, Type) or type_.index is None:
            return False
        return any(
            each.symbol.parameters
            and self.constant(constant, each.type(each.symbol.parameters[0].type)) is Fit.YES
            for each in self._world.find(type_, IMPLICIT).candidates
        )

    def _is_case(self, given: AnyType, wanted: AnyType) -> bool:
        """Whether a type is a case of a union, or converts to one (C# 15): the union is constructed of it."""
        union = unwrapped(wanted)
        workspace = self._world.workspace
        if not isinstance(union, Type) or union.index is None:
            return False
        if workspace.kind_of(union.index) is not Kind.UNION:
            return False
        made = self._world.find(union, CONSTRUCTOR).candidates
        cases = (
            each.type(each.symbol.parameters[0].type) for each in made if len(each.symbol.parameters) == 1
        )
        return any(self._stands(given, case) for case in cases)

    def operator(
        self, given: AnyType | None, wanted: AnyType | None, *, explicit: bool = False
    ) -> Candidate | None:
        """The conversion that a type declares from one type to another (10.5.4), if it is clear which. `explicit`: one
        that a cast asks for."""
        if (
            given is None
            or wanted is None
            or "interface" in (self._world.kind(given), self._world.kind(wanted))
        ):
            return None
        found: list[tuple[Candidate, AnyType | None, AnyType | None]] = []
        for type_ in dict.fromkeys((unwrapped(given), unwrapped(wanted))):
            if not isinstance(type_, Type):
                continue
            for candidate in self._world.find(type_, EXPLICIT if explicit else IMPLICIT).candidates:
                parameters = candidate.symbol.parameters
                source = candidate.type(parameters[0].type) if parameters else None
                target = candidate.returns
                stands = self._stands_either_way if explicit else self._stands
                if stands(given, source) and stands(target, wanted):
                    found.append((candidate, source, target))
        return self._nearest(found, given, wanted)

    def _stands(self, one: AnyType | None, other: AnyType | None) -> bool:
        plain_ = self.fit(one, other, own=False) is Fit.YES
        return plain_ or self.fit(unwrapped(one), unwrapped(other), own=False) is Fit.YES

    def _stands_either_way(self, one: AnyType | None, other: AnyType | None) -> bool:
        return self._stands(one, other) or self._stands(other, one)

    def _nearest(
        self, found: list[tuple[Candidate, AnyType | None, AnyType | None]], given: AnyType, wanted: AnyType
    ) -> Candidate | None:
        if len(found) > 1:
            exact = [each for each in found if same(each[1], given)] or [
                each for each in found if same(unwrapped(each[1]), unwrapped(given))
            ]
            found = exact or found
        if len(found) > 1:
            exact = [each for each in found if same(each[2], wanted)]
            found = exact or found
        return found[0][0] if found else None

    def is_dynamic(self, type_: AnyType | None) -> bool:
        """Whether a type is `dynamic`."""
        return isinstance(type_, Type) and type_.fqn == DYNAMIC
