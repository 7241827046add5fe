"""Patterns (C# specification 11.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.index.binding.session import simple
from services.index.binding.types.symbol import INDEXER
from services.index.binding.types.types import AnyType, TupleType, Type, is_array, unwrapped
from services.index.binding.values import Value
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from services.index.binding.binder import ExpressionBinder

_NAMES = frozenset(
    {"identifier", "generic_name", "qualified_name", "member_access_expression", "alias_qualified_name"}
)


class Patterns:
    """Binds the patterns of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._kinds = {
            "constant_pattern": self._constant,
            "declaration_pattern": self._declared,
            "var_pattern": self._var,
            "recursive_pattern": self._recursive,
            "list_pattern": self._list,
            "relational_pattern": self._relational,
            "type_pattern": self._type,
            "negated_pattern": self._inner,
            "parenthesized_pattern": self._inner,
            "and_pattern": self._both,
            "or_pattern": self._each,
            "slice_pattern": self._slice,
            "discard": self._discard,
        }

    def bind(self, node: Node | None, tested: AnyType | None) -> AnyType | None:
        """Bind a pattern for a value; return the type of the value where it matches, None where that is unchanged."""
        if node is None:
            return None
        bound = self._kinds.get(node.type)
        if bound is not None:
            return bound(node, tested)
        return self._value_or_type(node, tested)

    def _discard(self, node: Node, tested: AnyType | None) -> AnyType | None:
        del node, tested
        return None

    def _inner(self, node: Node, tested: AnyType | None) -> AnyType | None:
        found = self.bind(node.named[-1], tested) if node.named else None
        return found if node.type == "parenthesized_pattern" else None

    def _both(self, node: Node, tested: AnyType | None) -> AnyType | None:
        first = self.bind(node.get("left") or node.named[0], tested)
        second = self.bind(node.get("right") or node.named[-1], first or tested)
        return second or first

    def _each(self, node: Node, tested: AnyType | None) -> AnyType | None:
        self.bind(node.get("left") or node.named[0], tested)
        self.bind(node.get("right") or node.named[-1], tested)
        return None

    def _relational(self, node: Node, tested: AnyType | None) -> AnyType | None:
        self._expressions.type_of(node.named[-1] if node.named else None, unwrapped(tested))
        return None

    def _constant(self, node: Node, tested: AnyType | None) -> AnyType | None:
        inner = node.named[0] if node.named else None
        if inner is None:
            return None
        if inner.type == "tuple_expression":
            return self._positions(inner, inner.named, tested)
        if inner.type == "invocation_expression":
            return self._called(inner, tested)
        return self._value_or_type(inner, tested)

    def _called(self, node: Node, tested: AnyType | None) -> AnyType | None:
        """`A<B>.C(var d)`, which the grammar takes for a call."""
        function, listed = node.get("function") or node.named[0], node.get("arguments")
        if function.text == "nameof" or listed is None:
            self._expressions.type_of(node, unwrapped(tested))
            return None
        type_ = self._expressions.types.read(function, "pattern")
        self._positions(node, listed.named, type_)
        return type_

    def _value_or_type(self, node: Node, tested: AnyType | None) -> AnyType | None:
        """Bind a constant or a type, whichever the name means."""
        if node.type == "parenthesized_expression" and node.named:
            return self.bind(node.named[-1], tested)
        if node.type in ("predefined_type", "array_type", "nullable_type", "tuple_type", "pointer_type"):
            return self._expressions.types.read(node, "pattern")
        if node.type == "collection_expression":
            return self._list(node, tested)
        if node.type in _NAMES:
            with self._session.scratch():
                value = self._expressions.bind(node)
            if value.what == "type":
                path = node
                if node.type == "member_access_expression":
                    self._expressions.bind(node)
                    return value.type
                return self._expressions.types.read(path, "pattern")
        self._expressions.type_of(node, unwrapped(tested))
        return None

    def _declared(self, node: Node, tested: AnyType | None) -> AnyType | None:
        written = node.get("type") or node.named[0]
        if written.text == "nameof" and node.get("name") is None:
            self._expressions.calls.named_of(next(iter(node.named[-1].named), None))
            return None
        type_ = self._expressions.types.read(written, "pattern")
        if written.type == "implicit_type":
            type_ = tested
            nested = node.child("tuple_pattern", "parenthesized_variable_designation")
            if nested is not None:
                target = self._expressions.shapes.pattern(nested)
                self._expressions.shapes.give(target, tested, node)
                return None
        self._session.declare(node.get("name"), type_)
        return None if written.type == "implicit_type" else type_

    def _var(self, node: Node, tested: AnyType | None) -> AnyType | None:
        nested = node.child("tuple_pattern", "parenthesized_variable_designation")
        if nested is not None:
            target = self._expressions.shapes.pattern(nested)
            self._expressions.shapes.give(target, tested, node)
            return None
        self._session.declare(node.get("name"), tested)
        return None

    def _type(self, node: Node, tested: AnyType | None) -> AnyType | None:
        inner = node.get("type") or (node.named[-1] if node.named else None)
        if inner is not None and inner.type in _NAMES:
            return self._value_or_type(inner, tested)
        return self._expressions.types.read(inner, "pattern")

    def _recursive(self, node: Node, tested: AnyType | None) -> AnyType | None:
        written = node.get("type")
        type_ = self._expressions.types.read(written, "pattern") if written is not None else None
        inner = unwrapped(type_ or tested)
        for clause in node.named:
            if clause.type == "positional_pattern_clause":
                self._positions(clause, clause.named, inner)
            elif clause.type == "property_pattern_clause":
                self._properties(clause, inner)
        self._session.declare(node.get("name"), inner)
        return inner if type_ is not None else None

    def _positions(self, place: Node, parts: list[Node], type_: AnyType | None) -> AnyType | None:
        parts = [each for each in parts if each.type in ("subpattern", "argument")]
        names = [simple(node) if (node := _name(part)) is not None else "" for part in parts]
        types = self._expressions.shapes.parts(type_, len(parts), place, names)
        for part, each in zip(parts, types, strict=True):
            name = part.get("name")
            last = next((n for n in reversed(part.named) if n is not name), None)
            if last is not None and last.type == "declaration_expression":
                self._declared(last, each)
            else:
                self.bind(last, each)
        return None

    def _properties(self, clause: Node, type_: AnyType | None) -> None:
        for part in clause.named:
            if part.type != "subpattern" or not part.named:
                continue
            if len(part.named) > 1:
                found = self._property(part.named[0], type_)
                self.bind(part.named[-1], found)
            else:
                self.bind(part.named[0], None)

    def _property(self, node: Node, type_: AnyType | None) -> AnyType | None:
        """`A` or `A.B` of a property pattern."""
        if node.type in ("member_access_expression", "qualified_name"):
            first = node.get("expression") or node.get("qualifier") or node.named[0]
            type_ = unwrapped(self._property(first, type_))
            node = node.get("name") or node.named[-1]
        if node.type == "conditional_access_expression" and len(node.named) > 1:
            type_ = unwrapped(self._property(node.named[0], type_))
            node = node.named[-1].named[-1]
        if isinstance(type_, TupleType):
            names = type_.names
            return type_.elements[names.index(simple(node))] if simple(node) in names else None
        return self._expressions.creations.member(node, type_, "read")

    def _list(self, node: Node, tested: AnyType | None) -> AnyType | None:
        element = self._element(tested)
        sliced = False
        for each in node.named:
            if (
                each.type == "discard" and each.text == "."
            ):  # what stands for `..` (services/syntax/parse/rewrites.py)
                sliced = any(c.start == each.end and c.text == "." for c in node.children)
                continue
            inner = each.named[0] if each.type == "collection_element" and each.named else each
            if inner.type in ("expression_element", "spread_element") and inner.named:
                wanted = tested if inner.type == "spread_element" else element
                self.bind(inner.named[-1], wanted)
            elif sliced or self._is_sliced(each, node):
                self.bind(each, self._sliced(tested))
                sliced = False
            elif each is not node.get("name"):
                self.bind(each, element)
        self._session.declare(node.get("name"), tested)
        return None

    def _is_sliced(self, node: Node, around: Node) -> bool:
        at = around.children.index(node) if node in around.children else -1
        return at > 0 and around.children[at - 1].type == ".."

    def _slice(self, node: Node, tested: AnyType | None) -> AnyType | None:
        if node.named:
            self.bind(node.named[-1], tested)
        return None

    def _sliced(self, type_: AnyType | None) -> AnyType | None:
        from services.index.binding.types.types import named

        if is_array(type_) or (isinstance(type_, Type) and type_.fqn == "System.String"):
            return type_
        whole = (Value("value", named("System.Int32")),) * 2
        from services.index.binding.values import Argument

        found = self._expressions.shapes.call(type_, "Slice", tuple(Argument(each) for each in whole))
        return found[1] if found is not None else type_

    def _element(self, type_: AnyType | None) -> AnyType | None:
        if is_array(type_) and isinstance(type_, Type):
            return type_.arguments[0]
        for candidate in self._session.world.find(type_, INDEXER).candidates:
            if len(candidate.symbol.parameters) == 1:
                return candidate.returns
        return self._session.overloads.element(type_)


def _name(part: Node) -> Node | None:
    """The name in `(X: 1)`: of an element of a tuple, or of a parameter of `Deconstruct`."""
    is_named = part.type == "subpattern" and len(part.named) > 1
    return part.get("name") or (part.named[0] if is_named else None)
