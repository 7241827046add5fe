"""Overload resolution (C# specification 12.6.4)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from services.index.binding.choice.better import Applicable, Better
from services.index.binding.choice.inference import Inference, meets
from services.index.binding.types.conversions import NUMBERS, Conversions, Fit
from services.index.binding.types.extensions import Extensions
from services.index.binding.types.symbol import Candidate, Parameter, Symbol, given
from services.index.binding.types.types import (
    NULLABLE,
    OF_CALLEE,
    AnyType,
    Type,
    TypeParameter,
    is_array,
    mentions,
    named,
    same,
    substituted,
)
from services.index.binding.types.world import World
from services.index.binding.values import Argument, Choice, Value
from services.index.names.space import Context

_ENUMERABLE = "System.Collections.Generic.IEnumerable`1"
_SPANS = frozenset({"System.Span`1", "System.ReadOnlySpan`1"})


class Overloads:
    """Chooses among members."""

    def __init__(self, world: World, conversions: Conversions, extensions: Extensions) -> None:
        self.world = world
        self.conversions = conversions
        self._extensions = extensions
        self.better = Better(world, conversions)

    def choose(
        self,
        candidates: Sequence[Candidate],
        arguments: Sequence[Argument],
        generic: Sequence[AnyType | None] = (),
        *,
        extending: bool = False,
    ) -> Choice:
        """The member that is meant. `extending`: whether the first argument is a receiver."""
        found: list[Applicable] = []
        for candidate in candidates:
            each = self._applicable(candidate, arguments, generic, extending=extending)
            if each is not None:
                found.append(each)
        if len(found) > 1:
            found = self._kept(found)
        if not found:
            return Choice(None, tuple(candidates), certain=False)
        if len(found) == 1:
            return _choice(found[0], ())
        best = self.better.best(found, arguments)
        if best is None:
            return self._unclear(found)
        if self._rests_on_unknown(found, arguments):
            return self._unclear([best, *(each for each in found if each is not best)])
        return _choice(best, ())

    def takes(
        self,
        candidate: Candidate,
        arguments: Sequence[Argument],
        generic: Sequence[AnyType | None] = (),
        *,
        extending: bool = False,
    ) -> bool:
        """Whether a member may take the arguments."""
        return self._applicable(candidate, arguments, generic, extending=extending) is not None

    def _kept(self, found: list[Applicable]) -> list[Applicable]:
        """Without those that others surely come before."""
        if any(Fit.DOUBTFUL not in each.fits for each in found):
            found = [each for each in found if Fit.DOUBTFUL not in each.fits]
        sure = [each for each in found if each.worst is Fit.YES]
        if sure and sure[0].candidate.holder is not None:
            nearest = min(each.candidate.level for each in sure)
            near = [each for each in found if each.candidate.level <= nearest]
            found = near or found
        highest = max(each.candidate.symbol.priority for each in found)
        if any(each.candidate.symbol.priority for each in found):
            found = [each for each in found if each.candidate.symbol.priority == highest]
        return found

    def _rests_on_unknown(self, found: Sequence[Applicable], arguments: Sequence[Argument]) -> bool:
        """Whether an argument that nothing is known of may decide."""
        for at, argument in enumerate(arguments):
            value = argument.value
            known = value.type is not None or value.deferred is not None or _is_group(value)
            fits = {each.fits[at] for each in found}
            if (known and Fit.MAYBE not in fits) or argument.declares:
                continue
            first = found[0].types[at]
            if any(
                first is None or each.types[at] is None or not same(each.types[at], first) for each in found
            ):
                return True
        return False

    def _unclear(self, found: Sequence[Applicable]) -> Choice:
        choice = _choice(found[0], tuple(each.candidate for each in found[1:]))
        choice.certain = False
        if any(each.returns is None or not same(each.returns, choice.returns) for each in found[1:]):
            choice.returns = None
        if any(each.types != found[0].types for each in found[1:]):
            alike = zip(*(each.types for each in found), strict=True)
            choice.types = tuple(row[0] if all(same(row[0], t) for t in row) else None for row in alike)
        return choice

    def _applicable(
        self,
        candidate: Candidate,
        arguments: Sequence[Argument],
        generic: Sequence[AnyType | None],
        *,
        extending: bool,
    ) -> Applicable | None:
        parameters = candidate.symbol.parameters
        for expanded in (False, True):
            if expanded and not (parameters and parameters[-1].spread):
                return None
            paired = pair(parameters, arguments, expanded=expanded)
            if paired is None:
                continue
            found = self._tried(candidate, arguments, (paired, generic, expanded), extending=extending)
            if found is not None:
                return found
        return None

    def _tried(
        self,
        candidate: Candidate,
        arguments: Sequence[Argument],
        form: tuple[list[Parameter], Sequence[AnyType | None], bool],
        *,
        extending: bool,
    ) -> Applicable | None:
        paired, generic, expanded = form
        wanted = [candidate.type(p.type) for p in paired]
        if expanded:
            wanted = [self.element(t) if p.spread else t for p, t in zip(paired, wanted, strict=True)]
        symbol = candidate.symbol
        arguments_of = self._generic(candidate, list(zip(arguments, wanted, strict=True)), generic)
        if arguments_of is None:
            return None
        if arguments_of:
            if not meets(self.world, self.conversions, candidate, arguments_of):
                return None
            known = given(arguments_of)
            wanted = [substituted(each, known) for each in wanted]
        fits: list[Fit] = []
        for at, (argument, parameter, type_) in enumerate(zip(arguments, paired, wanted, strict=True)):
            receives = extending and at == 0
            fit = (
                self._receiver_fit(argument.value, type_)
                if receives
                else self.fit(argument, parameter, type_)
            )
            if fit is Fit.NO:
                return None
            fits.append(fit)
        defaults = not expanded and len(paired) < len(symbol.parameters)
        return Applicable(
            candidate, tuple(paired), tuple(wanted), tuple(fits), arguments_of, expanded, defaults
        )

    def _generic(
        self,
        candidate: Candidate,
        pairs: list[tuple[Argument, AnyType | None]],
        generic: Sequence[AnyType | None],
    ) -> tuple[AnyType | None, ...] | None:
        arity, block = candidate.symbol.arity, candidate.symbol.signature.block
        if generic and len(generic) == arity:
            return tuple(generic)
        if generic and len(generic) != arity - block:
            return None
        if not arity:
            return None if generic else ()
        if block and candidate.asked is not None:
            pairs = [self._asked(candidate), *pairs]
        inferred = Inference(self, arity if not generic else block, pairs).inferred()
        return inferred if inferred is None or not generic else (*inferred, *generic)

    def fit(self, argument: Argument, parameter: Parameter, wanted: AnyType | None) -> Fit:
        """How an argument fits a parameter."""
        if "out" in (argument.way, parameter.way) and argument.way != parameter.way:
            return Fit.NO
        if argument.way == "ref" and parameter.way not in ("ref", "in"):
            return Fit.NO
        if parameter.way == "ref" and argument.way != "ref":
            return Fit.NO
        if argument.way == "in" and parameter.way != "in":
            return Fit.NO
        value = argument.value
        if argument.declares and value.type is None:
            return Fit.YES
        if argument.way in ("ref", "out"):
            if value.type is None or wanted is None:
                return Fit.MAYBE
            return Fit.YES if same(value.type, wanted) else Fit.NO
        return self.converts(value, wanted)

    def converts(self, value: Value, wanted: AnyType | None) -> Fit:
        """Whether an expression converts to a type."""
        if value.what == "methods" and _is_group(value):
            return self._group_fit(value, wanted)
        if value.what in ("nothing", "methods"):
            return Fit.MAYBE
        if value.what != "value":
            return Fit.NO
        if value.deferred is not None:
            return value.deferred.fit(wanted)
        if value.constant is not None and self.conversions.of_constant(value.constant, wanted):
            return Fit.YES
        return self.conversions.fit(value.type, wanted)

    def _receiver_fit(self, value: Value, wanted: AnyType | None) -> Fit:
        """Identity, reference, boxing and span conversions alone count for a receiver."""
        if value.type is None or wanted is None:
            return Fit.MAYBE
        if same(value.type, wanted):
            return Fit.YES
        numbers = isinstance(wanted, Type) and (wanted.fqn in NUMBERS or wanted.fqn == NULLABLE)
        return Fit.NO if numbers else self.conversions.fit(value.type, wanted, own=False)

    # Groups

    def _group_fit(self, value: Value, wanted: AnyType | None) -> Fit:
        delegate = self.world.delegate(wanted)
        if delegate is None:
            known = wanted is not None and not self.world.is_unknown(wanted)
            is_delegate = isinstance(wanted, Type) and wanted.fqn in (
                "System.Delegate",
                "System.MulticastDelegate",
            )
            return Fit.YES if is_delegate else Fit.NO if known else Fit.MAYBE
        choice = self.of_group(value, [delegate.type(p.type) for p in delegate.symbol.parameters])
        if choice.best is None:
            return Fit.NO if value.whole else Fit.MAYBE
        result, returned = delegate.returns, choice.returns
        if _is_void(result) or _is_void(returned):
            if returned is None or result is None:
                return Fit.MAYBE
            fit = Fit.YES if choice.certain else Fit.MAYBE
            return fit if _is_void(result) and _is_void(returned) else Fit.NO
        if result is None or returned is None or mentions(result, OF_CALLEE):
            return Fit.MAYBE
        return self.conversions.fit(returned, result, own=False)

    def of_group(self, value: Value, inputs: Sequence[AnyType | None]) -> Choice:
        """The method of a group that takes these types."""
        arguments = [Argument(Value("value", each)) for each in inputs]
        choice = self.choose(value.eligible, arguments, value.generic)
        if choice.best is None and value.extensions:
            return self.extension(value, arguments, value.generic)
        return choice

    # Extension members

    def extension(
        self,
        value: Value,
        arguments: Sequence[Argument],
        generic: Sequence[AnyType | None],
        *,
        called: bool = True,
    ) -> Choice:
        """Find the extension member of a name for a value."""
        receiver = Argument(Value("value", value.receiver))
        unsure: list[Candidate] = []
        for group in self._extensions.groups(value.name, self.context):
            candidates = [Candidate(each, None) for each in group if each.is_method is called]
            if value.through:
                candidates = [replace(each, asked=value.receiver) for each in candidates]
                candidates = [each for each in candidates if self._extends(each)]
                choice = self.choose(candidates, arguments, generic)
            else:
                candidates = [each for each in candidates if each.symbol.is_extension]
                choice = self.choose(candidates, [receiver, *arguments], generic, extending=True)
                choice.types = choice.types[1:]
            if choice.best is not None and value.receiver is not None:
                choice.certain = choice.certain and not unsure
                choice.others = (*choice.others, *unsure)
                return choice
            if choice.best is not None or value.receiver is None:
                unsure += [each for each in candidates if is_callable(each.symbol, len(arguments) + 1)]
        return Choice(None, tuple(unsure), certain=False)

    def extending(self, value: Value) -> list[Candidate]:
        """The extension methods of a group's name, in sight, that the receiver of the group can be given to."""
        if value.receiver is None or value.through:
            return []
        return [
            Candidate(symbol, None)
            for group in self._extensions.groups(value.name, self.context)
            for symbol in group
            if symbol.is_method and symbol.is_extension and symbol.parameters
            if self._may_receive(value.receiver, symbol.parameters[0].type)
        ]

    def _may_receive(self, given: AnyType, wanted: AnyType | None) -> bool:
        """Whether a value of a type may be the receiver of an extension method; what its type parameters are is left
        open."""
        if wanted is None or isinstance(wanted, TypeParameter):
            return True
        if mentions(wanted, OF_CALLEE):
            bases = self.world.closure(given)[0]
            return isinstance(wanted, Type) and any(each.fqn == wanted.fqn for each in bases)
        return self._receiver_fit(Value("value", given), wanted) is not Fit.NO

    context: Context

    def _extends(self, candidate: Candidate) -> bool:
        """Whether a static member of an extension block extends the type of the access."""
        member = candidate.symbol.member
        if member is None or member.declaration.receiver is None or not candidate.symbol.is_static:
            return False
        wanted = self.world.workspace.receiver_of(member)
        if mentions(wanted, OF_CALLEE):
            block = candidate.symbol.signature.block
            found = Inference(self, block, [self._asked(candidate)]).inferred()
            wanted = substituted(wanted, given(found)) if found is not None else None
        return wanted is not None and self.conversions.fit(candidate.asked, wanted, own=False) is Fit.YES

    def _asked(self, candidate: Candidate) -> tuple[Argument, AnyType | None]:
        """Return the accessed type of a static member of a block, with the type that the block extends."""
        member = candidate.symbol.member
        wanted = self.world.workspace.receiver_of(member) if member is not None else None
        return Argument(Value("value", candidate.asked)), wanted

    def extension_operator(self, sign: str, arguments: Sequence[Argument]) -> Choice:
        """The operator that an extension block declares for operands."""
        for group in self._extensions.groups(f"operator {sign}", self.context):
            choice = self.choose([Candidate(each, None) for each in group if each.is_static], arguments)
            if choice.best is not None:
                return choice
        return Choice(None)

    def better_target(self, one: AnyType | None, other: AnyType | None) -> int:
        """1 where the first type is the better one to convert to."""
        return self.better.target(one, other)

    def common(self, values: Sequence[Value]) -> AnyType | None:
        """The best common type of expressions (12.6.3.15)."""
        types: list[AnyType] = []
        for value in values:
            type_ = value.type
            if value.deferred is not None and type_ is None:
                if value.is_null or not hasattr(value.deferred, "natural"):
                    continue
                type_ = value.deferred.natural()  # pyright: ignore[reportAttributeAccessIssue]
                if type_ is None:
                    continue
            if type_ is None:
                return None
            if not any(same(type_, each) for each in types):
                types.append(type_)
        best = [each for each in types if all(self.converts(value, each) is not Fit.NO for value in values)]
        if len(best) > 1:
            best = [e for e in best if all(self.conversions.fit(o, e, own=False) is Fit.YES for o in best)]
        return best[0] if len(best) == 1 else None

    # Elements

    def element(self, type_: AnyType | None) -> AnyType | None:
        """The type of the elements of a collection."""
        if is_array(type_) and isinstance(type_, Type):
            return type_.arguments[0]
        if isinstance(type_, Type):
            if type_.fqn in _SPANS and type_.arguments:
                return type_.arguments[0]
            if type_.fqn == "System.String":
                return named("System.Char")
        base = self.world.base_of(type_, _ENUMERABLE)
        return base.arguments[0] if base is not None and base.arguments else None


