"""Type ids of a workspace: which keys two projects share, and which ids collide (SPEC section 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from services.index.catalogue import Catalogue, Follower
from services.index.naming import TYPE_ID_LENGTHS, type_digest, type_id
from services.model import Kind

Collided = Callable[[str, Sequence[str]], None]
"""Told an id that several symbols would have shared, and their names; the ids then grow."""

Key = tuple[str, Kind, int]
"""FQN, kind and arity: what a TypeId is made of."""


class Identities:
    """Ids both ways, brought up to date at the first question after a change, for the types that changed."""

    def __init__(self, catalogue: Catalogue, collided: Collided = lambda *_: None) -> None:
        self._catalogue = catalogue
        self.collided = collided
        self._follow = Follower(catalogue)
        self._keys: dict[int, Key] = {}
        self._sharing: dict[Key, set[int]] = defaultdict(set)
        self._digests: dict[int, bytes] = {}
        self._holders: dict[str, set[int]] = defaultdict(set)  # by short id
        self._ids: dict[int, str] = {}
        self._at: dict[str, int] = {}

    def type_id(self, index: int) -> str:
        """The id of a type by its index; empty where it has gone."""
        self._fresh()
        return self._ids.get(index, "")

    def find(self, id_: str) -> int | None:
        """The index of the type with this id, or None. Case does not count."""
        self._fresh()
        return self._at.get(id_.upper())

    def _fresh(self) -> None:
        touched = self._follow.touched()
        if not touched:
            return
        affected: set[int] = set()
        for index in touched:
            affected |= self._rekeyed(index)
        short = {id_ for index in affected for id_ in self._rehashed(index)}
        for id_ in short:
            self._name(id_)

    def _rekeyed(self, index: int) -> set[int]:
        """Files a type under its key of now; every type whose id may have changed by that."""
        entry = self._catalogue.types[index]
        affected = {index}
        old = self._keys.pop(index, None)
        if old is not None:
            self._sharing[old].discard(index)
            affected |= self._sharing[old]
        if entry.parts:
            key = self._keys[index] = (entry.fqn, entry.kind, entry.arity)
            self._sharing[key].add(index)
            affected |= self._sharing[key]
        return affected

    def _rehashed(self, index: int) -> set[str]:
        """Computes a type's digest anew; the short ids that it left and that it has now."""
        changed: set[str] = set()
        old = self._digests.pop(index, None)
        if old is not None:
            changed.add(type_id(old))
            self._holders[type_id(old)].discard(index)
            self._at.pop(self._ids.pop(index, ""), None)
        key = self._keys.get(index)
        if key is not None:
            projects = {self._catalogue.types[other].project for other in self._sharing[key]}
            own = self._catalogue.projects[self._catalogue.types[index].project]
            fresh = self._digests[index] = type_digest(*key, own if len(projects) > 1 else None)
            self._holders[type_id(fresh)].add(index)
            changed.add(type_id(fresh))
        return changed

    def _name(self, short: str) -> None:
        """Gives ids to all types with this short id: itself to a lone one, longer ones until they differ."""
        pending = self._holders[short]
        for index in pending:
            self._at.pop(self._ids.get(index, ""), None)
        for length in TYPE_ID_LENGTHS:
            groups: dict[str, list[int]] = defaultdict(list)
            for index in pending:
                groups[type_id(self._digests[index], length)].append(index)
            pending = set()
            for id_, indexes in groups.items():
                if len(indexes) == 1:
                    self._ids[indexes[0]] = id_
                    self._at[id_] = indexes[0]
                else:
                    pending |= set(indexes)
                    self.collided(id_, [self._catalogue.types[i].fqn for i in indexes])
