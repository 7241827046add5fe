"""The window's state: what is pinned and what was used, kept as readable JSON that processes share.

`window.json` is read, changed and written under the state folder's lock, so that two processes that pin at
once lose nothing. Fields of another version of the program are kept as they are; format 1, which knew neither levels
nor anchors, is taken over. A file that cannot be understood is kept aside under another name, and said.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import msgspec

from services.errors import UsageError
from services.model import Level, Notice
from services.prompt.items import KINDS, Anchor, ItemKey, Request

STATE_FILE = "window.json"
FORMAT = 2
RECENT_KEPT = 50


class StateFiles(Protocol):
    """What is needed of `services.workspace.state.StateFolder`."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...

    def locked(self, name: str) -> AbstractContextManager[Any]:
        """Hold the lock of a file against other processes."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
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
    data: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def request(self) -> Request | None:
        """What is to be rendered; None for an item of a kind that this program does not know."""
        try:
            key = ItemKey.parse(self.key)
        except UsageError:
            return None
        kind = KINDS[key.kind]
        level = Level(self.level) if self.level in list(kind.titles) else kind.usual
        return Request(key=key, level=level, members=self.members, follows=self.follows, data=self.data)


@dataclass(frozen=True, slots=True)
class WindowState:
    """Pinned items in the order of the text: as they were pinned, unless moved; recent ones, last used first, less
    those that are pinned."""

    pinned: tuple[Entry, ...] = ()
    recent: tuple[Entry, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

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


class WindowStore:
    """The state in a state folder. Safe to call from any thread and any number of processes."""

    def __init__(self, files: StateFiles, *, on_notice: Callable[[Notice], None]) -> None:
        self._files = files
        self._on_notice = on_notice
        self._lock = threading.Lock()
        self._known: tuple[bytes | None, WindowState] = (None, WindowState())
        self._requests: dict[str, tuple[Entry, Request | None]] = {}

    def load(self) -> WindowState:
        """The state as it is now."""
        data = self._files.read(STATE_FILE)
        try:
            return self._decoded(data)
        except ValueError:
            return self.update(lambda state: state)

    def requests(self, state: WindowState) -> tuple[Request | None, ...]:
        """What is to be rendered of each entry, pinned and recent; None for those of unknown kinds."""
        known = self._requests
        made = {
            entry.key: at
            if (at := known.get(entry.key)) is not None and at[0] is entry
            else (entry, entry.request())
            for entry in (*state.pinned, *state.recent)
        }
        self._requests = made
        return tuple(request for _, request in made.values())

    def update(self, change: Callable[[WindowState], WindowState]) -> WindowState:
        """Apply a change to the state as it is now, against all other processes. What `change` raises leaves
        everything as it was."""
        with self._lock, self._files.locked(STATE_FILE):
            data = self._files.read(STATE_FILE)
            try:
                state = self._decoded(data)
            except ValueError:
                state = self._put_aside(data or b"")
            changed = change(state)
            written = encode(changed)
            if data != written and (data is not None or changed != state):
                self._files.write(STATE_FILE, written)
                self._known = (written, changed)
            return changed

    def _decoded(self, data: bytes | None) -> WindowState:
        """The state of the bytes, which mostly are those of the last time."""
        known, state = self._known
        if data != known:
            state = decode(data)
            self._known = (data, state)
        return state

    def _put_aside(self, data: bytes) -> WindowState:
        name = f"window.damaged-{hashlib.sha256(data).hexdigest()[:8]}.json"
        self._files.write(name, data)
        self._on_notice(
            Notice(
                severity="warning",
                message=f"The list of pinned items could not be read; it is kept as {name}.",
                what_to_do="Pin again what is missing, or repair that file and copy it over window.json.",
                file=name,
            )
        )
        return WindowState()


def encode(state: WindowState) -> bytes:
    """The state as JSON for people: sorted by nothing but its own order, one field a line."""
    value = {
        **state.extra,
        "format": state.extra.get("format", FORMAT),
        "pinned": [_as_value(entry, "pinnedAt") for entry in state.pinned],
        "recent": [_as_value(entry, "usedAt") for entry in state.recent],
    }
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def decode(data: bytes | None) -> WindowState:
    """The state of JSON bytes; None is the empty state. Raises ValueError for what is no state."""
    if data is None:
        return WindowState()
    try:
        value = msgspec.json.decode(data)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if not isinstance(value, dict):
        raise ValueError("not an object")
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
