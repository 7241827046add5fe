"""Members that stand for one another: overrides, and implementations of interfaces."""

from __future__ import annotations

from services.index.framework.member_facts import MemberFact
from services.index.usages.members import Candidate, Member, TypeMembers
from services.index.usages.types import METHOD, AnyType, Type, TypeParameter, substituted
from services.model import Kind
from services.syntax.declaration import ParameterRecord

_WAYS = frozenset({"ref", "out", "in"})


class Relations:
    """What is related to one member, the target."""

    def __init__(self, target: Member, members: TypeMembers) -> None:
        self._target = target
        self._members = members

    def holds(self, candidate: Candidate, receiver: AnyType | None) -> bool:
        """Whether a member is the target, overrides it, or implements it for the receiver."""
        member, target = candidate.member, self._target
        if isinstance(member, MemberFact):
            return False
        if member.same(target):
            return True
        if member.index == target.index or not _alike(member, target):
            return False
        bases = self._closure(candidate.holder)
        if self._members.kind_of(target.index) is Kind.INTERFACE:
            if not self._may_implement(member):
                return False
            bases += self._closure(receiver)
        elif "override" not in member.declaration.modifiers:
            return False
        return any(
            base.known.index == target.index and self._same_types(member, candidate.holder, base)
            for base in bases
        )

    def _closure(self, type_: AnyType | None) -> list[Type]:
        return self._members.closure(type_)[0] if type_ is not None else []

    def _may_implement(self, member: Member) -> bool:
        """Whether a member can implement one of an interface without saying so."""
        is_class = self._members.kind_of(member.index) is not Kind.INTERFACE
        return is_class and not member.is_static and member.declaration.access == "public"

    def _same_types(self, member: Member, holder: Type | None, base: Type) -> bool:
        """Whether the parameters of a member have the types of the target's, as `base` has them."""
        pairs = zip(
            member.declaration.parameters or (), self._target.declaration.parameters or (), strict=True
        )
        return all(
            _way(p) == _way(q) and self._same_type((member, holder, p), (self._target, base, q))
            for p, q in pairs
        )

    def _same_type(
        self,
        mine: tuple[Member, Type | None, ParameterRecord],
        its: tuple[Member, Type | None, ParameterRecord],
    ) -> bool:
        one, other = self._read(*mine), self._read(*its)
        if one is None or other is None:
            return _last(mine[2].type) == _last(its[2].type)
        return one == other

    def _read(self, member: Member, holder: Type | None, parameter: ParameterRecord) -> AnyType | None:
        """A parameter's type: type parameters of the method by their place, those of the type as `holder` has them."""
        own = {
            TypeParameter(name, METHOD): TypeParameter(f"!!{at}", METHOD)
            for at, name in enumerate(member.declaration.type_parameters)
        }
        read = substituted(self._members.read_in(member, parameter.type), own)
        return substituted(read, self._members.assigned(holder)) if holder is not None else read


def _alike(member: Member, target: Member) -> bool:
    """Whether two members of one name agree in kind and in the numbers of their parameters."""
    mine, its = member.declaration, target.declaration
    return (
        (mine.parameters is None) == (its.parameters is None)
        and len(mine.parameters or ()) == len(its.parameters or ())
        and len(mine.type_parameters) == len(its.type_parameters)
    )


def _way(parameter: ParameterRecord) -> frozenset[str]:
    return _WAYS.intersection(parameter.modifier.split())


def _last(text: str) -> str:
    return text.partition("<")[0].rpartition(".")[2].rstrip("?[]")
