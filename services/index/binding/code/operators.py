"""Operators, casts, assignments, conditions, `await`, `switch` and ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from services.index.binding.choice.misfits import unassigned
from services.index.binding.deferred import Alternatives, NullLiteral, ThrowOf, TupleLiteral
from services.index.binding.literals import integer
from services.index.binding.typenames import PATHS, open_path
from services.index.binding.types.conversions import NUMBERS, Fit
from services.index.binding.types.types import (
    NULLABLE,
    STRING,
    AnyType,
    Type,
    TypeParameter,
    is_dynamic,
    is_nullable,
    named,
    same,
    unwrapped,
)
from services.index.binding.values import NOTHING, Argument, Value
from services.model import Kind
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from services.index.binding.binder import ExpressionBinder
    from services.index.binding.choice.overloads import Choice

_BINARY = frozenset({"-", "+", "&", "*"})
_LOGIC = frozenset({"==", "!=", "<", ">", "<=", ">="})
_ORDER = ("Decimal", "Double", "Single", "UInt64", "Int64", "UInt32", "Int32")
_SMALL = frozenset({"System.Byte", "System.SByte", "System.Int16", "System.UInt16", "System.Char"})
_PREDEFINED = frozenset({*(named(each) for each in NUMBERS), named("System.Boolean"), named(STRING), None})
_NONE_DECLARED = frozenset({*NUMBERS, "System.Boolean", STRING, "System.Object"})
"""Types whose operators are the language's own: those that their metadata lists are no candidates (12.4.5)."""
BOOL, INT = named("System.Boolean"), named("System.Int32")


