"""Simple names and their meaning at a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from services.index.binding.session import simple
from services.index.binding.typenames import open_path
from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import (
    IN_METHOD,
    STRING,
    AnyType,
    Type,
    TypeParameter,
)
from services.index.binding.types.world import Lookup
from services.index.binding.values import ELSEWHERE, NOTHING, Local, Value
from services.index.names.type_text import identifiers
from services.model import Kind
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.index.binding.binder import ExpressionBinder


_MAY_BE_CONSTANT = frozenset({"identifier", "member_access_expression", "qualified_name"})


class Names:
    """Binds the simple names of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self._world = expressions.world
        self.kinds: Mapping[str, Callable[[Node], Value]] = {
            "identifier": self._name,
            "generic_name": self._name,
            "alias_qualified_name": self._path,
        }

    def _name(self, node: Node) -> Value:
        value = self.name(node)
        self.note(node, value)
        return value

    def note(self, node: Node, value: Value, kind: str = "") -> None:
        """Note the meaning of a name, unless it is a method group, which a call decides."""
        kind = kind or _kind_of(node)
        if value.local is not None:
            self._session.note_local(node, value.local)
        elif value.what == "type":
            self._session.note_type(node, value.type, kind)
        elif value.what == "value" and value.symbol is not None:
            self._session.note(node, value.symbol.symbol, kind)
        elif value.what == "nothing":
            self._session.note_loose(node, kind)
        elif value.what == "namespace":
            self._session.found.others[node.start] = "namespace"

    def is_constant_text(self, node: Node) -> bool:
        """Whether an expression is a string that is known while compiling (C# specification 12.25): of an interpolated
        one, its holes are such strings, with no format (C# 10)."""
        if node.type == "parenthesized_expression":
            return bool(node.named) and self.is_constant_text(node.named[-1])
        if node.type == "binary_expression":
            return node.has("+") and all(map(self.is_constant_text, node.named))
        if node.type == "interpolated_string_expression":
            holes = [each for each in node.named if each.type == "interpolation"]
            parts = [[c for c in hole.named if c.type != "interpolation_brace"] for hole in holes]
            return all(len(part) == 1 and self.is_constant_text(part[0]) for part in parts)
        if node.type == "invocation_expression":
            return node.named[0].text == "nameof"
        if node.type not in _MAY_BE_CONSTANT:
            return node.type.endswith("string_literal")
        with self._session.scratch():
            value = self._expressions.bind(node)
        if not isinstance(value.type, Type) or value.type.fqn != STRING:
            return False
        if value.local is not None:
            return value.local.is_constant
        return value.symbol is not None and value.symbol.symbol.kind is Kind.CONSTANT

    def name(self, node: Node, *, called: bool = False) -> Value:
        """Bind a simple name, noting nothing but its type arguments."""
        name = simple(node)
        generic = self._expressions.types.arguments(node) if node.type == "generic_name" else ()
        local = self._session.scope.find(name, len(generic))
        if local is not None and not (local.at < 0 and node.text == "@field"):
            return self._of_local(local, node, generic)
        found = self._member_around(name, node, generic, called=called)
        if found is not None:
            return found
        found = self._of_static_usings(name, node, generic, called=True) if called else None
        found = found or self._of_types(node, generic)
        if not called and (found is None or self._is_deduced(found)):
            found = self._of_static_usings(name, node, generic) or found
        if found is not None:
            return found
        return NOTHING if self._may_inherit(name) else ELSEWHERE

    def _is_deduced(self, value: Value) -> bool:
        """Whether a name is that of a type for want of anything else that it could be."""
        return value.what == "type" and isinstance(value.type, Type) and self._world.is_unknown(value.type)

    def _may_inherit(self, name: str) -> bool:
        """Whether a type around may have a member of a name from a base of which nothing is known."""
        types = (self._session.this(depth) for depth in range(len(self._session.enclosing)))
        return any(not self._world.find(own, name).whole for own in types)

    def _of_local(self, local: Local, node: Node, generic: tuple[AnyType | None, ...]) -> Value:
        if local.function is not None:
            self._session.note_local(node, local)
            members = (Candidate(local.function, None),)
            return Value("methods", members=members, node=node, name=simple(node), generic=generic)
        return Value("value", local.type, local=local, constant=local.constant, foreign=local.foreign)

    def _member_around(
        self, name: str, node: Node, generic: Sequence[AnyType | None], *, called: bool
    ) -> Value | None:
        """A member of the types around the place, the innermost first."""
        session = self._session
        if not generic and not called and name in session.context.own:
            return Value("type", TypeParameter(name, IN_METHOD), path=name)
        for depth in range(len(session.enclosing)):
            own = session.this(depth)
            assert own is not None
            if depth == 0 and session.checked_initialiser:
                parameter = self._primary_parameter(depth, name)
                if parameter is not None:
                    return parameter
            lookup = self._world.find(own, name, called=called)
            candidates = self.usable(lookup, len(generic))
            if candidates and not called and self._is_hidden(candidates[0], own, name, len(generic)):
                return None
            if candidates:
                return self.of_members(candidates, node, own, lookup, generic)
            parameter = self._primary_parameter(depth, name)
            if parameter is not None:
                return parameter
            if not called and self._nested(own, name, len(generic)):
                return None
        return None

    def _is_hidden(self, candidate: Candidate, own: Type, name: str, arity: int) -> bool:
        """Whether a type in a nearer type than that of a member has the name of that."""
        holder = candidate.holder
        if holder is None or holder.fqn == own.fqn:
            return False
        nearer = takewhile(lambda each: each.fqn != holder.fqn, self._world.closure(own)[0])
        return any(self._nested(each, name, arity) for each in nearer)

    def _nested(self, own: Type, name: str, arity: int) -> bool:
        """Whether a type has a nested type of that name, which hides outer names."""
        space = self._world.workspace.names.space
        return space.nested(self._session.context.project, own.known, name, arity) is not None

    def usable(self, lookup: Lookup, arity: int = 0) -> tuple[Candidate, ...]:
        """Return the accessible members. `arity`: the number of type arguments written, which only methods with so
        many type parameters match (C# specification 12.5.1)."""
        found = tuple(each for each in lookup.candidates if self._session.may_use(each.symbol))
        if not arity:
            return found
        return tuple(c for c in found if c.symbol.is_method and _takes(c.symbol, arity))

    def of_members(
        self,
        candidates: tuple[Candidate, ...],
        node: Node,
        receiver: AnyType | None,
        lookup: Lookup,
        generic: Sequence[AnyType | None],
    ) -> Value:
        """The value of members of one name, of which the first is the nearest; of methods their group."""
        first = candidates[0]
        if first.symbol.is_method:
            return Value(
                "methods",
                members=candidates,
                receiver=receiver,
                node=node,
                whole=lookup.whole,
                name=simple(node),
                generic=tuple(generic),
            )
        foreign = first.returns is None and self.is_foreign(first)
        return Value("value", first.returns, symbol=first, receiver=receiver, node=node, foreign=foreign)

    def is_foreign(self, candidate: Candidate) -> bool:
        """Whether what a member gives, of which no type is known, is none of the workspace's."""
        member = candidate.symbol.member
        if member is None:
            return False
        context = self._world.workspace.names.context(member.file, member.at)
        return self._session.is_foreign(identifiers(member.declaration.returns or ""), context)

    def _primary_parameter(self, depth: int, name: str) -> Value | None:
        enclosing = self._session.context.enclosing[depth].declaration
        workspace = self._world.workspace
        index = self._session.enclosing[depth]
        for file, at, part in workspace.parts(index):
            for place, parameter in enumerate(part.parameters or ()):
                if parameter.name.lstrip("@") == name and enclosing.kind is not Kind.DELEGATE:
                    read = self._world.reader.read(parameter.type, workspace.names.context(file, at))
                    starts = part.header[place + 1 : place + 2]
                    return Value("value", read, local=Local(starts[0].start if starts else -1, read))
        return None

    def _of_static_usings(
        self, name: str, node: Node, generic: Sequence[AnyType | None], *, called: bool = False
    ) -> Value | None:
        for level in self._session.context.levels:
            found: list[Candidate] = []
            for using in level.usings:
                if not using.static:
                    continue
                read = self._session.read(using.name)
                if read is not None:
                    usable = self.usable(self._world.find(read, name, called=called), len(generic))
                    found += [c for c in usable if c.symbol.is_static and not c.symbol.is_extension]
            if found:
                return self.of_members(tuple(found), node, None, Lookup((), whole=True), generic)
        return None

    def _of_types(self, node: Node, generic: Sequence[AnyType | None]) -> Value | None:
        path = open_path(node)
        found = self._session.target(path, dotted=True)
        if found is None:
            return None
        type_, namespace = found
        if namespace is not None:
            return Value("namespace", path=path)
        if generic and isinstance(type_, Type):
            keep = type_.arguments[: len(type_.arguments) - len(generic)]
            type_ = Type(type_.known, (*keep, *generic))
        return Value("type", type_, path=path)

    def _path(self, node: Node) -> Value:
        """A name after `::`, or one that the parser took for a type's."""
        path = open_path(node)
        found = self._session.target(path, dotted=True)
        if found is None:
            return NOTHING
        type_, namespace = found
        if namespace is not None:
            return Value("namespace", path=path)
        self._session.note_type(node.get("name") or node.named[-1], type_, "read")
        return Value("type", type_, path=path)


def _takes(symbol: Symbol, arity: int) -> bool:
    """Whether a method may be given so many type arguments."""
    return symbol.arity == arity or (
        symbol.member is not None and len(symbol.member.declaration.type_parameters) == arity
    )


def _kind_of(node: Node) -> str:
    """Return the kind of use of a place, derived from its parent."""
    parent = node.parent
    while parent is not None and parent.type in (
        "member_access_expression",
        "member_binding_expression",
        "conditional_access_expression",
    ):
        if parent.named and parent.named[-1] is not node and parent.named[-1].end != node.end:
            return "read"
        node, parent = parent, parent.parent
    if parent is None:
        return "read"
    if parent.type == "assignment_expression" and parent.get("left") is node:
        return "write"
    if parent.type in ("prefix_unary_expression", "postfix_unary_expression"):
        return "write" if parent.has("++") or parent.has("--") else "read"
    if parent.type == "argument" and (parent.has("ref") or parent.has("out")):
        return "write"
    return "call" if parent.type == "invocation_expression" and parent.get("function") is node else "read"
