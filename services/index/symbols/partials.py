"""Partial members: a declaration without a body and one with it are one member (C# specification 15.6.9). So are those
that a type declares alike for several target frameworks, each in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from services.index.names.type_text import unqualified
from services.index.symbols.placed import Placed
from services.model import Kind
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import part

_Key = tuple[Kind, str, str, int, tuple[str, ...]]


def joined(members: list[Placed]) -> list[Placed]:
    """Merge the two halves of each partial member, and equal declarations in files of several target frameworks. A
    partial member is located at its body; name, types, modifiers and so its id are those of the contract, which
    callers see. A contract without a body is unchanged."""
    halves = halves_of([member.declaration for member in members])
    contracts = {body: members[contract] for contract, body in halves.items()}
    found = [
        _one(contracts[at], member) if at in contracts else member
        for at, member in enumerate(members)
        if at not in halves
    ]
    twins = twins_of([(member.file, member.declaration) for member in found])
    return _without_twins(found, twins) if twins else found


def twins_of(members: Sequence[tuple[int, Declaration]]) -> dict[int, int]:
    """Which of a type's members, each with its file, declare what one before them in another file does, with the place
    of that one: only files that no compilation has together can."""
    if len({file for file, _ in members}) < 2:
        return {}
    first: dict[tuple[object, ...], int] = {}
    found: dict[int, int] = {}
    for at, (file, declaration) in enumerate(members):
        returns = declaration.returns if declaration.kind is Kind.CONVERSION else ""
        key = (*_key(declaration), returns, declaration.receiver, "static" in declaration.modifiers)
        other = first.setdefault(key, at)
        if members[other][0] != file:
            found[at] = other
    return found


def _without_twins(members: Sequence[Placed], twins: Mapping[int, int]) -> list[Placed]:
    found = {at: member for at, member in enumerate(members) if at not in twins}
    for at, other in twins.items():
        found[other] = _with_place(found[other], members[at])
    return list(found.values())


def _with_place(member: Placed, twin: Placed) -> Placed:
    """Return the member with the location of its twin added."""
    if member.contract is not None:
        return msgspec.structs.replace(member, contract=_with_place(member.contract, twin))
    return msgspec.structs.replace(member, contract=twin)


def halves_of(members: Sequence[Declaration]) -> dict[int, int]:
    """Map the contract of each partial member among `members` to the index of its body."""
    contracts = {_key(declaration): at for at, declaration in enumerate(members) if _is_contract(declaration)}
    if not contracts:
        return {}
    bodies = ((at, declaration) for at, declaration in enumerate(members) if _has_body(declaration))
    found: dict[int, int] = {}
    for at, declaration in bodies:
        contract = contracts.get(_key(declaration))
        if contract is not None:
            found.setdefault(contract, at)
    return found


def _is_partial(declaration: Declaration) -> bool:
    return "partial" in declaration.modifiers


def _is_contract(declaration: Declaration) -> bool:
    return _is_partial(declaration) and declaration.body == (0, 0)


def _has_body(declaration: Declaration) -> bool:
    return _is_partial(declaration) and declaration.body != (0, 0)


def _key(declaration: Declaration) -> _Key:
    """Return the common key of the two halves, independent of the spelling of their types."""
    types = tuple(f"{p.modifier} {unqualified(p.type)}" for p in declaration.parameters or ())
    return (
        declaration.kind,
        declaration.explicit,
        declaration.name,
        len(declaration.type_parameters),
        types,
    )


def _one(contract: Placed, body: Placed) -> Placed:
    declaration = merged(contract.declaration, body.declaration)
    return Placed(body.file, body.at, declaration, contract=contract)


def merged(its: Declaration, own: Declaration) -> Declaration:
    """Merge the contract's declaration (`its`) and that with the body: the position of the body, with the interface
    that callers see."""
    return msgspec.structs.replace(
        own,
        access=its.access,
        modifiers=its.modifiers,
        type_parameters=its.type_parameters,
        constraints=its.constraints or own.constraints,
        parameters=its.parameters,
        returns=its.returns,
        accessors=its.accessors,
        readonly=its.readonly,
        attributes=(*its.attributes, *own.attributes),
        structure=its.structure,
        impl=part(its.impl + own.impl) if its.impl else own.impl,
        docs=own.docs or its.docs,
        reached=its.reached or own.reached,
    )
