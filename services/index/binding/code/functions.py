"""Functions: their headers, and local functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from services.index.binding.session import simple, span
from services.index.binding.typenames import path_of
from services.index.binding.types.symbol import Bound, Parameter, Signature, Symbol
from services.index.binding.types.types import (
    CALLEE,
    IN_METHOD,
    AnyType,
    Type,
    TypeParameter,
    named,
    substituted,
)
from services.index.binding.values import Local, Scope
from services.index.names.space import Context
from services.model import Kind
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from services.index.binding.binder import ExpressionBinder

_NOWHERE = Type(named("System.Object").known)


class Functions:
    """Binds the headers of functions and members, and the local functions of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session

    def declare(self, node: Node) -> None:
        """Makes a local function known by its name."""
        name = node.get("name")
        if name is None:
            return
        symbol = self._local_function(node, simple(name))
        self._session.scope.names[simple(name)] = Local(span(name)[0], None, symbol)

    def _local_function(self, node: Node, name: str) -> Symbol:
        session = self._session
        own = _type_parameters(node)
        context = _within(session.context, own)
        places = {TypeParameter(each, IN_METHOD): CALLEE[at] for at, each in enumerate(own)}

        def read(written: Node | None) -> AnyType | None:
            text = path_of(written) if written is not None else ""
            return substituted(session.world.reader.read(text, context), places)

        def load() -> Signature:
            bounds = _bounds(node, own, session.world.workspace.bound_in, context)
            with session.world.reader.bounded(bounds):
                returns = read(node.get("type") or node.get("returns"))
                parameters = tuple(_parameter(each, read(each.get("type"))) for each in parameters_of(node))
            placed = tuple(
                Bound(tuple(t for t in (substituted(b, places) for b in bound.types) if t), bound.kinds)
                for bound in (bounds.get(each, Bound()) for each in own)
            )
            return Signature(parameters, returns, placed)

        return Symbol(name, Kind.METHOD, _NOWHERE, frozenset(), load, arity=len(own))

    def bind(self, node: Node) -> None:
        """Binds a local function, all of it."""
        session, expressions = self._session, self._expressions
        name = node.get("name")
        if name is not None and simple(name) not in session.scope.names:
            self.declare(node)
        if name is not None and (local := session.scope.find(simple(name))) is not None:
            session.note_local(name, local)
        context, bounds, returns, results = session.context, session.bounds, session.returns, session.results
        own = _type_parameters(node)
        session.context = _within(context, own)
        session.bounds = {**bounds, **_bounds(node, own, session.world.workspace.bound_in, session.context)}
        session.enter()
        with session.inner(Scope(session.scope)):
            with self.named_in_attributes(node):
                self.attributes(node)
                self.type_parameters(node)
            type_ = expressions.types.read(node.get("type") or node.get("returns"))
            self.constraints(node)
            self.declare_parameters(node)
            session.results, session.returns = None, result_of(type_, is_async=_is_async(node))
            body = node.get("body") or node.child("block", "arrow_expression_clause")
            if body is not None:
                expressions.statements.bind(body)
        session.context, session.bounds, session.returns, session.results = context, bounds, returns, results
        session.enter()

    def declare_parameters(self, node: Node) -> None:
        """The parameters of a function or a member are known in it."""
        parameters = [p for p in parameters_of(node) if all(c.type != "..." for c in p.children)]
        types = [self.parameter(each) for each in parameters]
        with self.named_in_attributes(node):
            for each in parameters:
                self.attributes(each)
        for each, type_ in zip(parameters, types, strict=True):
            self._session.declare(each.get("name"), type_, discards=False)

    @contextmanager
    def named_in_attributes(self, node: Node) -> Iterator[None]:
        """Inside, `nameof` in an attribute may name the parameters of a function or a member, and nothing else may."""
        names = [name for each in parameters_of(node) if (name := each.get("name")) is not None]
        self._session.nameable = {simple(name): Local(span(name)[0], None) for name in names}
        try:
            yield
        finally:
            self._session.nameable = {}

    def parameter(self, node: Node) -> AnyType | None:
        """The type of a parameter; what it is by default is bound, where none of the parameters is known."""
        type_ = self._expressions.types.read(node.get("type"))
        if node.type == "parameter":
            for value in _defaults(node):
                self._expressions.type_of(value, type_)
        return type_

    def type_parameters(self, node: Node) -> None:
        """The attributes of type parameters."""
        listed = node.get("type_parameters") or node.child("type_parameter_list")
        for each in listed.named if listed is not None else ():
            self.attributes(each)

    def attributes(self, node: Node) -> None:
        """The attributes before something."""
        for each in node.named:
            if each.type == "attribute_list":
                for attribute in each.named:
                    if attribute.type == "attribute":
                        self._attribute(attribute)

    def _attribute(self, node: Node) -> None:
        expressions = self._expressions
        name = node.get("name") or node.named[0]
        type_ = expressions.types.attribute(name)
        listed = node.child("attribute_argument_list")
        arguments = []
        for each in listed.named if listed is not None else ():
            property_ = each.get("name")
            if property_ is not None and each.has("="):
                wanted = expressions.creations.member(property_, type_) if type_ is not None else None
                expressions.type_of(each.named[-1], wanted)
            elif each.type == "attribute_argument":
                arguments += expressions.calls.arguments(_listed(each))
        last = name
        while last.type in ("qualified_name", "alias_qualified_name"):
            last = last.get("name") or last.named[-1]
        expressions.creations.construct(type_, arguments, last, "attribute")

    def constraints(self, node: Node) -> None:
        """`where T : …`."""
        for clause in node.named:
            if clause.type == "type_parameter_constraints_clause":
                for each in clause.named:
                    if each.type == "type_parameter_constraint" and each.named:
                        self._expressions.types.read(each.get("type") or each.named[0], "constraint")


