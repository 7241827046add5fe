"""Statements: what they declare, and for how far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from services.index.binding.code.operators import BOOL
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
from services.index.binding.values import Local, Scope, Value
from services.index.names.context import Context
from services.model import Kind
from services.syntax.bodies.tree import Node

if TYPE_CHECKING:
    from services.index.binding.code.expressions import Expressions

_SCOPED = frozenset(
    {
        "block",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "using_statement",
        "fixed_statement",
        "lock_statement",
        "switch_section",
        "catch_clause",
    }
)
_NOWHERE = Type(named("System.Object").known)


class Statements:
    """Binds the statements of one declaration."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._kinds = {
            "block": self.block,
            "local_declaration_statement": self._locals,
            "local_function_statement": self._function,
            "expression_statement": self._expression,
            "return_statement": self._return,
            "yield_statement": self._yield,
            "arrow_expression_clause": self._arrow,
            "for_statement": self._for,
            "foreach_statement": self._foreach,
            "catch_declaration": self._catch,
            "switch_statement": self._switch,
            "switch_body": self._sections,
            "switch_section": self._section,
            "variable_declaration": self.variables,
            "if_statement": self._if,
            "while_statement": self._while,
            "goto_statement": self._goto,
            "labeled_statement": self._labeled,
        }

    def bind(self, node: Node) -> None:
        """Binds a statement."""
        kind = self._kinds.get(node.type)
        if kind is not None and node.type != "block" and node.type in _SCOPED:
            with self._session.inner():
                kind(node)
        elif kind is not None:
            kind(node)
        elif node.type.endswith(("_statement", "_clause", "declaration")) or node.type == "ERROR":
            self._inside(node)
        elif node.is_named or node.type in ("this", "base"):
            self._expressions.type_of(node)

    def _inside(self, node: Node) -> None:
        if node.type in _SCOPED or node.type == "try_statement":
            with self._session.inner():
                self._each(node)
        else:
            self._each(node)

    def _each(self, node: Node) -> None:
        for child in node.named:
            self.bind(child)

    def block(self, node: Node) -> None:
        """A block: its local functions are known in all of it."""
        with self._session.inner():
            self.all(node.named)

    def all(self, nodes: list[Node]) -> None:
        """Statements that stand together."""
        self._declared_functions(nodes)
        for each in nodes:
            self.bind(each)

    def _declared_functions(self, nodes: list[Node]) -> None:
        for each in nodes:
            if each.type == "local_function_statement":
                self._declare_function(each)

    # Declarations

    def _locals(self, node: Node) -> None:
        for child in node.named:
            if child.type == "variable_declaration":
                self.variables(
                    child, constant=any(m.type == "modifier" and _is_const(m) for m in node.children)
                )

    def variables(self, node: Node, *, constant: bool = False) -> None:
        """`var a = 1, b = 2`."""
        written = node.get("type") or (node.named[0] if node.named else None)
        type_ = self._expressions.types.read(written)
        for each in node.named:
            if each.type == "variable_declarator":
                is_var = type_ is None and _is_var(written)
                inferred = self._variable(each, type_, is_var=is_var, constant=constant)
                self._session.note_inferred(written, inferred)

    def _variable(self, node: Node, type_: AnyType | None, *, is_var: bool, constant: bool) -> AnyType | None:
        """Declares a variable; what `var` stands for in it."""
        name = node.get("name")
        if name is None and node.named:
            name = node.named[0]
        values = [each for each in node.named if each is not name and each.type != "bracketed_argument_list"]
        if name is not None and name.type == "tuple_pattern":
            found = self._expressions.type_of(values[-1]) if values else None
            target = self._expressions.shapes.pattern(name)
            self._expressions.shapes.give(target, found, node.child("=") or (values[-1] if values else None))
            return None
        local = self._session.declare(name, type_)
        if values:
            if values[-1].type == "initializer_expression":
                self._expressions.creations.initialise(values[-1], type_)
                return None
            value = self._expressions.bind(values[-1])
            found = self._expressions.settle(value, type_)
            if local is not None and is_var:
                local.type = found
            if local is not None and constant:
                local.constant = value.constant
            return found if is_var else None
        return None

    def _declare_function(self, node: Node) -> None:
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

    def _function(self, node: Node) -> None:
        session, expressions = self._session, self._expressions
        name = node.get("name")
        if name is not None and simple(name) not in session.scope.names:
            self._declare_function(node)
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
            session.results, session.returns = None, _result(type_, is_async=_is_async(node))
            body = node.get("body") or node.child("block", "arrow_expression_clause")
            if body is not None:
                self.bind(body)
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
            self._session.declare(each.get("name"), type_)

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

    # Statements

    def _expression(self, node: Node) -> None:
        for child in node.named:
            self._expressions.type_of(child)

    def _return(self, node: Node) -> None:
        if not node.named:
            return
        value = self._expressions.bind(node.named[-1])
        self.give(value)

    def give(self, value: Value) -> None:
        """What a function returns: kept for whoever asks what it gives, else bound to its result."""
        if self._session.results is not None:
            self._session.results.append(value)
        else:
            self._expressions.settle(value, self._session.returns)

    def _yield(self, node: Node) -> None:
        if node.named:
            returns = self._session.returns
            element = returns.arguments[0] if isinstance(returns, Type) and returns.arguments else None
            self._expressions.type_of(node.named[-1], element)

    def _arrow(self, node: Node) -> None:
        if node.named:
            wanted = self._session.returns
            if isinstance(wanted, Type) and wanted.fqn == "System.Void":
                wanted = None
            self._expressions.type_of(node.named[-1], wanted)

    def _if(self, node: Node) -> None:
        condition = node.get("condition")
        self._expressions.type_of(condition, BOOL)
        for child in node.named:
            if child is not condition:
                self._branch(child)

    def _branch(self, node: Node) -> None:
        if node.type == "block":
            self.bind(node)
        else:
            with self._session.inner():
                self.bind(node)

    def _while(self, node: Node) -> None:
        condition = node.get("condition") or node.named[0]
        self._expressions.type_of(condition, BOOL)
        for child in node.named:
            if child is not condition:
                self._branch(child)

    def _for(self, node: Node) -> None:
        for child in node.named:
            self.bind(child)

    def _foreach(self, node: Node) -> None:
        left, right = node.get("left"), node.get("right")
        written = node.get("type")
        type_ = self._expressions.types.read(written)
        source = self._expressions.type_of(right)
        place = next((c for c in node.children if c.type == "foreach"), node)
        element = self._expressions.shapes.element(source, place, waits=node.has("await"))
        if left is not None and left.type == "tuple_pattern":
            self._expressions.shapes.give(self._expressions.shapes.pattern(left), element, right)
        elif left is not None and left.type in ("tuple_expression", "declaration_expression"):
            self._expressions.shapes.deconstruct(left, element, left)
        else:
            is_var = type_ is None and _is_var(written)
            self._session.declare(left, element if is_var else type_)
            self._session.note_inferred(written, element if is_var else None)
        body = node.get("body")
        if body is not None:
            self.bind(body)

    def _catch(self, node: Node) -> None:
        type_ = self._expressions.types.read(node.get("type") or node.named[0], "catch")
        self._session.declare(node.get("name"), type_)

    def _switch(self, node: Node) -> None:
        value = node.get("value")
        tested = self._expressions.type_of(value)
        self._tested = tested
        for child in node.named:
            if child is not value:
                self._tested = tested
                self.bind(child)

    _tested: AnyType | None = None

    def _sections(self, node: Node) -> None:
        """The sections of a switch share what is declared in them."""
        tested = self._tested
        with self._session.inner():
            for child in node.named:
                self._declared_functions(child.named)
            for child in node.named:
                self._tested = tested
                with self._session.inner(Scope(self._session.scope)):
                    self._section(child)

    def _section(self, node: Node) -> None:
        tested = self._tested
        for child in node.named:
            if child.type.endswith("_pattern") or (
                child.start < _colon(node) and child.type != "when_clause"
            ):
                self._expressions.patterns.bind(child, tested)
            elif child.type == "when_clause":
                self._expressions.type_of(child.named[-1] if child.named else None, BOOL)
            else:
                self._shared(child)

    def _shared(self, node: Node) -> None:
        """A local that a section declares is known in the sections after it."""
        self.bind(node)
        outer = self._session.scope.outer
        if node.type == "local_declaration_statement" and outer is not None:
            for name, local in self._session.scope.names.items():
                outer.names.setdefault(name, local)

    def _goto(self, node: Node) -> None:
        if node.has("case"):
            for child in node.named:
                self._expressions.type_of(child)

    def _labeled(self, node: Node) -> None:
        for child in node.named[1:]:
            self.bind(child)


