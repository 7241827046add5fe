"""The type of an expression: locals, members, calls, generics, by the rules of the language and never by a guess."""

from __future__ import annotations

from collections.abc import Sequence

from services.index.names.context import Context
from services.index.names.type_text import Named, Predefined, Segment, attribute_classes, parse
from services.index.usages.infer.arguments import Arguments
from services.index.usages.infer.calls import Calls
from services.index.usages.infer.expecting import Expecting
from services.index.usages.infer.locals import Locals
from services.index.usages.infer.overloads import is_method
from services.index.usages.infer.receivers import Receivers
from services.index.usages.types.member import Candidate, Lookup
from services.index.usages.types.members import INDEXER
from services.index.usages.types.typed import Tools, Typed
from services.index.usages.types.types import (
    ARRAY,
    METHOD,
    NULLABLE,
    OBJECT,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    framework,
    unwrapped,
)
from services.model import Kind
from services.syntax.bodies import Body
from services.syntax.bodies.expressions import (
    Access,
    ArrayOf,
    Await,
    Call,
    Either,
    Expression,
    Index,
    Keyword,
    Name,
    New,
    Null,
    OfType,
    Operation,
    TupleOf,
)
from services.syntax.records.declaration import Declaration

_DEEPEST = 24
_AWAITED = (
    "System.Threading.Tasks.Task`1",
    "System.Threading.Tasks.ValueTask`1",
    "System.Runtime.CompilerServices.ConfiguredTaskAwaitable`1",
    "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable`1",
)
_BY_ELEMENT = frozenset({"System.Span`1", "System.ReadOnlySpan`1"})
_SMALL = frozenset({"System.Byte", "System.SByte", "System.Int16", "System.UInt16", "System.Char"})


