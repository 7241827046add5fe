"""Members that stand for one another: overrides, and implementations of interfaces."""

from __future__ import annotations

from enum import Enum, auto

from services.index.framework.facts import MemberFact
from services.index.usages.types.member import Candidate, Member, way
from services.index.usages.types.members import TypeMembers
from services.index.usages.types.types import METHOD, AnyType, Type, TypeParameter, last_name, substituted
from services.model import Kind


class Relation(Enum):
    """What one member is to another."""

    NONE = auto()
    RELATED = auto()
    SAME = auto()


class Relations:
    """What is related to one member, the target."""

    def __init__(self, target: Member, members: TypeMembers) -> None:
        self._target = target
        self._members = members

    def of(self, candidate: Candidate, receiver: AnyType | None) -> Relation:
        """What a member, asked of a receiver, is to the target."""
        member, target = candidate.member, self._target
        if isinstance(member, MemberFact):
            return Relation.NONE
        if member.same(target):
            return Relation.SAME
        if member.index == target.index or not _alike(member, target):
            return Relation.NONE
        own = Candidate(target, self._members.itself(target.index))
        is_related = self.stands_for(candidate, receiver) or Relations(member, self._members).stands_for(
            own, own.holder
        )
        return Relation.RELATED if is_related else Relation.NONE

    def stands_for(self, candidate: Candidate, receiver: AnyType | None) -> bool:
        """Whether a member overrides the target, or implements it for the receiver."""
        member, target = candidate.member, self._target
        assert isinstance(member, Member)
        if self._members.kind_of(target.index) is not Kind.INTERFACE:
            return "override" in member.declaration.modifiers and self._overrides(member, candidate.holder)
        bases = (*self._closure(candidate.holder), *self._closure(receiver))
        return self._may_implement(member) and any(
            self._same_types(member, candidate.holder, base)
            and self._same_result(member, candidate.holder, base)
            for base in bases
            if base.known.index == target.index
        )

    def _overrides(self, member: Member, holder: Type | None) -> bool:
        bases = [base for base in self._closure(holder) if base.known.index == self._target.index]
        return any(self._same_types(member, holder, base) for base in bases)

    def _same_result(self, member: Member, holder: Type | None, base: Type) -> bool:
        """Whether a member has the type of the target: no other implements one of an interface."""
        mine, its = member.declaration.returns, self._target.declaration.returns
        if mine is None or its is None:
            return mine == its
        return self._same_type((member, holder, mine), (self._target, base, its))

    def _closure(self, type_: AnyType | None) -> tuple[Type, ...]:
        return self._members.closure(type_)[0]

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
            way(p) == way(q) and self._same_type((member, holder, p.type), (self._target, base, q.type))
            for p, q in pairs
        )

    def _same_type(self, mine: tuple[Member, Type | None, str], its: tuple[Member, Type | None, str]) -> bool:
        one, other = self._read(*mine), self._read(*its)
        if one is None or other is None:
            return last_name(mine[2]) == last_name(its[2])
        return one == other

    def _read(self, member: Member, holder: Type | None, text: str) -> AnyType | None:
        """A type of a member: type parameters of the method by their place, those of the type as `holder` has them."""
        own = {
            TypeParameter(name, METHOD): TypeParameter(f"!!{at}", METHOD)
            for at, name in enumerate(member.declaration.type_parameters)
        }
        read = substituted(self._members.read_in(member, text), own)
        return substituted(read, self._members.assigned(holder)) if holder is not None else read


def _alike(member: Member, target: Member) -> bool:
    """Whether two members of one name agree in kind and in the numbers of their parameters."""
    mine, its = member.declaration, target.declaration
    return (
        (mine.parameters is None) == (its.parameters is None)
        and len(mine.parameters or ()) == len(its.parameters or ())
        and len(mine.type_parameters) == len(its.type_parameters)
    )
