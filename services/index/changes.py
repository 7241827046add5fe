"""What a refresh changed, type by type and why (SPEC section 6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from services.index.catalogue import KINDS, Catalogue
from services.index.describe import Describer, Whole, hashes_of
from services.model import TYPE_KINDS, ChangeClass, TypeChange

TypeKey = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Seen:
    """A type at one moment: id, file, hashes, and the impl digests of its members by id with their visibility."""

    id: str
    file: str
    hashes: dict[str, str]
    bodies: dict[str, tuple[bytes, bool]]


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
                keys.add((unit[0], catalogue.types[catalogue.columns.owner[row]].fqn))
    return keys


def seen(catalogue: Catalogue, describer: Describer, keys: Iterable[TypeKey]) -> dict[TypeKey, Seen]:
    """The types as they are now; those without a declaration are left out."""
    found: dict[TypeKey, Seen] = {}
    for key in keys:
        index = catalogue.type_at.get(key)
        whole = describer.whole(index) if index is not None else None
        if whole is not None:
            found[key] = _seen(catalogue, whole)
    return found


def _seen(catalogue: Catalogue, whole: Whole) -> Seen:
    bodies = {
        m.id: (m.declaration.impl, m.declaration.access != "private" or bool(m.declaration.explicit))
        for m in whole.members
        if not m.implicit
    }
    return Seen(whole.id, catalogue.file(whole.primary.file).path, hashes_of(whole), bodies)


def changes(before: dict[TypeKey, Seen], after: dict[TypeKey, Seen]) -> tuple[TypeChange, ...]:
    """Every type that differs, by FQN."""
    found: list[TypeChange] = []
    for key in sorted(before.keys() | after.keys(), key=lambda k: (k[1], k[0])):
        old, new = before.get(key), after.get(key)
        kept = new or old
        assert kept is not None
        change = (
            ChangeClass.ADDED if old is None else ChangeClass.REMOVED if new is None else _class(old, new)
        )
        found.append(TypeChange(id=kept.id, fqn=key[1], change=change, file=kept.file))
    return tuple(found)


def _class(old: Seen, new: Seen) -> ChangeClass:
    if old.hashes["structure"] != new.hashes["structure"]:
        return ChangeClass.STRUCTURE
    if old.hashes["impl"] != new.hashes["impl"]:
        changed = {k for k in old.bodies.keys() | new.bodies.keys() if old.bodies.get(k) != new.bodies.get(k)}
        visible = any((new.bodies.get(k) or old.bodies[k])[1] for k in changed)
        return ChangeClass.PUBLIC_BEHAVIOUR if visible else ChangeClass.INTERNAL
    if old.hashes["doc"] != new.hashes["doc"]:
        return ChangeClass.DOCS
    return ChangeClass.MOVED if old.file != new.file else ChangeClass.COSMETIC
