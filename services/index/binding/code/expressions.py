"""Expressions: names, member accesses, and what other kinds of expression are handed to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from services.index.binding.code.calls import Calls
from services.index.binding.code.creations import Creations
from services.index.binding.code.deferred import Interpolated
from services.index.binding.code.lambdas import Lambda
from services.index.binding.code.literals import literal
from services.index.binding.code.operators import Operators
from services.index.binding.code.patterns import Patterns
from services.index.binding.code.queries import Queries
from services.index.binding.code.shapes import Shapes
from services.index.binding.code.statements import Statements
from services.index.binding.session import Session, simple
from services.index.binding.typenames import TypeNames, open_path, type_kind
from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import (
    ANONYMOUS,
    IN_METHOD,
    NULLABLE,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    is_dynamic,
    named,
    unwrapped,
)
from services.index.binding.types.world import Lookup
from services.index.binding.values import ELSEWHERE, NOTHING, Local, Value
from services.model import Kind
from services.syntax.bodies.tree import Node

_SIMPLE = frozenset({"identifier", "generic_name"})
Binding = Callable[[Node], Value]


class Expressions:
    """Binds the expressions of one declaration."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.world = session.world
        self.types = TypeNames(session)
        self.shapes = Shapes(self)
        self.calls = Calls(self)
        self.creations = Creations(self)
        self.operators = Operators(self)
        self.patterns = Patterns(self)
        self.queries = Queries(self)
        self.statements = Statements(self)
        self._kinds: dict[str, Binding] = {
            "identifier": self._name,
            "generic_name": self._name,
            "alias_qualified_name": self._path,
            "qualified_name": self._path,
            "predefined_type": self._type,
            "nullable_type": self._type,
            "array_type": self._type,
            "tuple_type": self._type,
            "member_access_expression": self._access,
            "conditional_access_expression": self._conditional,
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
            **self.calls.kinds,
            **self.creations.kinds,
            **self.operators.kinds,
        }

    # Doors

    def bind(self, node: Node | None) -> Value:
        """What an expression is. Its type is told by what it goes to where it is deferred: `settle` it once."""
        value = self.open(node)
        if value.what == "value":
            value.node = node
        if value.chained and value.what == "value" and value.type is not None:
            value.chained = False
            if self.world.is_value(value.type) and not _is_nullable(value.type):
                value.type = named(NULLABLE, value.type)
        return value

    def open(self, node: Node | None) -> Value:
        """As `bind`, with what follows `?.` as it is where it is not null."""
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

    def type_of(self, node: Node | None, wanted: AnyType | None = None) -> AnyType | None:
        """The type of an expression that goes to a type."""
        return self.settle(self.bind(node), wanted)

    def settle(self, value: Value, wanted: AnyType | None = None) -> AnyType | None:
        """Binds for good what takes its type from what it goes to; the expression's type."""
        if value.deferred is not None:
            return value.deferred.settle(wanted)
        if value.what == "methods":
            return self.calls.settle_group(value, wanted)
        if wanted is not None and value.type is not None and value.node is not None:
            self.operators.note_conversion(value, wanted)
        return value.type if value.what == "value" else None

    def _interpolated(self, node: Node) -> Value:
        deferred = Interpolated(self.world.is_handler, self.session.conversions.fit)
        self._holes(node)
        return Value("value", named("System.String"), deferred=deferred)

    def _holes(self, node: Node) -> None:
        for each in node.walk():
            if each.type == "interpolation":
                for child in each.named:
                    if not child.type.startswith("interpolation"):
                        self.type_of(child)

    # Names

    def _name(self, node: Node) -> Value:
        value = self.name(node)
        self.note(node, value)
        return value

    def note(self, node: Node, value: Value, kind: str = "") -> None:
        """Notes what a name means, unless it is a group, of which a call tells which."""
        kind = kind or _kind_of(node)
        if value.local is not None:
            self.session.note_local(node, value.local)
        elif value.what == "type":
            self.session.note_type(node, value.type, kind)
        elif value.what == "value" and value.symbol is not None:
            self.session.note(node, value.symbol.symbol, kind)
        elif value.what == "nothing":
            self.session.note_loose(node, kind)
        elif value.what == "namespace":
            self.session.found.others[node.start] = "namespace"

    def name(self, node: Node, *, called: bool = False) -> Value:
        """What a simple name means; nothing of it is noted but its type arguments."""
        name = simple(node)
        generic = self.types.arguments(node) if node.type == "generic_name" else ()
        local = self.session.scope.find(name) if not generic else None
        if local is not None and not (local.at < 0 and node.text == "@field"):
            return self._of_local(local, node)
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
        return value.what == "type" and isinstance(value.type, Type) and self.world.is_unknown(value.type)

    def _may_inherit(self, name: str) -> bool:
        """Whether a type around may have a member of a name from a base of which nothing is known."""
        types = (self.session.this(depth) for depth in range(len(self.session.enclosing)))
        return any(not self.world.find(own, name).whole for own in types)

    def _of_local(self, local: Local, node: Node) -> Value:
        if local.function is not None:
            self.session.note_local(node, local)
            members = (Candidate(local.function, None),)
            return Value("methods", members=members, node=node, name=simple(node))
        return Value("value", local.type, local=local, constant=local.constant)

    def _member_around(
        self, name: str, node: Node, generic: Sequence[AnyType | None], *, called: bool
    ) -> Value | None:
        """A member of the types around the place, the innermost first."""
        session = self.session
        if not generic and not called and name in session.context.own:
            return Value("type", TypeParameter(name, IN_METHOD), path=name)
        for depth in range(len(session.enclosing)):
            own = session.this(depth)
            assert own is not None
            if depth == 0 and session.checked_initialiser:
                parameter = self._primary_parameter(depth, name)
                if parameter is not None:
                    return parameter
            lookup = self.world.find(own, name, called=called)
            candidates = self._usable(lookup, len(generic))
            if candidates and not called and self._is_hidden(candidates[0], own, name, len(generic)):
                return None
            if candidates:
                return self._of_members(candidates, node, own, lookup, generic)
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
        nearer = takewhile(lambda each: each.fqn != holder.fqn, self.world.closure(own)[0])
        return any(self._nested(each, name, arity) for each in nearer)

    def _nested(self, own: Type, name: str, arity: int) -> bool:
        """Whether a type has a nested type of a name, which comes before what is further out."""
        space = self.world.workspace.names.space
        return space.nested(self.session.context.project, own.known, name, arity) is not None

    def _usable(self, lookup: Lookup, arity: int = 0) -> tuple[Candidate, ...]:
        """Those that are accessible here. `arity`: how many type arguments are written: then methods alone count
        that have so many (C# specification 12.5.1)."""
        found = tuple(each for each in lookup.candidates if self.session.may_use(each.symbol))
        if not arity:
            return found
        return tuple(c for c in found if c.symbol.is_method and _takes(c.symbol, arity))

    def _of_members(
        self,
        candidates: tuple[Candidate, ...],
        node: Node,
        receiver: AnyType | None,
        lookup: Lookup,
        generic: Sequence[AnyType | None],
    ) -> Value:
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
        return Value("value", first.returns, symbol=first, receiver=receiver, node=node)

    def _primary_parameter(self, depth: int, name: str) -> Value | None:
        enclosing = self.session.context.enclosing[depth].declaration
        workspace = self.world.workspace
        index = self.session.enclosing[depth]
        for file, at, part in workspace.parts(index):
            for place, parameter in enumerate(part.parameters or ()):
                if parameter.name.lstrip("@") == name and enclosing.kind is not Kind.DELEGATE:
                    read = self.world.reader.read(parameter.type, workspace.names.context(file, at))
                    starts = part.header[place + 1 : place + 2]
                    return Value("value", read, local=Local(starts[0].start if starts else -1, read))
        return None

    def _of_static_usings(
        self, name: str, node: Node, generic: Sequence[AnyType | None], *, called: bool = False
    ) -> Value | None:
        for level in self.session.context.levels:
            found: list[Candidate] = []
            for using in level.usings:
                if not using.static:
                    continue
                read = self.session.read(using.name)
                if read is not None:
                    usable = self._usable(self.world.find(read, name, called=called), len(generic))
                    found += [c for c in usable if c.symbol.is_static and not c.symbol.is_extension]
            if found:
                return self._of_members(tuple(found), node, None, Lookup((), whole=True), generic)
        return None

    def _of_types(self, node: Node, generic: Sequence[AnyType | None]) -> Value | None:
        path = open_path(node)
        found = self.session.target(path, dotted=True)
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
        if node.type == "qualified_name":
            return self._access(node)
        found = self.session.target(path, dotted=True)
        if found is None:
            return NOTHING
        type_, namespace = found
        if namespace is not None:
            return Value("namespace", path=path)
        self.session.note_type(node.get("name") or node.named[-1], type_, "read")
        return Value("type", type_, path=path)

    def _type(self, node: Node) -> Value:
        return Value("type", self.types.read(node))

    # Accesses

    def _access(self, node: Node) -> Value:
        value = self.access(node)
        last = node.get("name") or node.named[-1]
        if value.what != "methods":
            self.note(last, value)
        return value

    def access(self, node: Node, *, called: bool = False) -> Value:
        """`receiver.name`; nothing is noted of the name."""
        first = node.get("expression") or node.get("qualifier") or node.children[0]
        last = node.get("name") or node.named[-1]
        generic = self.types.arguments(last) if last.type == "generic_name" else ()
        if first.type in _SIMPLE:
            receiver = self._colour(first, simple(last))
        else:
            receiver = self.open(first)
        if node.has("->"):
            receiver = Value("value", _pointee(receiver.type))
        return self.member(receiver, last, generic, called=called)

    def _colour(self, node: Node, following: str) -> Value:
        """A name before a dot: where a value has the name of its type, what follows tells which is meant (12.8.7.2)."""
        value = self.name(node)
        if value.what == "value" and type_kind(unwrapped(value.type)) == simple(node):
            found = self.session.target(open_path(node), dotted=True)
            type_ = found[0] if found is not None else None
            if type_ is not None and type_ == value.type and self._means_type(type_, following, node):
                value = Value("type", type_, path=simple(node))
        elif value.symbol is not None and value.type is None and _is_named_like(value.symbol, simple(node)):
            self.session.note(node, value.symbol.symbol, sure=False)
            return value
        self.note(node, value)
        if value.what == "methods":
            self.settle(value)
            return NOTHING
        return value

    def _means_type(self, type_: AnyType, following: str, node: Node) -> bool:
        candidates = self._usable(self.world.find(type_, following))
        if not candidates and self.world.is_unknown(type_):
            return True
        if not candidates:
            return self.session.target(f"{simple(node)}.{following}") is not None
        statics = {candidate.symbol.is_static for candidate in candidates}
        if len(statics) == 1:
            return statics.pop()
        call = node.parent.parent if node.parent is not None else None
        if call is None or call.type != "invocation_expression":
            return False
        with self.session.scratch():
            arguments = self.calls.arguments(call.get("arguments"))
            best = self.session.overloads.choose(candidates, arguments).best
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
            receiver = Value("value", self.settle(receiver))
        if receiver.type is None:
            return self._unknown(last, generic)
        if is_dynamic(receiver.type):
            self.session.found.others[last.start] = "dynamic"
            return Value("value", receiver.type)
        found = self._of_shape(receiver.type, simple(last))
        if found is None:
            found = self._of_type(receiver.type, last, generic, through=False, called=called)
        found.chained = receiver.chained
        found.is_base = receiver.is_base
        return found

    def _unknown(self, last: Node, generic: Sequence[AnyType | None]) -> Value:
        """A member of what nothing is known of."""
        return Value(
            "methods", node=last, name=simple(last), extensions=True, whole=False, generic=tuple(generic)
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
        lookup = self.world.find(receiver.type, simple(last)) if receiver.what == "type" else None
        if lookup is not None and self._usable(lookup, len(generic)):
            return None
        path = f"{receiver.path}.{open_path(last)}"
        found = self.session.target(path, dotted=True)
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
        lookup = self.world.find(type_, name, called=called)
        candidates = self._usable(lookup, len(generic))
        if candidates:
            value = self._of_members(candidates, last, type_, lookup, generic)
            value.extensions = value.what == "methods"
            value.through = through
            return value
        if not lookup.whole and self.world.kind(type_) == "enum":
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
        choice = self.session.overloads.extension(group, (), (), called=False)
        if choice.best is None:
            return None
        return Value("value", choice.returns, symbol=choice.best, receiver=group.receiver, node=group.node)

    def _conditional(self, node: Node) -> Value:
        """`a?.b`, `a?[b]`."""
        value = self.conditional(node)
        last = node.named[-1]
        if value.what != "methods" and last.type == "member_binding_expression":
            self.note(last.get("name") or last.named[-1], value)
        return value

    def conditional(self, node: Node, *, called: bool = False) -> Value:
        """As `access`, of what may be null."""
        first = node.get("condition") or node.named[0]
        receiver = self.open(first)
        if receiver.deferred is not None:
            receiver = Value("value", self.settle(receiver))
        receiver = Value("value", unwrapped(receiver.type))
        last = node.named[-1]
        if last.type == "member_binding_expression":
            name = last.get("name") or last.named[-1]
            generic = self.types.arguments(name) if name.type == "generic_name" else ()
            value = self.member(receiver, name, generic, called=called)
        elif last.type == "element_binding_expression":
            value = self.calls.element(receiver, last)
        else:
            value = NOTHING
        if value is NOTHING:
            return NOTHING
        value.chained = True
        return value

    # Others

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


def _takes(symbol: Symbol, arity: int) -> bool:
    """Whether a method may be given so many type arguments."""
    return symbol.arity == arity or (
        symbol.member is not None and len(symbol.member.declaration.type_parameters) == arity
    )


def _is_named_like(candidate: Candidate, name: str) -> bool:
    """Whether a member is declared with a type of its own name, of which nothing is known."""
    member = candidate.symbol.member
    text = (member.declaration.returns or "") if member is not None else ""
    return text.partition("<")[0].rpartition(".")[2].rstrip("?[]") == name


def _is_nullable(type_: AnyType | None) -> bool:
    return isinstance(type_, Type) and type_.fqn == NULLABLE


def _pointee(type_: AnyType | None) -> AnyType | None:
    return type_.arguments[0] if isinstance(type_, Type) and type_.fqn == "*" and type_.arguments else None


def _kind_of(node: Node) -> str:
    """What a place does, by where it stands."""
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
