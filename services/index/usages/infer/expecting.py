"""What type a place expects: of target-typed creations and of lambdas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.index.framework.facts import MemberFact
from services.index.usages.types.member import Candidate, Lookup
from services.index.usages.types.typed import Typed, written
from services.index.usages.types.types import AnyType, Type, substituted, unwrapped
from services.syntax.bodies.expressions import Call, Expected, New

if TYPE_CHECKING:
    from services.index.usages.infer.typer import Typer


class Expecting:
    """Tells what is expected in one declaration."""

    def __init__(self, typer: Typer) -> None:
        self._typer = typer
        self._tools = typer.tools
        self._members = typer.tools.members

    def expected(self, expected: Expected | None) -> AnyType | None:
        """The type that a place expects."""
        if expected is None:
            return None
        if expected.type:
            return unwrapped(self._typer.read(expected.type))
        if expected.value is not None:
            return unwrapped(self._typer.type_of(expected.value))
        if expected.call is None:
            return unwrapped(self._result_expected())
        if isinstance(expected.call, New):
            type_ = self._typer.type_of(expected.call)
            lookup = self._members.find((type_,), ".ctor") if isinstance(type_, Type) else Lookup((), False)
            function, choice = None, self._typer.calls.choose(lookup.candidates, expected.call.arguments, 0)
        else:
            function, choice = self._typer.calls.chosen(expected.call)
        if len(choice.candidates) != 1:
            return None
        return unwrapped(
            self.parameter_type(choice.candidates[0], function, expected.call, expected.argument)
        )

    def returns(self) -> AnyType | None:
        """The type that the declaration is of, or returns."""
        return self._typer.read(self._typer.declaration.returns) if self._typer.declaration.returns else None

    def _result_expected(self) -> AnyType | None:
        """What a returned value must be: of an async method the result of its task."""
        returned = self.returns()
        return self._typer.awaited(returned) if "async" in self._typer.declaration.modifiers else returned

    def parameter_type(
        self, candidate: Candidate, function: Typed | None, call: Call | New, argument: int
    ) -> AnyType | None:
        """The type of the parameter that an argument goes to, as far as inference gets."""
        member = candidate.member
        if isinstance(member, MemberFact):
            return None
        parameters = member.parameters
        skip = 1 if candidate.holder is None and function is not None else 0
        given = call.arguments[argument]
        if given.name:
            wanted = next((p for p in parameters if p.name == given.name), None)
        else:
            place = min(argument + skip, len(parameters) - 1)
            wanted = parameters[place] if parameters else None
        if wanted is None:
            return None
        read = self._members.read_in(member, wanted.type)
        if "params" in wanted.modifier.split() and argument + skip >= len(parameters) - 1:
            read = self._tools.delegates.element(read)
        receiver = function.receiver if function is not None else None
        return substituted(
            read, self._typer.calls.assigned(candidate, member, receiver, call.arguments, written(call))
        )
