"""Lambdas and anonymous methods: bound once for each list of types that their parameters may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from services.index.binding.facts import Facts
from services.index.binding.types.conversions import Fit
from services.index.binding.types.symbol import Candidate
from services.index.binding.types.types import (
    EXPRESSION,
    OF_CALLEE,
    TASK,
    TASK_OF,
    VOID,
    AnyType,
    Type,
    mentions,
    named,
    same,
)
from services.index.binding.values import DeferredFunction, Scope, Value
from services.syntax.bodies.ends import is_end_reached, returns
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from services.index.binding.binder import ExpressionBinder

_VALUE_TASK_OF = "System.Threading.Tasks.ValueTask`1"
_TASKS = frozenset({TASK_OF, _VALUE_TASK_OF})
_PLAIN_TASKS = frozenset({TASK, "System.Threading.Tasks.ValueTask"})
_STATEMENTS = frozenset(
    {
        "invocation_expression",
        "object_creation_expression",
        "implicit_object_creation_expression",
        "assignment_expression",
        "await_expression",
        "postfix_unary_expression",
        "prefix_unary_expression",
        "conditional_access_expression",
        "throw_expression",
    }
)


class Body(msgspec.Struct):
    """The body of a function as it is with some types of parameters. `found`: what its names are; `values`: what it
    gives, settled later; `types`: the natural types of these; `errors`: of what was found in it."""

    found: Facts
    values: list[Value]
    types: list[AnyType | None]
    errors: int


class Lambda(DeferredFunction):
    """A function that is written as an expression."""

    def __init__(self, expressions: ExpressionBinder, node: Node) -> None:
        self._begin(expressions, node.get("body") or node.named[-1])
        self._place = node.get("parameters") or node.children[0]
        self.is_async = any(c.text == "async" or c.type == "async" for c in node.children)
        self._parameters = _parameters(node)
        with self._session.scratch() as found:
            expressions.functions.attributes(node)
            for each in self._parameters or ():
                expressions.functions.attributes(each)
            types = [expressions.functions.parameter(each) for each in self._parameters or ()]
            returns = node.get("type")
            self._returns = expressions.types.read(returns) if returns is not None else None
        self._head = found
        self.written = tuple(types) if self._parameters is not None else None

    def _begin(self, expressions: ExpressionBinder, body: Node) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._place = body
        self._scope: Scope = self._session.scope
        self._bodies: dict[tuple[AnyType | None, ...], Body] = {}
        self._body = body
        self._head = Facts()
        self._parameters: list[Node] | None = None
        self._returns: AnyType | None = None
        self.written: tuple[AnyType | None, ...] | None = None
        self.is_async = False
        self.is_block = body.type == "block"

    @property
    def count(self) -> int | None:
        """How many parameters are listed; None where none are, as in `delegate { }`."""
        return len(self._parameters) if self._parameters is not None else None

    # As what it converts to

    def fit(self, wanted: AnyType | None) -> Fit:
        """Whether it converts to a delegate."""
        delegate = self._session.world.delegate(wanted)
        if delegate is None:
            return self._fit_of_none(wanted)
        parameters = delegate.symbol.parameters
        if self.count is not None and self.count != len(parameters):
            return Fit.NO
        types = [delegate.type(p.type) for p in parameters]
        for own, type_ in zip(self.written or (), types, strict=False):
            if (
                own is not None
                and type_ is not None
                and not mentions(type_, OF_CALLEE)
                and not same(own, type_)
            ):
                return Fit.NO
        is_open = any(type_ is None or mentions(type_, OF_CALLEE) for type_ in types)
        if is_open and None in (self.written or ()):
            return Fit.MAYBE
        return self._result_fit(self._bound(tuple(types)), delegate)

    def _fit_of_none(self, wanted: AnyType | None) -> Fit:
        if wanted is None or self._session.world.is_unknown(wanted):
            return Fit.MAYBE
        if isinstance(wanted, Type) and wanted.fqn in (
            "System.Delegate",
            "System.MulticastDelegate",
            "System.Object",
        ):
            return Fit.YES if self.natural() is not None else Fit.NO
        return Fit.NO

    def _result_fit(self, body: Body, delegate: Candidate) -> Fit:
        result = delegate.returns
        gives = self._gives(body)
        if isinstance(result, Type) and result.fqn == VOID:
            fit = Fit.NO if self.is_block and gives else Fit.YES
            if not self.is_block and self._plain_body().type not in _STATEMENTS:
                fit = Fit.NO
            return self._with_errors(fit, body)
        if self.is_async:
            if not isinstance(result, Type):
                return Fit.MAYBE
            if result.fqn in _PLAIN_TASKS:
                is_void = not gives if self.is_block else self._plain_body().type in _STATEMENTS
                return self._with_errors(Fit.YES if is_void else Fit.NO, body)
            if result.fqn not in _TASKS:
                return Fit.MAYBE if self._session.world.is_unknown(result) else Fit.NO
            result = result.arguments[0]
        if not gives and not self._never_ends():
            return Fit.NO
        overloads = self._session.overloads
        fits = [overloads.converts(value, result) for value in body.values]
        if result is None or mentions(result, OF_CALLEE):
            fits = [Fit.NO if _is_void(v) else Fit.MAYBE for v in body.values]
        return self._with_errors(min(fits, default=Fit.YES), body)

    def _with_errors(self, fit: Fit, body: Body) -> Fit:
        return min(fit, Fit.DOUBTFUL) if body.errors else fit

    def _plain_body(self) -> Node:
        body = self._body
        while body.type == "parenthesized_expression" and body.named:
            body = body.named[-1]
        return body

    def _gives(self, body: Body) -> bool:
        return bool(body.values) if self.is_block else True

    def _never_ends(self) -> bool:
        if not self.is_block:
            return self._plain_body().type == "throw_expression"
        return not is_end_reached(self._body) and not returns(self._body)

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Binds it to a delegate; what it is then."""
        session = self._session
        delegate = session.world.delegate(wanted)
        if delegate is None:
            wanted = self.natural()
            delegate = session.world.delegate(wanted)
        types: list[AnyType | None] = list(self.written or ())
        if delegate is not None:
            told = [delegate.type(p.type) for p in delegate.symbol.parameters]
            self._note_count(wanted, len(told))
            types = [_closed(type_) for type_ in told] if self.count in (None, len(told)) else types
            types = [
                own if own is not None else t for own, t in zip(self.written or types, types, strict=False)
            ]
        body = self._bound(tuple(types))
        session.found.extend(self._head)
        session.found.extend(body.found)
        result = self._returns or (delegate.returns if delegate is not None else None)
        if self.is_async and isinstance(result, Type):
            result = result.arguments[0] if result.fqn in _TASKS else None
        for value in body.values:
            self._expressions.settle(value, _closed(result))
        session.errors += body.errors
        return wanted

    def _note_count(self, wanted: AnyType | None, takes: int) -> None:
        """A delegate of the workspace that gives another number of arguments than the function takes."""
        index = wanted.index if isinstance(wanted, Type) else None
        if index is not None and self.count not in (None, takes):
            reason = f"takes {takes}, the function {self.count}"
            self._session.note_misfit(self._place, index, "function", reason)

    def better(self, one: AnyType | None, other: AnyType | None) -> int:
        """Compare two target types by their return types (12.6.4.6)."""
        world, session = self._session.world, self._session
        first, second = world.delegate(one), world.delegate(other)
        if first is None or second is None:
            return 0
        expression = [isinstance(t, Type) and t.fqn == EXPRESSION for t in (one, other)]
        types = [tuple(d.type(p.type) for p in d.symbol.parameters) for d in (first, second)]
        if expression[0] != expression[1] or len(types[0]) != len(types[1]):
            return 0
        if not all(same(a, b) for a, b in zip(*types, strict=True)):
            return 0
        results = first.returns, second.returns
        void = [isinstance(r, Type) and r.fqn == VOID for r in results]
        if void[0] != void[1]:
            return -1 if void[0] else 1
        if void[0]:
            return 0
        given = self.returned(types[0], results[0])
        exact = [given is not None and r is not None and same(given, r) for r in results]
        if exact[0] != exact[1]:
            return 1 if exact[0] else -1
        way = self._by_task(results, types[0])
        return way or session.overloads.better_target(*results)

    def _by_task(
        self, results: tuple[AnyType | None, AnyType | None], types: tuple[AnyType | None, ...]
    ) -> int:
        """An async function compares what its tasks give."""
        if not self.is_async:
            return 0
        inner = [r.arguments[0] if isinstance(r, Type) and r.fqn in _TASKS else None for r in results]
        if None in inner:
            return 0
        values = self._bound(types).types
        found = [all(v is not None and same(v, i) for v in values) for i in inner]
        if found[0] != found[1]:
            return 1 if found[0] else -1
        return self._session.overloads.better_target(*inner)

    # What it gives

    def results(
        self, inputs: tuple[AnyType | None, ...], result: AnyType | None
    ) -> list[AnyType | Value | None]:
        """Return the type of the result for inference; None where it is unknown."""
        if self.count is not None and self.count != len(inputs):
            return []
        found = self.returned(inputs, result)
        if found is not None:
            return [] if isinstance(found, Type) and found.fqn == VOID else [found]
        body = self._bound(self._with_written(inputs))
        if self.is_async or len(body.values) != 1 or body.values[0].deferred is None:
            told = [v for v in body.values if not v.is_null]
            return [None] if told and not self._is_target_typed(body) else []
        return [body.values[0]]

    def _is_target_typed(self, body: Body) -> bool:
        return all(value.deferred is not None and value.type is None for value in body.values)

    def returned(self, inputs: tuple[AnyType | None, ...], result: AnyType | None) -> AnyType | None:
        """The inferred return type (12.6.3.13)."""
        if self._returns is not None:
            return self._returns
        body = self._bound(self._with_written(inputs))
        common = self._common(body)
        if not self.is_async:
            return common
        task = result.fqn if isinstance(result, Type) and result.fqn == _VALUE_TASK_OF else TASK_OF
        if isinstance(common, Type) and common.fqn == VOID:
            plain = isinstance(result, Type) and result.fqn == "System.Threading.Tasks.ValueTask"
            return named("System.Threading.Tasks.ValueTask" if plain else TASK)
        return named(task, common) if common is not None else None

    def _common(self, body: Body) -> AnyType | None:
        if not body.values:
            return named(VOID) if not self._never_ends() else None
        return self._session.overloads.common(body.values)

    def natural(self) -> AnyType | None:
        """The delegate that it is of by itself, where its parameters have types."""
        if self.written is None or any(type_ is None for type_ in self.written):
            return None
        returned = self.returned(self.written, None)
        if returned is None:
            return None
        if isinstance(returned, Type) and returned.fqn == VOID:
            count = len(self.written)
            return named(f"System.Action`{count}" if count else "System.Action", *self.written)
        return named(f"System.Func`{len(self.written) + 1}", *self.written, returned)

    def _with_written(self, inputs: tuple[AnyType | None, ...]) -> tuple[AnyType | None, ...]:
        if self.written is None:
            return inputs
        pairs = zip(self.written, inputs, strict=False)
        return tuple(own if own is not None else given for own, given in pairs)

    # Binding

    def _bound(self, types: tuple[AnyType | None, ...]) -> Body:
        known = self._bodies.get(types)
        if known is None:
            known = self._bodies[types] = self._bind(types)
        return known

    def _bind(self, types: tuple[AnyType | None, ...]) -> Body:
        session = self._session
        results, returns = session.results, session.returns
        values: list[Value] = []
        session.results, session.returns = values, None  # pyright: ignore[reportAttributeAccessIssue]
        try:
            with session.scratch() as found, session.inner(Scope(self._scope)):
                names = [_name(each) for each in self._parameters or ()]
                several = sum(name is not None and name.text == "_" for name in names) > 1
                for name, type_ in zip(names, types, strict=False):
                    session.declare(name, type_, discards=several)  # of several `_` none is a name (C# 9)
                if self.is_block:
                    self._expressions.statements.block(self._body)
                else:
                    self._expressions.statements.give(self._expressions.bind(self._body))
                errors = session.errors
        finally:
            session.results, session.returns = results, returns
        natural = [value.type for value in values]
        return Body(found, values, natural, errors)


def _name(parameter: Node) -> Node | None:
    is_bare = parameter.type in ("implicit_parameter", "identifier")
    return parameter if is_bare else parameter.get("name")


def _is_void(value: Value) -> bool:
    return isinstance(value.type, Type) and value.type.fqn == VOID


def _closed(type_: AnyType | None) -> AnyType | None:
    """A type without type parameters that were not inferred."""
    return None if type_ is None or mentions(type_, OF_CALLEE) else type_


def _parameters(node: Node) -> list[Node] | None:
    listed = node.get("parameters")
    if listed is None:
        return None
    if listed.type == "parameter_list":
        found = [each for each in listed.named if each.type in ("parameter", "implicit_parameter")]
        if listed.get("name") is not None:  # `params` has no node of its own
            found.append(listed)
        return found
    return [listed]
