"""Which of several methods that take a call's arguments is the better one (C# specification 12.6.4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from services.index.usages.types.conversions import Conversions, Fit
from services.index.usages.types.member import Candidate, Member
from services.index.usages.types.types import AnyType, is_open
from services.syntax.records.declaration import ParameterRecord

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
