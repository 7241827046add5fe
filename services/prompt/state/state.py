"""The window's state as values: what is pinned and what was used, and how that changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from services.errors import UsageError
from services.model import Level
from services.prompt.state.items import KINDS, Anchor, ItemKey, Request

RECENT_KEPT = 50


class Entry(msgspec.Struct, frozen=True):
    """A pinned or used item. `at`: when it was pinned, or used last, in ms since 1970; `version`: of its
    content then.

    `label` is the last one known, for an item that has vanished; `by`: the agent that pinned it, empty for a person;
    `level`: the one chosen, empty for the usual one of
    its kind; `members`, `follows`, `data`: as in Request. `extra`: fields this program does not know."""

    key: str
    at: int
    label: str = ""
    version: str = ""
    by: str = ""
    level: str = ""
    members: tuple[str, ...] = ()
    follows: Anchor | None = None
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def request(self) -> Request | None:
        """The render request; None for an item of an unknown kind."""
        try:
            key = ItemKey.parse(self.key)
        except UsageError:
            return None
        kind = KINDS[key.kind]
        level = Level(self.level) if self.level in list(kind.titles) else kind.usual
        return Request(key=key, level=level, members=self.members, follows=self.follows, data=self.data)


class WindowState(msgspec.Struct, frozen=True):
    """Pinned items in the order of the text: as they were pinned, unless moved; recent ones, last used first, less
    those that are pinned."""

    pinned: tuple[Entry, ...] = ()
    recent: tuple[Entry, ...] = ()
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def find(self, key: str) -> Entry | None:
        """The entry of an item, pinned or recent."""
        return next((entry for entry in (*self.pinned, *self.recent) if entry.key == key), None)

    def is_pinned(self, key: str) -> bool:
        """Whether the item is pinned."""
        return any(entry.key == key for entry in self.pinned)

    def with_pinned(self, entry: Entry) -> WindowState:
        """Pinned last, or, where it is pinned already, refreshed in its place."""
        if self.is_pinned(entry.key):
            pinned = tuple(
                replace(entry, at=old.at, by=old.by) if old.key == entry.key else old for old in self.pinned
            )
            return replace(self, pinned=pinned)
        at = max([entry.at, *(old.at + 1 for old in self.pinned)])
        return replace(self.without(entry.key), pinned=(*self.pinned, replace(entry, at=at)))

    def with_recent(self, entry: Entry) -> WindowState:
        """Used last; a pinned item stays pinned and does not become recent."""
        if self.is_pinned(entry.key):
            return self
        if self.recent and replace(entry, at=self.recent[0].at, extra=self.recent[0].extra) == self.recent[0]:
            return self
        others = self.without(entry.key).recent
        at = max([entry.at, *(old.at + 1 for old in others)])
        return replace(self, recent=(replace(entry, at=at), *others)[:RECENT_KEPT])

    def with_changed(self, entry: Entry) -> WindowState:
        """With the entry in the place of the one of its key, pinned or recent."""
        return replace(
            self,
            pinned=tuple(entry if old.key == entry.key else old for old in self.pinned),
            recent=tuple(entry if old.key == entry.key else old for old in self.recent),
        )

    def moved(self, key: str, *, beside: str, after: bool) -> WindowState:
        """A pinned item right before or after another. Both must be pinned."""
        entry = next(entry for entry in self.pinned if entry.key == key)
        others = [other for other in self.pinned if other.key != key]
        place = next((n for n, other in enumerate(others) if other.key == beside), None)
        if place is None:
            return self
        place += after
        return replace(self, pinned=(*others[:place], entry, *others[place:]))

    def only(self, keys: Collection[str]) -> WindowState:
        """The items of these keys alone."""
        return replace(
            self,
            pinned=tuple(entry for entry in self.pinned if entry.key in keys),
            recent=tuple(entry for entry in self.recent if entry.key in keys),
        )

    def without(self, key: str) -> WindowState:
        """Neither pinned nor recent."""
        return replace(
            self,
            pinned=tuple(entry for entry in self.pinned if entry.key != key),
            recent=tuple(entry for entry in self.recent if entry.key != key),
        )