def _listed(argument: Node) -> Node:
    """A list with one argument."""
    made = Node("argument_list", argument.start, argument.end, is_named=True, parent=argument.parent)
    made.children = made.named = [argument]
    return made


def _colon(section: Node) -> int:
    found = [c.start for c in section.children if c.type == ":"]
    return found[0] if found else section.end


def _is_const(node: Node) -> bool:
    return any(child.type == "const" for child in node.children) or node.text == "const"


def _is_var(node: Node | None) -> bool:
    if node is None:
        return True
    if node.type in ("ref_type", "scoped_type"):
        return _is_var(node.get("type") or (node.named[-1] if node.named else None))
    return node.type == "implicit_type" or (node.type == "identifier" and node.text == "var")


def _is_async(node: Node) -> bool:
    return any(c.type == "modifier" and (c.text == "async" or c.has("async")) for c in node.children)


def _result(type_: AnyType | None, *, is_async: bool) -> AnyType | None:
    """What `return` gives: of an async method the result of its task."""
    if is_async and isinstance(type_, Type):
        return type_.arguments[0] if type_.arguments else None
    return type_


def parameters_of(node: Node) -> list[Node]:
    """The parameters of a function or a member; one that is `params` has no node of its own: the list stands for it."""
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


def _parameter(node: Node, type_: AnyType | None) -> Parameter:
    words = {c.text or c.type for c in node.children}
    for child in node.children:
        words.update(inner.type for inner in child.children)
    way = next((w for w in ("out", "in", "ref") if w in words), "")
    name = node.get("name")
    spread = node.type != "parameter" or "params" in words
    return Parameter(simple(name) if name is not None else "", type_, way, spread, node.has("="))


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
