"""What a refresh changed, type by type and why (SPEC section 6)."""

from __future__ import annotations

from collections.abc import Mapping

from services.index.changes.seen import Seen, TypeKey
from services.model import ChangeClass, TypeChange


def changes(before: Mapping[TypeKey, Seen], after: Mapping[TypeKey, Seen]) -> dict[TypeKey, TypeChange]:
    """Every type that differs, sorted by FQN."""
    found: dict[TypeKey, TypeChange] = {}
    for key in sorted(before.keys() | after.keys(), key=lambda k: (k[1], k[0])):
        old, new = before.get(key), after.get(key)
        kept = new or old
        assert kept is not None
        change = (
            ChangeClass.ADDED if old is None else ChangeClass.REMOVED if new is None else _class(old, new)
        )
        found[key] = TypeChange(id=kept.id, fqn=key[1], change=change, file=kept.file)
    return found


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
