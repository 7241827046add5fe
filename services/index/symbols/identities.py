"""Type ids of a workspace: which keys two projects share, and which ids collide (SPEC section 3).

`hash_conflicts.log`: one line for each id that two symbols would have shared (SPEC section 3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from services.concurrency.lazy import lazy
from services.errors import CodeCortexError
from services.index.catalog.catalogue import Catalogue, TypeEntry
from services.index.catalog.naming import TYPE_ID_LENGTHS, type_digest, type_id
from services.index.compiled import compilations, home_of, is_home
from services.workspace.state import StateFolder

Collided = Callable[[str, Sequence[str]], None]
"""Called with an id that several symbols would have shared, and their names; the ids then grow."""

_SHORT = len("T_") + TYPE_ID_LENGTHS[0]
_MANY = 1_000


class Identities:
    """Ids of one catalogue in both directions, computed on first use, from those of an earlier one for the types that
    changed since.

    Types of several projects that are one symbol (`compiled`) have one id, which leads to their canonical type.

    Nearly every short id belongs to one type: only the others have a set of their own."""

    def __init__(self, catalogue: Catalogue, collided: Collided = lambda *_: None) -> None:
        self.catalogue = catalogue
        self.collided = collided
        self._earlier: Identities | None = None
        self._ids: list[str] = []
        self._at: dict[str, int] | None = {}
        self._twins: dict[str, set[int]] = {}  # by short id

    def after(self, catalogue: Catalogue) -> Identities:
        """Return the ids for the next version of the catalogue, with the same numbers."""
        other = Identities(catalogue, self.collided)
        earlier = self._earlier  # first: it is dropped once the ids are made
        other._earlier = earlier if Identities._is_made.peek(self) is None else self
        return other

    def type_id(self, index: int) -> str:
        """The id of a type by its index; empty where it has gone."""
        self._fresh()
        return self._ids[index]

    def find(self, id_: str) -> int | None:
        """The index of the type with this id, the home of its symbol, or None. Case does not count."""
        self._fresh()
        return self._known().get(id_.upper())

    def by_type(self) -> list[str]:
        """All ids by type, to be given to `take` with the same catalogue."""
        self._fresh()
        return self._ids

    def take(self, ids: list[str]) -> None:
        """Use stored ids instead of computing them. Ids of another number of types are ignored."""
        if len(ids) == self.catalogue.type_count:
            self._ids, self._at, self._twins = ids, None, {}
            Identities._is_made.put(self, True)

    def _known(self) -> dict[str, int]:
        """Types by id."""
        if self._at is None:
            known: dict[str, int] = {}
            for index, id_ in enumerate(self._ids):
                if id_ and known.setdefault(id_, index) != index:
                    known[id_] = home_of(self.catalogue, index)
            twins: dict[str, set[int]] = {}
            for id_, index in known.items():
                if len(id_) > _SHORT:
                    twins.setdefault(id_[:_SHORT], set()).add(index)
            self._twins, self._at = twins, known  # in this order: whoever finds the one has the other
        return self._at

    def _fresh(self) -> None:
        if self._is_made:
            self._earlier = None

    @lazy
    def _is_made(self) -> bool:
        """Whether the ids are made: they are by the first thread that reads this, while others wait."""
        self._make()
        return True

    def _make(self) -> None:
        touched = self._touched()
        self._ids += [""] * (len(self.catalogue.types) - len(self._ids))
        if len(touched) > _MANY:
            shared, changed = self._all_shared(), range(len(self._ids))
            crowded = self._renamed(
                changed, lambda index: self._key(index) in shared or self.catalogue.types[index].is_elsewhere
            )
        else:
            changed = sorted(touched.union(*(self._namesakes(index) for index in touched)))
            crowded = self._renamed(changed, self._is_shared)
        for short in sorted(crowded):
            self._tell_apart(short)
        for index in changed:
            self._ids[index] = self._ids[home_of(self.catalogue, index)]

    def _touched(self) -> set[int]:
        """The types whose ids may be others than those that are taken over: of most changes, none."""
        return self.catalogue.changed_since(-1) if self._earlier is None else self._taken_over(self._earlier)

    def _taken_over(self, earlier: Identities) -> set[int]:
        before, now = earlier.catalogue.types, self.catalogue.types
        touched = {
            index
            for index in self.catalogue.changed_since(earlier.catalogue.changes)
            if index >= len(before)
            or _makes(earlier.catalogue, before[index]) != _makes(self.catalogue, now[index])
        }
        self._ids, self._at, self._twins = earlier._ids, earlier._known(), earlier._twins
        if touched:
            self._ids, self._at = list(self._ids), dict(self._at)
            self._twins = {short: set(types) for short, types in self._twins.items()}
        return touched

    def _key(self, index: int) -> tuple[str, str]:
        """Return the source of a TypeId, together with the arity that is in the FQN."""
        entry = self.catalogue.types[index]
        return entry.fqn, entry.kind

    def _namesakes(self, index: int) -> Iterator[int]:
        """The other types that have its FQN, of whichever project or file."""
        return (other for other in self.catalogue.by_fqn[self.catalogue.types[index].fqn] if other != index)

    def _is_shared(self, index: int) -> bool:
        """Whether another symbol has its key."""
        types, same = self.catalogue.types, compilations(self.catalogue, index)
        return types[index].is_elsewhere or any(
            types[other].parts
            and types[other].kind == types[index].kind
            and not types[other].is_elsewhere
            and other not in same
            for other in self._namesakes(index)
        )

    def _all_shared(self) -> frozenset[tuple[str, str]]:
        homes = (
            index
            for index, entry in self.catalogue.live_types()
            if not entry.is_elsewhere and is_home(self.catalogue, index)
        )
        counts = Counter(map(self._key, homes))
        return frozenset(key for key, count in counts.items() if count > 1)

    def _renamed(self, indexes: Iterable[int], shared: Callable[[int], bool]) -> set[str]:
        """Assign new short ids to these types; returns the short ids that several types have or had."""
        shorts = {self._leave(index) for index in indexes}
        for index in indexes:
            if self.catalogue.types[index].parts and is_home(self.catalogue, index):
                short = type_id(self._digest(index, shared=shared(index)))
                shorts.add(short)
                self._join(short, index)
        return {short for short in shorts if short in self._twins}

    def _leave(self, index: int) -> str:
        """Takes a type's id from it; the short one that it had, if it had one."""
        old, self._ids[index] = self._ids[index], ""
        if old:
            if self._known().get(old) == index:
                del self._known()[old]
            self._twins.get(old[:_SHORT], set()).discard(index)
        return old[:_SHORT]

    def _join(self, short: str, index: int) -> None:
        known = self._known()
        other = known.get(short)
        if short in self._twins:
            self._twins[short].add(index)
        elif other is not None:
            self._twins[short] = {other, index}
        else:
            known[short], self._ids[index] = index, short

    def _digest(self, index: int, *, shared: bool) -> bytes:
        entry = self.catalogue.types[index]
        own = (self.catalogue.projects[entry.project], entry.local) if shared else ()
        return type_digest(entry.fqn, entry.kind, entry.arity, *filter(None, own))

    def _tell_apart(self, short: str) -> None:
        """Gives ids to all types with this short id: itself to a lone one, longer ones until they differ."""
        pending = self._twins[short]
        for index in pending:
            self._known().pop(self._ids[index], None)
        if len(pending) < 2:
            del self._twins[short]
        digests = {index: self._digest(index, shared=self._is_shared(index)) for index in pending}
        for length in TYPE_ID_LENGTHS:
            groups: dict[str, list[int]] = defaultdict(list)
            for index in sorted(pending):
                groups[type_id(digests[index], length)].append(index)
            pending = set()
            for id_, indexes in groups.items():
                if len(indexes) == 1:
                    self._known()[id_] = indexes[0]
                    for index in compilations(self.catalogue, indexes[0]):
                        self._ids[index] = id_
                else:
                    pending |= set(indexes)
                    self.collided(id_, [self.catalogue.types[i].fqn for i in indexes])


def _makes(catalogue: Catalogue, entry: TypeEntry) -> tuple[str, frozenset[tuple[str, bool]]]:
    """Return the parts of a type's state that determine its id, or that of a namesake."""
    files = (catalogue.file(file) for file, _ in entry.parts)
    return entry.kind, frozenset((file.path, file.shadow) for file in files)


FILE = "hash_conflicts.log"


class Conflicts:
    """The log. Each id is written once, whichever process meets it first."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._noted: set[str] = set()

    def note(self, id_: str, symbols: Iterable[str]) -> None:
        """Log that `symbols` (FQNs or signatures) collided in the same `id_`. Write errors are ignored."""
        if id_ in self._noted:
            return
        self._noted.add(id_)
        try:
            with self._state.locked(FILE, timeout=1):
                kept = self._state.read(FILE) or b""
                line = "\t".join((id_, *sorted(symbols))).encode()
                if line not in kept.split(b"\n"):
                    self._state.write(FILE, kept + line + b"\n")
                    self._state.shared.record(FILE, kept + line + b"\n")
        except (CodeCortexError, OSError):
            return
