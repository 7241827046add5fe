"""Query expressions, bound as their equivalent calls (C# specification 12.20.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from services.index.binding.code.lambdas import Body, Lambda
from services.index.binding.session import simple, span
from services.index.binding.types.types import ANONYMOUS, AnyType, Type, named
from services.index.binding.values import Argument, Choice, Local, Scope, Value
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from services.index.binding.binder import ExpressionBinder

_SEQUENCE = "System.Collections.Generic.IEnumerable`1"
Variables = tuple[Node, ...]
"""Range variables, by the nodes of their names: several are those of one object."""


class Clause(Lambda):
    """Lambda that represents a query clause. `takes`: the range variables of each of its parameters; `gives`: binds
    the result, whose expression is `node`."""

    def __init__(
        self,
        expressions: ExpressionBinder,
        takes: Sequence[Variables],
        node: Node,
        gives: Callable[[], Value],
    ) -> None:
        self._begin(expressions, node)
        self._takes = takes
        self._gives_value = gives
        self.written = (None,) * len(takes)
        self.guessed: tuple[AnyType | None, ...] = (None,) * len(takes)

    @property
    def count(self) -> int:
        """How many parameters it has."""
        return len(self._takes)

    def settle(self, wanted: AnyType | None) -> AnyType | None:
        """Convert like any function; where nothing determines the parameter types, use those of the query's
        source."""
        if self._session.world.delegate(wanted) is not None:
            return super().settle(wanted)
        body = self._bound(self.guessed)
        self._session.found.extend(body.found)
        for value in body.values:
            self._expressions.settle(value)
        return None

    def _bind(self, types: tuple[AnyType | None, ...]) -> Body:
        session = self._session
        with session.scratch() as found, session.inner(Scope(self._scope)) as scope:
            for variables, type_ in zip(self._takes, types, strict=False):
                scope.names.update(_locals(variables, type_))
            value = self._gives_value()
            errors = session.errors
        return Body(found, [value], [value.type], errors)


class Queries:
    """Binds the queries of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session

    def bind(self, node: Node) -> Value:
        """Bind a query and return its result."""
        with self._session.inner():
            return _Query(self._expressions, node).bind()


