"""Interface members that no part of a partial type that can be read implements.

Where such a type compiles, a source generator made the part that does (C# specification 19.6.5: a class or structure
implements every member of its interfaces), and that part declares the types of their signatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import AnyType, TupleType, Type, plain
from services.index.binding.types.world import World
from services.index.catalog.records import Records
from services.model import Kind

_IMPLEMENT = frozenset({Kind.CLASS, Kind.STRUCT, Kind.RECORD, Kind.RECORD_STRUCT, Kind.UNION})
_IMPLEMENTED = frozenset(
    {Kind.METHOD, Kind.PROPERTY, Kind.INDEXER, Kind.EVENT, Kind.OPERATOR, Kind.CONVERSION}
)


def unimplemented(world: World, index: int) -> Iterator[Candidate]:
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
