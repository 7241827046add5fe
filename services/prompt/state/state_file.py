"""The window's state as readable JSON. Unknown fields of another version are preserved; format 1, which had neither
levels nor anchors, is converted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from services.decoding import decode_first
from services.prompt.state.items import Anchor
from services.prompt.state.state import Entry, WindowState
from services.workspace import json_files

FORMAT = 2
_ITEM = re.compile(r"\{\s*\"key\"")
_SPOILT = re.compile("[\x00-\x09\x0b-\x1f\ufffd]")


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
