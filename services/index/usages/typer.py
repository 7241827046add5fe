"""The type of an expression: locals, members, calls, generics, by the rules of the language and never by a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.index.framework.member_facts import MemberFact
from services.index.names.context import Context
from services.index.names.names import Names
from services.index.names.space import Known
from services.index.names.type_text import Named, Segment
from services.index.usages import inference
from services.index.usages.conversions import Conversions, Fit
from services.index.usages.delegates import Delegates
from services.index.usages.extensions import Extensions
from services.index.usages.members import INDEXER, Candidate, Lookup, Member, TypeMembers
from services.index.usages.overloads import Choice, chosen, is_method
from services.index.usages.types import (
    ARRAY,
    METHOD,
    NULLABLE,
    OBJECT,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    framework,
    substituted,
)
from services.model import Kind
from services.syntax.bodies import Body
from services.syntax.bodies.expressions import (
    Access,
    Argument,
    ArrayOf,
    Await,
    Call,
    Either,
    Expected,
    Expression,
    Index,
    Keyword,
    Lambda,
    Local,
    Name,
    New,
    Null,
    OfType,
    Operation,
    TupleOf,
)
from services.syntax.declaration import Declaration, ParameterRecord

_DEEPEST = 24
_AWAITED = (
    "System.Threading.Tasks.Task`1",
    "System.Threading.Tasks.ValueTask`1",
    "System.Runtime.CompilerServices.ConfiguredTaskAwaitable`1",
    "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable`1",
)
_BY_ELEMENT = frozenset({"System.Span`1", "System.ReadOnlySpan`1"})
_SMALL = frozenset({"System.Byte", "System.SByte", "System.Int16", "System.UInt16", "System.Char"})


@dataclass(frozen=True, slots=True)
class Typed:
    """What an expression is. what: `value` (`type` None where it is not known), `type`, `namespace`, or `methods`.

    `path`: the dotted name, of a type or namespace; `lookup`: the members that a name was found among; `receiver`: the
    type they were looked for in; `local`: whether the name is that of a local."""

    what: str
    type: AnyType | None = None
    path: Named | None = None
    lookup: Lookup | None = None
    receiver: AnyType | None = None
    local: bool = False


@dataclass(frozen=True, slots=True)
class Tools:
    """What typers of all places share."""

    names: Names
    members: TypeMembers
    extensions: Extensions
    delegates: Delegates
    conversions: Conversions


class Typer:
    """Types the expressions of one declaration."""

    def __init__(self, tools: Tools, body: Body, declaration: Declaration, context: Context) -> None:
        self.context = context
        self.tools = tools
        self._members = tools.members
        self._body = body
        self._declaration = declaration
        self._depth = 0
        self._locals: dict[Local, AnyType | None] = {}

    # Entries

    def typed(self, expression: Expression) -> Typed | None:
        """What an expression is, or None where that is not known."""
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        try:
            return self._typed(expression)
        finally:
            self._depth -= 1

    def type_of(self, expression: Expression) -> AnyType | None:
        """The type of a value."""
        found = self.typed(expression)
        return found.type if found is not None and found.what == "value" else None

    def read(self, text: str) -> AnyType | None:
        """A type text that stands in the declaration."""
        return self._members.reader.read(text, self.context)

    def roots(self, type_: AnyType | None) -> tuple[Type, ...]:
        """The types whose members a value of the type has."""
        if isinstance(type_, TypeParameter) and type_.owner == METHOD:
            bounds = self._members.bounds_in(self._declaration, type_, self.context, METHOD)
            return (*bounds, framework(OBJECT))
        return self._members.roots(type_)

    # Expressions

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
            return self._call(expression)
        if isinstance(expression, New):
            return self.read(expression.type) if expression.type else self.expected(expression.expected)
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
        around = self.context.enclosing[depth:]
        arguments: list[AnyType | None] = []
        for enclosing in reversed(around):
            names = self._members.parameters_of(enclosing.index)
            arguments += [TypeParameter(name, enclosing.index) for name in names]
        fqn = self.tools.names.space.fqn_of(around[0].index)
        return Type(Known(fqn, around[0].index), tuple(arguments))

    def _name(self, name: Name) -> Typed | None:
        found = None if "::" in name.text or name.arguments else self._local(name.text, name.at)
        if found is not None:
            return found
        if "::" not in name.text:
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
        return Typed("value", self.result(first, (), ()), lookup=lookup, receiver=receiver)

    # Locals

    def _local(self, name: str, at: int) -> Typed | None:
        local = self._body.local(name, at)
        if local is None:
            if name == "value" and any(
                word in ("set", "init", "add", "remove") for word, _ in self._declaration.accessors
            ):
                return Typed("value", self._returns(), local=True)
            return None
        if local.how == "function":
            return Typed("methods", self.read(local.type) if local.type else None, local=True)
        if local not in self._locals:
            self._locals[local] = None  # a local in its own initialiser
            self._locals[local] = self._local_type(local)
        return Typed("value", self._locals[local], local=True)

    def _local_type(self, local: Local) -> AnyType | None:
        if local.how == "typed":
            return self.read(local.type)
        if local.how == "lambda":
            return self._lambda_parameter(local)
        value = self.type_of(local.value) if local.value is not None and local.how != "out" else None
        if local.how == "element":
            return self.tools.delegates.element(value)
        if local.how == "unwrapped":
            return _unwrapped(value)
        if local.how in ("part", "element part"):
            if local.how == "element part":
                value = self.tools.delegates.element(value)
            return self._part(value, local.places)
        if local.how == "out":
            return self._out(local)
        return value if local.how == "value" else None

    def _part(self, value: AnyType | None, places: Sequence[int]) -> AnyType | None:
        for place in places:
            if isinstance(value, TupleType) and place < len(value.elements):
                value = value.elements[place]
            elif isinstance(value, Type) and value.fqn == "System.Collections.Generic.KeyValuePair`2":
                value = value.arguments[place] if place < len(value.arguments) else None
            else:
                return None
        return value

    def _out(self, local: Local) -> AnyType | None:
        call = local.value
        if not isinstance(call, Call):
            return None
        function, choice = self._chosen(call)
        if function is None or not choice.candidates or not choice.certain:
            return None
        member = choice.candidates[0].member
        if isinstance(member, MemberFact):
            return inference.out_of_framework(member, choice.candidates[0].holder, function.receiver)
        return self._parameter_type(choice.candidates[0], function, call, local.places[0])

    def _lambda_parameter(self, local: Local) -> AnyType | None:
        expected, place = local.expected, local.places[0]
        if expected is None:
            return None
        if expected.call is None:
            return _at(self.tools.delegates.signature(self.expected(expected)), place)
        if isinstance(expected.call, New):
            return self._of_creation(expected.call, expected.argument, place)
        function, choice = self._chosen(expected.call)
        if function is None or not choice.candidates:
            return None
        name = _called(expected.call)
        first = choice.candidates[0]
        if isinstance(first.member, MemberFact):
            if not all(isinstance(c.member, MemberFact) for c in choice.candidates):
                return None
            if first.holder is None and not self.tools.extensions.are_of_linq(choice.candidates, name):
                return None
            if name == "GroupBy" and expected.argument > 0:
                return None  # what its second lambda gets depends on the overload
            return self.tools.delegates.given(first.holder, name, function.receiver, place)
        found = {
            _at(
                self.tools.delegates.signature(
                    self._parameter_type(c, function, expected.call, expected.argument)
                ),
                place,
            )
            for c in choice.candidates
            if isinstance(c.member, Member)
        }
        return found.pop() if len(found) == 1 else None

    def _of_creation(self, created: New, argument: int, place: int) -> AnyType | None:
        type_ = self.type_of(created)
        if not isinstance(type_, Type):
            return None
        lookup = self._members.find((type_,), ".ctor")
        choice = self.choose(lookup.candidates, created.arguments, 0)
        if not choice.certain or not choice.candidates:
            return None
        wanted = self._parameter_type(choice.candidates[0], None, created, argument)
        return _at(self.tools.delegates.signature(wanted), place)

    # Expected types

    def expected(self, expected: Expected | None) -> AnyType | None:
        """The type that a place expects."""
        if expected is None:
            return None
        if expected.type:
            return _unwrapped(self.read(expected.type))
        if expected.value is not None:
            return _unwrapped(self.type_of(expected.value))
        if expected.call is None:
            return _unwrapped(self._result_expected())
        if isinstance(expected.call, New):
            type_ = self.type_of(expected.call)
            lookup = self._members.find((type_,), ".ctor") if isinstance(type_, Type) else Lookup((), False)
            function, choice = None, self.choose(lookup.candidates, expected.call.arguments, 0)
        else:
            function, choice = self._chosen(expected.call)
        if len(choice.candidates) != 1:
            return None
        return _unwrapped(
            self._parameter_type(choice.candidates[0], function, expected.call, expected.argument)
        )

    def _returns(self) -> AnyType | None:
        return self.read(self._declaration.returns) if self._declaration.returns else None

    def _result_expected(self) -> AnyType | None:
        """What a returned value must be: of an async method the result of its task."""
        returned = self._returns()
        return self.awaited(returned) if "async" in self._declaration.modifiers else returned

    def _parameter_type(
        self, candidate: Candidate, function: Typed | None, call: Call | New, argument: int
    ) -> AnyType | None:
        """The type of the parameter that an argument goes to, as far as inference gets."""
        member = candidate.member
        if isinstance(member, MemberFact):
            return None
        parameters = inference.parameters_of(member)
        skip = 1 if candidate.holder is None and function is not None else 0
        given = call.arguments[argument]
        if given.name:
            wanted = next((p for p in parameters if p.name == given.name), None)
        else:
            place = min(argument + skip, len(parameters) - 1)
            wanted = parameters[place] if parameters else None
        if wanted is None:
            return None
        read = self._members.read_in(member, wanted.type)
        if "params" in wanted.modifier.split() and argument + skip >= len(parameters) - 1:
            read = self.tools.delegates.element(read)
        receiver = function.receiver if function is not None else None
        return substituted(read, self._assigned(candidate, member, receiver, call.arguments, _generic(call)))

    # Calls

    def _call(self, call: Call) -> AnyType | None:
        function, choice = self._chosen(call)
        if function is None:
            return None
        if function.what == "value":
            signature = self.tools.delegates.signature(function.type)
            return signature[1] if signature is not None else None
        if function.local:
            return function.type
        results = [
            self.result(c, call.arguments, _generic(call), function.receiver) for c in choice.candidates
        ]
        if choice.candidates and all(isinstance(c.member, MemberFact) for c in choice.candidates):
            return inference.likeliest(
                self, choice.candidates, call.arguments, _generic(call), receiver=function.receiver
            )
        return results[0] if results and all(r == results[0] for r in results) else None

    def _chosen(self, call: Call) -> tuple[Typed | None, Choice]:
        """The function that is called, and the candidates that it may be."""
        function = self.typed(call.function)
        if function is None or function.what not in ("value", "methods"):
            return None, Choice((), False)
        if function.lookup is None or function.what == "value":
            return function, Choice((), False)
        return function, self.choose_called(function, call)

    def choose_called(self, function: Typed, call: Call) -> Choice:
        """Chooses among the methods that a name may mean in a call."""
        return self.choose_among(function, call.function, call.arguments, _generic(call))

    def choose_among(
        self, function: Typed, called: Expression, arguments: Sequence[Argument], generic: Sequence[str]
    ) -> Choice:
        """Chooses among methods: those of the type itself, then extension methods."""
        assert function.lookup is not None
        candidates = function.lookup.candidates
        if candidates and candidates[0].holder is not None:
            choice = self.choose(candidates, arguments, len(generic))
            if choice.candidates or not isinstance(called, Access) or function.receiver is None:
                return choice
            again = self.tools.extensions
            own = [Candidate(m, None) for m in again.own(called.name, self.context)]
            facts = [Candidate(f, None) for f in again.of_framework(called.name, self.context)]
            candidates = (*own, *facts)
        choice = self._extension(candidates, function.receiver, arguments, generic)
        # A base of which nothing is known could have a method of that name, which would come first.
        return choice if function.lookup.whole else Choice(choice.candidates, False)

    def choose(self, candidates: Sequence[Candidate], arguments: Sequence[Argument], generic: int) -> Choice:
        """Chooses among the members of a type."""
        return chosen(candidates, arguments, generic, self._fit)

    def _extension(
        self,
        candidates: Sequence[Candidate],
        receiver: AnyType | None,
        arguments: Sequence[Argument],
        generic: Sequence[str],
    ) -> Choice:
        """Chooses among extension methods: those whose receiver fits; the workspace's are told by arguments too."""
        fitting: list[tuple[Fit, Candidate]] = []
        for candidate in candidates:
            fit = self._receiver_fit(candidate, receiver)
            if fit is not Fit.NO:
                fitting.append((fit, candidate))
        own = [c for _, c in fitting if isinstance(c.member, Member)]
        choice = chosen(own, arguments, len(generic), self._fit, skip=1)
        facts = tuple(c for _, c in fitting if isinstance(c.member, MemberFact))
        fits = {id(c): fit for fit, c in fitting}
        if facts:
            return Choice((*choice.candidates, *facts), not choice.candidates and len(facts) == 1)
        sure = choice.certain and all(fits[id(c)] >= Fit.YES for c in choice.candidates)
        return Choice(choice.candidates, sure)

    def _receiver_fit(self, candidate: Candidate, receiver: AnyType | None) -> Fit:
        member = candidate.member
        if isinstance(member, MemberFact):
            wanted = inference.receiver_of(self._members, member)
        else:
            first = inference.parameters_of(member)
            wanted = self._members.read_in(member, first[0].type) if first else None
        if isinstance(wanted, TypeParameter):
            return self._bounded(member, wanted, receiver)
        if isinstance(wanted, Type) and isinstance(receiver, TypeParameter):
            found = [base for root in self.roots(receiver) for base in self._members.closure(root)[0]]
            return Fit.YES if any(b.fqn == wanted.fqn for b in found) else Fit.NO
        fit = self.tools.conversions.fit(receiver, wanted)
        if fit is Fit.MAYBE and isinstance(wanted, Type) and isinstance(receiver, Type):
            closure, whole = self._members.closure(receiver)
            # No conversion but to a base counts for a receiver.
            return Fit.NO if whole and all(b.fqn != wanted.fqn for b in closure) else fit
        if fit is Fit.YES and isinstance(wanted, Type) and wanted.fqn == NULLABLE:
            return Fit.NO if isinstance(receiver, Type) and receiver.fqn != NULLABLE else fit
        return fit

    def _bounded(self, member: Member | MemberFact, wanted: TypeParameter, receiver: AnyType | None) -> Fit:
        """Whether a receiver meets the constraints of the type parameter it stands for."""
        if isinstance(member, MemberFact):
            return Fit.MAYBE
        context = self.tools.names.context(member.file, member.at, member.declaration.type_parameters)
        bounds = list(self._members.bounds_in(member.declaration, wanted, context, METHOD))
        if not bounds:
            return Fit.YES
        closure, whole = self._members.closure(receiver)
        for root in self.roots(receiver) if not isinstance(receiver, Type) else ():
            closure += self._members.closure(root)[0]
        if all(any(base.fqn == bound.fqn for base in closure) for bound in bounds):
            return Fit.YES
        return Fit.NO if whole and isinstance(receiver, Type) else Fit.MAYBE

    def _fit(self, candidate: Candidate, parameter: ParameterRecord, argument: Argument) -> Fit:
        member = candidate.member
        if not isinstance(member, Member):
            return Fit.MAYBE
        wanted = self._members.read_in(member, parameter.type)
        if candidate.holder is not None:
            wanted = substituted(wanted, self._members.assigned(candidate.holder))
        value = argument.value
        if isinstance(value, Null):
            return self.tools.conversions.null(wanted)
        if isinstance(value, Lambda):
            return self._lambda_fit(value, wanted)
        found = self.typed(value)
        if found is not None and found.what == "methods":
            return Fit.MAYBE
        given = found.type if found is not None and found.what == "value" else None
        literal = isinstance(value, OfType | Operation) and given == framework("System.Int32")
        fit = self.tools.conversions.fit(given, wanted, literal=literal)
        if "params" in parameter.modifier.split() and fit is not Fit.EXACT:
            single = self.tools.conversions.fit(given, self.tools.delegates.element(wanted), literal=literal)
            return min(Fit.YES, max(fit, single))
        return fit

    def _lambda_fit(self, value: Lambda, wanted: AnyType | None) -> Fit:
        signature = self.tools.delegates.signature(wanted)
        if signature is not None:
            return Fit.NO if value.parameters not in (None, len(signature[0])) else Fit.MAYBE
        plain = isinstance(wanted, Type) and (
            self.tools.conversions.fit(framework("System.Int32"), wanted) in (Fit.NO, Fit.EXACT)
            or wanted.fqn in ("System.String", "System.Boolean", "System.Threading.CancellationToken")
        )
        return Fit.NO if plain else Fit.MAYBE

    # Results

    def result(
        self,
        candidate: Candidate,
        arguments: Sequence[Argument],
        generic: Sequence[str],
        receiver: AnyType | None = None,
    ) -> AnyType | None:
        """The type of a member, or what a call of it gives."""
        member = candidate.member
        if isinstance(member, MemberFact):
            own = candidate.holder.arguments if candidate.holder is not None else ()
            return self._members.reader.from_table(member.type, own, tuple(map(self.read, generic)))
        returned = self._members.returned(member)
        return substituted(returned, self._assigned(candidate, member, receiver, arguments, generic))

    def _assigned(
        self,
        candidate: Candidate,
        member: Member,
        receiver: AnyType | None,
        arguments: Sequence[Argument],
        generic: Sequence[str],
    ) -> dict[TypeParameter, AnyType | None]:
        assigned: dict[TypeParameter, AnyType | None] = {}
        if candidate.holder is not None:
            assigned.update(self._members.assigned(candidate.holder))
        names = member.declaration.type_parameters
        if names:
            assigned.update(dict.fromkeys((TypeParameter(name, METHOD) for name in names), None))
            if generic:
                assigned.update(
                    {TypeParameter(n, METHOD): self.read(t) for n, t in zip(names, generic, strict=False)}
                )
            else:
                extension = receiver if candidate.holder is None else None
                assigned.update(inference.inferred(self, member, extension, arguments))
        return assigned

    # Others

    def awaited(self, type_: AnyType | None) -> AnyType | None:
        """What `await` gives of a type."""
        if isinstance(type_, Type) and type_.fqn in _AWAITED and type_.arguments:
            return type_.arguments[0]
        return None

    def _indexed(self, index: Index) -> AnyType | None:
        type_ = self.type_of(index.receiver)
        if not isinstance(type_, Type):
            return None
        if type_.fqn == ARRAY or type_.fqn in _BY_ELEMENT:
            return type_.arguments[0] if type_.arguments else None
        if type_.fqn == "System.String":
            return framework("System.Char")
        lookup = self._members.find(self.roots(type_), INDEXER)
        choice = self.choose(lookup.candidates, index.arguments, 0)
        results = [self.result(c, (), ()) for c in choice.candidates]
        return results[0] if results and all(r == results[0] for r in results) else None

    def _either(self, either: Either) -> AnyType | None:
        found = [self.type_of(option) for option in either.options if not isinstance(option, Null)]
        if either.first_unwrapped and found:
            found[0] = _unwrapped(found[0]) if len(found) > 1 and found[0] != found[1] else found[0]
        if any(type_ is None for type_ in found) or not found:
            return None
        return found[0] if all(type_ == found[0] for type_ in found) else None

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
        return None


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
    from services.index.names.type_text import Predefined, parse

    return Segment(name, tuple(parse(text) or Predefined("object") for text in arguments))


def _items(count: int) -> list[str]:
    return [f"Item{at}" for at in range(1, count + 1)]


def _unwrapped(type_: AnyType | None) -> AnyType | None:
    if isinstance(type_, Type) and type_.fqn == NULLABLE and type_.arguments:
        return type_.arguments[0]
    return type_


def _at(signature: tuple[tuple[AnyType | None, ...], AnyType | None] | None, place: int) -> AnyType | None:
    return signature[0][place] if signature is not None and place < len(signature[0]) else None


def _called(call: Call) -> str:
    function = call.function
    return (
        function.name if isinstance(function, Access) else function.text if isinstance(function, Name) else ""
    )


def _generic(call: Call | New) -> tuple[str, ...]:
    function = call.function if isinstance(call, Call) else None
    return function.arguments if isinstance(function, Access | Name) else ()