class _Query:
    """A query while it is bound: `source` is what the clauses so far give, `variables` are those in scope."""

    def __init__(self, expressions: ExpressionBinder, node: Node) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._clauses = [each for each in node.children if each.type != "into"]
        self._source = Value("value")
        self._variables: Variables = ()
        self._at = 0
        self._kinds: Mapping[str, Callable[[Node], None]] = {
            "from_clause": self._from,
            "join_clause": self._join,
            "let_clause": self._let,
            "where_clause": self._where,
            "order_by_clause": self._order,
            "select_clause": self._select,
            "group_clause": self._group,
            "identifier": self._into,
        }

    def bind(self) -> Value:
        """Bind the clauses and return the result."""
        while self._at < len(self._clauses):
            clause = self._clauses[self._at]
            self._at += 1
            handled = self._kinds.get(clause.type)
            if handled is not None:
                handled(clause)
        return self._source

    # Clauses

    def _from(self, node: Node) -> None:
        name = node.get("name")
        written = next((each for each in reversed(node.named) if each is not name), None)
        if name is None:
            return
        self._note(name)
        if not self._variables:
            self._source = self._cast(self._expressions.receiver(written), node)
            self._variables = (name,)
            return
        self._several("SelectMany", node, [self._of(written, node)], (name,))

    def _of(self, written: Node | None, node: Node) -> Clause:
        """Return the lambda of a further source over the variables so far."""
        place = written or node
        return self._clause(
            [self._variables], place, lambda: self._cast(self._expressions.bind(written), node)
        )

    def _cast(self, source: Value, node: Node) -> Value:
        """Bind a source with a declared element type."""
        source = self._settled(source)
        type_ = self._expressions.types.read(node.get("type"))
        if type_ is None:
            return source
        found = self._call("Cast", node, [], source=source, generic=(type_,))
        return found if found.type is not None else Value("value", named(_SEQUENCE, type_))

    def _join(self, node: Node) -> None:
        into = node.child("join_into_clause")
        parts = [each for each in node.named if each is not node.get("type") and each is not into]
        name, values = parts[0], parts[1:]
        if len(values) < 3:
            return
        self._note(name)
        inner = self._cast(self._expressions.receiver(values[0]), node)
        arguments = [
            Argument(inner),
            Argument(Value("value", deferred=self._expression([self._variables], values[1]))),
            Argument(Value("value", deferred=self._expression([(name,)], values[2], inner))),
        ]
        taken: Node = name
        if into is not None and into.named:
            taken = into.named[-1]
            self._note(taken)
        self._several("Join" if into is None else "GroupJoin", node, arguments, (taken,))

    def _let(self, node: Node) -> None:
        name, written = node.named[0], node.named[-1]
        self._note(name)
        before = self._variables
        self._variables = (*before, name)
        every = self._variables
        made = self._clause([before], written, lambda: self._object(every, self._expressions.bind(written)))
        self._source = self._call("Select", node, [made])

    def _where(self, node: Node) -> None:
        condition = self._expression([self._variables], node.named[-1])
        self._keep(self._call("Where", node, [condition]))

    def _order(self, node: Node) -> None:
        children = node.children
        first = True
        for at, each in enumerate(children):
            if not (each.is_named or each.type in ("this", "base")):
                continue
            descends = at + 1 < len(children) and children[at + 1].type == "descending"
            name = ("OrderBy" if first else "ThenBy") + ("Descending" if descends else "")
            first = False
            self._keep(self._call(name, each, [self._expression([self._variables], each)]))

    def _keep(self, found: Value) -> None:
        """Take over the result of a clause that does not change elements: where it is unknown, the source remains."""
        if found.type is not None:
            self._source = found

    def _select(self, node: Node) -> None:
        written = node.named[-1] if node.named else node
        if self._at > 2 and self._is_same(written) and self._clauses[self._at - 2].type != "identifier":
            self._expressions.type_of(self._rebound(written))
            return
        self._source = self._call("Select", node, [self._expression([self._variables], written)])

    def _rebound(self, node: Node) -> Node:
        """A range variable by itself: it is noted, and nothing is called."""
        found = next((each for each in self._variables if simple(each) == simple(node)), None)
        if found is not None:
            self._session.scope.names[simple(node)] = Local(span(found)[0])
        return node

    def _is_same(self, node: Node) -> bool:
        return node.type == "identifier" and [simple(each) for each in self._variables] == [simple(node)]

    def _group(self, node: Node) -> None:
        if len(node.named) < 2:
            return
        of, key = node.named[0], node.named[-1]
        functions = [self._expression([self._variables], key)]
        if self._is_same(of):
            self._expressions.type_of(self._rebound(of))
        else:
            functions.append(self._expression([self._variables], of))
        self._source = self._call("GroupBy", node, functions)

    def _into(self, node: Node) -> None:
        self._note(node)
        self._variables = (node,)

    # Calls

    def _several(
        self, name: str, node: Node, arguments: Sequence[Argument | Clause], more: Variables
    ) -> None:
        """A clause with variables of its own, with the `select` behind it, or with an object of all of them."""
        before = self._variables
        given = [a if isinstance(a, Argument) else Argument(Value("value", deferred=a)) for a in arguments]
        following = self._clauses[self._at] if self._at < len(self._clauses) else None
        if following is not None and following.type == "select_clause" and following.named:
            self._at += 1
            last = self._expression([before, more], following.named[-1])
        else:
            every = self._variables = (*before, *more)
            last = self._clause([before, more], node, lambda: self._object(every))
        self._source = self._call(name, node, [*given, last])

    def _object(self, variables: Variables, last: Value | None = None) -> Value:
        """An object of all range variables. `last`: what the last of them is, where it is not in scope yet."""
        known = variables if last is None else variables[:-1]
        found = [self._session.scope.find(simple(each)) for each in known]
        types = [local.type if local is not None else None for local in found]
        if last is not None:
            types.append(self._expressions.settle(last))
        names = ",".join(simple(each) for each in variables)
        return Value("value", named(ANONYMOUS + names, *types))

    def _expression(self, takes: Sequence[Variables], node: Node, source: Value | None = None) -> Clause:
        return self._clause(takes, node, lambda: self._expressions.bind(node), source)

    def _clause(
        self, takes: Sequence[Variables], node: Node, gives: Callable[[], Value], source: Value | None = None
    ) -> Clause:
        made = Clause(self._expressions, takes, node, gives)
        element = self._session.overloads.element((source or self._source).type)
        made.guessed = (element, *made.guessed[1:])
        return made

    def _call(
        self,
        name: str,
        node: Node,
        arguments: Sequence[Argument | Clause],
        *,
        source: Value | None = None,
        generic: tuple[AnyType | None, ...] = (),
    ) -> Value:
        """Call a method of the source or an extension; it is noted as used without a name."""
        expressions = self._expressions
        called = Node("identifier", node.start, node.start + 1, is_named=True, parent=None)
        called.text = name
        given = [a if isinstance(a, Argument) else Argument(Value("value", deferred=a)) for a in arguments]
        receiver = self._settled(source or self._source)
        group = expressions.accesses.member(receiver, called, generic, called=True)
        if group.what != "methods" or receiver.type is None:
            expressions.calls.settle(given, Choice(None))
            return Value("value")
        choice = expressions.calls.choose(group, given)
        if choice.best is not None and choice.certain:
            self._session.note_silent(called.start, called.end, choice.best.symbol, "query")
        expressions.calls.settle(given, choice)
        return Value("value", expressions.calls.returned(choice))

    def _settled(self, value: Value) -> Value:
        return Value("value", self._expressions.settle(value)) if value.deferred is not None else value

    def _note(self, name: Node) -> None:
        self._session.note_local(name, Local(span(name)[0]))


def _locals(variables: Variables, type_: AnyType | None) -> dict[str, Local]:
    """The range variables of a parameter: it is the one, or an object of all of them."""
    if len(variables) == 1:
        return {simple(variables[0]): Local(span(variables[0])[0], type_)}
    types: Mapping[str, AnyType | None] = {}
    if isinstance(type_, Type) and type_.fqn.startswith(ANONYMOUS):
        types = dict(zip(type_.fqn[len(ANONYMOUS) :].split(","), type_.arguments, strict=False))
    return {simple(each): Local(span(each)[0], types.get(simple(each))) for each in variables}
