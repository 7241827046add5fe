"""Type arguments of methods that a call leaves out: from its receiver, its arguments and what its lambdas give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.index.framework.facts import MemberFact
from services.index.usages.types.delegates import NOT_OF_SOURCE
from services.index.usages.types.member import Candidate, Member
from services.index.usages.types.members import TypeMembers
from services.index.usages.types.types import METHOD, AnyType, TupleType, Type, TypeParameter, substituted
from services.syntax.bodies.expressions import Argument, Lambda

if TYPE_CHECKING:
    from services.index.usages.infer.typer import Typer

Found = dict[TypeParameter, AnyType | None]
_NUMBERED = re.compile(r"!!(\d+)")
_MOST_PARAMETERS = 8
_PLACES = tuple(TypeParameter(f"!!{at}", METHOD) for at in range(_MOST_PARAMETERS))
_FLATTENING = "SelectMany"
_KEYED = frozenset({"TryGetValue", "TryRemove"})
_TAKEN = frozenset({"TryPeek", "TryPop", "TryDequeue", "TryTake", "TryGetTarget"})


def receiver_of(members: TypeMembers, fact: MemberFact) -> AnyType | None:
    """The receiver of a framework extension method; its type parameters stand for themselves."""
    return members.reader.from_table(fact.receiver or "?", (), _PLACES)


def inferred(typer: Typer, member: Member, receiver: AnyType | None, arguments: Sequence[Argument]) -> Found:
    """The type arguments of a workspace method."""
    found: Found = {}
    parameters = member.parameters
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
    given = [typer.read(text) for text in generic]
    order = [base.fqn for base in members.closure(receiver)[0]]
    ranked: list[tuple[int, int, AnyType | None]] = []
    for candidate in candidates:
        fact = candidate.member
        if not isinstance(fact, MemberFact) or not _may_be(fact, candidate, given, lambdas):
            continue
        own = candidate.holder.arguments if candidate.holder is not None else ()
        of_method = given or _solved(typer, fact, candidate, lambdas, receiver)
        wanted = receiver_of(members, fact)
        place = order.index(wanted.fqn) if isinstance(wanted, Type) and wanted.fqn in order else len(order)
        ranked.append((place, -len(_open(fact)), members.reader.from_table(fact.type, own, of_method)))
    return _best(ranked, is_extension=receiver is not None)


def _may_be(
    fact: MemberFact, candidate: Candidate, given: Sequence[AnyType | None], lambdas: Sequence[Lambda]
) -> bool:
    """Whether an overload's type parameters agree with what is written."""
    if given:
        return max((int(number) for number in _NUMBERED.findall(fact.type)), default=-1) < len(given)
    if fact.name == _FLATTENING:
        return _open(fact) == [len(lambdas)]
    return candidate.holder is not None or len(_open(fact)) <= len(lambdas)


def _open(fact: MemberFact) -> list[int]:
    """The type parameters in a result that the receiver does not tell."""
    told = set(_NUMBERED.findall(fact.receiver or ""))
    return sorted({int(number) for number in _NUMBERED.findall(fact.type) if number not in told})


def _best(ranked: list[tuple[int, int, AnyType | None]], *, is_extension: bool) -> AnyType | None:
    """The result of the overload that stands nearest to the receiver and uses the most lambdas, if it is one."""
    if not ranked:
        return None
    least = min((place, most) for place, most, _ in ranked) if is_extension else None
    kept = [result for place, most, result in ranked if least is None or (place, most) == least]
    return kept[0] if all(result == kept[0] for result in kept) else None


def _solved(
    typer: Typer, fact: MemberFact, candidate: Candidate, lambdas: Sequence[Lambda], receiver: AnyType | None
) -> list[AnyType | None]:
    """The type arguments of a method that is called on a receiver: what its lambdas give are those in order that the
    receiver does not tell."""
    found: Found = {}
    if fact.receiver is None or candidate.holder is not None or (lambdas and fact.name in NOT_OF_SOURCE):
        return []
    unify(typer.tools.members, receiver_of(typer.tools.members, fact), receiver, found)
    if typer.tools.extensions.are_of_linq((candidate,), fact.name):
        if fact.name == _FLATTENING:
            lambdas = lambdas[-1:]
        for number, each in zip(_open(fact), lambdas, strict=False):
            result = typer.type_of(each.result) if each.result is not None else None
            if fact.name == _FLATTENING and number == 1:
                result = typer.tools.delegates.element(result)
            found[_PLACES[number]] = result
    return [found.get(place) for place in _PLACES]


def out_of_framework(fact: MemberFact, holder: Type | None, receiver: AnyType | None) -> AnyType | None:
    """What the `out` argument of a framework method is, of the few that are written every day."""
    if holder is None:
        return None
    if fact.name in ("TryParse", "TryParseExact"):
        return receiver
    if fact.name in _KEYED and len(holder.arguments) == 2:
        return holder.arguments[1]
    return holder.arguments[0] if fact.name in _TAKEN and len(holder.arguments) == 1 else None
