"""Which of several members of a name a call means: by number, names and, where they are known, types of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.index.framework.member_facts import MemberFact
from services.index.names.type_text import identifiers
from services.index.usages.conversions import Fit
from services.index.usages.members import Candidate, Member
from services.model import Kind
from services.syntax.bodies.expressions import Argument
from services.syntax.declaration import Declaration, ParameterRecord

Fits = Callable[[Candidate, ParameterRecord, Argument], Fit]


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates that may be meant, likeliest first; `certain` where it is the first."""

    candidates: tuple[Candidate, ...]
    certain: bool


def chosen(
    candidates: Sequence[Candidate], arguments: Sequence[Argument], generic: int, fits: Fits, *, skip: int = 0
) -> Choice:
    """Chooses among methods. `generic`: how many type arguments are written; `skip`: leading parameters that a call
    on a receiver leaves out."""
    rated: list[tuple[Fit, Candidate]] = []
    for candidate in candidates:
        rate = _rate(candidate, arguments, generic, fits, skip)
        if rate is not Fit.NO and not any(_same_parameters(candidate, other) for _, other in rated):
            rated.append((rate, candidate))
    if len(rated) < 2:
        return Choice(tuple(c for _, c in rated), bool(rated))
    best = max(rate for rate, _ in rated)
    if best is Fit.EXACT:
        return _shortest([c for rate, c in rated if rate is best], len(arguments) + skip)
    if (plain := _without_defaults([c for _, c in rated], len(arguments) + skip)) is not None:
        return Choice((plain,), True)
    nearest = rated[0][1].holder
    near = [(rate, c) for rate, c in rated if c.holder == nearest]
    if best is Fit.YES and len(near) == 1 and near[0][0] is Fit.YES and not _overrides(near[0][1]):
        return Choice((near[0][1],), True)
    return Choice(tuple(c for _, c in rated), False)


def _shortest(exact: list[Candidate], count: int) -> Choice:
    """Of several that fit exactly, the one without parameters left to their defaults."""
    filled = [c for c in exact if len(_parameters(c) or ()) == count and not _is_open(_parameters(c) or ())]
    if len(filled) == 1:
        return Choice((filled[0],), True)
    return Choice(tuple(exact), len(exact) == 1)


def _without_defaults(candidates: list[Candidate], count: int) -> Candidate | None:
    """Of several that take the arguments alike, the one that has no parameters beyond them, if it is alone."""
    listed = [_parameters(c) for c in candidates]
    if any(parameters is None or _is_open(parameters) for parameters in listed):
        return None
    given = [[p.type for p in (parameters or ())[:count]] for parameters in listed]
    filled = [c for c, parameters in zip(candidates, listed, strict=True) if len(parameters or ()) == count]
    return filled[0] if len(filled) == 1 and all(types == given[0] for types in given) else None


def _rate(candidate: Candidate, arguments: Sequence[Argument], generic: int, fits: Fits, skip: int) -> Fit:
    member = candidate.member
    if isinstance(member, MemberFact):
        return Fit.MAYBE
    declaration = member.declaration
    if generic and len(declaration.type_parameters) != generic:
        return Fit.NO
    if not generic and not _can_be_inferred(declaration):
        return Fit.NO
    pairs = paired((declaration.parameters or ())[skip:], arguments)
    if pairs is None:
        return Fit.NO
    return min((fits(candidate, parameter, argument) for parameter, argument in pairs), default=Fit.EXACT)


def _can_be_inferred(declaration: Declaration) -> bool:
    """Whether a call may leave the type arguments out: each type parameter stands in a parameter's type."""
    parameters = declaration.parameters or ()
    received = (declaration.receiver,) if declaration.receiver is not None else ()
    named = {word for p in (*received, *parameters) for word in identifiers(p.type)}
    return all(name in named for name in declaration.type_parameters)


def paired(
    parameters: Sequence[ParameterRecord], arguments: Sequence[Argument]
) -> list[tuple[ParameterRecord, Argument]] | None:
    """Each argument with its parameter, or None where they do not go together."""
    pairs: list[tuple[ParameterRecord, Argument]] = []
    left = list(parameters)
    named = {argument.name: argument for argument in arguments if argument.name}
    positional = [argument for argument in arguments if not argument.name]
    for argument in positional:
        if not left:
            return None
        pairs.append((left[0], argument))
        if not _is_open(left[:1]):
            left.pop(0)
    for name, argument in named.items():
        at = next((i for i, p in enumerate(left) if p.name == name), None)
        if at is None:
            return None
        pairs.append((left.pop(at), argument))
    if any(not p.default and not _is_open([p]) for p in left):
        return None
    return pairs if all(_goes(p, a) for p, a in pairs) else None


def _goes(parameter: ParameterRecord, argument: Argument) -> bool:
    words = parameter.modifier.split()
    if argument.modifier == "out" or "out" in words:
        return argument.modifier == "out" and "out" in words
    return argument.modifier != "ref" or "ref" in words


def _is_open(parameters: Sequence[ParameterRecord]) -> bool:
    return bool(parameters) and "params" in parameters[-1].modifier.split()


def _parameters(candidate: Candidate) -> tuple[ParameterRecord, ...] | None:
    member = candidate.member
    return member.declaration.parameters if isinstance(member, Member) else None


def _overrides(candidate: Candidate) -> bool:
    member = candidate.member
    return isinstance(member, Member) and "override" in member.declaration.modifiers


def _same_parameters(one: Candidate, other: Candidate) -> bool:
    """Whether a nearer member overrides or hides another."""
    mine, its = _parameters(one), _parameters(other)
    if mine is None or its is None or one.holder == other.holder:
        return False
    return [p.type for p in mine] == [p.type for p in its]


def is_method(candidate: Candidate) -> bool:
    """Whether a candidate is called rather than read."""
    member = candidate.member
    kind = member.declaration.kind if isinstance(member, Member) else member.kind
    if kind is Kind.EXTENSION_MEMBER and isinstance(member, Member):
        return member.declaration.parameters is not None
    return kind in (Kind.METHOD, Kind.CONSTRUCTOR)
