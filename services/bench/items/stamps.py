"""Cache of symbol versions for a window that needs those of all its items at every rendering."""

from __future__ import annotations

from dataclasses import dataclass

from services.index.catalog.catalogue import Catalogue, Follower
from services.index.graph.graph import Graph
from services.index.graph.journal import Mark
from services.index.index import Index


@dataclass(frozen=True, slots=True)
class Stamped:
    """`version` names the content of the `files` that declare a type, and what it has to do with others; `index`: of
    the type."""

    index: int
    version: str
    files: tuple[str, ...]


_MOST_FOLLOWED = 500
"""Changed types up to which each is followed; beyond that everything is asked again."""


class Stamps:
    """Versions by type or member id, recomputed only for types that changed. Not thread-safe."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._catalogue: Catalogue | None = None
        self._follower = Follower()
        self._relations = _Relations(index)
        self._known: dict[str, Stamped] = {}
        self._ids: dict[int, set[str]] = {}

    def known(self, id_: str) -> Stamped | None:
        """The version of the type of an id, as of the last `follow`; None where it is gone."""
        known = self._known.get(id_)
        if known is not None:
            return known
        index = self._index.index_of(id_) if id_ else None
        stamps = self._index.stamps_of(id_) if index is not None else []
        if index is None or not stamps:
            return None
        version = "/".join(f"{mtime_ns}-{size}" for _, size, mtime_ns in stamps)
        relations = self._index.dependencies.relations(index)
        files = tuple(path for path, _, _ in stamps)
        made = Stamped(index, f"{version}~{relations}" if relations else version, files)
        self._known[id_] = made
        self._ids.setdefault(index, set()).add(id_)
        return made

    def follow(self) -> bool:
        """Lets go of what is known of types that changed since the last question; whether there may be any."""
        with self._index.reading():
            return self._follow(self._index.catalogue)

    def _follow(self, catalogue: Catalogue) -> bool:
        related = self._relations.touched()
        before, self._catalogue = self._catalogue, catalogue
        if catalogue is before and related == set():
            return False
        # A thread that holds an earlier revision may ask after one that holds a later one.
        same = (
            before is not None
            and catalogue.numbering is before.numbering
            and catalogue.version >= before.version
        )
        if not same:
            self._follower = Follower()
        touched = self._follower.touched(catalogue)
        if not same or related is None or len(touched) > _MOST_FOLLOWED:
            self._known.clear()
            self._ids.clear()
            return True
        # What was renamed answers to its old id until a type has that id again.
        came = {self._index.identities.type_id(index) for index in touched}
        old = {id_ for index in touched | related for id_ in self._ids.pop(index, ())}
        old |= {id_ for id_ in self._known if "_".join(id_.split("_")[:2]) in came}
        if related:  # a type that came may have taken the id of one that stays
            old |= {id_ for id_, known in self._known.items() if self._index.index_of(id_) != known.index}
        for id_ in old:
            self._known.pop(id_, None)
        return True


class _Relations:
    """Types whose dependencies or dependants changed since the last query."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._graph: Graph | None = None
        self._seen = -1
        self._end: Mark | None = None

    def touched(self) -> set[int] | None:
        """Return those types; None for all. While dependencies are being computed, the previous ones are used."""
        graph, now = self._index.graph(), self._index.related_at
        before = self._graph
        same = before is not None and graph.origin is before.origin
        if same and now == self._seen:
            return set()
        is_known = same and now >= 0 and self._seen >= 0
        touched = graph.journal.since(self._end) if is_known and self._end is not None else None
        self._graph, self._seen, self._end = graph, now, graph.journal.mark
        return touched
