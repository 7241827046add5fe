"""Which method a call means and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.index.framework.facts import MemberFact
from services.index.usages.infer import inference
from services.index.usages.infer.overloads import Choice, chosen
from services.index.usages.types.member import Candidate, Member
from services.index.usages.types.typed import Typed, written
from services.index.usages.types.types import METHOD, AnyType, TypeParameter, substituted
from services.syntax.bodies.expressions import Access, Argument, Call, Expression

if TYPE_CHECKING:
    from services.index.usages.infer.typer import Typer


class Calls:
    """Chooses and types the calls of one declaration."""

    def __init__(self, typer: Typer) -> None:
        self._typer = typer
        self._tools = typer.tools
        self._members = typer.tools.members

    def value(self, call: Call) -> AnyType | None:
        """The type of what a call gives."""
        function, choice = self.chosen(call)
        if function is None:
            return None
        if function.what == "value":
            signature = self._tools.delegates.signature(function.type)
            return signature[1] if signature is not None else None
        if function.local:
            return function.type
        results = [
            self.result(c, call.arguments, written(call), function.receiver) for c in choice.candidates
        ]
        if choice.candidates and all(isinstance(c.member, MemberFact) for c in choice.candidates):
            return inference.likeliest(
                self._typer, choice.candidates, call.arguments, written(call), receiver=function.receiver
            )
        return results[0] if results and all(r == results[0] for r in results) else None

    def chosen(self, call: Call) -> tuple[Typed | None, Choice]:
        """The function that is called, and the candidates that it may be."""
        function = self._typer.typed(call.function)
        if function is None or function.what not in ("value", "methods"):
            return None, Choice((), False)
        if function.lookup is None or function.what == "value":
            return function, Choice((), False)
        return function, self.choose_called(function, call)

    def choose_called(self, function: Typed, call: Call) -> Choice:
        """Chooses among the methods that a name may mean in a call."""
        return self.choose_among(function, call.function, call.arguments, written(call))

    def choose_among(
        self, function: Typed, called: Expression, arguments: Sequence[Argument], generic: Sequence[str]
    ) -> Choice:
        """Chooses among methods: those of the type itself, then extension methods."""
        assert function.lookup is not None
        candidates = function.lookup.candidates
        if candidates and candidates[0].holder is not None:
            choice = self.choose(candidates, arguments, len(generic))
            if choice.candidates or not isinstance(called, Access) or function.receiver is None:
                return choice
            again = self._tools.extensions
            own = [Candidate(m, None) for m in again.own(called.name, self._typer.context)]
            facts = [Candidate(f, None) for f in again.of_framework(called.name, self._typer.context)]
            candidates = (*own, *facts)
        choice = self._typer.receivers.chosen(candidates, function.receiver, arguments, generic)
        # A base of which nothing is known could have a method of that name, which would come first.
        return choice if function.lookup.whole else Choice(choice.candidates, False)

    def choose(self, candidates: Sequence[Candidate], arguments: Sequence[Argument], generic: int) -> Choice:
        """Chooses among the members of a type."""
        return chosen(candidates, arguments, generic, self._typer.arguments)

    def result(
        self,
        candidate: Candidate,
        arguments: Sequence[Argument],
        generic: Sequence[str],
        receiver: AnyType | None = None,
    ) -> AnyType | None:
        """The type of a member, or what a call of it gives."""
        member = candidate.member
        if isinstance(member, MemberFact):
            own = candidate.holder.arguments if candidate.holder is not None else ()
            return self._members.reader.from_table(member.type, own, tuple(map(self._typer.read, generic)))
        returned = self._members.returned(member)
        return substituted(returned, self.assigned(candidate, member, receiver, arguments, generic))

    def assigned(
        self,
        candidate: Candidate,
        member: Member,
        receiver: AnyType | None,
        arguments: Sequence[Argument],
        generic: Sequence[str],
    ) -> dict[TypeParameter, AnyType | None]:
        """What type parameters are in a call: those of the holder, and those of the method."""
        assigned: dict[TypeParameter, AnyType | None] = {}
        if candidate.holder is not None:
            assigned.update(self._members.assigned(candidate.holder))
        names = member.declaration.own_parameters
        if names:
            assigned.update(dict.fromkeys((TypeParameter(name, METHOD) for name in names), None))
            if len(generic) < len(names):
                extension = receiver if candidate.holder is None else None
                assigned.update(inference.inferred(self._typer, member, extension, arguments))
            # On a receiver, those of an extension block are left out.
            given = zip(names[max(0, len(names) - len(generic)) :], generic, strict=False)
            assigned.update({TypeParameter(name, METHOD): self._typer.read(text) for name, text in given})
        return assigned
