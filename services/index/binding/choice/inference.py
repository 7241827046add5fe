"""Type arguments that a call leaves out, inferred in two phases (C# specification 12.6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from services.index.binding.types.conversions import READ_ONLY_SPAN, SPAN, Conversions, Fit
from services.index.binding.types.symbol import Candidate, given
from services.index.binding.types.types import (
    CALLEE,
    EXPRESSION,
    NULLABLE,
    OF_CALLEE,
    STRING,
    VOID,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    is_array,
    mentions,
    named,
    same,
    substituted,
    unwrapped,
)
from services.index.binding.types.world import World
from services.index.binding.values import (
    Argument,
    Choice,
    DeferredAlternatives,
    DeferredCollection,
    DeferredFunction,
    DeferredTuple,
    Value,
)

_OF_ARRAYS = frozenset(
    f"System.Collections.Generic.{name}`1"
    for name in ("IEnumerable", "ICollection", "IList", "IReadOnlyCollection", "IReadOnlyList")
)
_ROUNDS = 24
Pair = tuple[Argument, AnyType | None]


class Bounds:
    """Inference bounds of one type parameter."""

    def __init__(self) -> None:
        self.exact: list[AnyType] = []
        self.lower: list[AnyType] = []
        self.upper: list[AnyType] = []
        self.unknown = False
        self.fixed = False
        self.type: AnyType | None = None

    @property
    def any(self) -> bool:
        """Whether anything is."""
        return bool(self.exact or self.lower or self.upper or self.unknown)


class MethodGroups(Protocol):
    """Overload resolution as inference uses it."""

    world: World
    conversions: Conversions

    def element(self, type_: AnyType | None) -> AnyType | None:
        """Return the type of the elements of a collection."""
        ...

    def of_group(self, value: Value, inputs: Sequence[AnyType | None]) -> Choice:
        """Return the method of a group that takes these types."""
        ...


class Inference:
    """Infers the type arguments of one candidate. `pairs`: arguments with what their parameters are."""

    def __init__(self, overloads: MethodGroups, count: int, pairs: Sequence[Pair]) -> None:
        self._overloads = overloads
        self._world: World = overloads.world
        self._conversions: Conversions = overloads.conversions
        self._pairs = pairs
        self._bounds = [Bounds() for _ in range(count)]

    def inferred(self) -> tuple[AnyType | None, ...] | None:
        """The type arguments, None for one that rests on what is not known; nothing where inference fails."""
        for argument, wanted in self._pairs:
            if argument.declares and argument.value.type is None:
                continue  # `out var x` takes its type from the parameter
            self._explicit(argument.value, wanted, exact=argument.way in ("ref", "out"))
        done: set[int] = set()
        for _ in range(_ROUNDS):
            self._outputs(done)
            unfixed = [at for at, bounds in enumerate(self._bounds) if not bounds.fixed]
            if not unfixed:
                return tuple(bounds.type for bounds in self._bounds)
            if not self._fix_some(unfixed):
                return None
        return None

    # The first phase

    def _explicit(self, value: Value, wanted: AnyType | None, *, exact: bool = False) -> None:
        if wanted is None or not mentions(wanted, OF_CALLEE):
            return
        if value.deferred is not None:
            self._of_deferred(value, wanted)
        elif value.what == "methods":
            return
        elif exact:
            self._exact(value.type, wanted)
        else:
            self._lower(value.type, wanted)

    def _of_deferred(self, value: Value, wanted: AnyType) -> None:
        deferred = value.deferred
        if isinstance(deferred, DeferredFunction):
            self._of_lambda(deferred, wanted)
        elif isinstance(deferred, DeferredTuple):
            if isinstance(wanted, TupleType) and len(wanted.elements) == len(deferred.elements):
                for element, part in zip(deferred.elements, wanted.elements, strict=True):
                    self._explicit(element, part)
            else:
                self._lower(value.type, wanted)
        elif isinstance(deferred, DeferredCollection):
            element = self._overloads.element(wanted)
            for each in deferred.elements:
                self._explicit(each, element)
            for each in deferred.spread:
                found = self._overloads.element(each.type)
                if found is not None and element is not None:
                    self._lower(found, element)
        elif isinstance(deferred, DeferredAlternatives) and value.type is None:
            for each in deferred.options:
                self._explicit(each, wanted)
        elif value.type is not None:
            self._lower(value.type, wanted)

    def _of_lambda(self, function: DeferredFunction, wanted: AnyType) -> None:
        if isinstance(wanted, TypeParameter):
            natural = function.natural()
            if natural is not None:
                self._lower(natural, wanted)
            return
        delegate = self._world.delegate(wanted)
        if delegate is None or function.written is None:
            return
        for own, parameter in zip(function.written, delegate.symbol.parameters, strict=False):
            if own is not None:
                self._exact(own, delegate.type(parameter.type))

    # The second phase

    def _outputs(self, done: set[int]) -> None:
        for at, (argument, wanted) in enumerate(self._pairs):
            if at in done or wanted is None or not self._is_function(argument.value):
                continue
            delegate = self._world.delegate(wanted)
            if delegate is None:
                continue
            result = delegate.returns
            inputs = [delegate.type(parameter.type) for parameter in delegate.symbol.parameters]
            if not self._is_open(result) or any(map(self._is_open, inputs)):
                continue
            done.add(at)
            known = given([bounds.type for bounds in self._bounds])
            self._output(argument.value, [substituted(each, known) for each in inputs], result)

    def _output(self, value: Value, inputs: list[AnyType | None], result: AnyType | None) -> None:
        if isinstance(value.deferred, DeferredFunction):
            for each in value.deferred.results(tuple(inputs), result):
                if isinstance(each, Value):
                    self._explicit(each, result)
                elif each is None:
                    self._spoil(result)
                else:
                    self._lower(each, result)
        else:
            choice = self._overloads.of_group(value, inputs)
            if choice.best is None:
                self._spoil(result)
            elif not (isinstance(choice.returns, Type) and choice.returns.fqn == VOID):
                self._lower(choice.returns, result)

    def _is_function(self, value: Value) -> bool:
        return value.what == "methods" or isinstance(value.deferred, DeferredFunction)

    def _is_open(self, type_: AnyType | None) -> bool:
        """Whether a type parameter that is not fixed is in a type."""
        if isinstance(type_, TypeParameter):
            return type_.owner == OF_CALLEE and type_ in CALLEE and not self._of(type_).fixed
        if type_ is None:
            return False
        parts = type_.elements if isinstance(type_, TupleType) else type_.arguments
        return any(map(self._is_open, parts))

    def _of(self, parameter: TypeParameter) -> Bounds:
        at = int(parameter.name[2:])
        return self._bounds[at] if at < len(self._bounds) else Bounds()

    def _spoil(self, type_: AnyType | None) -> None:
        """Mark the contents of a type as impossible to infer."""
        if isinstance(type_, TypeParameter):
            if type_.owner == OF_CALLEE:
                self._of(type_).unknown = True
        elif type_ is not None:
            for part in type_.elements if isinstance(type_, TupleType) else type_.arguments:
                self._spoil(part)

    def _fix_some(self, unfixed: list[int]) -> bool:
        depends = self._dependencies(unfixed)
        chosen = [at for at in unfixed if not depends[at] and self._bounds[at].any]
        if not chosen:
            leaned = {on for each in depends.values() for on in each}
            chosen = [at for at in unfixed if at in leaned and self._bounds[at].any]
        for at in chosen:
            if not self._fix(self._bounds[at]):
                return False
        return bool(chosen)

    def _dependencies(self, unfixed: list[int]) -> dict[int, set[int]]:
        """Which each waits for: those in what a function takes, of those in what it gives."""
        found: dict[int, set[int]] = {at: set() for at in unfixed}
        for argument, wanted in self._pairs:
            if wanted is None or not self._is_function(argument.value):
                continue
            delegate = self._world.delegate(wanted)
            if delegate is None:
                continue
            inputs = {
                on
                for p in delegate.symbol.parameters
                for on in self._in(delegate.type(p.type))
                if on in found
            }
            for at in self._in(delegate.returns):
                if at in found:
                    found[at] |= inputs
        return found

    def _in(self, type_: AnyType | None) -> set[int]:
        if isinstance(type_, TypeParameter):
            return {int(type_.name[2:])} if type_.owner == OF_CALLEE else set()
        if type_ is None:
            return set()
        parts = type_.elements if isinstance(type_, TupleType) else type_.arguments
        return set().union(*map(self._in, parts))

    def _fix(self, bounds: Bounds) -> bool:
        bounds.fixed = True
        if bounds.unknown and not bounds.exact:
            return True
        candidates: list[AnyType] = []
        for each in (*bounds.exact, *bounds.lower, *bounds.upper):
            if not any(same(each, other) for other in candidates):
                candidates.append(each)
        kept = [each for each in candidates if self._meets(each, bounds)]
        if len(kept) > 1:
            kept = [
                each for each in kept if all(self._conversions.fit(other, each) is Fit.YES for other in kept)
            ]
        if len(kept) != 1:
            return False
        bounds.type = kept[0]
        return True

    def _meets(self, type_: AnyType, bounds: Bounds) -> bool:
        fit = self._conversions.fit
        return (
            all(same(type_, each) for each in bounds.exact)
            and all(fit(each, type_) is not Fit.NO for each in bounds.lower)
            and all(fit(type_, each) is not Fit.NO for each in bounds.upper)
        )

    # Inferences

    def _add(self, parameter: TypeParameter, type_: AnyType | None, kind: str) -> bool:
        if parameter.owner != OF_CALLEE:
            return False
        bounds = self._of(parameter)
        if bounds.fixed:
            return True
        if type_ is None:
            bounds.unknown = True
        else:
            getattr(bounds, kind).append(type_)
        return True

    def _exact(self, given_: AnyType | None, wanted: AnyType | None) -> None:
        if isinstance(wanted, TypeParameter):
            self._add(wanted, given_, "exact")
        elif given_ is None:
            self._spoil(wanted)
        elif isinstance(wanted, TupleType):
            if isinstance(given_, TupleType):
                for one, other in zip(given_.elements, wanted.elements, strict=False):
                    self._exact(one, other)
        elif isinstance(wanted, Type) and isinstance(given_, Type) and wanted.fqn == given_.fqn:
            for one, other in zip(given_.arguments, wanted.arguments, strict=False):
                self._exact(one, other)

    def _lower(self, given_: AnyType | None, wanted: AnyType | None) -> None:
        if isinstance(wanted, TypeParameter):
            self._add(wanted, given_, "lower")
        elif given_ is None:
            self._spoil(wanted)
        elif isinstance(wanted, TupleType):
            if isinstance(given_, TupleType):
                for one, other in zip(given_.elements, wanted.elements, strict=False):
                    self._lower(one, other)
        elif isinstance(wanted, Type) and mentions(wanted, OF_CALLEE):
            self._lower_type(given_, wanted)

    def _lower_type(self, given_: AnyType, wanted: Type) -> None:
        if wanted.fqn == NULLABLE:
            inner = wanted.arguments[0]
            if isinstance(given_, Type) and given_.fqn == NULLABLE:
                self._lower(unwrapped(given_), inner)
            elif self._world.is_value(given_):
                self._lower(given_, inner)
            return None
        if is_array(given_) and isinstance(given_, Type) and self._of_array(given_, wanted):
            return None
        if wanted.fqn in (SPAN, READ_ONLY_SPAN) and isinstance(given_, Type):
            if given_.fqn == STRING:
                return self._lower(named("System.Char"), wanted.arguments[0])
            if given_.fqn in (SPAN, READ_ONLY_SPAN):
                return self._exact(given_.arguments[0], wanted.arguments[0])
        if wanted.fqn == EXPRESSION and isinstance(given_, Type) and given_.fqn != EXPRESSION:
            return None
        closure, whole = self._world.closure(given_)
        bases = [base for base in closure if base.fqn == wanted.fqn]
        bases = [each for at, each in enumerate(bases) if each not in bases[:at]]
        if len(bases) == 1:
            self._by_variance(bases[0], wanted, lower=True)
        elif not bases and not whole:
            self._spoil(wanted)
        return None

    def _of_array(self, given_: Type, wanted: Type) -> bool:
        listed = wanted.fqn in _OF_ARRAYS and given_.fqn == "[]"
        if wanted.fqn != given_.fqn and not listed and wanted.fqn not in (SPAN, READ_ONLY_SPAN):
            return False
        element = given_.arguments[0]
        if self._world.is_reference(element) or element is None:
            self._lower(element, wanted.arguments[0])
        else:
            self._exact(element, wanted.arguments[0])
        return True

    def _by_variance(self, given_: Type, wanted: Type, *, lower: bool) -> None:
        ways = self._conversions.variance(wanted)
        for at, (one, other) in enumerate(zip(given_.arguments, wanted.arguments, strict=False)):
            way = ways[at : at + 1]
            if way not in ("o", "i") or (one is not None and not self._world.is_reference(one)):
                self._exact(one, other)
            elif (way == "o") == lower:
                self._lower(one, other)
            else:
                self._upper(one, other)

    def _upper(self, given_: AnyType | None, wanted: AnyType | None) -> None:
        if isinstance(wanted, TypeParameter):
            self._add(wanted, given_, "upper")
        elif given_ is None:
            self._spoil(wanted)
        elif isinstance(wanted, Type) and isinstance(given_, Type) and wanted.fqn == given_.fqn:
            self._by_variance(given_, wanted, lower=False)


def meets(
    world: World, conversions: Conversions, candidate: Candidate, arguments: Sequence[AnyType | None]
) -> bool:
    """Whether type arguments satisfy the constraints of a method."""
    known = given(arguments)
    for bound, argument in zip(candidate.symbol.signature.bounds, arguments, strict=False):
        if argument is None:
            continue
        if "struct" in bound.kinds and (world.is_reference(argument) or argument is None):
            return False
        if "struct" in bound.kinds and isinstance(argument, Type) and argument.fqn == NULLABLE:
            return False
        if "class" in bound.kinds and world.is_value(argument):
            return False
        for type_ in bound.types:
            wanted = substituted(candidate.type(type_), known)
            if conversions.fit(argument, wanted, own=False) is Fit.NO:
                return False
    return True
