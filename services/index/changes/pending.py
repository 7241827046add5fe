"""Changes of a pass over the disk, type by type.

What a refresh changed, type by type and why (SPEC section 6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from services.index.catalog.catalogue import TypeKey
from services.index.changes.seen import Seen, home_key, keys_of, seen
from services.index.graph.graph import Graph
from services.index.index_snapshot import IndexSnapshot
from services.index.symbols.identities import Identities
from services.index.symbols.placed import public_part
from services.model import ChangeClass, TypeChange


def changes(before: Mapping[TypeKey, Seen], after: Mapping[TypeKey, Seen]) -> dict[TypeKey, TypeChange]:
    """Every type that differs, sorted by FQN."""
    found: dict[TypeKey, TypeChange] = {}
    for key in sorted(before.keys() | after.keys(), key=lambda k: (k[1], k[0], k[2])):
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
    was, now = old.hashes["impl"], new.hashes["impl"]
    if was != now:
        same = public_part(was) == public_part(now)
        return ChangeClass.INTERNAL if same else ChangeClass.PUBLIC_BEHAVIOUR
    if old.hashes["doc"] != new.hashes["doc"]:
        return ChangeClass.DOCS
    return ChangeClass.MOVED if old.file != new.file else ChangeClass.COSMETIC


Units = Iterable[tuple[int, str]]

_BREAKING = frozenset({ChangeClass.STRUCTURE, ChangeClass.REMOVED})
_INNER = frozenset({ChangeClass.PUBLIC_BEHAVIOUR, ChangeClass.INTERNAL})


def compared(
    before: IndexSnapshot, after: IndexSnapshot, units: Units
) -> tuple[dict[TypeKey, Seen], dict[TypeKey, Seen]]:
    """Return the types that these units declare, before and after, in two revisions with the same numbers. A symbol
    whose canonical type is another project's in the later one has its key in both, and so has a `file` type whose
    file was renamed."""
    keys = keys_of(before.catalogue, units) | keys_of(after.catalogue, units)
    was = seen(before.catalogue, before.describer, keys)
    now = seen(after.catalogue, after.describer, keys)
    for key in keys:
        old, new = home_key(before.catalogue, key), home_key(after.catalogue, key)
        if old in was and new in now and old not in now and new not in was:
            was[new] = was.pop(old)
    for old, new in _renamed_files(was.keys() - now.keys(), now.keys() - was.keys()):
        was[new] = was.pop(old)
    return was, now


def _renamed_files(gone: Iterable[TypeKey], come: Iterable[TypeKey]) -> Iterator[tuple[TypeKey, TypeKey]]:
    """The `file` types that went with one file and came with another, each with its only namesake."""
    found: defaultdict[tuple[int, str], tuple[list[TypeKey], list[TypeKey]]] = defaultdict(lambda: ([], []))
    for at, keys in enumerate((gone, come)):
        for key in keys:
            if key[2]:
                found[key[:2]][at].append(key)
    return ((old[0], new[0]) for old, new in found.values() if len(old) == len(new) == 1)


def type_changes(
    before: Mapping[TypeKey, Seen], after: Mapping[TypeKey, Seen], identities: Identities, graph: Graph
) -> tuple[TypeChange, ...]:
    """Return the changes, with the types that became stale by them, as far as `graph` knows the dependencies (004
    section 3.2)."""
    found = changes(before, after)
    catalogue = identities.catalogue
    answer: list[TypeChange] = []
    for key, change in found.items():
        index = catalogue.type_at.get(key)
        stale: Iterable[int] = ()
        if index is not None and change.change in _BREAKING:
            stale = graph.downstream([index])
        elif index is not None and change.change in _INNER:
            stale = graph.group_of(index)
        ids = (identities.type_id(at) for at in stale if at != index)
        answer.append(msgspec.structs.replace(change, stale=tuple(filter(None, ids))))
    return tuple(answer)
