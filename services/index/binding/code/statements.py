"""Statements: what they declare, and for how far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.index.binding.code.operators import BOOL
from services.index.binding.types.types import (
    AnyType,
    Type,
)
from services.index.binding.values import Scope, Value
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from services.index.binding.binder import ExpressionBinder

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


class Statements:
    """Binds the statements of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._kinds = {
            "block": self.block,
            "local_declaration_statement": self._locals,
            "local_function_statement": expressions.functions.bind,
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
        """Bind consecutive statements."""
        self._declared_functions(nodes)
        for each in nodes:
            self.bind(each)

    def _declared_functions(self, nodes: list[Node]) -> None:
        for each in nodes:
            if each.type == "local_function_statement":
                self._expressions.functions.declare(each)

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
        """Declare a variable and return the type that `var` means."""
        name = node.get("name")
        if name is None and node.named:
            name = node.named[0]
        values = [each for each in node.named if each is not name and each.type != "bracketed_argument_list"]
        if name is not None and name.type == "tuple_pattern":
            found = self._expressions.type_of(values[-1]) if values else None
            target = self._expressions.shapes.pattern(name)
            self._expressions.shapes.give(target, found, node.child("=") or (values[-1] if values else None))
            return None
        local = self._session.declare(name, type_, discards=False)
        if values:
            if values[-1].type == "initializer_expression":
                self._expressions.creations.initialise(values[-1], type_)
                return None
            value = self._expressions.bind(values[-1])
            found = self._expressions.settle(value, type_)
            if local is not None and is_var:
                local.type, local.foreign = found, value.foreign
            if local is not None and constant:
                local.constant, local.is_constant = value.constant, True
            return found if is_var else None
        return None

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
        """Record a value that a function returns: collected while its type is inferred, else bound to the return
        type."""
        if self._session.results is not None:
            self._session.results.append(value)
            self._session.errors += self._expressions.is_missing(value)
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
            self._session.declare(left, element if is_var else type_, discards=False)
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
