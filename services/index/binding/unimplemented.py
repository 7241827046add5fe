"""Types that do not implement what their bases leave to them, and members that override nothing.

Where a partial type that implements no member of an interface compiles, a source generator made the part that does
(C# specification 19.6.5: a class or structure implements every member of its interfaces), and that part declares the
types of their signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from services.index.binding.session import Tools
from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import AnyType, TupleType, Type, plain
from services.index.binding.types.world import World
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.model import Kind
from services.syntax.records.declaration import Declaration

_IMPLEMENT = frozenset({Kind.CLASS, Kind.STRUCT, Kind.RECORD, Kind.RECORD_STRUCT, Kind.UNION})
_IMPLEMENTED = frozenset(
    {Kind.METHOD, Kind.PROPERTY, Kind.INDEXER, Kind.EVENT, Kind.OPERATOR, Kind.CONVERSION}
)


_MOST = 2_000
"""Types that are looked at."""


def left_to_generators(world: World, index: int) -> Iterator[Candidate]:
    """Members of workspace interfaces that a partial type lists and nothing implements, as the type has them; none
    where a base is not wholly known."""
    workspace = world.workspace
    if workspace.kind_of(index) not in _IMPLEMENT:
        return
    every, whole = world.closure(workspace.itself(index))
    if not whole or any(world.is_unknown(each) for each in every):
        return
    classes = [each for each in every if world.kind(each) != "interface"]
    inherited = {base for each in classes[1:] for base in world.closure(each)[0]}
    for interface in every:
        if interface.index is None or interface in classes or interface in inherited:
            continue
        for symbol in chain.from_iterable(workspace.symbols(interface.index).values()):
            wanted = Candidate(symbol, interface, world.assigned(interface))
            if _has_to_be(symbol, workspace.records) and not _is_implemented(world, wanted, every):
                yield wanted


def _has_to_be(symbol: Symbol, records: Records) -> bool:
    """Whether a type has to implement a member of an interface: one of objects, or an abstract one."""
    if symbol.member is None or symbol.kind not in _IMPLEMENTED:
        return False
    text = records.text(symbol.member.file)
    abstract = not symbol.is_static or "abstract" in symbol.flags
    return abstract and text is not None and not symbol.member.declaration.has_code(text)


def _is_implemented(world: World, wanted: Candidate, bases: Iterable[Type]) -> bool:
    """Whether a type among `bases` may implement a member: a class, or an interface that does so explicitly."""
    return any(
        _may_implement(Candidate(symbol, base, world.assigned(base)), wanted)
        for base in bases
        for symbol in world.declared(base, wanted.symbol.name)
        if world.kind(base) != "interface" or "explicit" in symbol.flags
    )


def _may_implement(one: Candidate, wanted: Candidate) -> bool:
    mine, its = one.symbol, wanted.symbol
    if mine.arity != its.arity or len(mine.parameters) != len(its.parameters):
        return False
    pairs = [
        (one.type(p.type), wanted.type(q.type)) for p, q in zip(mine.parameters, its.parameters, strict=True)
    ]
    return all(a is None or b is None or plain(a) == plain(b) for a, b in pairs)


def types_in(candidate: Candidate) -> Iterator[int]:
    """The workspace types, by index, that the signature of a member names, as its holder has it."""
    symbol: Symbol = candidate.symbol
    for type_ in (symbol.returns, *(each.type for each in symbol.parameters)):
        yield from _indexes(candidate.type(type_))


def _indexes(type_: AnyType | None) -> Iterator[int]:
    if isinstance(type_, Type) and type_.index is not None:
        yield type_.index
    if isinstance(type_, Type | TupleType):
        for part in type_.elements if isinstance(type_, TupleType) else type_.arguments:
            yield from _indexes(part)


class Unimplemented(NamedTuple):
    """A part of a type that lacks a member: the file, by its index, its declaration, and the member."""

    file: int
    declaration: Declaration
    member: Symbol


def unimplemented(
    catalogue: Catalogue,
    tools: Callable[[int], Tools],
    wanted: tuple[int, str],
    users: Callable[[int], Iterable[int]],
) -> Iterator[Unimplemented]:
    """The types of objects that derive from a type and implement no member of a name that it leaves to them. `wanted`:
    the index of the type, and the name; `users`: the types that name one; `tools`: what a project is bound with."""
    for bound, own, base in _heirs(catalogue, tools, wanted[0], users):
        yield from _lacking(bound, own, base, wanted[1])


def overriding_nothing(
    catalogue: Catalogue,
    tools: Callable[[int], Tools],
    wanted: tuple[int, str],
    users: Callable[[int], Iterable[int]],
) -> Iterator[tuple[int, Declaration]]:
    """Return the members of a name, each (file, declaration), that claim to override or implement a base member that
    no base has. Parameters as of `unimplemented`."""
    for bound, own, _ in _heirs(catalogue, tools, wanted[0], users):
        for symbol in bound.world.declared(own, wanted[1]):
            if symbol.member is not None and bound.inheritance.stands_for_nothing(symbol):
                yield symbol.member.file, symbol.member.declaration


def _heirs(
    catalogue: Catalogue,
    tools: Callable[[int], Tools],
    index: int,
    users: Callable[[int], Iterable[int]],
) -> Iterator[tuple[Tools, Type, Type]]:
    """The types that derive from one: what each is bound with, itself, and the base as it sees it."""
    waiting, seen = [index], {index}
    while waiting and len(seen) < _MOST:
        for heir in users(waiting.pop()):
            if heir in seen:
                continue
            bound = tools(catalogue.types[heir].project)
            own = bound.world.workspace.itself(heir)
            base = next((each for each in bound.world.closure(own)[0] if each.index == index), None)
            if base is None:
                continue
            seen.add(heir)
            waiting.append(heir)
            yield bound, own, base


def _lacking(bound: Tools, own: Type, base: Type, name: str) -> Iterator[Unimplemented]:
    assert own.index is not None
    workspace = bound.world.workspace
    parts = list(workspace.parts(own.index))
    words = {word for _, _, part in parts for word in part.modifiers}
    # A part that a generator makes may implement it, and heirs of what is abstract.
    if not parts or words & {"partial", "abstract"} or bound.world.kind(own) not in ("class", "struct"):
        return
    listing = next((part for part in parts if part[2].bases), parts[0])
    for symbol in bound.inheritance.lacking(own, base, name):
        yield Unimplemented(listing[0], listing[2], symbol)
