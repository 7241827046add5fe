"""`aliases.json`: ids that symbols had before they were renamed or moved, and their present ones (SPEC section 3).

Renames are found by comparing the states of types at two revisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property

import msgspec

from services.decoding import decode
from services.errors import CodeCortexError, WorkspaceError
from services.index.catalog.catalogue import KINDS, Catalogue, TypeKey, key_of
from services.index.compiled import home_of
from services.index.symbols.describe import Describer
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import TYPE_KINDS, Kind
from services.workspace.state import StateFolder


class TypeState(msgspec.Struct, frozen=True, dict=True):
    """Type at one revision. `hashes`: structure, impl, doc; `declared`: its members."""

    id: str
    kind: Kind
    file: str
    hashes: dict[str, str]
    declared: tuple[Placed, ...]

    @cached_property
    def members(self) -> dict[str, str]:
        """Ids by name and parameter types, without constructors, which are named like the type. Only a type that was
        renamed or moved is asked for them."""
        return {_shape(m): m.id for m in self.declared if m.declaration.kind is not Kind.CONSTRUCTOR}


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


def canonical_key(catalogue: Catalogue, key: TypeKey) -> TypeKey | None:
    """Return the key of the canonical type of a symbol; None where it has no declaration."""
    index = catalogue.type_at.get(key)
    if index is None or not catalogue.type(index).parts:
        return None
    return key_of(catalogue.type(home_of(catalogue, index)))


def seen(catalogue: Catalogue, describer: Describer, keys: Iterable[TypeKey]) -> dict[TypeKey, TypeState]:
    """Return the present symbols of these types, by their canonical types; those without a declaration are left out."""
    found: dict[TypeKey, TypeState] = {}
    for key in dict.fromkeys(canonical_key(catalogue, each) for each in keys):
        whole = describer.whole(catalogue.type_at[key]) if key is not None else None
        if key is not None and whole is not None:
            found[key] = _seen(catalogue, describer, whole)
    return found


def _seen(catalogue: Catalogue, describer: Describer, whole: TypeWithMembers) -> TypeState:
    return TypeState(
        id=whole.id,
        kind=whole.entry.kind,
        file=catalogue.file(whole.primary.file).path,
        hashes=describer.hashes_of(whole),
        declared=tuple(member for member in whole.members if not member.implicit),
    )


def _shape(member: Placed) -> str:
    declaration = member.declaration
    types = ",".join(f"{p.modifier} {p.type}" for p in declaration.parameters or ())
    return f"{declaration.kind}|{declaration.explicit}|{declaration.name}|{len(declaration.type_parameters)}|{types}"


FILE = "aliases.json"
_ALIKE = 0.7  # share of members that a renamed type retains
_FEWEST = 2  # least number of equal members; fewer suffice where the type has no other, or the same name


class Aliases:
    """Old id to new id, chains folded: those of `.context/`, and over them those that were seen here. A file that
    cannot be written costs only its use after the end of this process. `added`: is called after there were new ones."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._ids = self._read()
        self.added: Callable[[], None] = lambda: None

    def follow(self, id_: str) -> str | None:
        """The id that replaced this one, or None. Case does not count."""
        return self._ids.get(id_.upper())

    def add(self, pairs: Mapping[str, str]) -> None:
        """Notes that old ids have become new ones."""
        if not pairs:
            return
        try:
            with self._state.locked(FILE, timeout=1):
                self._ids = folded(self._read(), pairs)
                data = msgspec.json.format(msgspec.json.encode(self._ids, order="sorted"), indent=1)
                self._state.write(FILE, data)
                self._state.shared.record(FILE, data)
        except (CodeCortexError, OSError):
            self._ids = folded(self._ids, pairs)
        self.added()

    def _read(self) -> dict[str, str]:
        shared: dict[str, str] = {}
        with suppress(WorkspaceError, ValueError):
            shared = _decoded(self._state.shared.read(FILE))
        try:
            return shared | _decoded(self._state.read(FILE))
        except ValueError:
            self._state.quarantine(FILE, "The ids that symbols had before they were renamed")
        except OSError:
            pass
        return shared


def _decoded(data: bytes | None) -> dict[str, str]:
    return {} if data is None else decode(dict[str, str], data)


def folded(known: Mapping[str, str], pairs: Mapping[str, str]) -> dict[str, str]:
    """Both together: what led to an old id leads to its new one, and an id that is in use again leads nowhere."""
    merged = {old: pairs.get(new, new) for old, new in known.items()} | dict(pairs)
    return {old: new for old, new in merged.items() if old != new and old not in pairs.values()}


def renamed(before: Mapping[TypeKey, TypeState], after: Mapping[TypeKey, TypeState]) -> dict[str, str]:
    """Old id to new id of the types, and their members, that a batch of changes renamed or moved: those that went and
    those that came which are alike, each with one other alone."""
    pairs = {key: key for key in before.keys() & after.keys() if before[key].id != after[key].id}
    gone = {key: seen for key, seen in before.items() if key not in after}
    come = {key: seen for key, seen in after.items() if key not in before}
    found: dict[str, str] = {}
    for old, new in (pairs | _matched(gone, come)).items():
        found |= _with_members(before[old], after[new])
    return found


def _matched(gone: Mapping[TypeKey, TypeState], come: Mapping[TypeKey, TypeState]) -> dict[TypeKey, TypeKey]:
    candidates: dict[TypeKey, list[TypeKey]] = defaultdict(list)
    claimed: dict[TypeKey, int] = defaultdict(int)
    by_member = _by_member(come)
    for old, seen in gone.items():
        near = {key for member in seen.members for key in by_member.get(member, ())}
        near |= {key for key in come if key[1].rpartition(".")[2] == old[1].rpartition(".")[2]}
        candidates[old] = [key for key in near if _alike(old, seen, key, come[key])]
        for key in candidates[old]:
            claimed[key] += 1
    return {old: keys[0] for old, keys in candidates.items() if len(keys) == 1 and claimed[keys[0]] == 1}


def _by_member(types: Mapping[TypeKey, TypeState]) -> dict[str, list[TypeKey]]:
    found: dict[str, list[TypeKey]] = defaultdict(list)
    for key, seen in types.items():
        for member in seen.members:
            found[member].append(key)
    return found


def _alike(old: TypeKey, was: TypeState, new: TypeKey, now: TypeState) -> bool:
    if was.kind != now.kind:
        return False
    kept, total = len(was.members.keys() & now.members.keys()), len(was.members.keys() | now.members.keys())
    moved = old[1].rpartition(".")[2] == new[1].rpartition(".")[2]
    if moved and total == 0:
        return True
    return kept >= (1 if moved else min(_FEWEST, total)) and kept / total >= _ALIKE


def _with_members(was: TypeState, now: TypeState) -> dict[str, str]:
    kept = was.members.keys() & now.members.keys()
    return {was.id: now.id} | {was.members[member]: now.members[member] for member in kept}