class Typer:
    """Types the expressions of one declaration."""

    def __init__(self, tools: Tools, body: Body, declaration: Declaration, context: Context) -> None:
        self.context = context
        self.tools = tools
        self._members = tools.members
        self.body = body
        self.declaration = declaration
        self._depth = 0
        self._known: dict[
            int, tuple[Expression, Typed | None]
        ] = {}  # by identity; holding them keeps that unique
        self.cuts = 0
        """Answers that were cut short: what rests on one is kept no longer than for the question it came up in."""
        self._cut: dict[int, tuple[Expression, Typed | None]] = {}
        self.arguments = Arguments(self)
        self.receivers = Receivers(self)
        self.calls = Calls(self)
        self.expecting = Expecting(self)
        self.locals = Locals(self)

    def typed(self, expression: Expression) -> Typed | None:
        """What an expression is, or None where that is not known."""
        known = self._known.get(id(expression)) or self._cut.get(id(expression))
        if known is not None:
            return known[1]
        if self._depth > _DEEPEST:
            self.cuts += 1
            return None
        self._depth += 1
        cuts = self.cuts
        try:
            found = self._typed(expression)
        finally:
            self._depth -= 1
        kept = self._known if cuts == self.cuts else self._cut
        kept[id(expression)] = (expression, found)
        if not self._depth:
            self._cut.clear()
        return found

    def declared_at(self, name: Name) -> int | None:
        """The offset where the local is declared that a name means; None for parameters of the declaration."""
        return self.body.declared_at(name.text, name.at)

    def type_of(self, expression: Expression) -> AnyType | None:
        """The type of a value."""
        found = self.typed(expression)
        return found.type if found is not None and found.what == "value" else None

    def read(self, text: str) -> AnyType | None:
        """A type text that stands in the declaration."""
        return self._members.reader.read(text, self.context)

    def attribute(self, written: str) -> AnyType | None:
        """The class of an attribute, by what stands in its brackets before the arguments."""
        with_suffix, as_written = attribute_classes(written)
        return self.read(with_suffix) or self.read(as_written)

    def roots(self, type_: AnyType | None) -> tuple[Type, ...]:
        """The types whose members a value of the type has."""
        if isinstance(type_, TypeParameter) and type_.owner == METHOD:
            bounds = self._members.bounds_in(self.declaration, type_, self.context, METHOD)
            return (*bounds, framework(OBJECT))
        return self._members.roots(type_)

    def _typed(self, expression: Expression) -> Typed | None:
        if isinstance(expression, Name):
            return self._name(expression)
        if isinstance(expression, Access):
            return self._access(expression)
        if isinstance(expression, Keyword):
            return self._keyword(expression.word)
        return Typed("value", self._value(expression))

    def _value(self, expression: Expression) -> AnyType | None:
        if isinstance(expression, OfType):
            return self.read(expression.type)
        if isinstance(expression, Call):
            return self.calls.value(expression)
        if isinstance(expression, New):
            return (
                self.read(expression.type)
                if expression.type
                else self.expecting.expected(expression.expected)
            )
        if isinstance(expression, Await):
            return self.awaited(self.type_of(expression.inner))
        if isinstance(expression, Index):
            return self._indexed(expression)
        if isinstance(expression, Either):
            return self._either(expression)
        if isinstance(expression, TupleOf):
            return TupleType(tuple(map(self.type_of, expression.elements)), expression.names)
        if isinstance(expression, ArrayOf):
            found = {self.type_of(e) for e in expression.elements}
            return framework(ARRAY, found.pop() if len(found) == 1 else None)
        return self._operation(expression) if isinstance(expression, Operation) else None

    def _keyword(self, word: str) -> Typed | None:
        if word not in ("this", "base"):
            return Typed("type", self.read(word))
        own = self.own(0)
        if own is None:
            return None
        if word == "this":
            return Typed("value", own)
        bases, known = self._members.bases(own)
        first = next((base for base in bases if not self._members.is_interface(base)), None)
        return Typed("value", first) if first is not None or known else None

    def own(self, depth: int) -> Type | None:
        """The type around the place, `depth` levels out, with its own parameters."""
        if depth >= len(self.context.enclosing):
            return None
        return self._members.itself(self.context.enclosing[depth].index)

    def _name(self, name: Name) -> Typed | None:
        found = None if "::" in name.text or name.arguments else self.locals.named(name.text, name.at)
        if found is not None:
            return found
        if "::" not in name.text:
            if self._in_initialiser(name.at) and (first := self._primary_parameter(0, name.text)) is not None:
                return first
            for depth in range(len(self.context.enclosing)):
                own = self.own(depth)
                lookup = self._members.find((own,), name.text) if own is not None else Lookup((), False)
                if lookup.candidates:
                    return self._of_lookup(lookup, own)
                if not lookup.whole:
                    return None
                if (parameter := self._primary_parameter(depth, name.text)) is not None:
                    return parameter
            if (static := self._by_static_usings(name.text)) is not None:
                return static
        qualifier, _, simple = name.text.rpartition("::")
        return self._path(Named((_segment(simple, name.arguments),), qualifier))

    def _path(self, path: Named) -> Typed | None:
        """A dotted path that is no value: a type or a namespace."""
        target = self._members.reader.known_name(path, self.context, dotted=True)
        if target is None:
            return None
        if target.namespace is not None:
            return Typed("namespace", path=path)
        return Typed("type", self._members.reader.of_target(path, target, self.context), path)

    def _in_initialiser(self, at: int) -> bool:
        """Whether a place is in what a member that is no static one begins with: there parameters of the primary
        constructor come before members."""
        kind, modifiers = self.declaration.kind, self.declaration.modifiers
        if kind not in (Kind.FIELD, Kind.PROPERTY, Kind.EVENT) or "static" in modifiers:
            return False
        return bool(self.context.enclosing) and self.body.is_initialiser(at)

    def _primary_parameter(self, depth: int, name: str) -> Typed | None:
        enclosing = self.context.enclosing[depth]
        for parameter in enclosing.declaration.parameters or ():
            if parameter.name == name and enclosing.declaration.kind is not Kind.DELEGATE:
                return Typed("value", self.read(parameter.type), local=True)
        return None

    def _by_static_usings(self, name: str) -> Typed | None:
        for level in self.context.levels:
            for using in level.usings:
                read = self.read(using.name) if using.static else None
                if isinstance(read, Type) and (lookup := self._members.find((read,), name)).candidates:
                    return self._of_lookup(lookup, read)
        return None

    def _access(self, access: Access) -> Typed | None:
        receiver = self.typed(access.receiver)
        if receiver is None:
            return None
        if receiver.what in ("type", "namespace") and receiver.path is not None:
            return self._beneath(receiver, access)
        if receiver.what == "methods":
            return None
        return self.member(receiver.type, access.name, conditional=access.conditional)

    def _beneath(self, receiver: Typed, access: Access) -> Typed | None:
        """What follows the name of a type or a namespace."""
        if receiver.what == "type" and isinstance(receiver.type, Type):
            lookup = self._members.find((receiver.type,), access.name)
            if lookup.candidates:
                return self._of_lookup(lookup, receiver.type)
        assert receiver.path is not None
        segments = (*receiver.path.segments, _segment(access.name, access.arguments))
        found = self._path(Named(segments, receiver.path.qualifier))
        if found is None and isinstance(receiver.type, Type) and receiver.type.known.index is None:
            return self._of_foreign(receiver.type)
        return found

    def _of_foreign(self, type_: Type) -> Typed:
        """A static member of a type outside the workspace that the table does not list: those of enums are not."""
        is_enum = self._members.is_enum(type_)
        return Typed("value", type_ if is_enum else None, lookup=Lookup((), is_enum), receiver=type_)

    def member(self, type_: AnyType | None, name: str, *, conditional: bool = False) -> Typed | None:
        """A member of a value, or the extension methods that it may be called with."""
        if type_ is None:
            return Typed("value")
        if conditional and isinstance(type_, Type) and type_.fqn == NULLABLE and type_.arguments:
            type_ = type_.arguments[0]
        if isinstance(type_, TupleType) and name in (*type_.names, *_items(len(type_.elements))):
            at = type_.names.index(name) if name in type_.names else int(name[4:]) - 1
            return Typed("value", type_.elements[at], receiver=type_)
        roots = self.roots(type_)
        lookup = self._members.find(roots, name) if roots else Lookup((), False)
        if lookup.candidates:
            return self._of_lookup(lookup, type_)
        own = [Candidate(m, None) for m in self.tools.extensions.own(name, self.context)]
        facts = [Candidate(f, None) for f in self.tools.extensions.of_framework(name, self.context)]
        return Typed("methods", lookup=Lookup((*own, *facts), lookup.whole), receiver=type_)

    def _of_lookup(self, lookup: Lookup, receiver: AnyType | None) -> Typed:
        first = lookup.candidates[0]
        if is_method(first):
            return Typed("methods", lookup=lookup, receiver=receiver)
        return Typed("value", self.calls.result(first, (), ()), lookup=lookup, receiver=receiver)

    def _indexed(self, index: Index) -> AnyType | None:
        type_ = self.type_of(index.receiver)
        if not isinstance(type_, Type):
            return None
        if type_.fqn == ARRAY or type_.fqn in _BY_ELEMENT:
            return type_.arguments[0] if type_.arguments else None
        if type_.fqn == "System.String":
            return framework("System.Char")
        lookup = self._members.find(self.roots(type_), INDEXER)
        choice = self.calls.choose(lookup.candidates, index.arguments, 0)
        results = [self.calls.result(c, (), ()) for c in choice.candidates]
        return results[0] if results and all(r == results[0] for r in results) else None

    def _either(self, either: Either) -> AnyType | None:
        found = [self.type_of(option) for option in either.options if not isinstance(option, Null)]
        if either.first_unwrapped and found:
            found[0] = unwrapped(found[0]) if len(found) > 1 and found[0] != found[1] else found[0]
        if any(type_ is None for type_ in found) or not found:
            return None
        if all(type_ == found[0] for type_ in found):
            return found[0]
        lifted = {type_ for type_ in found if isinstance(type_, Type) and type_.fqn == NULLABLE}
        same = len({unwrapped(type_) for type_ in found}) == 1
        return lifted.pop() if same and len(lifted) == 1 else None

    def awaited(self, type_: AnyType | None) -> AnyType | None:
        """What `await` gives of a type."""
        if isinstance(type_, Type) and type_.fqn in _AWAITED and type_.arguments:
            return type_.arguments[0]
        return None

    def _operation(self, operation: Operation) -> AnyType | None:
        types = [self.type_of(operand) for operand in operation.operands]
        string = framework("System.String")
        if operation.sign == "+" and string in types:
            return string
        if any(not isinstance(t, Type) or not t.fqn.startswith("System.") for t in types):
            return None
        if all(t == types[0] for t in types):
            small = isinstance(types[0], Type) and types[0].fqn in _SMALL
            return framework("System.Int32") if small else types[0] if _is_number(types[0]) else None
        numbers = [
            t for t, operand in zip(types, operation.operands, strict=True) if not _is_plain(operand, t)
        ]
        return numbers[0] if len(numbers) == 1 and _is_number(numbers[0]) else None


def _is_plain(operand: Expression, type_: AnyType | None) -> bool:
    """Whether an operand is a literal of the type `int`, which becomes of the other's type."""
    return isinstance(operand, OfType) and operand.type == "int" and type_ == framework("System.Int32")


def _is_number(type_: AnyType | None) -> bool:
    return isinstance(type_, Type) and type_.fqn in (
        "System.Int32",
        "System.Int64",
        "System.UInt32",
        "System.UInt64",
        "System.Single",
        "System.Double",
        "System.Decimal",
    )


def _segment(name: str, arguments: Sequence[str]) -> Segment:
    return Segment(name, tuple(parse(text) or Predefined("object") for text in arguments))


def _items(count: int) -> list[str]:
    return [f"Item{at}" for at in range(1, count + 1)]
