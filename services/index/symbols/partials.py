"""Symbols with several declarations: parts of types and their members, partial members, and variants under other
preprocessor symbols (C# specification 15.6.9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from services.index.catalog.catalogue import Catalogue, TypeEntry
from services.index.catalog.file_rows import KINDS
from services.index.catalog.records import Records
from services.index.compiled import compilations, home_of, homes, projects_of
from services.index.names.type_text import unqualified
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import ALSO_ELSEWHERE, canonical_signature, part


def parts_of(catalogue: Catalogue, records: Records, index: int) -> list[Placed]:
    """The parts of a type that can be read."""
    # In the order of their files, not in that of their changes: the same sources have the same ids.
    places = sorted(catalogue.type(index).parts, key=lambda part: _stands(catalogue, part))
    return [found for part in places if (found := placed(records, *part)) is not None]


def placed(records: Records, file: int, at: int) -> Placed | None:
    """Declaration `at` of a file, or None where it cannot be read."""
    found = records.declaration(file, at)
    return Placed(file, at, found) if found is not None else None


def primary_of(parts: list[Placed]) -> Placed:
    """Return the canonical part of the type: with a parameter list, a doc comment, a base list, then the longest."""
    return max(parts, key=_speaks)


def _speaks(part: Placed) -> tuple[bool, bool, bool, int]:
    d = part.declaration
    return d.parameters is not None, d.doc != (0, 0), bool(d.bases), d.end - d.start


def members_of(records: Records, parts: list[Placed]) -> tuple[list[Placed], list[Placed]]:
    """The members that the parts declare, halves of partial ones each for itself, and the types in them."""
    members: list[Placed] = []
    nested: list[Placed] = []
    for home in parts:
        record = records.record(home.file)
        if record is None:
            continue
        for at, declaration in enumerate(record.every[home.at + 1 :], home.at + 1):
            if declaration.start >= home.declaration.end:
                break
            if declaration.parent == home.at:
                kept = nested if declaration.kind in TYPE_KINDS else members
                kept.append(Placed(home.file, at, declaration))
    return members, nested


def in_source_order(catalogue: Catalogue) -> list[int]:
    """All types, each symbol once, by project, file and place: files come into a catalogue as they are read, in another
    order each time."""
    places = [
        (entry.project, min(_stands(catalogue, part) for part in entry.parts), index)
        for index, entry in homes(catalogue)
    ]
    return [index for _, _, index in sorted(places)]


def _stands(catalogue: Catalogue, part: tuple[int, int]) -> tuple[str, int]:
    """Return the position of a part: its file's path, and its place in it."""
    file, at = part
    return catalogue.file(file).path, at


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


Declared = Mapping[str, frozenset[str]]
"""Signatures by the name of the project that declares them."""


def variants_of(catalogue: Catalogue, home: int) -> list[int]:
    """The compilations of a symbol for which the preprocessor leaves other text than for its home."""
    texts = _texts(catalogue, catalogue.type(home))
    others = compilations(catalogue, home)[1:]
    return [at for at in others if _texts(catalogue, catalogue.type(at)) != texts]


def is_told(catalogue: Catalogue, file: int, at: int) -> bool:
    """Whether a declaration has a row that counts."""
    return not catalogue.columns.dead[catalogue.file(file).rows[0] + at]


def elsewhere(catalogue: Catalogue, home: int) -> Iterator[int]:
    """The types that enclose what another configuration declares in a type."""
    entry, projects = (
        catalogue.type(home),
        {catalogue.type(at).project for at in compilations(catalogue, home)},
    )
    for at in () if entry.is_elsewhere else catalogue.by_fqn.get(entry.fqn, ()):
        other = catalogue.type(at)
        if other.is_elsewhere and other.parts and other.project in projects:
            yield at


def joined_variants(
    catalogue: Catalogue, home: int, own: Sequence[Placed], others: Mapping[int, Sequence[Placed]]
) -> tuple[list[Placed], Declared]:
    """The members that a home declares, behind them those that only its variants (`others`: theirs) declare; and what
    each project declares."""
    fqn = catalogue.type(home).fqn
    known = frozenset(canonical_signature(member.declaration, fqn) for member in own)
    every, declared = list(own), dict.fromkeys(projects_of(catalogue, home), known)
    seen = set(known)
    for at, members in others.items():
        signed = [(canonical_signature(member.declaration, fqn), member) for member in members]
        every += [member for signature, member in signed if signature not in seen]
        declared[catalogue.projects[catalogue.type(at).project]] = frozenset(text for text, _ in signed)
        seen.update(text for text, _ in signed)
    return every, declared


def differing(catalogue: Catalogue, records: Records) -> Mapping[int, Sequence[int]]:
    """The types of which not every project that compiles them declares the same members and bases, by their homes: all
    compilations of each."""
    found: dict[int, Sequence[int]] = {}
    for home in dict.fromkeys(home_of(catalogue, at) for at in _shared(catalogue)):
        every = compilations(catalogue, home)
        if len({_declares(catalogue, records, at) for at in every}) > 1:
            found[home] = every
    return found


def _shared(catalogue: Catalogue) -> Iterator[int]:
    """Types in files that another project holds: only these may be other ones there."""
    columns = catalogue.columns
    for entry in catalogue.live_files():
        if entry.shadow:
            first, count = entry.rows
            rows = range(first, first + count)
            yield from (columns.owner[row] for row in rows if KINDS[columns.kind[row]] in TYPE_KINDS)


def _declares(catalogue: Catalogue, records: Records, index: int) -> frozenset[object]:
    """Members and bases of one compilation."""
    columns, found = catalogue.columns, set[object]()
    for file, at in catalogue.type(index).parts:
        first, count = catalogue.file(file).rows
        for row in range(first, first + count):
            if columns.owner[row] == index and KINDS[columns.kind[row]] not in TYPE_KINDS:
                found.add((columns.name[row], columns.kind[row], columns.signature[row] & ~ALSO_ELSEWHERE))
        declaration = records.declaration(file, at)
        found.update(declaration.bases if declaration is not None else ())
    return frozenset(found)


def projects_declaring(every: tuple[str, ...], whole: TypeWithMembers, member: Placed) -> tuple[str, ...]:
    """Return the names of the projects that compile a member, of `every` that compiles its type, in their order."""
    if not whole.declared or member.implicit:
        return every
    signed = canonical_signature(member.declaration, whole.entry.fqn)
    return tuple(name for name in every if signed in whole.declared.get(name, ())) or every


def _texts(catalogue: Catalogue, entry: TypeEntry) -> frozenset[tuple[str, str]]:
    files = (catalogue.file(file) for file, _ in entry.parts)
    return frozenset((file.path, file.variant) for file in files)