class Operators:
    """Binds the operators of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self.kinds: Mapping[str, Callable[[Node], Value]] = {
            "binary_expression": self._binary,
            "prefix_unary_expression": self._unary,
            "postfix_unary_expression": self._unary,
            "assignment_expression": self._assignment,
            "conditional_expression": self._condition,
            "switch_expression": self._switch,
            "cast_expression": self._cast,
            "as_expression": self._as,
            "is_expression": self._is,
            "is_pattern_expression": self._is,
            "await_expression": self._await,
            "throw_expression": self._throw,
            "default_expression": self._default,
            "range_expression": self._range,
        }

    # Operators

    def _binary(self, node: Node) -> Value:
        sign_node = node.get("operator")
        sign = sign_node.type if sign_node is not None else ""
        first, second = node.get("left") or node.named[0], node.get("right") or node.named[-1]
        if sign == "??":
            return self._coalesced(first, second)
        if sign == "as":
            self._expressions.type_of(first)
            return Value("value", self._expressions.types.read(second, "cast"))
        left, right = self._expressions.bind(first), self._expressions.bind(second)
        if sign in ("&&", "||"):
            types = (self._expressions.settle(left, BOOL), self._expressions.settle(right, BOOL))
            own = (
                None if types[0] in _PREDEFINED else self._declared(sign[0], types, (left, right), sign_node)
            )
            return Value("value", own[0] if own is not None else BOOL)
        types = (self._operand(left, right), self._operand(right, left))
        return Value("value", self._of_operator(sign, types, (left, right), sign_node))

    def product(self, node: Node) -> Value:
        """`a.b * c` where the grammar sees a declaration."""
        written, name = node.get("type"), node.get("name")
        first = written.named[0] if written is not None and written.named else None
        return self._combined(first, name, written, sign="*")

    def compared(self, node: Node) -> list[Value]:
        """`a < b, c > d` where the grammar sees a declaration of `d`: what each of the parts is."""
        written, name = node.get("type"), node.get("name")
        listed = written.child("type_argument_list") if written is not None else None
        assert written is not None
        assert listed is not None
        first, last = listed.named[0], listed.named[-1]
        middle = [self._expressions.bind(each) for each in listed.named[1:-1]]
        return [
            self._combined(written.named[0], first, listed, sign="<"),
            *middle,
            self._combined(last, name, listed, sign=">"),
        ]

    def _combined(self, first: Node | None, second: Node | None, place: Node | None, sign: str = "") -> Value:
        """Two operands that the grammar takes for something else."""
        left, right = self._expressions.bind(first), self._expressions.bind(second)
        types = (self._operand(left, right), self._operand(right, left))
        sign = sign or (place.type if place is not None else "")
        return Value("value", self._of_operator(sign, types, (left, right), place))

    def _operand(self, value: Value, other: Value) -> AnyType | None:
        wanted = other.type if value.deferred is not None else None
        if value.what == "methods":
            wanted = other.type
        found = self._expressions.settle(value, wanted)
        return found if not value.is_null else None

    def _of_operator(
        self,
        sign: str,
        types: tuple[AnyType | None, AnyType | None],
        values: tuple[Value, Value],
        place: Node | None,
    ) -> AnyType | None:
        if any(is_dynamic(each) for each in types):
            return named("dynamic") if sign not in _LOGIC else BOOL
        own = self._declared(sign, types, values, place)
        if own is not None:
            return own[0]
        if sign in _LOGIC:
            return BOOL
        return self._arithmetic(sign, types, values)

    def _declared(
        self,
        sign: str,
        types: tuple[AnyType | None, ...],
        values: tuple[Value, ...],
        place: Node | None,
    ) -> tuple[AnyType | None] | None:
        """Return the result of a user-defined operator; nothing where none is declared."""
        world, session = self._session.world, self._session
        candidates = []
        for type_ in dict.fromkeys(unwrapped(each) for each in types):
            if isinstance(type_, TypeParameter) or (
                isinstance(type_, Type) and type_.fqn not in _NONE_DECLARED
            ):
                candidates += [
                    c for c in world.find(type_, f"operator {sign}").candidates if c not in candidates
                ]
        candidates = [c for c in candidates if len(c.symbol.parameters) == len(types)]
        if not candidates and all(unwrapped(each) in _PREDEFINED for each in types):
            return None
        arguments = _arguments(zip(values, map(unwrapped, types), strict=True))
        choice = session.overloads.choose(candidates, arguments)
        lifted = self._lifted(types, values)
        if choice.best is None and lifted is not None:
            choice = session.overloads.choose(candidates, _arguments(lifted))
        if choice.best is None and not choice.others:
            choice = session.overloads.extension_operator(sign, arguments)
        if choice.best is None or self._is_of_object(choice.best.symbol.owner, types):
            return None
        self._note_chosen(choice, values, place)
        returns = choice.returns
        if any(is_nullable(each) for each in types) and world.is_value(returns) and sign not in _LOGIC:
            wanted = choice.types[0] if choice.types else None
            if not is_nullable(wanted) and not is_nullable(returns):
                returns = named(NULLABLE, returns)
        return (returns,)

    def _lifted(
        self, types: tuple[AnyType | None, ...], values: tuple[Value, ...]
    ) -> list[tuple[Value, AnyType | None]] | None:
        """Return an operand for `null`, which a lifted operator takes as a missing value (12.4.8); nothing where
        there is none."""
        inner = next((each for each in map(unwrapped, types) if self._session.world.is_value(each)), None)
        if inner is None or not any(isinstance(value.deferred, NullLiteral) for value in values):
            return None
        return [(Value("value", inner), inner) for _ in values]

    def _is_of_object(self, owner: Type, types: tuple[AnyType | None, ...]) -> bool:
        return owner.fqn == "System.Object" and bool(types)

    def _arithmetic(
        self, sign: str, types: tuple[AnyType | None, AnyType | None], values: tuple[Value, Value]
    ) -> AnyType | None:
        string = named(STRING)
        if sign == "+" and string in types:
            for value in values:
                self.note_conversion(value, string)
            return string
        lifted = any(is_nullable(each) for each in types)
        left, right = (unwrapped(each) for each in types)
        found = self._of_numbers(sign, left, right, values)
        if found is not None and lifted and self._session.world.is_value(found):
            return named(NULLABLE, found)
        return found

    def _of_numbers(
        self, sign: str, left: AnyType | None, right: AnyType | None, values: tuple[Value, Value]
    ) -> AnyType | None:
        world = self._session.world
        if left is None or right is None:
            return (left or right) if any(value.is_null for value in values) else None
        kinds = world.kind(left), world.kind(right)
        if kinds[0] == "enum" or kinds[1] == "enum":
            if kinds[0] == kinds[1]:
                return INT if sign == "-" else left
            return left if kinds[0] == "enum" else right
        if isinstance(left, Type) and isinstance(right, Type):
            if left.fqn == "System.Boolean" and left == right:
                return left
            if left.fqn in NUMBERS and right.fqn in NUMBERS:
                return _promoted(left) if sign in ("<<", ">>", ">>>") else _wider(left, right)
            if "*" in (left.fqn, right.fqn):
                return named("System.Int64") if left.fqn == right.fqn else left if left.fqn == "*" else right
            if kinds[0] == "delegate":
                return left
        return left if same(left, right) else None

    def _unary(self, node: Node) -> Value:
        sign_node = next(
            (c for c in node.children if not c.is_named and c.type not in ("this", "base")), None
        )
        sign = sign_node.type if sign_node is not None else ""
        operand = node.named[-1] if node.named else None
        value = self._expressions.bind(operand)
        if sign == "!" and node.type == "postfix_unary_expression":
            return value
        if sign == "-" and value.constant is not None:
            return Value("value", value.type, constant=-value.constant)
        if sign == "-" and operand is not None and operand.type == "integer_literal":
            found = integer(operand.text)
            return Value("value", INT if operand.text.replace("_", "") == "2147483648" else found.type)
        if sign == "&" and value.what == "methods":
            return value  # goes to a function pointer
        type_ = self._expressions.settle(value)
        if sign == "&":
            return Value("value", named("*", type_))
        if sign == "*":
            inner = type_.arguments[0] if isinstance(type_, Type) and type_.fqn == "*" else None
            return Value("value", inner)
        if sign == "^":
            return Value("value", named("System.Index"))
        if sign in ("++", "--") and self._in_place(sign, type_, (), sign_node):
            return Value("value", type_)
        own = self._declared(sign, (type_,), (value,), sign_node)
        if own is not None:
            return Value("value", own[0])
        if sign == "!":
            return Value("value", BOOL)
        if sign in ("-", "+", "~") and isinstance(type_, Type) and type_.fqn in NUMBERS:
            return Value("value", _promoted(type_))
        return Value("value", type_)

    def _range(self, node: Node) -> Value:
        for each in node.named:
            self._expressions.type_of(each)
        return Value("value", named("System.Range"))

    # Assignments

    def _assignment(self, node: Node) -> Value:
        left, right = node.get("left") or node.named[0], node.get("right") or node.named[-1]
        sign_node = node.get("operator")
        sign = sign_node.type if sign_node is not None else "="
        if left.type == "tuple_expression" and sign == "=":
            return self._deconstruction(left, right, sign_node or right)
        if left.type == "declaration_expression" and sign == "=":
            value = self._expressions.bind(right)
            self._expressions.shapes.deconstruct(left, self._expressions.settle(value), sign_node or right)
            return value
        if left.type == "identifier" and left.text == "_" and self._session.scope.find("_") is None:
            return Value("value", self._expressions.type_of(right))
        target = self._expressions.receiver(left)
        wanted = target.type
        if sign == "=":
            value = self._expressions.bind(right)
            self._note_unfit(target, value)
            found = self._expressions.settle(value, wanted)
            if found is not None and value.deferred is None and value.what == "value":
                self._session.errors += self._session.overloads.converts(value, wanted) is Fit.NO
            return Value("value", wanted or found)
        value = self._expressions.bind(right)
        if sign == "??=":
            self._expressions.settle(value, unwrapped(wanted))
            return Value("value", unwrapped(wanted))
        if target.symbol is not None and target.symbol.symbol.kind is Kind.EVENT:
            self._note_unfit(target, value)
        type_ = self._expressions.settle(value, wanted)
        if self._in_place(sign, wanted, ((value, type_),), sign_node):
            return Value("value", wanted)
        own = self._declared(sign[:-1], (wanted, type_), (target, value), sign_node)
        return Value("value", own[0] if own is not None and wanted is None else wanted)

    def _note_unfit(self, target: Value, value: Value) -> None:
        """Note why a value cannot be assigned to a member."""
        if target.symbol is not None and target.node is not None:
            reason = unassigned(self._session.overloads, value, target.type)
            self._session.reason(target.node, target.symbol.symbol, reason)

    def _in_place(
        self,
        sign: str,
        type_: AnyType | None,
        operands: tuple[tuple[Value, AnyType | None], ...],
        place: Node | None,
    ) -> bool:
        """Whether a value changes itself by an operator of its own, `+=` or `++` (C# 14)."""
        found = self._session.world.find(type_, f"operator {sign}").candidates
        candidates = [
            each
            for each in found
            if not each.symbol.is_static and len(each.symbol.parameters) == len(operands)
        ]
        arguments = _arguments(operands)
        choice = self._session.overloads.choose(candidates, arguments)
        if choice.best is None:
            return False
        self._note_chosen(choice, [value for value, _ in operands], place)
        return True

    def _note_chosen(self, choice: Choice, values: Iterable[Value], place: Node | None) -> None:
        """Notes the operator that was surely chosen, and what its operands are converted to."""
        if place is None or choice.best is None or not choice.certain:
            return
        self._session.note_silent(place.start, place.end, choice.best.symbol, "operator")
        for value, wanted in zip(values, choice.types, strict=False):
            self.note_conversion(value, wanted)

    def _deconstruction(self, left: Node, right: Node, place: Node) -> Value:
        """`(a, var b) = c`."""
        value = self._expressions.bind(right)
        if isinstance(value.deferred, TupleLiteral):
            targets = [self._expressions.shapes.target(each) for each in left.named]
            if len(targets) == len(value.deferred.elements):
                for target, element in zip(targets, value.deferred.elements, strict=True):
                    type_ = self._expressions.settle(element, target.type)
                    self._expressions.shapes.give(target, type_)
                return Value("value", value.type)
        type_ = self._expressions.settle(value)
        self._expressions.shapes.deconstruct(left, type_, place)
        return Value("value", type_)

    # Choices

    def _coalesced(self, first: Node, second: Node) -> Value:
        left, right = self._expressions.bind(first), self._expressions.bind(second)
        type_ = self._expressions.settle(left, right.type)
        inner = unwrapped(type_)
        if right.deferred is not None and right.type is None:
            found = self._expressions.settle(right, inner if not right.is_null else type_)
            return Value("value", inner if inner is not None else found)
        fit = self._session.overloads.converts(right, inner)
        if fit is Fit.YES and inner is not None and right.type is not None:
            self._expressions.settle(right, inner)
            return Value("value", inner)
        found = self._expressions.settle(right, type_)
        if type_ is None:
            return Value("value", None)
        if right.type is not None and self._session.conversions.fit(right.type, type_) is Fit.YES:
            return Value("value", type_)
        if right.type is not None and self._session.conversions.fit(inner, right.type) is Fit.YES:
            return Value("value", right.type)
        return Value("value", inner if found is None or same(found, inner) else None)

    def _condition(self, node: Node) -> Value:
        self._expressions.type_of(node.get("condition") or node.named[0], BOOL)
        options = [
            self._expressions.bind(node.get("consequence")),
            self._expressions.bind(node.get("alternative")),
        ]
        return self._one_of(options)

    def _one_of(self, options: list[Value]) -> Value:
        natural = self._session.overloads.common(options) if options else None
        return Value("value", natural, deferred=Alternatives(self._expressions, options, natural))

    def _switch(self, node: Node) -> Value:
        tested = self._expressions.type_of(node.named[0]) if node.named else None
        options: list[Value] = []
        for arm in node.named[1:]:
            if arm.type != "switch_expression_arm" or not arm.named:
                continue
            with self._session.inner():
                self._expressions.patterns.bind(arm.named[0], tested)
                for each in arm.named[1:-1]:
                    if each.type == "when_clause":
                        self._expressions.type_of(each.named[-1], BOOL)
                options.append(self._expressions.bind(arm.named[-1]))
        return self._one_of(options)

    # Types

    def _cast(self, node: Node) -> Value:
        written, operand = node.get("type") or node.named[0], node.get("value") or node.named[-1]
        if written.type in PATHS and operand.type == "prefix_unary_expression":
            sign = operand.children[0]
            if sign.type in _BINARY:  # `(a) - b` is no cast (C# specification 12.9.7)
                return self._combined(written, operand.named[-1], sign)
        if written.type in PATHS and operand.type == "collection_expression" and not self._is_type(written):
            return self._expressions.calls.element(self._expressions.receiver(written), operand)
        type_ = self._expressions.types.read(written, "cast")
        value = self._expressions.bind(operand)
        given = value.type if value.deferred is None else None
        self._expressions.settle(value, None if given is not None and value.what == "value" else type_)
        self._note_cast(node, given, type_)
        constant = value.constant if isinstance(type_, Type) and type_.fqn == "System.Int32" else None
        return Value("value", type_, constant=constant)

    def _as(self, node: Node) -> Value:
        self._expressions.type_of(node.get("left") or node.named[0])
        return Value("value", self._expressions.types.read(node.get("right") or node.named[-1], "cast"))

    def _is(self, node: Node) -> Value:
        tested = self._expressions.type_of(node.get("expression") or node.get("left") or node.children[0])
        pattern = node.get("pattern") or node.get("right") or node.named[-1]
        name = pattern.named[0] if pattern.type == "constant_pattern" and pattern.named else pattern
        if node.type == "is_expression" or (name.type in PATHS and self._is_type(name)):
            self._expressions.types.read(name, "cast")
        else:
            self._expressions.patterns.bind(pattern, tested)
        return Value("value", BOOL)

    def _note_cast(self, node: Node, given: AnyType | None, wanted: AnyType | None) -> None:
        """Note the user-defined conversion of a cast."""
        conversions = self._session.conversions
        if given is None or wanted is None or conversions.fit(given, wanted, own=False) is not Fit.NO:
            return
        found = conversions.operator(given, wanted) or conversions.operator(given, wanted, explicit=True)
        if found is not None:
            self._session.note_silent(node.start, node.end, found.symbol, "conversion")

    def _is_type(self, node: Node) -> bool:
        """Whether a name is that of a type where nothing but a type is looked for, as after `is`."""
        found = self._session.target(open_path(node))
        return found is not None and found[0] is not None

    def _await(self, node: Node) -> Value:
        value = self._expressions.receiver(node.named[-1] if node.named else None)
        return Value("value", self._expressions.shapes.awaited(value.type, node), foreign=value.foreign)

    def _throw(self, node: Node) -> Value:
        if node.named:
            self._expressions.type_of(node.named[-1])
        return Value("value", deferred=ThrowOf(), is_null=True)

    def _default(self, node: Node) -> Value:
        from services.index.binding.literals import literal

        if not node.named:
            return literal(node, self._session.world) or NOTHING
        return Value("value", self._expressions.types.read(node.get("type") or node.named[-1], "typeof"))

    def note_conversion(self, value: Value, wanted: AnyType | None) -> None:
        """Note the user-defined conversion that is used without a name."""
        conversions, type_ = self._session.conversions, value.type
        if value.what != "value" or value.node is None or type_ is None or wanted is None:
            return
        if conversions.fit(type_, wanted, own=False) is Fit.NO:
            found = conversions.operator(type_, wanted)
            if found is not None:
                self._session.note_silent(value.node.start, value.node.end, found.symbol, "conversion")


def _arguments(operands: Iterable[tuple[Value, AnyType | None]]) -> list[Argument]:
    """Operands as they are given to an operator: constants themselves, of others their type."""
    return [Argument(v if _is_constant(v) else Value("value", t)) for v, t in operands]


def _is_constant(value: Value) -> bool:
    """Whether the value itself, not only its type, affects its conversion."""
    return value.is_null or value.constant is not None


def _promoted(type_: Type) -> Type:
    return INT if type_.fqn in _SMALL else type_


def _wider(left: Type, right: Type) -> Type:
    """Binary numeric promotion (12.4.7.3)."""
    names = {_promoted(left).fqn.removeprefix("System."), _promoted(right).fqn.removeprefix("System.")}
    if names == {"UInt32", "Int32"}:
        return named("System.Int64")
    if "IntPtr" in names or "UIntPtr" in names:
        word = "IntPtr" if "IntPtr" in names else "UIntPtr"
        return named(f"System.{word}") if names <= {word, "Int32", "UInt32"} else named("System.Int64")
    return named(f"System.{next((name for name in _ORDER if name in names), 'Int32')}")
