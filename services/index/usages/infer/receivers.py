"""Which extension methods a receiver fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.index.framework.facts import MemberFact
from services.index.usages.infer import inference
from services.index.usages.infer.overloads import Choice, chosen
from services.index.usages.types.conversions import Fit
from services.index.usages.types.member import Candidate, Member
from services.index.usages.types.types import METHOD, NULLABLE, AnyType, Type, TypeParameter
from services.syntax.bodies.expressions import Argument

if TYPE_CHECKING:
    from services.index.usages.infer.typer import Typer


class Receivers:
    """Chooses among extension methods in one declaration."""

    def __init__(self, typer: Typer) -> None:
        self._typer = typer
        self._tools = typer.tools
        self._members = typer.tools.members

    def chosen(
        self,
        candidates: Sequence[Candidate],
        receiver: AnyType | None,
        arguments: Sequence[Argument],
        generic: Sequence[str],
    ) -> Choice:
        """Chooses among extension methods: those whose receiver fits; the workspace's are told by arguments too."""
        fitting: list[tuple[Fit, Candidate]] = []
        for candidate in candidates:
            fit = self._fit(candidate, receiver)
            if fit is not Fit.NO:
                fitting.append((fit, candidate))
        own = [c for _, c in fitting if isinstance(c.member, Member)]
        choice = chosen(own, arguments, len(generic), self._typer.arguments, skip=1)
        facts = tuple(c for _, c in fitting if isinstance(c.member, MemberFact))
        fits = {id(c): fit for fit, c in fitting}
        if facts:
            return Choice((*choice.candidates, *facts), not choice.candidates and len(facts) == 1)
        sure = choice.certain and all(fits[id(c)] >= Fit.YES for c in choice.candidates)
        nearest = None if choice.certain else self._nearest(choice.candidates, receiver)
        return Choice(choice.candidates, sure) if nearest is None else Choice((nearest,), True)

    def _nearest(self, candidates: Sequence[Candidate], receiver: AnyType | None) -> Candidate | None:
        """Of extension methods that differ in their receiver alone, the one that extends the very type."""
        others: set[tuple[str, ...]] = set()
        own: list[Candidate] = []
        for candidate in candidates:
            member = candidate.member
            if not isinstance(member, Member) or not isinstance(receiver, Type):
                return None
            first, *rest = member.parameters
            wanted = self._members.read_in(member, first.type)
            others.add(tuple(p.type.rstrip("?") for p in rest))
            if isinstance(wanted, Type) and wanted.fqn == receiver.fqn:
                own.append(candidate)
        return own[0] if len(own) == 1 and len(others) == 1 else None

    def _fit(self, candidate: Candidate, receiver: AnyType | None) -> Fit:
        member = candidate.member
        if isinstance(member, MemberFact):
            wanted = inference.receiver_of(self._members, member)
        else:
            if not member.is_extension and not member.is_of_block:
                return Fit.NO
            wanted = self._members.read_in(member, member.parameters[0].type)
        if isinstance(wanted, TypeParameter):
            return self._bounded(member, wanted, receiver)
        if isinstance(wanted, Type) and isinstance(receiver, TypeParameter):
            found = {base for root in self._typer.roots(receiver) for base in self._members.closure(root)[0]}
            return Fit.YES if any(b.fqn == wanted.fqn for b in found) else Fit.NO
        fit = self._tools.conversions.fit(receiver, wanted)
        if fit is Fit.MAYBE and isinstance(wanted, Type) and isinstance(receiver, Type):
            closure, whole = self._members.closure(receiver)
            # No conversion but to a base counts for a receiver.
            return Fit.NO if whole and all(b.fqn != wanted.fqn for b in closure) else fit
        if fit is Fit.YES and isinstance(wanted, Type) and wanted.fqn == NULLABLE:
            return Fit.NO if isinstance(receiver, Type) and receiver.fqn != NULLABLE else fit
        return fit

    def _bounded(self, member: Member | MemberFact, wanted: TypeParameter, receiver: AnyType | None) -> Fit:
        """Whether a receiver meets the constraints of the type parameter it stands for."""
        if isinstance(member, MemberFact):
            return Fit.MAYBE
        context = self._tools.names.context(member.file, member.at, member.declaration.own_parameters)
        bounds = list(self._members.bounds_in(member.declaration, wanted, context, METHOD))
        if not bounds:
            return Fit.YES
        closure, whole = self._members.closure(receiver)
        for root in self._typer.roots(receiver) if not isinstance(receiver, Type) else ():
            closure += self._members.closure(root)[0]
        if all(any(base.fqn == bound.fqn for base in closure) for bound in bounds):
            return Fit.YES
        return Fit.NO if whole and isinstance(receiver, Type) else Fit.MAYBE
