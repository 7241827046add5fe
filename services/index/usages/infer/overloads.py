"""Which of several members of a name a call means: by number, names and, where they are known, types of arguments.

Which of several methods that take a call's arguments is the better one (C# specification 12.6.4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from services.index.framework.facts import MemberFact
from services.index.names.type_text import identifiers
from services.index.usages.types.conversions import Conversions, Fit
from services.index.usages.types.member import Candidate, Member, signature
from services.index.usages.types.types import AnyType, Type, is_open
from services.model import Kind
from services.syntax.bodies.expressions import Argument
from services.syntax.records.declaration import Declaration, ParameterRecord

Wanted = Callable[[Candidate, ParameterRecord], AnyType | None]


class Rated(NamedTuple):
    """A candidate that may take the arguments. `parameters`: in the order of the arguments; `fits`: beside them."""

    candidate: Candidate
    parameters: tuple[ParameterRecord, ...]
    fits: tuple[Fit, ...]

    @property
    def worst(self) -> Fit:
        """How the argument fits that fits worst."""
        return min(self.fits, default=Fit.EXACT)


class Better:
    """Compares candidates. `wanted`: the type of a candidate's parameter, the element of a `params` one."""

    def __init__(self, wanted: Wanted, conversions: Conversions) -> None:
        self._wanted = wanted
        self._conversions = conversions

    def best(self, rated: Sequence[Rated]) -> Candidate | None:
        """The candidate that is better than all others, if there is one that surely takes the arguments."""
        types = [[self._wanted(r.candidate, p) for p in r.parameters] for r in rated]
        # An argument for which all want the same tells nothing: since the call compiles, it fits.
        told = [
            any(row[at] is None or row[at] != types[0][at] for row in types) for at in range(len(types[0]))
        ]
        for at, one in enumerate(rated):
            sure = all(fit >= Fit.YES for fit, tells in zip(one.fits, told, strict=True) if tells)
            if sure and all(
                self._beats((one, types[at]), (other, types[to]))
                for to, other in enumerate(rated)
                if to != at
            ):
                return one.candidate
        return None

    def _beats(
        self, one: tuple[Rated, list[AnyType | None]], other: tuple[Rated, list[AnyType | None]]
    ) -> bool:
        nearer = False
        for at in range(len(one[0].fits)):
            fits, types = (one[0].fits[at], other[0].fits[at]), (one[1][at], other[1][at])
            if types[0] is not None and types[0] == types[1]:
                continue
            if not self._is_nearer(fits, types):
                return False
            nearer = True
        return nearer or _needs_less(one[0], other[0])

    def _is_nearer(self, fits: tuple[Fit, Fit], types: tuple[AnyType | None, AnyType | None]) -> bool:
        """Whether the conversion of an argument to the first type is better than that to the second."""
        if Fit.EXACT in fits:
            return fits[0] is Fit.EXACT and fits[1] is not Fit.EXACT and not is_open(types[1])
        if is_open(types[0]) or is_open(types[1]):
            return False
        forth, back = (self._conversions.fit(*pair) for pair in (types, types[::-1]))
        return forth is Fit.YES and back < Fit.YES


def _needs_less(one: Rated, other: Rated) -> bool:
    """Of two that want the same, the one that is not generic, or is not expanded and leaves nothing to defaults."""
    mine, its = one.candidate.member, other.candidate.member
    if not isinstance(mine, Member) or not isinstance(its, Member):
        return False
    generic = (bool(mine.declaration.type_parameters), bool(its.declaration.type_parameters))
    if generic[0] != generic[1]:
        return not generic[0]
    return _is_filled(one) and not _is_filled(other)


def _is_filled(rated: Rated) -> bool:
    member = rated.candidate.member
    assert isinstance(member, Member)
    listed = member.parameters
    skipped = int(member.is_extension or member.is_of_block)
    expanded = any("params" in p.modifier.split() for p in listed)
    return not expanded and len(listed) - skipped == len(rated.parameters)


class Rater(Protocol):
    """What knows the types of arguments and parameters."""

    @property
    def better(self) -> Better:
        """Compares candidates."""
        ...

    def fit(self, candidate: Candidate, parameter: ParameterRecord, argument: Argument) -> Fit:
        """How an argument fits a parameter of a candidate."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates that may be meant, likeliest first; `certain` where it is the first."""

    candidates: tuple[Candidate, ...]
    certain: bool


