"""What a lambda gets and gives: delegates, and framework methods whose parameters the member table lacks."""

from __future__ import annotations

from services.index.names.names import Names
from services.index.usages.types.members import TypeMembers
from services.index.usages.types.types import OBJECT, AnyType, Type, framework, substituted
from services.model import Kind

_EXPRESSION = "System.Linq.Expressions.Expression`1"
_EACH_ONE = frozenset(
    {"ForEach", "Find", "FindAll", "FindIndex", "FindLast", "Exists", "RemoveAll", "TrueForAll", "Sort"}
)
NOT_OF_SOURCE = frozenset({"Join", "GroupJoin", "Zip", "Aggregate", "AggregateBy", "LeftJoin", "RightJoin"})
COLLECTIONS = (
    "System.Collections.Generic.IEnumerable`1",
    "System.Collections.Generic.IAsyncEnumerable`1",
    "System.Span`1",
    "System.ReadOnlySpan`1",
    "System.Linq.ParallelQuery`1",
    "System.Runtime.CompilerServices.ConfiguredCancelableAsyncEnumerable`1",
)

Signature = tuple[tuple[AnyType | None, ...], AnyType | None]
"""Types of the parameters, and of the result (None where it is unknown or nothing)."""


class Delegates:
    """Signatures of delegate types."""

    def __init__(self, members: TypeMembers, names: Names) -> None:
        self._members = members
        self._names = names

    def signature(self, type_: AnyType | None) -> Signature | None:
        """The signature of a delegate type or of an expression tree of one; None for any other."""
        if not isinstance(type_, Type):
            return None
        if type_.fqn == _EXPRESSION:
            return self.signature(type_.arguments[0]) if type_.arguments else None
        if type_.known.index is not None:
            return self._own(type_, type_.known.index)
        return _of_framework(type_)

    def _own(self, type_: Type, index: int) -> Signature | None:
        if self._members.kind_of(index) is not Kind.DELEGATE:
            return None
        declaration = self._members.primary(index)
        found = self._members.own(index, "Invoke")
        if declaration is None or not found:
            return None
        assigned = self._members.assigned(type_)
        member = found[0]
        parameters = tuple(
            substituted(self._members.read_in(member, p.type), assigned)
            for p in member.declaration.parameters or ()
        )
        return parameters, substituted(self._members.returned(member), assigned)

    def element(self, type_: AnyType | None) -> AnyType | None:
        """The type of the elements of a collection."""
        if isinstance(type_, Type) and type_.fqn == "System.Array":
            return type_.arguments[0] if type_.arguments else None
        for base in self._members.closure(type_)[0]:
            if base.fqn in COLLECTIONS and base.arguments:
                return base.arguments[0]
        return None

    def given(self, holder: Type | None, name: str, receiver: AnyType | None, place: int) -> AnyType | None:
        """What a framework method gives parameter `place` of a lambda: elements of what it is called on."""
        if holder is None:
            return self.element(receiver) if place == 0 and name not in NOT_OF_SOURCE else None
        if name in _EACH_ONE and holder.fqn == "System.Collections.Generic.List`1":
            return holder.arguments[0] if holder.arguments else None
        if name == "ContinueWith" and place == 0:
            return receiver
        if name == "GetOrAdd" and place == 0:
            return holder.arguments[0] if holder.arguments else None
        return None


def _of_framework(type_: Type) -> Signature | None:
    name = type_.fqn.partition("`")[0]
    arguments = type_.arguments
    if name == "System.Func" and arguments:
        return arguments[:-1], arguments[-1]
    if name == "System.Action":
        return arguments, None
    if name == "System.Predicate":
        return arguments, framework("System.Boolean")
    if name == "System.Comparison":
        return arguments * 2, framework("System.Int32")
    if name == "System.Converter" and len(arguments) == 2:
        return arguments[:1], arguments[1]
    if name == "System.EventHandler":
        return (framework(OBJECT), arguments[0] if arguments else framework("System.EventArgs")), None
    return None


def parameter_at(
    signature: tuple[tuple[AnyType | None, ...], AnyType | None] | None, place: int
) -> AnyType | None:
    """Parameter `place` of a signature."""
    return signature[0][place] if signature is not None and place < len(signature[0]) else None
