"""Types at one revision, for comparison with another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from services.index.catalog.catalogue import KINDS, Catalogue, TypeKey, key_of
from services.index.compiled import home_of
from services.index.symbols.describe import Describer
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import TYPE_KINDS, Kind


@dataclass(frozen=True, slots=True)
class Seen:
    """Type at one revision. `hashes`: structure, impl, doc; `members`: id by name and parameter types, without
    constructors, which are named like the type."""

    id: str
    kind: Kind
    file: str
    hashes: dict[str, str]
    members: dict[str, str]


def keys_of(catalogue: Catalogue, units: Iterable[tuple[int, str]]) -> set[TypeKey]:
    """The types that files of these units declare."""
    keys: set[TypeKey] = set()
    for unit in units:
        at = catalogue.units.get(unit)
        if at is None:
            continue
        first, count = catalogue.file(at).rows
        for row in range(first, first + count):
            if KINDS[catalogue.columns.kind[row]] in TYPE_KINDS:
                keys.add(key_of(catalogue.types[catalogue.columns.owner[row]]))
    return keys


def home_key(catalogue: Catalogue, key: TypeKey) -> TypeKey | None:
    """Return the key of the canonical type of a symbol; None where it has no declaration."""
    index = catalogue.type_at.get(key)
    if index is None or not catalogue.type(index).parts:
        return None
    return key_of(catalogue.type(home_of(catalogue, index)))


def seen(catalogue: Catalogue, describer: Describer, keys: Iterable[TypeKey]) -> dict[TypeKey, Seen]:
    """Return the present symbols of these types, by their canonical types; those without a declaration are left out."""
    found: dict[TypeKey, Seen] = {}
    for key in dict.fromkeys(home_key(catalogue, each) for each in keys):
        whole = describer.whole(catalogue.type_at[key]) if key is not None else None
        if key is not None and whole is not None:
            found[key] = _seen(catalogue, describer, whole)
    return found


def _seen(catalogue: Catalogue, describer: Describer, whole: TypeWithMembers) -> Seen:
    declared = [member for member in whole.members if not member.implicit]
    return Seen(
        id=whole.id,
        kind=whole.entry.kind,
        file=catalogue.file(whole.primary.file).path,
        hashes=describer.hashes_of(whole),
        members={_shape(m): m.id for m in declared if m.declaration.kind is not Kind.CONSTRUCTOR},
    )


def _shape(member: Placed) -> str:
    declaration = member.declaration
    types = ",".join(f"{p.modifier} {p.type}" for p in declaration.parameters or ())
    return f"{declaration.kind}|{declaration.explicit}|{declaration.name}|{len(declaration.type_parameters)}|{types}"
