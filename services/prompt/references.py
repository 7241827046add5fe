"""References of each item of the window, by type id, worked out once for each version of its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from services.concurrency.latest import LRUCache
from services.index.index import Index
from services.index.symbols.describe import Placed, TypeWithMembers
from services.model import Kind, Level
from services.prompt.items import SCOPES, identifiers
from services.prompt.render.shown import Shown
from services.syntax.records.declaration import Declaration

if TYPE_CHECKING:
    from services.index.usages.mentions import Mentions

VALUES = frozenset({Kind.FIELD, Kind.CONSTANT, Kind.ENUM_MEMBER, Kind.EVENT})
"""Kinds of members that stand above the bodies of a type."""
_SEEN = frozenset({"public", "protected", "protected internal"})


def outlined(whole: TypeWithMembers) -> Iterator[tuple[int, int, Declaration]]:
    """(file, place, declaration) of a type's parts and of its members that others see."""
    for part in whole.parts:
        yield part.file, part.at, part.declaration
    for member in whole.members:
        declaration = member.declaration
        if declaration.access in _SEEN and not declaration.explicit and not member.implicit:
            yield member.file, member.at, declaration


def named_by_outline(index: Index, whole: TypeWithMembers) -> Mentions:
    """The types that the outline of a type names."""
    return index.files.mentions_of(outlined(whole))


def is_seen(whole: TypeWithMembers) -> bool:
    """Whether others see the type."""
    return whole.access in _SEEN


_KEPT = 4_096
_LAST_LINE = 1 << 40


class ItemReferences(msgspec.Struct, frozen=True):
    """References of one item, by type id. `shown`: types whose declaration it shows; `about`: the types its lines
    are of; `named`, `used`: as in Mentions; `members`: places and counts of members used; `source`: whether its
    text is source rather than signatures; `lines`: (file, first, last) of that source; `listed`: ids of members that
    it declares beside that source."""

    shown: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    named: Counter[str] = msgspec.field(default_factory=Counter)
    used: Counter[str] = msgspec.field(default_factory=Counter)
    members: Counter[tuple[int, int]] = msgspec.field(default_factory=Counter)
    source: bool = False
    lines: tuple[tuple[str, int, int], ...] = ()
    listed: frozenset[str] = frozenset()


