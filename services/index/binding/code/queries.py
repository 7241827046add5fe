"""Query expressions as the calls they stand for (C# specification 12.20.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from services.index.binding.types.types import AnyType, Type, named
from services.index.binding.values import Scope, Value
from services.syntax.bodies.tree import Node

if TYPE_CHECKING:
    from services.index.binding.code.expressions import Expressions


State = tuple[AnyType | None, AnyType | None]
"""What the clauses so far give, and what its elements are."""
Clause = Callable[[Node, AnyType | None, AnyType | None], State]


class Queries:
    """Binds the queries of one declaration: the range variables are locals of the elements' types."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._clauses: Mapping[str, Clause] = {
            "from_clause": self._from,
            "join_clause": self._join,
            "let_clause": self._let,
            "where_clause": self._where,
            "order_by_clause": self._order,
            "select_clause": self._select,
            "group_clause": self._group,
        }

    def bind(self, node: Node) -> Value:
        """What a query gives."""
        with self._session.inner():
            return self._bind(node)

    def _bind(self, node: Node) -> Value:
        source: AnyType | None = None
        element: AnyType | None = None
        into = False
        for clause in node.children:
            if clause.type == "into":
                into = True
                continue
            if into:
                into = False
                element = self._session.overloads.element(source)
                self._session.scope = Scope(self._session.scope.outer)
                self._session.declare(clause, element)
                continue
            handled = self._clauses.get(clause.type)
            if handled is not None:
                source, element = handled(clause, source, element)
        return Value("value", source) if source is not None else Value("value")

    def _from(self, node: Node, source: AnyType | None, element: AnyType | None) -> State:
        written = node.get("type")
        type_ = self._expressions.types.read(written)
        name = node.get("name")
        value = next((each for each in reversed(node.named) if each is not name), None)
        found = self._expressions.type_of(value)
        of = type_ or self._elements(found)
        self._session.declare(name, of)
        if source is None:
            if type_ is not None:
                self._session_method("Cast", found, node)
            return found, of
        self._session_method("SelectMany", source, node)
        return source, element

    def _elements(self, type_: AnyType | None) -> AnyType | None:
        """What a range variable is: an element, or what the parameter of the source's own `Select` or `Where` is."""
        found = self._session.overloads.element(type_)
        if found is not None or type_ is None:
            return found
        for name in ("Select", "Where", "SelectMany", "OrderBy"):
            for candidate in self._session.world.find(type_, name).candidates:
                parameters = candidate.symbol.parameters
                delegate = (
                    self._session.world.delegate(candidate.type(parameters[0].type)) if parameters else None
                )
                if delegate is not None and delegate.symbol.parameters:
                    return delegate.type(delegate.symbol.parameters[0].type)
        return None

    def _join(self, node: Node, source: AnyType | None, element: AnyType | None) -> State:
        name = node.named[0]
        values = [each for each in node.named[1:] if each.type != "join_into_clause"]
        written = node.get("type")
        if written is not None:
            self._expressions.types.read(written)
        inner = self._expressions.type_of(values[0]) if values else None
        of = self._elements(inner)
        if len(values) > 1:
            self._expressions.type_of(values[1])
        with self._session.inner():
            self._session.declare(name, of)
            for each in values[2:]:
                self._expressions.type_of(each)
        into = node.child("join_into_clause")
        if into is not None and into.named:
            self._session.declare(into.named[-1], named("System.Collections.Generic.IEnumerable`1", of))
            self._session_method("GroupJoin", source, node)
        else:
            self._session.declare(name, of)
            self._session_method("Join", source, node)
        return source, element

    def _let(self, node: Node, source: AnyType | None, element: AnyType | None) -> State:
        type_ = self._expressions.type_of(node.named[-1])
        self._session.declare(node.named[0], type_)
        self._session_method("Select", source, node)
        return source, element

    def _where(self, node: Node, source: AnyType | None, element: AnyType | None) -> State:
        self._expressions.type_of(node.named[-1])
        self._session_method("Where", source, node)
        return source, element

    def _order(self, node: Node, source: AnyType | None, element: AnyType | None) -> State:
        for each in node.named:
            self._expressions.type_of(each)
        descending = node.has("descending")
        found = self._session_method("OrderByDescending" if descending else "OrderBy", source, node)
        return found or source, element

    def _select(self, node: Node, source: AnyType | None, element: AnyType | None) -> State:
        del element
        value = self._expressions.bind(node.named[-1] if node.named else None)
        type_ = self._expressions.settle(value)
        return self._given("Select", source, type_, node), type_

    def _group(self, node: Node, source: AnyType | None, element: AnyType | None) -> State:
        del element
        parts = node.named
        of = self._expressions.type_of(parts[0]) if parts else None
        key = self._expressions.type_of(parts[-1]) if len(parts) > 1 else None
        self._session_method("GroupBy", source, node)
        grouping = named("System.Linq.IGrouping`2", key, of)
        if self._session.overloads.element(source) is None and source is not None:
            return None, None
        return named(_sequence(source), grouping), grouping

    def _given(self, name: str, source: AnyType | None, type_: AnyType | None, node: Node) -> AnyType | None:
        """What `Select` gives: a sequence, or what the source's own method returns."""
        own = self._session_method(name, source, node)
        if self._session.overloads.element(source) is not None or source is None:
            return named(_sequence(source), type_)
        return own

    def _session_method(self, name: str, source: AnyType | None, node: Node) -> AnyType | None:
        """The method of the source that a clause calls: it is noted where it is of the workspace and alone."""
        session = self._session
        if source is None:
            return None
        found = session.world.find(source, name).candidates
        if not found:
            groups = session.overloads.extensions_of(name, source)
            found = groups
        if len(found) == 1:
            session.note_silent(node.start, node.start + 1, found[0].symbol, "query")
            return found[0].returns
        return None


def _sequence(source: AnyType | None) -> str:
    if isinstance(source, Type) and source.fqn in (
        "System.Linq.IQueryable`1",
        "System.Linq.IOrderedQueryable`1",
    ):
        return "System.Linq.IQueryable`1"
    return "System.Collections.Generic.IEnumerable`1"
