"""Members the language finds by shape: elements of `foreach`, results of `await`, parts of deconstructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.index.binding.choice.misfits import count_misfit
from services.index.binding.types.symbol import Candidate, Parameter
from services.index.binding.types.types import (
    CALLEE,
    AnyType,
    TupleType,
    Type,
    is_array,
    is_dynamic,
    substituted,
    unwrapped,
)
from services.index.binding.values import Argument, Target, Value
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from services.index.binding.binder import ExpressionBinder

_ASYNC = "System.Collections.Generic.IAsyncEnumerable`1"
_FILLED = frozenset(
    f"System.Collections.Generic.{name}`1"
    for name in ("IEnumerable", "ICollection", "IList", "IReadOnlyCollection", "IReadOnlyList")
)
_NESTED = ("tuple_pattern", "parenthesized_variable_designation")
_BUILT = "System.Collections.Immutable."
_DECONSTRUCTION = "deconstruction"


class Shapes:
    """Finds them in one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._world = expressions.world

    # Elements

    def element(self, type_: AnyType | None, place: Node, *, waits: bool) -> AnyType | None:
        """Return the element type of `foreach`; `GetEnumerator` and `Current` are noted."""
        if is_dynamic(type_):
            return type_
        if not waits and is_array(type_) and isinstance(type_, Type):
            return type_.arguments[0]
        found = self._by_method(type_, place, waits=waits)
        if found is None and not waits:
            found = self._world.inline_element(type_)
        if found is not None:
            return found
        if waits:
            base = self._world.base_of(type_, _ASYNC)
            return base.arguments[0] if base is not None and base.arguments else None
        return self._session.overloads.element(type_)

    def _by_method(self, type_: AnyType | None, place: Node, *, waits: bool) -> AnyType | None:
        name = "GetAsyncEnumerator" if waits else "GetEnumerator"
        getter = self.call(type_, name, ())
        if getter is None:
            return None
        candidate, enumerator = getter
        self._session.note_silent(place.start, place.end, candidate.symbol, "foreach")
        current = self._world.find(enumerator, "Current").candidates
        if not current:
            return None
        self._session.note_silent(place.start, place.end, current[0].symbol, "foreach")
        mover = self.call(enumerator, "MoveNextAsync" if waits else "MoveNext", ())
        if mover is not None:
            self._session.note_silent(place.start, place.end, mover[0].symbol, "foreach")
        returns = current[0].returns
        if isinstance(returns, Type) and returns.fqn == "System.Object" and not waits:
            element = self._session.overloads.element(type_)
            return element or returns
        return returns

    def call(
        self, type_: AnyType | None, name: str, arguments: tuple[Argument, ...]
    ) -> tuple[Candidate, AnyType | None] | None:
        """The method, of the type or an extension, that a call by shape means, and what it gives."""
        if type_ is None:
            return None
        overloads = self._session.overloads
        lookup = self._world.find(type_, name)
        methods = [c for c in lookup.candidates if c.symbol.is_method and not c.symbol.is_static]
        choice = overloads.choose(methods, list(arguments))
        if choice.best is None:
            group = Value("methods", receiver=type_, extensions=True, name=name)
            choice = overloads.extension(group, list(arguments), ())
        return (choice.best, choice.returns) if choice.best is not None else None

    def filled_with(self, type_: AnyType) -> AnyType | None:
        """The type of the elements of what a collection expression makes."""
        if is_array(type_) and isinstance(type_, Type):
            return type_.arguments[0]
        if not isinstance(type_, Type):
            return None
        if type_.fqn in _FILLED or type_.fqn.startswith(_BUILT):
            return type_.arguments[0] if len(type_.arguments) == 1 else None
        found = self._session.overloads.element(type_)
        if found is not None:
            return found
        getter = self.call(type_, "GetEnumerator", ())
        if getter is None:
            return None
        current = self._world.find(getter[1], "Current").candidates
        return current[0].returns if current else None

    # Waiting

    def awaited(self, type_: AnyType | None, place: Node) -> AnyType | None:
        """Return the result type of `await`; the methods of the awaiter are noted."""
        if type_ is None or is_dynamic(type_):
            return type_
        getter = self.call(type_, "GetAwaiter", ())
        if getter is None:
            return None
        result = self.call(getter[1], "GetResult", ())
        completed = self._world.find(getter[1], "IsCompleted").candidates
        for each in (getter[0], *completed[:1], *((result[0],) if result is not None else ())):
            self._session.note_silent(place.start, place.start + 5, each.symbol, "await")
        return result[1] if result is not None else None

    # Deconstruction

    def target(self, node: Node) -> Target:
        """Bind a part of the left side of `=`."""
        if node.type == "argument" and node.named:
            node = node.named[-1]
        if node.type == "tuple_expression":
            return Target(parts=[self.target(each) for each in node.named], node=node)
        if node.type == "declaration_expression":
            pattern = next(
                (c for c in node.named if c.type in _NESTED),
                None,
            )
            if pattern is not None:
                return self.pattern(pattern)
            type_ = self._expressions.types.read(node.get("type"))
            return Target(type_, self._session.declare(node.get("name"), type_), node=node)
        if node.type == "tuple_pattern":
            return self.pattern(node)
        if node.type == "discard" or (node.type == "identifier" and node.text == "_"):
            return Target(node=node)
        return Target(self._expressions.receiver(node).type, node=node)

    def pattern(self, node: Node) -> Target:
        """`(x, (y, _))` of `var (…)`: all of them are declared."""
        parts: list[Target] = []
        for each in node.named:
            if each.type in _NESTED:
                parts.append(self.pattern(each))
            elif each.type == "identifier" and each.text != "_":
                parts.append(Target(None, self._session.declare(each, None), node=each))
            else:
                parts.append(Target(node=each))
        return Target(parts=parts, node=node)

    def deconstruct(self, left: Node, type_: AnyType | None, place: Node) -> None:
        """Gives each part of a pattern its type."""
        target = self.target(left)
        self.give(target, type_, place)

    def give(self, target: Target, type_: AnyType | None, place: Node | None = None) -> None:
        """A part gets a value of a type."""
        if target.parts is not None:
            types = self.parts(type_, len(target.parts), place or target.node)
            for part, each in zip(target.parts, types, strict=True):
                self.give(part, each, place)
        elif target.local is not None and target.local.type is None:
            target.local.type = type_
            if target.node is not None and target.node.type == "declaration_expression":
                self._session.note_inferred(target.node.get("type"), type_)

    def parts(
        self, type_: AnyType | None, count: int, place: Node | None, names: Sequence[str] = ()
    ) -> list[AnyType | None]:
        """Return the types that a value deconstructs to: elements of a tuple, or the parameters of `Deconstruct`.
        `names`: what a pattern calls them, empty where it names none."""
        inner = unwrapped(type_)
        if isinstance(inner, TupleType) and len(inner.elements) == count:
            return list(inner.elements)
        if inner is None:
            return [None] * count
        arguments = tuple(Argument(Value("value"), way="out", declares=True) for _ in range(count))
        overloads = self._session.overloads
        found = self._world.find(inner, "Deconstruct").candidates
        choice = overloads.choose(found, list(arguments))
        if choice.best is None:
            group = Value("methods", receiver=inner, extensions=True, name="Deconstruct")
            choice = overloads.extension(group, list(arguments), ())
        if choice.best is None or len(choice.types) != count:
            for each in found if choice.best is None else ():
                reason = count_misfit(each.symbol.parameters, count)
                if reason and place is not None:
                    self._session.note_silent(place.start, place.end, each.symbol, _DECONSTRUCTION, reason)
            return [None] * count
        if place is not None and choice.certain:
            symbol = choice.best.symbol
            reason = _misnamed(symbol.parameters[-count:], names)
            self._session.note_silent(place.start, place.end, symbol, _DECONSTRUCTION, reason)
        return [substituted(each, dict.fromkeys(CALLEE)) for each in choice.types]


def _misnamed(parameters: Sequence[Parameter], names: Sequence[str]) -> str:
    """Why names of a positional pattern are not those of the parameters in their places; empty where they are."""
    known = {each.name for each in parameters}
    for number, (name, each) in enumerate(zip(names, parameters, strict=False), 1):
        if name and name != each.name:
            return f"parameter {number} is not {name}" if name in known else f"has no parameter {name}"
    return ""
