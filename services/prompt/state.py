"""The window's state: as values, how they change, and as readable JSON that keeps unknown fields of other versions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from services.concurrency.lazy import expression
from services.decoding import decode_first
from services.errors import UsageError
from services.model import Level
from services.prompt.items import KINDS, Anchor, ItemKey, Request
from services.workspace import json_files

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


FORMAT = 2
_ITEM = expression(r"\{\s*\"key\"")
_SPOILT = expression("[\x00-\x09\x0b-\x1f\ufffd]")


class Encoder:
    """Makes JSON for people of states: sorted by nothing but its own order, one field a line. An entry that was in the
    last state is not made again. Not safe between threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Entry, str, bytes]] = {}

    def encode(self, state: WindowState) -> bytes:
        """The state as bytes."""
        head = _written({**state.extra, "format": state.extra.get("format", FORMAT)})
        known, self._known = self._known, {}
        pinned = self._list(state.pinned, "pinnedAt", known)
        recent = self._list(state.recent, "usedAt", known)
        return b'%b,\n  "pinned": %b,\n  "recent": %b\n}\n' % (head.removesuffix(b"\n}"), pinned, recent)

    def _list(
        self, entries: Sequence[Entry], at: str, known: Mapping[str, tuple[Entry, str, bytes]]
    ) -> bytes:
        if not entries:
            return b"[]"
        for entry in entries:
            was = known.get(entry.key)
            if was is None or was[0] is not entry or was[1] != at:
                lines = _written(_as_value(entry, at)).replace(b"\n", b"\n    ")
                was = (entry, at, lines)
            self._known[entry.key] = was
        return b"[\n    %b\n  ]" % b",\n    ".join([self._known[entry.key][2] for entry in entries])


def encode(state: WindowState) -> bytes:
    """A state as an Encoder makes it."""
    return Encoder().encode(state)


def _written(value: Mapping[str, Any]) -> bytes:
    return json_files.encode(value)


def decode(data: bytes | None) -> WindowState:
    """The state of JSON bytes; None is the empty state. Raises ValueError for what is no state."""
    if data is None:
        return WindowState()
    value = json_files.decode(data, dict[str, Any])
    if value.get("format") in (1, FORMAT):
        del value["format"]
    pinned = _entries(value.pop("pinned", []), "pinnedAt")
    recent = _entries(value.pop("recent", []), "usedAt")
    pins = {entry.key for entry in pinned}
    return WindowState(
        pinned=tuple(pinned),
        recent=tuple(sorted((e for e in recent if e.key not in pins), key=lambda entry: -entry.at)),
        extra=value,
    )


def salvaged(data: bytes) -> WindowState:
    """Return the items that can still be read of damaged bytes: those that are complete."""
    text = data.decode("utf-8", "replace")
    found: dict[str, list[Entry]] = {"pinnedAt": [], "usedAt": []}
    for begin in _ITEM.finditer(text):
        with suppress(ValueError):
            value, end = decode_first(text, begin.start())
            at = "pinnedAt" if "pinnedAt" in value else "usedAt"
            if at in value and not _SPOILT.search(text, begin.start(), end):
                found[at].append(_entry(value, at))
    pinned = {entry.key: entry for entry in found["pinnedAt"]}
    recent = {entry.key: entry for entry in found["usedAt"] if entry.key not in pinned}
    return WindowState(pinned=tuple(pinned.values()), recent=tuple(recent.values()))


def _as_value(entry: Entry, at: str) -> dict[str, Any]:
    known: dict[str, Any] = {"key": entry.key, "label": entry.label, at: entry.at, "version": entry.version}
    if entry.by:
        known["by"] = entry.by
    if entry.level:
        known["level"] = entry.level
    if entry.members:
        known["members"] = list(entry.members)
    if entry.follows is not None:
        known["follows"] = msgspec.to_builtins(entry.follows)
    if entry.data:
        known["data"] = dict(entry.data)
    return {**known, **entry.extra}


def _entries(values: Any, at: str) -> list[Entry]:
    if not isinstance(values, list):
        raise ValueError("not a list")
    entries = {entry.key: entry for entry in (_entry(value, at) for value in values)}
    return list(entries.values())


def _entry(value: Any, at: str) -> Entry:
    """An item of the file. What other versions of the program wrote of another form stays in `extra`."""
    match value:
        case {"key": str(key), **extra}:
            label, when, version = extra.pop("label", ""), extra.pop(at, 0), extra.pop("version", "")
        case _:
            raise ValueError("an item without a key")
    if not (isinstance(when, int) and isinstance(label, str) and isinstance(version, str)):
        raise ValueError(f"the item {key} has fields of another type")
    return Entry(
        key,
        when,
        label,
        version,
        by=_taken(extra, "by", str, ""),
        level=_taken(extra, "level", str, ""),
        members=_taken(extra, "members", tuple[str, ...], ()),
        follows=_taken(extra, "follows", Anchor, None),
        data=_taken(extra, "data", dict[str, Any], {}),
        extra=extra,
    )


def _taken(fields: dict[str, Any], name: str, form: Any, default: Any) -> Any:
    """A field taken out of others; left among them, and the default instead, where it has another form."""
    try:
        value = msgspec.convert(fields[name], form) if name in fields else default
    except msgspec.ValidationError:
        return default
    fields.pop(name, None)
    return value
