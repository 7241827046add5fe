"""What passes over the disk change, type by type: kept until one comes to its end, however many were cancelled.

What a refresh changed, type by type and why (SPEC section 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from services.index.catalog.catalogue import Catalogue
from services.index.changes.seen import Seen, TypeKey, keys_of, seen
from services.index.graph.graph import Graph
from services.index.symbols.describe import Describer
from services.index.symbols.identities import Identities
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


Units = Iterable[tuple[int, str]]

_BREAKING = frozenset({ChangeClass.STRUCTURE, ChangeClass.REMOVED})
_INNER = frozenset({ChangeClass.PUBLIC_BEHAVIOUR, ChangeClass.INTERNAL})


class Changing:
    """One catalogue's. Not thread-safe: the index holds its lock around calls. While a catalogue has never been whole,
    all in it is new, and nothing is told."""

    def __init__(self, catalogue: Catalogue, describer: Describer, *, whole: bool = False) -> None:
        self._catalogue = catalogue
        self._describer = describer
        self._whole = whole
        self._before: dict[TypeKey, Seen] = {}
        self._new: set[TypeKey] = set()

    def begin(self, units: Units) -> None:
        """Notes how the types of these units are before they are read again."""
        if self._whole:
            for key, was in self._seen(keys_of(self._catalogue, units) - self._new).items():
                self._before.setdefault(key, was)

    def interrupted(self, units: Units) -> None:
        """Notes which types of these units a pass that did not end has brought: the next one must not take them for
        types that were there."""
        if self._whole:
            self._new |= keys_of(self._catalogue, units) - self._before.keys()

    def end(self, units: Units) -> tuple[dict[TypeKey, Seen], dict[TypeKey, Seen]]:
        """Types before and after everything since the last end."""
        before, self._before = self._before, {}
        new, self._new = self._new, set()
        if not self._whole:
            self._whole = True
            return {}, {}
        return before, self._seen(keys_of(self._catalogue, units) | before.keys() | new)

    def moved_to(self, catalogue: Catalogue, describer: Describer, numbers: Mapping[int, int]) -> Changing:
        """The same for a catalogue with other numbers of projects: `numbers` says which each has now."""
        moved = Changing(catalogue, describer, whole=self._whole)
        moved._before = {(numbers[project], fqn): was for (project, fqn), was in self._before.items()}
        moved._new = {(numbers[project], fqn) for project, fqn in self._new}
        return moved

    def _seen(self, keys: Iterable[TypeKey]) -> dict[TypeKey, Seen]:
        return seen(self._catalogue, self._describer, keys)


def told(
    before: Mapping[TypeKey, Seen], after: Mapping[TypeKey, Seen], identities: Identities, graph: Graph
) -> tuple[TypeChange, ...]:
    """What changed, with what went stale by it, as far as `graph` has worked out who names whom (004 section 3.2)."""
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
