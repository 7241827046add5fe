"""Calls: of methods, delegates and local functions; elements by index; what groups of methods become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from services.index.binding.choice.misfits import count_misfit, is_clear, misfit
from services.index.binding.choice.overloads import is_callable
from services.index.binding.session import simple
from services.index.binding.types.conversions import SPAN, Fit
from services.index.binding.types.symbol import INDEXER, Candidate
from services.index.binding.types.types import (
    CALLEE,
    FUNCTION,
    OF_CALLEE,
    STRING,
    AnyType,
    TupleType,
    Type,
    is_array,
    is_dynamic,
    is_foreign,
    mentions,
    named,
    substituted,
)
from services.index.binding.values import NOTHING, Argument, Choice, Value
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.index.binding.binder import ExpressionBinder


def possible(choice: Choice) -> tuple[Candidate, ...]:
    """Return every candidate that a call may resolve to."""
    return (*((choice.best,) if choice.best is not None else ()), *choice.others)


def is_product(node: Node) -> bool:
    """Whether `a * b` was taken for a pointer that is declared."""
    written = node.get("type")
    return written is not None and written.type == "pointer_type"


def _compared(node: Node) -> Node | None:
    """Return the declaration that the grammar finds in an argument `a < b, c > d`, which is two comparisons."""
    written = node.named[-1] if len(node.children) == 1 and node.named else None
    if written is None or written.type != "declaration_expression":
        return None
    type_ = written.get("type")
    listed = type_.child("type_argument_list") if type_ is not None and type_.type == "generic_name" else None
    return written if listed is not None and len(listed.named) > 1 else None


_UNKNOWN = dict.fromkeys(CALLEE)
_WAYS = frozenset({"ref", "out", "in"})


class Calls:
    """Binds the calls of one declaration."""

    def __init__(self, expressions: ExpressionBinder) -> None:
        self._expressions = expressions
        self._session = expressions.session
        self.kinds: Mapping[str, Callable[[Node], Value]] = {
            "invocation_expression": self._invocation,
            "element_access_expression": self._element_access,
        }

    # Arguments

    def arguments(self, listed: Node | None) -> list[Argument]:
        """The arguments of a list, bound but for what takes its type from where they go."""
        if listed is None:
            return []
        found: list[Argument] = []
        for each in listed.named:
            if each.type in ("argument", "attribute_argument"):
                compared = _compared(each)
                if compared is None:
                    found.append(self._argument(each))
                else:
                    found += [Argument(v) for v in self._expressions.operators.compared(compared)]
        return found

    def _argument(self, node: Node) -> Argument:
        name = node.get("name")
        way = next((child.type for child in node.children if child.type in _WAYS), "")
        written = next((each for each in reversed(node.named) if each is not name), None)
        value, declares = self._given(written, way) if written is not None else (NOTHING, False)
        return Argument(value, simple(name) if name is not None else "", way, declares, name)

    def _given(self, written: Node, way: str) -> tuple[Value, bool]:
        """The value of an argument; whether it is a variable of a type that is not written."""
        if way and written.type == "declaration_expression":
            type_ = self._expressions.types.read(written.get("type"))
            local = self._session.declare(written.get("name"), type_)
            return Value("value", type_, local=local, node=written.get("type")), type_ is None
        if (
            way == "out"
            and (written.type == "discard" or (written.type == "identifier" and written.text == "_"))
            and self._session.scope.find("_") is None
        ):
            return Value("value"), True
        if written.type == "declaration_expression" and not way and is_product(written):
            value = self._expressions.operators.product(written)
        else:
            value = self._expressions.bind(written)
        return (NOTHING if value.what in ("type", "namespace", "elsewhere") else value), False

    def settle(self, arguments: Sequence[Argument], choice: Choice) -> None:
        """Bind for good the arguments that waited for parameter types."""
        types: Sequence[AnyType | None] = choice.types
        if len(types) != len(arguments):
            types = [None] * len(arguments)
        for argument, wanted in zip(arguments, types, strict=True):
            if mentions(wanted, OF_CALLEE):
                wanted = substituted(wanted, _UNKNOWN)
            if argument.label is not None:
                self._session.note_label(argument.label, choice)
            if argument.declares:
                if argument.value.local is not None:
                    argument.value.local.type = wanted
                if choice.certain:
                    self._session.note_inferred(argument.value.node, wanted)
            else:
                self._expressions.settle(argument.value, wanted)

    # Invocations

    def _invocation(self, node: Node) -> Value:
        function, listed = node.get("function") or node.named[0], node.get("arguments")
        if function.type == "identifier" and function.text == "nameof":
            first = listed.named[0] if listed is not None and listed.named else None
            return self.named_of(first.named[0] if first is not None and first.named else None)
        value = self._called(function)
        arguments = self.arguments(listed)
        if value.what == "methods":
            return self._of_group(value, arguments)
        if value.what == "value" and is_dynamic(value.type):
            self.settle(arguments, Choice(None))
            return Value("value", value.type)
        if value.what == "elsewhere":
            self.settle(arguments, Choice(None))
            bare = not any(each.type == "type_argument_list" for each in function.walk())
            return Value("value", foreign=bare and all(each.value.brings_none for each in arguments))
        found = self._of_delegate(value, arguments, function)
        found.chained = value.chained
        return found

    def _called(self, function: Node) -> Value:
        expressions = self._expressions
        if function.type in ("identifier", "generic_name"):
            value = expressions.names.name(function, called=True)
            if value.what in ("nothing", "elsewhere"):
                whole = value.what == "elsewhere"
                value = Value("methods", node=function, name=simple(function), whole=whole)
            elif value.what != "methods":
                expressions.names.note(function, value)
            return value
        if function.type == "member_access_expression":
            value = expressions.accesses.access(function, called=True)
            last = function.get("name") or function.named[-1]
        elif function.type == "conditional_access_expression":
            value = expressions.accesses.conditional(function, called=True)
            last = function.named[-1].get("name") if function.named else None
        else:
            return expressions.open(function)
        if value.what != "methods" and last is not None:
            expressions.names.note(last, value)
        return value

    def _of_group(self, value: Value, arguments: list[Argument]) -> Value:
        choice = self.choose(value, arguments)
        node = value.node
        dynamic = any(is_dynamic(argument.value.type) for argument in arguments)
        if dynamic:
            # It is bound when it runs (12.6.5).
            choice = Choice(None, possible(choice), returns=named("dynamic"))
        if node is not None:
            if choice.best is None and not choice.others:
                self._note_misfits(node, value, arguments)
            else:
                why = partial(self._misfit, value, arguments) if not dynamic else lambda _: ""
                self._session.note_choice(node, choice, "call", why)
        self.settle(arguments, choice)
        returned = self.returned(choice)
        if choice.best is not None:
            foreign = returned is None and self._expressions.names.is_foreign(choice.best)
        else:
            foreign = not choice.others and self.gives_foreign(value, arguments)
        return Value("value", returned, chained=value.chained, foreign=foreign)

    def _note_misfits(self, node: Node, value: Value, arguments: list[Argument]) -> None:
        """Note for a call that no member takes each member of that name, with the reason."""
        candidates = value.members or self._barred(value)
        if not candidates and value.whole and value.extensions and self._knows_extensions(value.receiver):
            candidates = tuple(self._session.overloads.extending(value))
        for each in candidates:
            self._session.note_misfit(node, each.symbol, "call", self._misfit(value, arguments, each))
        if not value.whole and not candidates:
            self._session.note_loose(node, "call", len(arguments), outside=value.is_outside)
        elif value.whole:
            self._session.errors += 1

    def _barred(self, value: Value) -> tuple[Candidate, ...]:
        """Return the members of the name of a group without any that cannot be meant here: they are not accessible, or
        take other type arguments."""
        if value.receiver is None or value.node is None:
            return ()
        return self._session.world.find(value.receiver, value.name).candidates

    def _knows_extensions(self, type_: AnyType | None) -> bool:
        """Whether no extension method that nothing is known of is likely to be meant: its type is one of the
        workspace, or no namespace is in sight that is not wholly known."""
        if isinstance(type_, Type) and type_.index is not None:
            return True
        return not self._session.world.workspace.names.binder.foreign(self._session.context)

    def _misfit(self, value: Value, arguments: Sequence[Argument], candidate: Candidate) -> str:
        """Why a member of a group, or an extension method, does not take the arguments."""
        symbol, overloads = candidate.symbol, self._session.overloads
        if not self._session.may_use(symbol):
            return "is not accessible here"
        if not symbol.is_method:
            return "is not called"
        extending = candidate.holder is None and symbol.is_extension and not value.through
        if extending:
            receiver = Argument(Value("value", value.receiver))
            return misfit(overloads, candidate, [receiver, *arguments], value.generic, extending=True)
        found = misfit(overloads, candidate, arguments, value.generic)
        if not found and value.members and candidate not in value.eligible:
            return "is static" if symbol.is_static else "is not static"
        return found

    def gives_foreign(self, value: Value, arguments: Sequence[Argument]) -> bool:
        """Whether what an unknown member of a type that the workspace does not declare gives is none of the workspace's
        either, since neither type arguments nor arguments bring any."""
        holder = value.receiver
        outside = value.foreign or is_foreign(holder)
        return outside and not value.generic and all(each.value.brings_none for each in arguments)

    def returned(self, choice: Choice) -> AnyType | None:
        """Return the result of a call as far as it is known."""
        returns = choice.returns
        return substituted(returns, _UNKNOWN) if mentions(returns, OF_CALLEE) else returns

    def choose(self, value: Value, arguments: list[Argument]) -> Choice:
        """The method of a group that a call means: one of the type's own, else an extension method."""
        overloads = self._session.overloads
        members = value.eligible
        choice = overloads.choose(members, arguments, value.generic)
        if choice.best is not None:
            return choice
        extended = Choice(None, certain=False)
        if value.extensions:
            extended = overloads.extension(value, arguments, value.generic)
            if extended.best is not None:
                return extended if value.whole else self._in_doubt(extended)
        self._session.errors += bool(value.whole and members)
        return self._likeliest(value, extended, arguments)

    def _in_doubt(self, choice: Choice) -> Choice:
        """A base of which nothing is known could have a method of that name, which would come first."""
        choice.certain = False
        return choice

    def _likeliest(self, value: Value, extended: Choice, arguments: Sequence[Argument]) -> Choice:
        """Return the most likely choice where nothing seems to take the arguments, on the assumption that the program
        compiles."""
        callable_ = [each for each in value.eligible if is_callable(each.symbol, len(arguments))]
        if len(callable_) == 1 and value.whole and not extended.others:
            only = callable_[0]
            returns = substituted(only.returns, _UNKNOWN)
            types = tuple(only.type(p.type) for p in only.symbol.parameters[: len(arguments)])
            types = types if len(types) == len(arguments) else ()
            clear = is_clear(self._session.overloads, only, arguments, value.generic)
            return Choice(only, (), types, returns=returns, certain=clear)
        return Choice(None, (*callable_, *extended.others), certain=False)

    def _of_delegate(self, value: Value, arguments: list[Argument], function: Node) -> Value:
        if value.deferred is not None:
            value = Value("value", self._expressions.settle(value))
        if isinstance(value.type, Type) and value.type.fqn == FUNCTION:
            self.settle(arguments, Choice(None, types=value.type.arguments[:-1]))
            return Value("value", value.type.arguments[-1])
        invoke = self._session.world.delegate(value.type) if value.what == "value" else None
        if invoke is None:
            self.settle(arguments, Choice(None))
            return Value("value")
        choice = self._session.overloads.choose((invoke,), arguments)
        if choice.best is None:
            self._note_delegate(value.type, invoke, arguments, function)
            types = tuple(invoke.type(p.type) for p in invoke.symbol.parameters)
            choice = Choice(
                invoke, types=types if len(types) == len(arguments) else (), returns=invoke.returns
            )
        self.settle(arguments, choice)
        return Value("value", choice.returns)

    def _note_delegate(
        self, type_: AnyType | None, invoke: Candidate, arguments: Sequence[Argument], function: Node
    ) -> None:
        """A delegate of the workspace that does not take what it is called with."""
        index = type_.index if isinstance(type_, Type) else None
        reason = misfit(self._session.overloads, invoke, arguments) if index is not None else ""
        if index is not None and reason:
            name = function.get("name") or function
            self._session.note_misfit(name, index, "call", reason)

    def named_of(self, node: Node | None) -> Value:
        """Bind the operand of `nameof`: every member of a method group, else the one symbol."""
        expressions = self._expressions
        if node is not None:
            with self._session.inner() as scope:
                scope.names.update(self._session.nameable)
                value = self._named_by(node)
            if value.what == "methods" and value.node is not None:
                for each in value.members:
                    self._session.note(value.node, each.symbol, "nameof")
                if not value.members and not value.whole:
                    outside = value.receiver is not None
                    self._session.note_loose(value.node, "nameof", outside=outside)
            else:
                last = node
                if node.type == "member_access_expression":
                    last = node.get("name") or node.named[-1]
                if last.type in ("identifier", "generic_name"):
                    expressions.names.note(last, value, "nameof")
        return Value("value", named(STRING))

    def _named_by(self, node: Node) -> Value:
        expressions = self._expressions
        if node.type in ("identifier", "generic_name"):
            return expressions.names.name(node)
        if node.type == "member_access_expression":
            return expressions.accesses.access(node)
        return expressions.bind(node)

    def settle_group(self, value: Value, wanted: AnyType | None) -> AnyType | None:
        """Convert a method group to a delegate or function pointer: note the method chosen, and return the target
        type."""
        session = self._session
        if value.node is None:
            return wanted
        inputs = self._inputs(wanted)
        if inputs is None:
            return self._without_target(value)
        choice = session.overloads.of_group(value, inputs)
        if choice.best is None and len(value.members) == 1:
            only = value.members[0]
            reason = count_misfit(only.symbol.parameters, len(inputs))
            if reason and not value.extensions:
                session.note_misfit(value.node, only.symbol, "read", reason)
                if isinstance(wanted, Type) and wanted.index is not None:
                    taken = len(only.symbol.parameters)
                    why = f"takes {len(inputs)}, the method {taken}"
                    session.note_misfit(value.node, wanted.index, "method", why)
                return wanted
            choice = Choice(only)
        if choice.best is None and not choice.others:
            choice = Choice(None, value.members)
        if choice.best is None and not choice.others and not value.whole:
            session.note_loose(value.node, "read", outside=value.is_outside)
        session.note_choice(value.node, choice, "read")
        return wanted

    def _inputs(self, type_: AnyType | None) -> Sequence[AnyType | None] | None:
        """The types of the parameters of a delegate or a function pointer; None of any other type."""
        if isinstance(type_, Type) and type_.fqn == FUNCTION:
            return type_.arguments[:-1]
        delegate = self._session.world.delegate(type_)
        return None if delegate is None else [delegate.type(p.type) for p in delegate.symbol.parameters]

    def _without_target(self, value: Value) -> AnyType | None:
        assert value.node is not None
        session = self._session
        if len(value.members) == 1:
            only = value.members[0]
            session.note(value.node, only.symbol, "read", sure=value.whole)
            return self._natural(only)
        if not value.members:
            for each in self._barred(value):
                session.note_misfit(value.node, each.symbol, "read", "is not accessible here")
            if not value.whole:
                session.note_loose(value.node, "read", outside=value.is_outside)
            elif value.extensions:
                choice = session.overloads.extension(value, (), value.generic)
                session.note_choice(value.node, choice, "read")
            return None
        for each in value.members:
            session.note(value.node, each.symbol, "read", sure=False)
        return None

    def _natural(self, only: Candidate) -> AnyType | None:
        """The delegate that a single method is of by itself."""
        if only.symbol.arity or any(p.way for p in only.symbol.parameters):
            return None
        types = [only.type(p.type) for p in only.symbol.parameters]
        returns = only.returns
        if isinstance(returns, Type) and returns.fqn == "System.Void":
            return named(f"System.Action`{len(types)}" if types else "System.Action", *types)
        return named(f"System.Func`{len(types) + 1}", *types, returns)

    # Elements

    def _element_access(self, node: Node) -> Value:
        receiver = self._expressions.receiver(node.get("expression") or node.children[0])
        listed = node.get("subscript") or node.child("bracketed_argument_list")
        if listed is None:
            return NOTHING
        value = self.element(receiver, listed)
        value.chained = receiver.chained
        return value

    def element(self, receiver: Value, listed: Node, *, silent: bool = False) -> Value:
        """Bind `receiver[arguments]`. `silent`: in an initialiser, where the compiler reports no indexer."""
        arguments = self.arguments(listed)
        found = self._of_plain(receiver.type, arguments)
        if found is not None:
            self.settle(arguments, Choice(None))
            return found
        session = self._session
        lookup = session.world.find(receiver.type, INDEXER)
        candidates = [each for each in lookup.candidates if session.may_use(each.symbol)]
        choice = session.overloads.choose(candidates, arguments)
        if choice.best is None:
            by_shape = self._by_shape(receiver.type, candidates, arguments)
            by_shape = by_shape or self._of_block(receiver.type, arguments)
            choice = by_shape or choice
            if by_shape is None and not candidates and receiver.type is not None:
                session.errors += lookup.whole
        place = next((c for c in listed.children if c.type == "["), None)
        if place is not None and not silent:
            why = partial(misfit, session.overloads, arguments=arguments)
            session.note_choice(place, choice, "index", why)
            if receiver.type is None:
                start = place.start
                from services.index.binding.facts import Loose

                session.found.loose.append(Loose(start, start + 1, INDEXER, "index", len(arguments)))
        self.settle(arguments, choice)
        return Value("value", choice.returns)

    def _of_block(self, type_: AnyType | None, arguments: list[Argument]) -> Choice | None:
        """The indexer of an extension block (C# 15)."""
        if type_ is None:
            return None
        group = Value("methods", receiver=type_, extensions=True, name=INDEXER)
        choice = self._session.overloads.extension(group, arguments, ())
        return choice if choice.best is not None else None

    def _of_plain(self, type_: AnyType | None, arguments: Sequence[Argument]) -> Value | None:
        """Elements of arrays, pointers, of `dynamic`, and ranges of strings."""
        if is_dynamic(type_):
            return Value("value", type_)
        if isinstance(type_, TupleType) or not isinstance(type_, Type):
            return None
        given = arguments[0].value.type if arguments else None
        is_range = isinstance(given, Type) and given.fqn == "System.Range"
        if is_array(type_):
            return Value("value", type_ if is_range else type_.arguments[0])
        if type_.fqn == "*":
            return Value("value", type_.arguments[0])
        if type_.fqn == STRING:
            return Value("value", type_ if is_range else named("System.Char"))
        inline = self._session.world.inline_element(type_) if len(arguments) == 1 else None
        if inline is not None and is_range:
            return Value("value", named(SPAN, inline))
        return Value("value", inline) if inline is not None and self._is_place(arguments[0]) else None

    def _is_place(self, argument: Argument) -> bool:
        """Whether an argument is an index into an inline array, which takes precedence over its indexers."""
        places = (named("System.Int32"), named("System.Index"))
        return any(self._session.overloads.converts(argument.value, each) is Fit.YES for each in places)

    def _by_shape(
        self, type_: AnyType | None, candidates: Sequence[Candidate], arguments: list[Argument]
    ) -> Choice | None:
        """`^1` by the indexer that takes an `int`, a range by `Slice` (12.8.12.3)."""
        given = arguments[0].value.type if len(arguments) == 1 else None
        if not isinstance(given, Type) or given.fqn not in ("System.Index", "System.Range"):
            return None
        whole = Argument(Value("value", named("System.Int32")))
        if given.fqn == "System.Index":
            return self._session.overloads.choose(candidates, [whole])
        slices = self._session.world.find(type_, "Slice").candidates
        choice = self._session.overloads.choose(slices, [whole, whole])
        return Choice(None, returns=choice.returns)
