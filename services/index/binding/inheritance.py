"""Members that no longer override or implement what they seem to: the base, or the interface, has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.index.binding.choice.misfits import is_open, shown
from services.index.binding.types.conversions import Conversions, Fit
from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import AnyType, Type, plain
from services.index.binding.types.world import World
from services.model import Kind

_KINDS = frozenset({Kind.METHOD, Kind.PROPERTY, Kind.INDEXER, Kind.EVENT})
Misfit = tuple[Symbol, str]


class Inheritance:
    """Comparison of members with the base members they override or implement, for one project's types."""

    def __init__(self, world: World, conversions: Conversions) -> None:
        self._world = world
        self._conversions = conversions

    def misfits(self, symbol: Symbol) -> Iterator[Misfit]:
        """Yield base members in the workspace with the same name that a member claims to override or implement but
        does not match, or that no member matches; each with the reason."""
        if symbol.kind not in _KINDS or symbol.is_extension:
            return
        every, whole = self._world.closure(symbol.owner)
        if "override" in symbol.flags:
            yield from self._of_override(symbol, every[1:] if whole else ())
        elif symbol.member is not None and symbol.member.declaration.explicit:
            yield from self._of_explicit(symbol, every[1:])
        elif (
            symbol.access == "public"
            and not symbol.is_static
            and self._world.kind(symbol.owner) != "interface"
        ):
            yield from self._of_implicit(symbol, every)

    def stands_for_nothing(self, symbol: Symbol) -> bool:
        """Whether a member overrides, or implements an interface by its name, and no base has one of its name."""
        is_explicit = symbol.member is not None and bool(symbol.member.declaration.explicit)
        if "override" not in symbol.flags and not is_explicit:
            return False
        every, whole = self._world.closure(symbol.owner)
        if not whole or any(self._world.is_unknown(base) for base in every[1:]):
            return False
        bases = (base for base in every[1:] if is_explicit or self._world.kind(base) != "interface")
        return not any(self._world.find(base, symbol.name).candidates for base in bases)

    def lacking(self, own: Type, base: Type, name: str) -> Iterator[Symbol]:
        """The members of a name that a base leaves to those that derive from it, and a type does not have."""
        every, whole = self._world.closure(own)
        if not whole:
            return
        assigned = self._world.assigned(base)
        for symbol in self._world.declared(base, name):
            wanted = Candidate(symbol, base, assigned)
            is_left = symbol.kind in _KINDS and (
                "abstract" in symbol.flags or self._is_of_contract(base, symbol)
            )
            if is_left and not any(self._implements(each, wanted) for each in every if each != base):
                yield symbol

    def _is_of_contract(self, base: Type, symbol: Symbol) -> bool:
        return self._world.kind(base) == "interface" and not symbol.is_static and self._has_to_be(symbol)

    def _of_override(self, symbol: Symbol, bases: Sequence[Type]) -> Iterator[Misfit]:
        found: list[Candidate] = []
        for base in bases:
            if self._world.kind(base) == "interface":
                continue
            if self._world.is_unknown(base):
                return
            found += self._named(base, symbol)
        reasons = [(each, self._why(symbol, each) or _by_virtual(each.symbol)) for each in found]
        if all(why for _, why in reasons):
            yield from ((each.symbol, f"is not overridden: {why}") for each, why in reasons)

    def _of_explicit(self, symbol: Symbol, bases: Sequence[Type]) -> Iterator[Misfit]:
        assert symbol.member is not None
        written = symbol.member.declaration.explicit.partition("<")[0].rpartition(".")[2].strip()
        interfaces = [
            b for b in bases if b.fqn.rpartition(".")[2].rpartition("+")[2].partition("`")[0] == written
        ]
        reasons = [
            (each, self._why(symbol, each)) for base in interfaces for each in self._named(base, symbol)
        ]
        if all(why for _, why in reasons):
            yield from ((each.symbol, f"is not implemented: {why}") for each, why in reasons)

    def _of_implicit(self, symbol: Symbol, every: Sequence[Type]) -> Iterator[Misfit]:
        """Members of interfaces that nothing implements, and this one seems to be meant to."""
        for base in every[1:]:
            if base.index is None or self._world.kind(base) != "interface":
                continue
            for wanted in self._named(base, symbol):
                why = self._why(symbol, wanted) if self._has_to_be(wanted.symbol) else ""
                if why and not any(self._implements(each, wanted) for each in every):
                    yield wanted.symbol, f"is not implemented: {why}"

    def _has_to_be(self, symbol: Symbol) -> bool:
        """Whether a member of an interface is left to who implements it."""
        member = symbol.member
        text = self._world.workspace.records.text(member.file) if member is not None else None
        return member is not None and text is not None and not member.declaration.has_code(text)

    def _implements(self, type_: Type, wanted: Candidate) -> bool:
        if self._world.is_unknown(type_):
            return True
        return any(
            not self._why(each.symbol, wanted, each)
            for each in self._named(type_, wanted.symbol)
            if self._world.kind(type_) != "interface" or "explicit" in each.symbol.flags
        )

    def _named(self, base: Type, symbol: Symbol) -> list[Candidate]:
        declared = self._world.declared(base, symbol.name)
        found = [each for each in declared if each is not symbol and each.kind in _KINDS]
        if not found:
            return []
        assigned = self._world.assigned(base)
        return [Candidate(each, base, assigned) for each in found]

    def _why(self, symbol: Symbol, wanted: Candidate, own: Candidate | None = None) -> str:
        """Return the reason why a member does not override or implement another; empty where it may."""
        its = wanted.symbol
        if symbol.is_method != its.is_method:
            return "one is a method, the other is none"
        if symbol.arity != its.arity:
            return f"{its.arity} type parameters there, {symbol.arity} here"
        if len(symbol.parameters) != len(its.parameters):
            return f"{len(its.parameters)} parameters there, {len(symbol.parameters)} here"
        for at, (mine, theirs) in enumerate(zip(symbol.parameters, its.parameters, strict=True), 1):
            here = own.type(mine.type) if own is not None else mine.type
            there = wanted.type(theirs.type)
            if (mine.way == "out") != (theirs.way == "out") or bool(mine.way) != bool(theirs.way):
                return f"parameter {at} is {theirs.way or 'by value'} there, {mine.way or 'by value'} here"
            if _differ(here, there):
                return f"parameter {at} is {shown(there)} there, {shown(here)} here"
        returns = own.returns if own is not None else symbol.returns
        return self._by_returns(returns, wanted.returns) or _by_accessors(symbol, its)

    def _by_returns(self, here: AnyType | None, there: AnyType | None) -> str:
        if not _differ(here, there) or self._conversions.reference(here, there) is not Fit.NO:
            return ""
        return f"returns {shown(there)} there, {shown(here)} here"


def _by_virtual(wanted: Symbol) -> str:
    """Why a member of a base cannot be overridden."""
    return "" if wanted.flags & {"virtual", "abstract", "override"} else "is not virtual there"


def _by_accessors(symbol: Symbol, wanted: Symbol) -> str:
    """Why the accessors of a property are not those that it would have to have."""
    here, there = _accessors(symbol), _accessors(wanted)
    if not here or not there:
        return ""
    if "override" in symbol.flags and (more := sorted(here - there)):
        return f"has no {more[0]} there"
    is_contract = "abstract" in wanted.flags or "override" not in symbol.flags
    return f"has no {lacking[0]} here" if is_contract and (lacking := sorted(there - here)) else ""


def _accessors(symbol: Symbol) -> set[str]:
    return {name for name, _ in symbol.member.declaration.accessors} if symbol.member is not None else set()


def _differ(one: AnyType | None, other: AnyType | None) -> bool:
    """Whether two types are surely not the same; of type parameters, which may be called otherwise, nothing is sure."""
    if one is None or other is None or one == other or plain(one) == plain(other):
        return False
    return not (is_open(one) or is_open(other))