def _listed(argument: Node) -> Node:
    """A list with one argument."""
    made = Node("argument_list", argument.start, argument.end, is_named=True, parent=argument.parent)
    made.children = made.named = [argument]
    return made


def parameters_of(node: Node) -> list[Node]:
    """Return the parameters of a function or member; a `params` parameter has no node of its own and is represented
    by the list."""
    listed = node.get("parameters") or node.child("parameter_list", "bracketed_parameter_list")
    if listed is None:
        return []
    found = [each for each in listed.named if each.type == "parameter"]
    if listed.get("name") is not None:
        found.append(listed)
    return found


def _defaults(node: Node) -> list[Node]:
    at = next((i for i, c in enumerate(node.children) if c.type == "="), None)
    if at is not None:
        return [c for c in node.children[at + 1 :] if c.is_named]
    clause = node.child("equals_value_clause")
    return clause.named if clause is not None else []


def _is_async(node: Node) -> bool:
    return any(c.type == "modifier" and (c.text == "async" or c.has("async")) for c in node.children)


def result_of(type_: AnyType | None, *, is_async: bool) -> AnyType | None:
    """Return the type that `return` takes: the result type of the task in an async method."""
    if is_async and isinstance(type_, Type):
        return type_.arguments[0] if type_.arguments else None
    return type_


def _parameter(node: Node, type_: AnyType | None) -> Parameter:
    words = {c.text or c.type for c in node.children}
    for child in node.children:
        words.update(inner.type for inner in child.children)
    way = next((w for w in ("out", "in", "ref") if w in words), "")
    name = node.get("name")
    spread = node.type != "parameter" or "params" in words
    at = span(name)[0] if name is not None else -1
    return Parameter(simple(name) if name is not None else "", type_, way, spread, node.has("="), at)


def _type_parameters(node: Node) -> tuple[str, ...]:
    listed = node.get("type_parameters") or node.child("type_parameter_list")
    if listed is None:
        return ()
    names = (each.get("name") or each.named[-1] for each in listed.named if each.type == "type_parameter")
    return tuple(simple(name) for name in names)


def _within(context: Context, own: tuple[str, ...]) -> Context:
    """The context inside a function with type parameters of its own."""
    if not own:
        return context
    return Context(context.project, (*own, *context.own), context.enclosing, context.levels, context.file)


def _bounds(node: Node, own: tuple[str, ...], read, context: Context) -> dict[str, Bound]:
    clauses = [path_of(each) for each in node.named if each.type == "type_parameter_constraints_clause"]
    text = " ".join(
        clause.replace("where", "where ", 1) if not clause.startswith("where ") else clause
        for clause in clauses
    )
    text = text.replace(":", " : ")
    return {name: read(text, name, context) for name in own} if text else {}
