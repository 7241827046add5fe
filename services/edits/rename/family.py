"""Members that must share one name: overrides, implementations of interfaces, and the members that they override or
implement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from services.edits.declared import Declared
from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import Type, plain
from services.index.binding.types.world import World
from services.index.compiled import homes
from services.index.usages.bound_texts import BoundTexts
from services.model import TYPE_KINDS, Kind

_RECORDS = frozenset({Kind.RECORD, Kind.RECORD_STRUCT})
_INHERITS = frozenset({Kind.CLASS, Kind.RECORD})


class Family(msgspec.Struct):
    """`members`: the symbol first; `foreign`: what they override or implement that the workspace does not declare, each
    with the member that does."""

    members: list[Symbol]
    foreign: list[tuple[Symbol, str]] = msgspec.field(default_factory=list[tuple[Symbol, str]])


class Families:
    """Finds families over a whole workspace."""

    def __init__(self, texts: BoundTexts, declared: Declared) -> None:
        self._texts = texts
        self._declared = declared

    def of(self, symbol: Symbol) -> Family:
        """The family of a member."""
        if symbol.member is None or not _can_have_relatives(symbol):
            return Family([symbol])
        pool = self._namesakes(symbol)
        groups = _Groups([symbol, *pool])
        for each in groups.symbols:
            for other in self._related(each, groups.symbols):
                groups.join(each, other)
        for one, other in self._through_heirs(groups.symbols):
            groups.join(one, other)
        members = groups.with_first()
        return Family(members, [(each, name) for each in members for name in self._foreign(each)])

    def _world(self, index: int) -> World:
        return self._texts.world_of(self._texts.catalogue.type(index).project)

    def _namesakes(self, symbol: Symbol) -> list[Symbol]:
        """Members of that name of all types."""
        owners: dict[int, None] = {}
        for text in self._texts.holding([symbol.name]):
            for at, each in enumerate(text.record.declarations):
                named = each.name.lstrip("@") == symbol.name and each.kind not in TYPE_KINDS
                positional = each.kind in _RECORDS and any(
                    parameter.name.lstrip("@") == symbol.name for parameter in each.parameters or ()
                )
                if named or positional:
                    owners[self._declared.home(text, at)] = None
        own = symbol.member
        found: list[Symbol] = []
        for index in owners:
            if index < 0:
                continue
            for each in self._world(index).workspace.symbols(index).get(symbol.name, ()):
                if each.member is not None and own is not None and each.member.same(own):
                    continue
                if _alike(each, symbol):
                    found.append(each)
        return found

    def _related(self, symbol: Symbol, pool: Sequence[Symbol]) -> Iterator[Symbol]:
        """Yield the members in `pool` that a member overrides or implements."""
        index = symbol.owner.index
        assert index is not None
        world = self._world(index)
        bases = world.closure(symbol.owner)[0][1:]
        for other in pool:
            for base in bases:
                if base.index == other.owner.index and self._stands_for(world, symbol, other, base):
                    yield other

    def _stands_for(self, world: World, symbol: Symbol, other: Symbol, base: Type) -> bool:
        if world.kind(base) == "interface":
            if not _may_implement(world, symbol, base) or self._is_explicit_elsewhere(
                world, symbol, other, base
            ):
                return False
        elif "override" not in symbol.flags:
            return False
        return _same_types(world, symbol, other, base)

    def _is_explicit_elsewhere(self, world: World, symbol: Symbol, other: Symbol, base: Type) -> bool:
        """Whether the type of a member implements another explicitly, and not by this one."""
        if "explicit" in symbol.flags:
            return False
        return any(
            "explicit" in each.flags
            and _may_implement(world, each, base)
            and _same_types(world, each, other, base)
            for each in world.declared(symbol.owner, symbol.name)
        )

    def _through_heirs(self, pool: Sequence[Symbol]) -> Iterator[tuple[Symbol, Symbol]]:
        """Members of interfaces, and members of classes that implement them for a class derived from those alone."""
        interfaces = [each for each in pool if self._is_of_interface(each)]
        others = {each.owner.index: each for each in pool if not self._is_of_interface(each)}
        if not interfaces or not others:
            return
        wanted = {each.owner.index for each in interfaces}
        for index in self._heirs():
            world = self._world(index)
            itself = world.workspace.itself(index)
            closure = world.closure(itself)[0]
            indexes = {each.index for each in closure}
            if not indexes & wanted or not indexes & others.keys():
                continue
            for interface in interfaces:
                base = next((each for each in closure if each.index == interface.owner.index), None)
                if base is not None:
                    yield from self._inherited(world, interface, base, closure)

    def _inherited(
        self, world: World, interface: Symbol, base: Type, closure: Sequence[Type]
    ) -> Iterator[tuple[Symbol, Symbol]]:
        for at, each in enumerate(closure):
            if world.kind(each) == "interface":
                continue
            if at and any(other.index == base.index for other in world.closure(each)[0]):
                return  # that class implements the interface itself
            for symbol in world.declared(each, interface.name):
                mine = Candidate(symbol, each, world.assigned(each))
                its = Candidate(interface, base, world.assigned(base))
                if at and _may_implement(world, symbol, base) and _agree(mine, its):
                    yield symbol, interface
                    return

    def _heirs(self) -> Iterator[int]:
        """Classes that derive from a class of the workspace."""
        catalogue = self._texts.catalogue
        for index, entry in homes(catalogue):
            if entry.kind not in _INHERITS:
                continue
            bases = self._world(index).workspace.bases(index)[0]
            if any(base.index is not None and catalogue.type(base.index).kind in _INHERITS for base in bases):
                yield index

    def _is_of_interface(self, symbol: Symbol) -> bool:
        index = symbol.owner.index
        return index is not None and self._texts.catalogue.type(index).kind is Kind.INTERFACE

    def _foreign(self, symbol: Symbol) -> Iterator[str]:
        """Yield the members of external types that a member overrides or implements."""
        index = symbol.owner.index
        assert index is not None
        world = self._world(index)
        bases = world.closure(symbol.owner)[0][1:]
        declaration = symbol.member.declaration if symbol.member is not None else None
        if declaration is not None and declaration.explicit:
            named = _simple(declaration.explicit)
            known = [base for base in bases if base.index is not None]
            if not any(_simple(base.fqn.rpartition("+")[2]) == named for base in known):
                yield f"{declaration.explicit}.{symbol.name}"
                return
        overridden = False
        for base in bases:
            for other in world.declared(base, symbol.name):
                if (
                    base.index is None
                    and _alike(other, symbol)
                    and self._stands_for(world, symbol, other, base)
                ):
                    yield f"{base.fqn}.{symbol.name}"
                    return
                overridden = overridden or _alike(other, symbol)
        if "override" in symbol.flags and not overridden:
            yield f"a member of a base of {symbol.owner.fqn} that is not known"


def _can_have_relatives(symbol: Symbol) -> bool:
    return symbol.kind in (Kind.METHOD, Kind.PROPERTY, Kind.EVENT) and not symbol.is_extension


def _simple(name: str) -> str:
    return name.partition("<")[0].rpartition(".")[2].partition("`")[0]


def _alike(symbol: Symbol, other: Symbol) -> bool:
    return (
        symbol.is_method == other.is_method
        and symbol.arity == other.arity
        and len(symbol.parameters) == len(other.parameters)
    )


def _may_implement(world: World, symbol: Symbol, base: Type) -> bool:
    """Whether a member can implement one of an interface."""
    declaration = symbol.member.declaration if symbol.member is not None else None
    if declaration is not None and declaration.explicit:
        return _simple(declaration.explicit) == _simple(base.fqn.rpartition("+")[2])
    return world.kind(symbol.owner) != "interface" and symbol.access == "public"


def _same_types(world: World, symbol: Symbol, other: Symbol, base: Type) -> bool:
    return _agree(Candidate(symbol, symbol.owner), Candidate(other, base, world.assigned(base)))


def _agree(one: Candidate, other: Candidate) -> bool:
    """Whether two members agree in the types of their parameters, as far as these are known."""
    pairs = zip(one.symbol.parameters, other.symbol.parameters, strict=False)
    if len(one.symbol.parameters) != len(other.symbol.parameters):
        return False
    return all(p.way == q.way and plain(one.type(p.type)) == plain(other.type(q.type)) for p, q in pairs)


class _Groups:
    """Members in groups that grow together."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self.symbols = list(symbols)
        self._of = {id(each): at for at, each in enumerate(self.symbols)}
        self._at: list[int] = list(range(len(self.symbols)))

    def join(self, one: Symbol, other: Symbol) -> None:
        """Makes one group of those of two members."""
        first, second = self._group(one), self._group(other)
        if first is not None and second is not None and first != second:
            self._at = [first if each == second else each for each in self._at]

    def _group(self, symbol: Symbol) -> int | None:
        at = self._of.get(id(symbol))
        if at is None and symbol.member is not None:
            at = next(
                (n for n, each in enumerate(self.symbols) if each.member and each.member.same(symbol.member)),
                None,
            )
        return self._at[at] if at is not None else None

    def with_first(self) -> list[Symbol]:
        """The group of the first member."""
        return [each for each, at in zip(self.symbols, self._at, strict=True) if at == self._at[0]]
