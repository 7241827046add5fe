"""Type arguments of methods that a call leaves out: from its receiver, its arguments and what its lambdas give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.index.framework.member_facts import MemberFact
from services.index.usages.delegates import NOT_OF_SOURCE
from services.index.usages.members import Candidate, Member, TypeMembers
from services.index.usages.types import METHOD, AnyType, TupleType, Type, TypeParameter, substituted
from services.syntax.bodies.expressions import Argument, Lambda
from services.syntax.declaration import ParameterRecord

if TYPE_CHECKING:
    from services.index.usages.typer import Typer

Found = dict[TypeParameter, AnyType | None]
_NUMBERED = re.compile(r"!!(\d+)")
_MOST_PARAMETERS = 8
_PLACES = tuple(TypeParameter(f"!!{at}", METHOD) for at in range(_MOST_PARAMETERS))
_KEYED = frozenset({"TryGetValue", "TryRemove"})
_TAKEN = frozenset({"TryPeek", "TryPop", "TryDequeue", "TryTake", "TryGetTarget"})


def parameters_of(member: Member) -> tuple[ParameterRecord, ...]:
    """The parameters of a method, the receiver of its extension block first."""
    declaration = member.declaration
    own = declaration.parameters or ()
    return (declaration.receiver, *own) if declaration.receiver is not None else own


def receiver_of(members: TypeMembers, fact: MemberFact) -> AnyType | None:
    """The receiver of a framework extension method; its type parameters stand for themselves."""
    return members.reader.from_table(fact.receiver or "?", (), _PLACES)


def inferred(typer: Typer, member: Member, receiver: AnyType | None, arguments: Sequence[Argument]) -> Found:
    """The type arguments of a workspace method."""
    found: Found = {}
    parameters = parameters_of(member)
    members = typer.tools.members
    if receiver is not None and parameters:
        unify(members, members.read_in(member, parameters[0].type), receiver, found)
        parameters = parameters[1:]
    for parameter, argument in zip(parameters, arguments, strict=False):
        if argument.name or isinstance(argument.value, Lambda) or "params" in parameter.modifier.split():
            continue
        wanted = members.read_in(member, parameter.type)
        if wanted is not None and _is_open(wanted):
            unify(members, wanted, typer.type_of(argument.value), found)
    for parameter, argument in zip(parameters, arguments, strict=False):
        if isinstance(argument.value, Lambda) and argument.value.result is not None and not argument.name:
            signature = typer.tools.delegates.signature(members.read_in(member, parameter.type))
            if signature is not None and signature[1] is not None and _is_unsolved(signature[1], found):
                unify(members, signature[1], typer.type_of(argument.value.result), found)
    return found


def _is_unsolved(type_: AnyType, found: Found) -> bool:
    return _is_open(substituted(type_, found) or type_)


def _is_open(type_: AnyType | None) -> bool:
    """Whether a type parameter of a method is in a type."""
    if isinstance(type_, TypeParameter):
        return type_.owner == METHOD
    parts = (
        type_.arguments if isinstance(type_, Type) else type_.elements if isinstance(type_, TupleType) else ()
    )
    return any(_is_open(part) for part in parts)


def unify(members: TypeMembers, pattern: AnyType | None, actual: AnyType | None, found: Found) -> bool:
    """Fits `actual`, or a base of it, to a pattern; whether it does. What type parameters become goes to `found`."""
    if pattern is None or actual is None:
        return pattern is None
    if isinstance(pattern, TypeParameter):
        if pattern.owner == METHOD:
            if pattern in found and found[pattern] != actual:
                return True
            found[pattern] = actual
        return pattern.owner == METHOD or pattern == actual
    if isinstance(pattern, TupleType):
        return isinstance(actual, TupleType) and all(
            unify(members, p, a, found) for p, a in zip(pattern.elements, actual.elements, strict=False)
        )
    for base in members.closure(actual)[0]:
        if base.fqn == pattern.fqn:
            for p, a in zip(pattern.arguments, base.arguments, strict=False):
                unify(members, p, a, found)
            return True
        of_array = base.fqn == "System.Array" and pattern.fqn in _OF_ARRAYS
        if of_array and base.arguments and len(pattern.arguments) == 1:
            unify(members, pattern.arguments[0], base.arguments[0], found)
            return True
    return False


_OF_ARRAYS = frozenset(
    f"System.Collections.Generic.{name}`1"
    for name in ("IEnumerable", "ICollection", "IList", "IReadOnlyCollection", "IReadOnlyList")
)


def likeliest(
    typer: Typer,
    candidates: Sequence[Candidate],
    arguments: Sequence[Argument],
    generic: Sequence[str],
    *,
    receiver: AnyType | None,
) -> AnyType | None:
    """What a call of a framework method gives. The table does not have parameters: the overload is told by the receiver
    and by how many lambdas there are."""
    members = typer.tools.members
    lambdas = [a.value for a in arguments if isinstance(a.value, Lambda)]
    ranked: list[tuple[int, int, AnyType | None]] = []
    order = [base.fqn for base in members.closure(receiver)[0]]
    for candidate in candidates:
        fact = candidate.member
        if not isinstance(fact, MemberFact):
            continue
        solved = _solved(typer, fact, candidate, lambdas, receiver) if not generic else None
        most = max((int(n) for n in _NUMBERED.findall(fact.type)), default=0)
        if fact.receiver is not None and most > len(lambdas) and not generic:
            continue
        if solved is None:
            given = [typer.read(text) for text in generic]
            own = candidate.holder.arguments if candidate.holder is not None else ()
            result = members.reader.from_table(fact.type, own, given)
            if generic and most + 1 > len(generic) and _NUMBERED.search(fact.type):
                continue
        else:
            result = solved
        name = receiver_of(members, fact)
        place = order.index(name.fqn) if isinstance(name, Type) and name.fqn in order else len(order)
        ranked.append((place, -most, result))
    return _best(ranked, is_extension=receiver is not None)


def _best(ranked: list[tuple[int, int, AnyType | None]], *, is_extension: bool) -> AnyType | None:
    if not ranked:
        return None
    least = min((place, most) for place, most, _ in ranked) if is_extension else None
    kept = [result for place, most, result in ranked if least is None or (place, most) == least]
    return kept[0] if all(result == kept[0] for result in kept) else None


def _solved(
    typer: Typer, fact: MemberFact, candidate: Candidate, lambdas: Sequence[Lambda], receiver: AnyType | None
) -> AnyType | None:
    if not _NUMBERED.search(fact.type):
        return None
    members = typer.tools.members
    found: Found = {}
    if fact.name in NOT_OF_SOURCE and lambdas:
        return None
    if fact.receiver is not None and candidate.holder is None:
        unify(members, receiver_of(members, fact), receiver, found)
        if not typer.tools.extensions.are_of_linq((candidate,), fact.name):
            lambdas = ()
        for at, each in enumerate(lambdas):
            place = _PLACES[min(at + 1, _MOST_PARAMETERS - 1)]
            given = typer.type_of(each.result) if each.result is not None and place not in found else None
            if fact.name == "SelectMany" and at == 0:
                given = typer.tools.delegates.element(given)
            if given is not None and place not in found:
                found[place] = given
    own = candidate.holder.arguments if candidate.holder is not None else ()
    return members.reader.from_table(fact.type, own, tuple(found.get(place) for place in _PLACES))


def out_of_framework(fact: MemberFact, holder: Type | None, receiver: AnyType | None) -> AnyType | None:
    """What the `out` argument of a framework method is, of the few that are written every day."""
    if holder is None:
        return None
    if fact.name in ("TryParse", "TryParseExact"):
        return receiver
    if fact.name in _KEYED and len(holder.arguments) == 2:
        return holder.arguments[1]
    return holder.arguments[0] if fact.name in _TAKEN and len(holder.arguments) == 1 else None
