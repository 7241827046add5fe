"""Expressions: where one of any kind is bound, and the kinds that have no module of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from services.index.binding.code.accesses import Accesses
from services.index.binding.code.calls import Calls
from services.index.binding.code.creations import Creations
from services.index.binding.code.functions import Functions
from services.index.binding.code.lambdas import Lambda
from services.index.binding.code.names import Names
from services.index.binding.code.operators import Operators
from services.index.binding.code.patterns import Patterns
from services.index.binding.code.queries import Queries
from services.index.binding.code.shapes import Shapes
from services.index.binding.code.statements import Statements
from services.index.binding.deferred import Interpolated
from services.index.binding.literals import literal
from services.index.binding.session import Session
from services.index.binding.typenames import TypeNames
from services.index.binding.types.types import (
    NULLABLE,
    AnyType,
    Type,
    named,
)
from services.index.binding.values import NOTHING, Value
from services.syntax.bodies.node import Node

Binding = Callable[[Node], Value]


class Expressions:
    """Binds the expressions of one declaration."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.world = session.world
        self.types = TypeNames(session)
        self.shapes = Shapes(self)
        self.names = Names(self)
        self.accesses = Accesses(self)
        self.calls = Calls(self)
        self.creations = Creations(self)
        self.operators = Operators(self)
        self.patterns = Patterns(self)
        self.queries = Queries(self)
        self.functions = Functions(self)
        self.statements = Statements(self)
        self._kinds: dict[str, Binding] = {
            "predefined_type": self._type,
            "nullable_type": self._type,
            "array_type": self._type,
            "tuple_type": self._type,
            "parenthesized_expression": self._inner,
            "checked_expression": self._inner,
            "this": self._this,
            "base": self._base,
            "this_expression": self._this,
            "base_expression": self._base,
            "lambda_expression": self._lambda,
            "anonymous_method_expression": self._lambda,
            "query_expression": self.queries.bind,
            "typeof_expression": self._typeof,
            "interpolated_string_expression": self._interpolated,
            "sizeof_expression": self._sizeof,
            "argument": self._inner,
            "ref_expression": self._inner,
            "declaration_expression": self._declaration,
            **self.names.kinds,
            **self.accesses.kinds,
            **self.calls.kinds,
            **self.creations.kinds,
            **self.operators.kinds,
        }

    def bind(self, node: Node | None) -> Value:
        """Bind an expression. The type of a deferred one depends on its target: `settle` it once."""
        value = self.open(node)
        if value.what == "value":
            value.node = node
        if value.chained and value.what == "value" and value.type is not None:
            value.chained = False
            if self.world.is_value(value.type) and not _is_nullable(value.type):
                value.type = named(NULLABLE, value.type)
        return value

    def open(self, node: Node | None) -> Value:
        """Like `bind`, with what follows `?.` as it is where it is not null."""
        if node is None:
            return NOTHING
        kind = self._kinds.get(node.type)
        if kind is not None:
            return kind(node)
        found = literal(node, self.world)
        if found is not None:
            return found
        for child in node.named:
            self.type_of(child)
        return Value("value")

    def receiver(self, node: Node | None) -> Value:
        """Bind a receiver or operand for good; otherwise like `open`."""
        value = self.open(node)
        if value.deferred is not None:
            return Value("value", self.settle(value))
        if value.what == "methods":
            self.settle(value)
            self.session.errors += self.is_missing(value)
            return Value("value", foreign=self.calls.gives_foreign(value, ()))
        return value

    def type_of(self, node: Node | None, wanted: AnyType | None = None) -> AnyType | None:
        """Return the type of an expression converted to a target type."""
        return self.settle(self.bind(node), wanted)

    def settle(self, value: Value, wanted: AnyType | None = None) -> AnyType | None:
        """Bind for good a value whose type depends on its target, and return its type."""
        if value.deferred is not None:
            return value.deferred.settle(wanted)
        if value.what == "methods":
            return self.calls.settle_group(value, wanted)
        if wanted is not None and value.type is not None and value.node is not None:
            self.operators.note_conversion(value, wanted)
        return value.type if value.what == "value" else None

    def is_missing(self, value: Value) -> bool:
        """Whether a member was accessed that neither the receiver nor an extension of it has."""
        is_found = not value.whole or value.members or value.receiver is None
        if value.what != "methods" or is_found:
            return False
        return not self.session.tools.extensions.groups(value.name, self.session.context)

    def _interpolated(self, node: Node) -> Value:
        constant = partial(self.names.is_constant_text, node)
        deferred = Interpolated(self.world.is_handler, self.session.conversions.fit, constant)
        self._holes(node)
        return Value("value", named("System.String"), deferred=deferred)

    def _holes(self, node: Node) -> None:
        for each in node.named:  # of its own: those of strings within them are bound with these
            if each.type == "interpolation":
                for child in each.named:
                    if not child.type.startswith("interpolation"):
                        self.type_of(child)

    def _type(self, node: Node) -> Value:
        return Value("type", self.types.read(node))

    def _inner(self, node: Node) -> Value:
        return self.bind(node.named[-1]) if node.named else NOTHING

    def _this(self, node: Node) -> Value:
        del node
        return Value("value", self.session.this())

    def _base(self, node: Node) -> Value:
        del node
        own = self.session.this()
        if own is None:
            return NOTHING
        bases, _ = self.world.bases(own)
        first = next((base for base in bases if self.world.kind(base) != "interface"), None)
        return Value("value", first, is_base=True)

    def _lambda(self, node: Node) -> Value:
        return Value("value", deferred=Lambda(self, node))

    def _typeof(self, node: Node) -> Value:
        self.types.read(node.get("type") or (node.named[-1] if node.named else None), "typeof")
        return Value("value", named("System.Type"))

    def _sizeof(self, node: Node) -> Value:
        self.types.read(node.get("type") or (node.named[-1] if node.named else None), "typeof")
        return Value("value", named("System.Int32"))

    def _declaration(self, node: Node) -> Value:
        written = node.get("type")
        type_ = self.types.read(written)
        local = self.session.declare(node.get("name"), type_)
        return Value("value", type_, local=local)


def _is_nullable(type_: AnyType | None) -> bool:
    return isinstance(type_, Type) and type_.fqn == NULLABLE
