"""Creations: objects, arrays, collections, tuples and anonymous objects, with what initialises them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from services.index.binding.choice.misfits import is_clear, misfit
from services.index.binding.code.calls import possible
from services.index.binding.deferred import Collection, NewOf, TupleLiteral, Unbound
from services.index.binding.session import simple
from services.index.binding.types.symbol import CONSTRUCTOR
from services.index.binding.types.types import ANONYMOUS, AnyType, Type, array_of, is_array, is_dynamic, named
from services.index.binding.values import NOTHING, Argument, Choice, Value
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.index.binding.binder import ExpressionBinder

_UNLISTED = named("?")
"""A type that is named and not known: the workspace does not declare it."""


class Creations:
    """Binds what is created in one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self.kinds: Mapping[str, Callable[[Node], Value]] = {
            "object_creation_expression": self._object,
            "implicit_object_creation_expression": self._implicit,
            "array_creation_expression": self._array,
            "implicit_array_creation_expression": self._implicit_array,
            "stackalloc_expression": self._stack,
            "implicit_stackalloc_expression": self._stack,
            "anonymous_object_creation_expression": self._anonymous,
            "tuple_expression": self._tuple,
            "collection_expression": self._collection,
            "with_expression": self._with,
        }

    def _object(self, node: Node) -> Value:
        written = node.get("type")
        if written is not None and written.type == "array_type":
            return self._array(node)
        type_ = self._expressions.types.read(written, "new")
        listed = node.get("arguments") or node.child("argument_list")
        arguments = self._expressions.calls.arguments(listed)
        invoke = (
            self._session.world.delegate(type_) if self._session.world.kind(type_) == "delegate" else None
        )
        if invoke is not None:
            self._expressions.calls.settle(arguments, Choice(None, types=(type_,) * len(arguments)))
        else:
            name = _last_name(written) if written is not None else node
            self.construct(type_, arguments, name, "new")
        self._initialise(node, type_ or _UNLISTED)
        return Value("value", type_)

    def construct(self, type_: AnyType | None, arguments: list[Argument], name: Node, kind: str) -> Choice:
        """Chooses and notes the constructor of a type that a call means."""
        session = self._session
        lookup = session.world.find(type_, CONSTRUCTOR) if isinstance(type_, Type) else None
        candidates = [c for c in lookup.candidates if session.may_use(c.symbol)] if lookup is not None else []
        choice = session.overloads.choose(candidates, arguments)
        if choice.best is None and candidates:
            choice = self._likeliest(candidates, arguments)
        if any(is_dynamic(argument.value.type) for argument in arguments):
            session.note_choice(name, Choice(None, possible(choice)), kind)  # chosen when it runs
        else:
            why = partial(misfit, session.overloads, arguments=arguments)
            session.note_choice(name, choice, kind, why)
        self._expressions.calls.settle(arguments, choice)
        return choice

    def _likeliest(self, candidates: Sequence, arguments: Sequence[Argument]) -> Choice:
        from services.index.binding.choice.overloads import is_callable

        fitting = [each for each in candidates if is_callable(each.symbol, len(arguments))]
        if len(fitting) == 1:
            types = tuple(fitting[0].type(p.type) for p in fitting[0].symbol.parameters)
            clear = is_clear(self._session.overloads, fitting[0], arguments)
            return Choice(fitting[0], types=types, certain=clear)
        return Choice(None, tuple(fitting or candidates), certain=False)

    def _implicit(self, node: Node) -> Value:
        listed = node.child("argument_list")
        arguments = self._expressions.calls.arguments(listed)
        place = node.child("new") or node
        scope = self._session.scope  # what a lambda gives is settled when its own is left

        def create(type_: AnyType | None) -> AnyType | None:
            if type_ is None:
                self._expressions.calls.settle(arguments, Choice(None))
            else:
                self.construct(type_, arguments, place, "new")
            with self._session.inner(scope):
                self._initialise(node, type_)
            return type_

        return Value("value", deferred=NewOf(self._expressions, arguments, create))

    # Initialisers

    def _initialise(self, node: Node, type_: AnyType | None) -> None:
        listed = node.get("initializer") or node.child("initializer_expression")
        if listed is not None:
            self.initialise(listed, type_)

    def initialise(self, listed: Node, type_: AnyType | None) -> None:
        """`{ A = 1, [b] = 2, { c, d }, e }` of an object of a type."""
        added: list[Value] = []
        for each in listed.named:
            if each.type == "assignment_expression":
                self._assign(each, type_)
            elif each.type == "initializer_expression":
                arguments = [Argument(self._expressions.bind(inner)) for inner in each.named]
                self._add(type_, arguments, each)
            else:
                added.append(self._expressions.bind(each))
        for value in added:
            self._add(type_, [Argument(value)], value.node or listed)

    def _assign(self, node: Node, type_: AnyType | None) -> None:
        left, right = node.get("left") or node.named[0], node.get("right") or node.named[-1]
        wanted: AnyType | None = None
        if left.type == "element_binding_expression":
            wanted = self._expressions.calls.element(Value("value", type_), left, silent=True).type
        elif left.type in ("identifier", "generic_name"):
            wanted = self.member(left, type_)
        if right.type == "initializer_expression":
            self.initialise(right, wanted)
        else:
            self._expressions.type_of(right, wanted)

    def member(self, name: Node, type_: AnyType | None, kind: str = "write") -> AnyType | None:
        """A property or field that is set by its name alone; its type."""
        if type_ is None:
            self._session.note_loose(name, kind)
            return None
        value = self._expressions.accesses.member(Value("value", type_), name, ())
        if value.what == "value":
            self._expressions.names.note(name, value, kind)
            return value.type
        if not value.whole:
            self._session.note_loose(name, kind, outside=True)
        return None

    def _add(self, type_: AnyType | None, arguments: list[Argument], place: Node) -> None:
        """An element of a collection initialiser is a call of `Add`."""
        if is_array(type_) and isinstance(type_, Type):
            self._expressions.calls.settle(arguments, Choice(None, types=type_.arguments * len(arguments)))
            return
        session = self._session
        lookup = session.world.find(type_, "Add")
        value = Value("methods", members=lookup.candidates, receiver=type_, extensions=True, name="Add")
        choice = session.overloads.choose(value.members, arguments)
        if choice.best is None and type_ is not None:
            choice = session.overloads.extension(value, arguments, ())
        if choice.best is not None and choice.certain:
            session.note_silent(place.start, place.start + 1, choice.best.symbol, "add")
        self._expressions.calls.settle(arguments, choice)

    # Arrays

    def _array(self, node: Node) -> Value:
        written = node.get("type") or node.child("array_type")
        type_ = self._expressions.types.read(written, "new")
        for each in written.walk() if written is not None else ():
            if each.type == "array_rank_specifier":
                for size in each.named:
                    self._expressions.type_of(size)
        listed = node.get("initializer") or node.child("initializer_expression")
        if listed is not None:
            self._elements(
                listed, type_.arguments[0] if is_array(type_) and isinstance(type_, Type) else None
            )
        return Value("value", type_)

    def _elements(self, listed: Node, element: AnyType | None) -> None:
        for each in listed.named:
            if each.type == "initializer_expression":
                self._elements(each, element)
            else:
                self._expressions.type_of(each, element)

    def _implicit_array(self, node: Node) -> Value:
        values = [self._expressions.bind(each) for each in _elements(node.child("initializer_expression"))]
        element = self._session.overloads.common(values)
        for value in values:
            self._expressions.settle(value, element)
        commas = sum(child.type == "," for child in node.children)
        return Value("value", array_of(element, f"[{',' * commas}]"))

    def _stack(self, node: Node) -> Value:
        written = node.get("type") or node.child("array_type")
        type_ = self._expressions.types.read(written, "new") if written is not None else None
        element = type_.arguments[0] if is_array(type_) and isinstance(type_, Type) else type_
        for each in written.walk() if written is not None else ():
            if each.type == "array_rank_specifier":
                for size in each.named:
                    self._expressions.type_of(size)
        listed = node.child("initializer_expression")
        if listed is not None:
            values = [self._expressions.bind(each) for each in listed.named]
            element = element or self._session.overloads.common(values)
            for value in values:
                self._expressions.settle(value, element)
        return Value("value", deferred=Unbound(element, self._session.conversions.fit))

    # Others

    def _anonymous(self, node: Node) -> Value:
        names: list[str] = []
        types: list[AnyType | None] = []
        children = [c for c in node.children if c.type not in ("new", "{", "}")]
        at = 0
        while at < len(children):
            child = children[at]
            at += 1
            if child.type == ",":
                continue
            name = ""
            if at + 1 < len(children) and children[at].type == "=":
                name, child = simple(child), children[at + 1]
                at += 2
            names.append(name or _implied(child))
            types.append(self._expressions.type_of(child))
        return Value("value", named(ANONYMOUS + ",".join(names), *types))

    def _tuple(self, node: Node) -> Value:
        values: list[Value] = []
        names: list[str] = []
        for each in node.named:
            name = each.get("name")
            written = next((n for n in reversed(each.named) if n is not name), None)
            values.append(self._expressions.bind(written))
            names.append(simple(name) if name is not None else _implied(written) if written else "")
        names = [name if names.count(name) == 1 else "" for name in names]
        literal = TupleLiteral(self._expressions, values, tuple(names))
        return Value("value", literal.natural(), deferred=literal)

    def _collection(self, node: Node) -> Value:
        elements: list[Value] = []
        spread: list[Value] = []
        for each in node.named:
            inner = each.named[0] if each.type == "collection_element" and each.named else each
            if inner.type in ("expression_element", "spread_element") and inner.named:
                value = self._expressions.bind(inner.named[-1])
                (spread if inner.type == "spread_element" else elements).append(value)
            else:
                elements.append(self._expressions.bind(inner))
        return Value("value", deferred=Collection(self._expressions, elements, spread))

    def _with(self, node: Node) -> Value:
        type_ = self._expressions.type_of(node.named[0]) if node.named else None
        for each in node.named[1:]:
            if each.type == "with_initializer" and len(each.named) > 1:
                wanted = self.member(each.named[0], type_)
                self._expressions.type_of(each.named[-1], wanted)
        return Value("value", type_) if type_ is not None else NOTHING


def _elements(listed: Node | None) -> list[Node]:
    """The elements of an initialiser of any rank."""
    found: list[Node] = []
    for each in listed.named if listed is not None else ():
        found += _elements(each) if each.type == "initializer_expression" else [each]
    return found


def _implied(node: Node) -> str:
    """The name that a property of an anonymous object or an element of a tuple has by what it is."""
    if node.type == "identifier":
        return simple(node)
    if node.type in ("member_access_expression", "conditional_access_expression"):
        last = node.named[-1]
        if last.type == "member_binding_expression":
            last = last.named[-1]
        return simple(last)
    return ""


def _last_name(node: Node) -> Node:
    """The identifier that a type's name ends with."""
    while node.type in ("qualified_name", "alias_qualified_name", "nullable_type"):
        node = node.get("name") or node.named[-1]
    return node