def _is_void(type_: AnyType | None) -> bool:
    return isinstance(type_, Type) and type_.fqn == "System.Void"


def _is_group(value: Value) -> bool:
    """Whether it names methods: what a type has of which nothing is known may as well be a property."""
    return value.what == "methods" and (value.whole or bool(value.members))


def _choice(found: Applicable, others: tuple[Candidate, ...]) -> Choice:
    return Choice(found.candidate, others, found.types, found.generic, found.returns, expanded=found.expanded)


def pair(
    parameters: Sequence[Parameter], arguments: Sequence[Argument], *, expanded: bool
) -> list[Parameter] | None:
    """The parameter of each argument, or None where they do not go together."""
    if not expanded:
        for argument in arguments:
            if argument.name:
                break
        else:
            return _in_order(parameters, len(arguments))
    found: list[Parameter] = []
    used: set[int] = set()
    for at, argument in enumerate(arguments):
        if argument.name:
            place = next((i for i, p in enumerate(parameters) if p.name == argument.name), -1)
        elif expanded and at >= len(parameters) - 1:
            place = len(parameters) - 1
        else:
            place = at if at < len(parameters) else -1
        if place < 0 or (place in used and not (expanded and parameters[place].spread)):
            return None
        used.add(place)
        found.append(parameters[place])
    for at, parameter in enumerate(parameters):
        if at not in used and not parameter.optional and not (expanded and parameter.spread):
            return None
    return found


def _in_order(parameters: Sequence[Parameter], count: int) -> list[Parameter] | None:
    """Return the parameters of so many arguments without names."""
    if count > len(parameters):
        return None
    for parameter in parameters[count:]:
        if not parameter.optional:
            return None
    return list(parameters[:count])


def is_callable(symbol: Symbol, count: int) -> bool:
    """Whether a method may be called with so many arguments."""
    parameters = symbol.parameters
    least = sum(not p.optional and not p.spread for p in parameters)
    most = count if parameters and parameters[-1].spread else len(parameters)
    return least <= count <= most
