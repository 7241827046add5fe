"""Of which type a local is: written, that of its value, or what tells a lambda its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.index.framework.facts import MemberFact
from services.index.usages.infer import inference
from services.index.usages.types.delegates import parameter_at
from services.index.usages.types.member import Member
from services.index.usages.types.typed import Typed, called
from services.index.usages.types.types import AnyType, TupleType, Type, unwrapped
from services.syntax.bodies.expressions import Call, Local, New

if TYPE_CHECKING:
    from services.index.usages.infer.typer import Typer


class Locals:
    """Types the locals of one declaration."""

    def __init__(self, typer: Typer) -> None:
        self._typer = typer
        self._tools = typer.tools
        self._members = typer.tools.members
        self._types: dict[Local, AnyType | None] = {}
        self._open: set[Local] = set()

    def named(self, name: str, at: int) -> Typed | None:
        """The local that a name means at an offset; None where it means none."""
        local = self._typer.body.local(name, at)
        if local is None:
            if name == "value" and any(
                word in ("set", "init", "add", "remove") for word, _ in self._typer.declaration.accessors
            ):
                return Typed("value", self._typer.expecting.returns(), local=True)
            return self._receiver(name)
        if local.how == "function":
            return Typed("methods", self._typer.read(local.type) if local.type else None, local=True)
        return Typed("value", self._type(local), local=True)

    def _receiver(self, name: str) -> Typed | None:
        """The receiver of the extension block around."""
        received = self._typer.declaration.receiver
        if received is None or not name or received.name != name:
            return None
        return Typed("value", self._typer.read(received.type), local=True)

    def _type(self, local: Local) -> AnyType | None:
        if local in self._types:
            return self._types[local]
        if local in self._open:
            self._typer.cuts += (
                1  # a local in its own initialiser, or a lambda's in what tells the lambda's type
            )
            return None
        self._open.add(local)
        cuts = self._typer.cuts
        try:
            found = self._found(local)
        finally:
            self._open.discard(local)
        if cuts == self._typer.cuts or not self._open:
            self._types[local] = found
        return found

    def _found(self, local: Local) -> AnyType | None:
        if local.how == "typed":
            return self._typer.read(local.type)
        if local.how == "lambda":
            return self._lambda_parameter(local)
        value = self._typer.type_of(local.value) if local.value is not None and local.how != "out" else None
        if local.how == "element":
            return self._tools.delegates.element(value)
        if local.how == "unwrapped":
            return unwrapped(value)
        if local.how in ("part", "element part"):
            if local.how == "element part":
                value = self._tools.delegates.element(value)
            return self._part(value, local.places)
        if local.how == "out":
            return self._out(local)
        return value if local.how == "value" else None

    def _part(self, value: AnyType | None, places: Sequence[int]) -> AnyType | None:
        for place in places:
            if isinstance(value, TupleType) and place < len(value.elements):
                value = value.elements[place]
            elif isinstance(value, Type) and value.fqn == "System.Collections.Generic.KeyValuePair`2":
                value = value.arguments[place] if place < len(value.arguments) else None
            else:
                return None
        return value

    def _out(self, local: Local) -> AnyType | None:
        call = local.value
        if not isinstance(call, Call):
            return None
        function, choice = self._typer.calls.chosen(call)
        if function is None or not choice.candidates or not choice.certain:
            return None
        member = choice.candidates[0].member
        if isinstance(member, MemberFact):
            return inference.out_of_framework(member, choice.candidates[0].holder, function.receiver)
        return self._typer.expecting.parameter_type(choice.candidates[0], function, call, local.places[0])

    def _lambda_parameter(self, local: Local) -> AnyType | None:
        expected, place = local.expected, local.places[0]
        if expected is None:
            return None
        if expected.call is None:
            return parameter_at(
                self._tools.delegates.signature(self._typer.expecting.expected(expected)), place
            )
        if isinstance(expected.call, New):
            return self._of_creation(expected.call, expected.argument, place)
        function, choice = self._typer.calls.chosen(expected.call)
        if function is None or not choice.candidates:
            return None
        name = called(expected.call)
        first = choice.candidates[0]
        if isinstance(first.member, MemberFact):
            if not all(isinstance(c.member, MemberFact) for c in choice.candidates):
                return None
            if first.holder is None and not self._tools.extensions.are_of_linq(choice.candidates, name):
                return None
            if name == "GroupBy" and expected.argument > 0:
                return None  # what its second lambda gets depends on the overload
            return self._tools.delegates.given(first.holder, name, function.receiver, place)
        found = {
            parameter_at(
                self._tools.delegates.signature(
                    self._typer.expecting.parameter_type(c, function, expected.call, expected.argument)
                ),
                place,
            )
            for c in choice.candidates
            if isinstance(c.member, Member)
        }
        return found.pop() if len(found) == 1 else None

    def _of_creation(self, created: New, argument: int, place: int) -> AnyType | None:
        type_ = self._typer.type_of(created)
        if not isinstance(type_, Type):
            return None
        lookup = self._members.find((type_,), ".ctor")
        choice = self._typer.calls.choose(lookup.candidates, created.arguments, 0)
        if not choice.certain or not choice.candidates:
            return None
        wanted = self._typer.expecting.parameter_type(choice.candidates[0], None, created, argument)
        return parameter_at(self._tools.delegates.signature(wanted), place)