def chosen(
    candidates: Sequence[Candidate],
    arguments: Sequence[Argument],
    generic: int,
    rater: Rater,
    *,
    skip: int = 0,
) -> Choice:
    """Chooses among methods. `generic`: how many type arguments are written; `skip`: leading parameters that a call
    on a receiver leaves out."""
    found: list[Rated] = []
    holders: dict[tuple[tuple[frozenset[str], str], ...], list[Type | None]] = {}
    for candidate in candidates:
        parameters = _parameters(candidate)
        types = signature(parameters) if parameters is not None else None
        # A nearer member with the same parameters overrides or hides it.
        if types is not None and any(holder != candidate.holder for holder in holders.get(types, ())):
            continue
        rated = _rated(candidate, arguments, generic, rater, skip)
        if rated is None:
            continue
        found.append(rated)
        if types is not None:
            holders.setdefault(types, []).append(candidate.holder)
    if len(found) < 2:
        return Choice(tuple(r.candidate for r in found), bool(found))
    best = max(rated.worst for rated in found)
    if best is Fit.EXACT:
        return _shortest([r.candidate for r in found if r.worst is best], len(arguments) + skip)
    certain = _without_defaults([r.candidate for r in found], len(arguments) + skip) or _best(found, rater)
    if certain is not None:
        return Choice((certain,), True)
    return Choice(tuple(r.candidate for r in found), False)


def _best(found: list[Rated], rater: Rater) -> Candidate | None:
    """The better of the nearest type's where one of these surely takes the arguments, else the better of all."""
    if any(not isinstance(rated.candidate.member, Member) for rated in found):
        return None
    nearest = found[0].candidate.holder
    near = [rated for rated in found if rated.candidate.holder == nearest]
    if any(rated.worst >= Fit.YES and not _overrides(rated.candidate) for rated in near):
        return near[0].candidate if len(near) == 1 else rater.better.best(near)
    return rater.better.best(found)


def _shortest(exact: list[Candidate], count: int) -> Choice:
    """Of several that fit exactly, the one without parameters left to their defaults."""
    filled = [c for c in exact if len(_parameters(c) or ()) == count and not _is_open(_parameters(c) or ())]
    if len(filled) == 1:
        return Choice((filled[0],), True)
    return Choice(tuple(exact), len(exact) == 1)


def _without_defaults(candidates: list[Candidate], count: int) -> Candidate | None:
    """Of several that take the arguments alike, the one that has no parameters beyond them, if it is alone."""
    listed = [_parameters(c) for c in candidates]
    if any(parameters is None or _is_open(parameters[:count]) for parameters in listed):
        return None
    given = [[p.type for p in (parameters or ())[:count]] for parameters in listed]
    filled = [c for c, parameters in zip(candidates, listed, strict=True) if len(parameters or ()) == count]
    return filled[0] if len(filled) == 1 and all(types == given[0] for types in given) else None


def _rated(
    candidate: Candidate, arguments: Sequence[Argument], generic: int, rater: Rater, skip: int
) -> Rated | None:
    member = candidate.member
    if isinstance(member, MemberFact):
        return Rated(candidate, (), (Fit.MAYBE,))
    declaration = member.declaration
    # On a receiver, a call leaves the type parameters of an extension block to it.
    if generic and len(declaration.type_parameters if skip else declaration.own_parameters) != generic:
        return None
    if not generic and not _can_be_inferred(declaration):
        return None
    pairs = paired(member.parameters[skip:], arguments)
    if pairs is None:
        return None
    pairs.sort(key=lambda pair: next(at for at, each in enumerate(arguments) if each is pair[1]))
    fits = tuple(rater.fit(candidate, parameter, argument) for parameter, argument in pairs)
    if Fit.NO in fits:
        return None
    return Rated(candidate, tuple(parameter for parameter, _ in pairs), fits)


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
    """Whether an argument is passed the way that a parameter asks for.

    `in` and `ref readonly` take all but `out`; so does a receiver, which is passed without a word on itself."""
    words = parameter.modifier.split()
    if "out" in words or argument.modifier == "out":
        return "out" in words and argument.modifier == "out"
    if "in" in words or "readonly" in words or "this" in words:
        return True
    return argument.modifier == ("ref" if "ref" in words else "")


def _is_open(parameters: Sequence[ParameterRecord]) -> bool:
    return bool(parameters) and "params" in parameters[-1].modifier.split()


def _parameters(candidate: Candidate) -> tuple[ParameterRecord, ...] | None:
    member = candidate.member
    if not isinstance(member, Member) or member.declaration.parameters is None:
        return None
    return member.parameters


def _overrides(candidate: Candidate) -> bool:
    member = candidate.member
    return isinstance(member, Member) and "override" in member.declaration.modifiers


def is_method(candidate: Candidate) -> bool:
    """Whether a candidate is called rather than read."""
    member = candidate.member
    kind = member.declaration.kind if isinstance(member, Member) else member.kind
    if kind is Kind.EXTENSION_MEMBER and isinstance(member, Member):
        return member.declaration.parameters is not None
    return kind in (Kind.METHOD, Kind.CONSTRUCTOR)
