"""Type ids of a workspace: which keys two projects share, and which ids collide (SPEC section 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from services.index.catalogue import Catalogue
from services.index.naming import TYPE_ID_LENGTHS, type_digest, type_id

Collided = Callable[[str, Sequence[str]], None]
"""Told an id that several symbols would have shared, and their names; the ids then grow."""


class Identities:
    """Ids both ways. Made anew when the catalogue's types have changed; a hundred thousand take a third of a second,
    so it is done at the first question after a change."""

    def __init__(self, catalogue: Catalogue, collided: Collided = lambda *_: None) -> None:
        self._catalogue = catalogue
        self.collided = collided
        self._version = -1
        self._ids: list[str] = []
        self._at: dict[str, int] = {}

    def type_id(self, index: int) -> str:
        """The id of a type by its index."""
        self._fresh()
        return self._ids[index]

    def find(self, id_: str) -> int | None:
        """The index of the type with this id, or None. Case does not count."""
        self._fresh()
        return self._at.get(id_.upper())

    def _fresh(self) -> None:
        if self._version == self._catalogue.version:
            return
        types = list(self._catalogue.live_types())
        keys: dict[tuple[str, str, int], set[int]] = defaultdict(set)
        for _, entry in types:
            keys[(entry.fqn, entry.kind, entry.arity)].add(entry.project)
        digests: dict[int, bytes] = {}
        for index, entry in types:
            shared = len(keys[(entry.fqn, entry.kind, entry.arity)]) > 1
            project = self._catalogue.projects[entry.project] if shared else None
            digests[index] = type_digest(entry.fqn, entry.kind, entry.arity, project)
        self._ids = [""] * len(self._catalogue.types)
        self._name(digests)
        self._at = {id_: index for index, id_ in enumerate(self._ids) if id_}
        self._version = self._catalogue.version

    def _name(self, digests: dict[int, bytes]) -> None:
        pending = list(digests)
        for length in TYPE_ID_LENGTHS:
            groups: dict[str, list[int]] = defaultdict(list)
            for index in pending:
                groups[type_id(digests[index], length)].append(index)
            pending = []
            for id_, indexes in groups.items():
                if len(indexes) == 1:
                    self._ids[indexes[0]] = id_
                else:
                    pending += indexes
                    self.collided(id_, [self._catalogue.types[i].fqn for i in indexes])
