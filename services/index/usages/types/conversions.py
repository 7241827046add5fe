"""Whether an argument of one type may stand for a parameter of another: enough to tell overloads apart."""

from __future__ import annotations

from enum import IntEnum

from services.index.usages.types.members import TypeMembers
from services.index.usages.types.types import (
    KEYWORDS,
    NULLABLE,
    OBJECT,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
)
from services.model import Kind

_INTEGERS = ("sbyte", "byte", "short", "ushort", "int", "uint", "long", "ulong", "nint", "nuint", "char")
_NUMBERS = frozenset(KEYWORDS[word] for word in (*_INTEGERS, "float", "double", "decimal"))
_WIDENED = {
    "System.Int32": ("long", "float", "double", "decimal", "nint"),
    "System.Int64": ("float", "double", "decimal"),
    "System.UInt32": ("long", "ulong", "float", "double", "decimal", "nuint"),
    "System.UInt64": ("float", "double", "decimal"),
    "System.Int16": ("int", "long", "float", "double", "decimal"),
    "System.UInt16": ("int", "uint", "long", "ulong", "float", "double", "decimal"),
    "System.Byte": ("short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"),
    "System.SByte": ("short", "int", "long", "float", "double", "decimal"),
    "System.Char": ("ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"),
    "System.Single": ("double",),
}
_MOST_KEPT = 20_000  # pairs of types
_PLAIN = _NUMBERS | {"System.String", "System.Boolean"}


class Fit(IntEnum):
    """How an argument fits a parameter."""

    NO = 0
    MAYBE = 1
    YES = 2
    EXACT = 3


class Conversions:
    """Implicit conversions, as far as they are known. What is not known is `MAYBE`."""

    def __init__(self, members: TypeMembers) -> None:
        self._members = members
        self._known: dict[tuple[Type, Type, bool], Fit] = {}

    def fit(self, given: AnyType | None, wanted: AnyType | None, *, literal: bool = False) -> Fit:
        """`literal`: whether the argument is a literal, whose number may become a smaller one."""
        if given is None or wanted is None:
            return Fit.MAYBE
        if given == wanted:
            return Fit.EXACT
        if isinstance(wanted, TypeParameter):
            return Fit.YES if wanted.owner < 0 else Fit.MAYBE
        if isinstance(wanted, TupleType) or isinstance(given, TupleType):
            return self._of_tuples(given, wanted)
        if isinstance(given, TypeParameter):
            return Fit.MAYBE
        if wanted.fqn == OBJECT:
            return Fit.YES
        if wanted.fqn == NULLABLE and wanted.arguments:
            return min(Fit.YES, self.fit(given, wanted.arguments[0], literal=literal))
        if given.fqn == wanted.fqn:
            return self._of_arguments(given, wanted)
        key = (given, wanted, literal)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            known = self._known[key] = self._of_types(given, wanted, literal=literal)
        return known

    def null(self, wanted: AnyType | None) -> Fit:
        """Whether `null` fits."""
        if isinstance(wanted, Type) and wanted.fqn != NULLABLE and self._members.reader.is_value(wanted):
            return Fit.NO
        return Fit.MAYBE

    def _of_tuples(self, given: AnyType, wanted: AnyType) -> Fit:
        if isinstance(given, TupleType) and isinstance(wanted, TupleType):
            return Fit.YES if len(given.elements) == len(wanted.elements) else Fit.NO
        return Fit.MAYBE

    def _of_types(self, given: Type, wanted: Type, *, literal: bool) -> Fit:
        if given.fqn in _NUMBERS and wanted.fqn in _NUMBERS:
            widened = {KEYWORDS[word] for word in _WIDENED.get(given.fqn, ())}
            return Fit.YES if wanted.fqn in widened else Fit.MAYBE if literal else Fit.NO
        closure, whole = self._members.closure(given)
        same = [base for base in closure if base.fqn == wanted.fqn]
        if same:
            return max(self._of_arguments(base, wanted) for base in same)
        if any(base.fqn == given.fqn for base in self._members.closure(wanted)[0]):
            return Fit.NO  # a base is converted by a cast alone, and may have no conversion of its own
        if not whole or self._converts(given) or self._converts(wanted):
            return Fit.MAYBE
        return Fit.NO if self._is_firm(given) and self._is_firm(wanted) else Fit.MAYBE

    def _of_arguments(self, given: Type, wanted: Type) -> Fit:
        """Two constructions of one type: a type argument that cannot be converted is none that variance allows."""
        pairs = zip(given.arguments, wanted.arguments, strict=False)
        fits = [self.fit(one, other) for one, other in pairs if one != other]
        if Fit.NO in fits:
            return Fit.NO
        return Fit.MAYBE if any(fit is Fit.MAYBE for fit in fits) else Fit.YES

    def _is_firm(self, type_: Type) -> bool:
        """Whether a type is known to have no implicit conversions that are not looked at."""
        return (
            type_.known.index is not None
            or type_.fqn in _PLAIN
            or self._members.is_interface(type_)
            or self._members.is_delegate(type_)
        )

    def _converts(self, type_: Type) -> bool:
        index = type_.known.index
        if index is None:
            return False
        if self._members.kind_of(index) is Kind.DELEGATE:
            return False
        return bool(self._members.own(index, "implicit operator"))
