"""Member accesses: what a name after a dot means of what is before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from services.index.binding.session import simple
from services.index.binding.typenames import open_path, type_kind
from services.index.binding.types.symbol import Candidate
from services.index.binding.types.types import (
    ANONYMOUS,
    AnyType,
    TupleType,
    Type,
    is_dynamic,
    unwrapped,
)
from services.index.binding.values import ELSEWHERE, NOTHING, Value
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.index.binding.binder import ExpressionBinder

_SIMPLE = frozenset({"identifier", "generic_name"})


class Accesses:
    """Binds the member accesses of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._names = expressions.names
        self._session = expressions.session
        self._world = expressions.world
        self.kinds: Mapping[str, Callable[[Node], Value]] = {
            "qualified_name": self._access,
            "member_access_expression": self._access,
            "conditional_access_expression": self._conditional,
        }

    def _access(self, node: Node) -> Value:
        value = self.access(node)
        last = node.get("name") or node.named[-1]
        if value.what != "methods":
            self._names.note(last, value)
        return value

    def access(self, node: Node, *, called: bool = False) -> Value:
        """`receiver.name`; nothing is noted of the name."""
        first = node.get("expression") or node.get("qualifier") or node.children[0]
        last = node.get("name") or node.named[-1]
        generic = self._expressions.types.arguments(last) if last.type == "generic_name" else ()
        if first.type in _SIMPLE:
            receiver = self._colour(first, simple(last))
        else:
            receiver = self._expressions.receiver(first)
        if node.has("->"):
            receiver = Value("value", _pointee(receiver.type))
        return self.member(receiver, last, generic, called=called)

    def _colour(self, node: Node, following: str) -> Value:
        """Bind a name before a dot: where a value has the name of its type, the member decides which is meant
        (12.8.7.2)."""
        value = self._names.name(node)
        if value.what == "value" and type_kind(unwrapped(value.type)) == simple(node):
            found = self._session.target(open_path(node), dotted=True)
            type_ = found[0] if found is not None else None
            if type_ is not None and type_ == value.type and self._means_type(type_, following, node):
                value = Value("type", type_, path=simple(node))
        elif value.symbol is not None and value.type is None and _is_named_like(value.symbol, simple(node)):
            self._session.note(node, value.symbol.symbol, sure=False)
            return value
        self._names.note(node, value)
        if value.what == "methods":
            self._expressions.settle(value)
            return NOTHING
        return value

    def _means_type(self, type_: AnyType, following: str, node: Node) -> bool:
        candidates = self._names.usable(self._world.find(type_, following))
        if not candidates and self._world.is_unknown(type_):
            return True
        if not candidates:
            return self._session.target(f"{simple(node)}.{following}") is not None
        statics = {candidate.symbol.is_static for candidate in candidates}
        if len(statics) == 1:
            return statics.pop()
        call = node.parent.parent if node.parent is not None else None
        if call is None or call.type != "invocation_expression":
            return False
        with self._session.scratch():
            arguments = self._expressions.calls.arguments(call.get("arguments"))
            best = self._session.overloads.choose(candidates, arguments).best
        return best is not None and best.symbol.is_static

    def member(
        self, receiver: Value, last: Node, generic: Sequence[AnyType | None], *, called: bool = False
    ) -> Value:
        """A member of a value or a type, or a type of a namespace or a type."""
        if receiver.what == "namespace" or (receiver.what == "type" and receiver.path):
            found = self._beneath(receiver, last, generic)
            if found is not None:
                return found
        if receiver.what == "type":
            return self._of_type(receiver.type, last, generic, through=True, called=called)
        if receiver.what == "elsewhere":
            return ELSEWHERE
        if receiver.what != "value":
            return NOTHING
        if receiver.deferred is not None:
            receiver = Value("value", self._expressions.settle(receiver))
        if receiver.type is None:
            return self._unknown(last, generic, foreign=receiver.foreign)
        if is_dynamic(receiver.type):
            self._session.found.others[last.start] = "dynamic"
            return Value("value", receiver.type)
        found = self._of_shape(receiver.type, simple(last))
        if found is None:
            found = self._of_type(receiver.type, last, generic, through=False, called=called)
        found.chained = receiver.chained
        found.is_base = receiver.is_base
        return found

    def _unknown(self, last: Node, generic: Sequence[AnyType | None], *, foreign: bool) -> Value:
        """A member of what nothing is known of."""
        return Value(
            "methods",
            node=last,
            name=simple(last),
            extensions=True,
            whole=False,
            generic=tuple(generic),
            foreign=foreign,
        )

    def _of_shape(self, type_: AnyType, name: str) -> Value | None:
        """An element of a tuple, a property of an anonymous object."""
        if isinstance(type_, TupleType):
            if name in type_.names:
                return Value("value", type_.elements[type_.names.index(name)])
            if name.startswith("Item") and name[4:].isdigit() and 0 < int(name[4:]) <= len(type_.elements):
                return Value("value", type_.elements[int(name[4:]) - 1])
        if isinstance(type_, Type) and type_.fqn.startswith(ANONYMOUS):
            names = type_.fqn[len(ANONYMOUS) :].split(",")
            if name in names:
                return Value("value", type_.arguments[names.index(name)])
        return None

    def _beneath(self, receiver: Value, last: Node, generic: Sequence[AnyType | None]) -> Value | None:
        """A type or a namespace after the name of one; None where it must be a member."""
        lookup = self._world.find(receiver.type, simple(last)) if receiver.what == "type" else None
        if lookup is not None and self._names.usable(lookup, len(generic)):
            return None
        path = f"{receiver.path}.{open_path(last)}"
        found = self._session.target(path, dotted=True)
        if found is None:
            return None if receiver.what == "type" else NOTHING
        type_, namespace = found
        if namespace is not None:
            return Value("namespace", path=path)
        if isinstance(type_, Type):
            kept = len(type_.arguments) - len(generic)
            outer = receiver.type.arguments if isinstance(receiver.type, Type) else ()
            kept_types = outer if len(outer) == kept else type_.arguments[:kept]
            type_ = Type(type_.known, (*kept_types, *generic))
        return Value("type", type_, path=path)

    def _of_type(
        self,
        type_: AnyType | None,
        last: Node,
        generic: Sequence[AnyType | None],
        *,
        through: bool,
        called: bool,
    ) -> Value:
        name = simple(last)
        lookup = self._world.find(type_, name, called=called)
        candidates = self._names.usable(lookup, len(generic))
        if candidates:
            value = self._names.of_members(candidates, last, type_, lookup, generic)
            value.extensions = value.what == "methods"
            value.through = through
            return value
        if not lookup.whole and self._world.kind(type_) == "enum":
            return Value("value", type_)
        group = Value(
            "methods",
            node=last,
            name=name,
            extensions=True,
            receiver=type_,
            through=through,
            whole=lookup.whole,
            generic=tuple(generic),
        )
        return group if called else self._extension_property(group) or group

    def _extension_property(self, group: Value) -> Value | None:
        choice = self._session.overloads.extension(group, (), (), called=False)
        if choice.best is None:
            return None
        return Value("value", choice.returns, symbol=choice.best, receiver=group.receiver, node=group.node)

    def _conditional(self, node: Node) -> Value:
        """`a?.b`, `a?[b]`."""
        value = self.conditional(node)
        last = node.named[-1]
        if value.what != "methods" and last.type == "member_binding_expression":
            self._names.note(last.get("name") or last.named[-1], value)
        return value

    def conditional(self, node: Node, *, called: bool = False) -> Value:
        """Like `access`, of what may be null."""
        first = node.get("condition") or node.named[0]
        receiver = self._expressions.receiver(first)
        receiver = Value("value", unwrapped(receiver.type), foreign=receiver.foreign)
        last = node.named[-1]
        if last.type == "member_binding_expression":
            name = last.get("name") or last.named[-1]
            generic = self._expressions.types.arguments(name) if name.type == "generic_name" else ()
            value = self.member(receiver, name, generic, called=called)
        elif last.type == "element_binding_expression":
            value = self._expressions.calls.element(receiver, last)
        else:
            value = NOTHING
        if value is NOTHING:
            return NOTHING
        value.chained = True
        return value


def _is_named_like(candidate: Candidate, name: str) -> bool:
    """Whether a member is declared with a type of its own name, of which nothing is known."""
    member = candidate.symbol.member
    text = (member.declaration.returns or "") if member is not None else ""
    return text.partition("<")[0].rpartition(".")[2].rstrip("?[]") == name


def _pointee(type_: AnyType | None) -> AnyType | None:
    return type_.arguments[0] if isinstance(type_, Type) and type_.fqn == "*" and type_.arguments else None