class WindowReferences:
    """References of the items of a window. Not thread-safe."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: LRUCache[tuple[object, ...], ItemReferences] = LRUCache(_KEPT)
        self._epoch: tuple[int, int] = (-1, 0)

    def of(self, shown: Shown, types: Iterable[str] = ()) -> ItemReferences:
        """Return the references of an item. `types`: ids of the types in it, where it is a pack."""
        self._forget_if_types_changed()
        types = tuple(sorted(types))
        listed = (shown.listed, len(shown.text) if shown.cut else 0)
        key = (shown.key, shown.level, shown.members, shown.version, shown.start_line, types, *listed)
        return self._known.get(key, lambda: self._made(shown, types))

    def _forget_if_types_changed(self) -> None:
        """Clear the cache when types were added or removed, since any name may resolve differently."""
        version = self._index.catalogue.version
        if self._epoch[0] != version:
            types = hash(frozenset(at for at, _ in self._index.catalogue.live_types()))
            if types != self._epoch[1]:
                self._known.clear()
            self._epoch = (version, types)

    def _made(self, shown: Shown, types: Sequence[str]) -> ItemReferences:
        kind = shown.key.partition(":")[0]
        if kind == "pack" or kind in SCOPES:
            return self._of_outlines([whole for id_ in types if (whole := self._whole(id_))], shown.level)
        if kind in ("note", "grep") or shown.file is None:
            return ItemReferences()
        if shown.level is Level.WHOLE and kind != "hunk":
            return self._of_lines([(shown.file, 1, _LAST_LINE)])
        if kind == "type":
            return self._of_type(shown)
        if kind == "member" and shown.level is not Level.BODIES:
            return self._of_member(shown)
        if kind in ("range", "file") and shown.level in (Level.SIGNATURE, Level.OUTLINE):
            return self._of_outlines(list(self._around(shown, kind)), shown.level)
        return self._of_lines([(shown.file, shown.start_line or 1, shown.end_line or _LAST_LINE)])

    def _of_type(self, shown: Shown) -> ItemReferences:
        whole = self._whole(shown.symbol_id or "")
        if whole is None:
            return ItemReferences()
        if shown.level is Level.RANGE:
            return self._of_lines([self._lines(part) for part in whole.parts])
        made = replace(self._of_outlines([whole], shown.level), listed=_listed(whole, shown))
        bodies = [m for m in whole.members if m.id in shown.members]
        if not bodies:
            return made
        return _joined(made, self._of_lines([self._lines(member) for member in bodies]))

    def _of_member(self, shown: Shown) -> ItemReferences:
        whole = self._whole("_".join((shown.symbol_id or "").split("_")[:2]))
        member = next((m for m in whole.members if m.id == shown.symbol_id), None) if whole else None
        if whole is None or member is None:
            return ItemReferences()
        mentions = self._index.files.mentions_of([(member.file, member.at, member.declaration)])
        told = self._told(mentions, shown=(), about=[whole], source=False)
        return replace(told, listed=frozenset([member.id]))

    def _of_outlines(self, wholes: list[TypeWithMembers], level: Level) -> ItemReferences:
        from services.index.usages.mentions import Mentions

        found = Mentions()
        for whole in wholes:
            head = ((part.file, part.at, part.declaration) for part in whole.parts)
            found.add(self._index.files.mentions_of(head if level is Level.SIGNATURE else outlined(whole)))
        told = self._told(found, shown=wholes, about=wholes, source=False)
        return replace(told, listed=frozenset(_declared(wholes, level)))

    def _of_lines(self, places: Iterable[tuple[str, int, int]]) -> ItemReferences:
        from services.index.usages.mentions import Mentions

        found = Mentions()
        shown: list[TypeWithMembers] = []
        about: list[TypeWithMembers] = []
        places = tuple(places)
        for file, first, last in places:
            found.add(self._index.files.mentions_in(file, first, last))
            for whole, part in self._parts_in(file):
                declaration = part.declaration
                if first <= declaration.start_line and declaration.end_line <= last:
                    shown.append(whole)
                if declaration.start_line <= last and first <= declaration.end_line:
                    about.append(whole)
        return replace(self._told(found, shown=shown, about=about, source=True), lines=places)

    def _told(
        self,
        found: Mentions,
        *,
        shown: Iterable[TypeWithMembers],
        about: Iterable[TypeWithMembers],
        source: bool,
    ) -> ItemReferences:
        own = frozenset(whole.id for whole in shown)
        return ItemReferences(
            own,
            frozenset(whole.id for whole in about),
            self._by_id(found.named, own),
            self._by_id(found.used, own),
            found.members,
            source,
        )

    def _by_id(self, counts: Counter[int], own: frozenset[str]) -> Counter[str]:
        """Counts by id, without those of the item's own types: it shows them itself."""
        type_id = self._index.identities.type_id
        found = ((type_id(at), count) for at, count in counts.items())
        return Counter({id_: count for id_, count in found if id_ and id_ not in own})

    def _around(self, shown: Shown, kind: str) -> Iterator[TypeWithMembers]:
        """Yield the types whose outlines replace the lines."""
        assert shown.file is not None
        for whole, part in self._parts_in(shown.file):
            declaration = part.declaration
            around = declaration.start_line <= (shown.start_line or 1) <= declaration.end_line
            if kind == "file" or around:
                yield whole

    def _parts_in(self, file: str) -> Iterator[tuple[TypeWithMembers, Placed]]:
        for at in self._index.files.types_in(file, nested=True):
            whole = self._index.describer.whole(at)
            for part in whole.parts if whole is not None else ():
                if whole is not None and self._path(part) == file:
                    yield whole, part

    def _whole(self, id_: str) -> TypeWithMembers | None:
        at = self._index.identities.find(id_)
        return self._index.describer.whole(at) if at is not None else None

    def _lines(self, placed: Placed) -> tuple[str, int, int]:
        return self._path(placed), placed.declaration.start_line, placed.declaration.end_line

    def _path(self, placed: Placed) -> str:
        return self._index.catalogue.file(placed.file).path


def _joined(one: ItemReferences, other: ItemReferences) -> ItemReferences:
    return ItemReferences(
        one.shown | other.shown,
        one.about | other.about,
        one.named + other.named,
        one.used + other.used,
        one.members + other.members,
        one.source or other.source,
        one.lines + other.lines,
        one.listed | other.listed,
    )


def _declared(wholes: Iterable[TypeWithMembers], level: Level) -> Iterator[str]:
    """The ids of the members that outlines of types declare."""
    for whole in wholes if level is not Level.SIGNATURE else ():
        seen = {(file, at) for file, at, _ in outlined(whole)}
        every = level is Level.DECLARATIONS
        yield from (each.id for each in whole.members if every or (each.file, each.at) in seen)


def _listed(whole: TypeWithMembers, shown: Shown) -> frozenset[str]:
    """The ids of the members in the outline of a type, or above its bodies."""
    if shown.level is Level.BODIES:
        return frozenset(each.id for each in whole.members if each.declaration.kind in VALUES)
    if not shown.cut:
        return shown.listed
    names = identifiers(shown.text)
    return frozenset(
        each.id for each in whole.members if each.id in shown.listed and each.declaration.name in names
    )
