"""Stored states of the window: the current one, and presets under names, as files that processes and a team can
share.

`window.json` is read, changed and written under the state folder's lock, so that two processes that pin at once lose
nothing. A file that cannot be understood is kept aside under another name, and said; what can be had of its items,
from itself and from a copy that is written with every change of the pins, is offered as a preset.

Presets are `.context/presets/NAME.json`. Likely secrets are taken out of what is shared. The state before a preset
was loaded is no preset of a team's: it is kept whole, in a file of its own that git does not see.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, Protocol

from msgspec.structs import replace

from services.errors import CodeCortexError, UsageError, WorkspaceError
from services.model import Level, Notice
from services.model.copies import CURRENT, PresetDiff, PresetRow
from services.prompt.items import Request
from services.prompt.state import Encoder, Entry, WindowState, decode, encode, salvaged

FOLDER = "presets"
PREVIOUS = "previous"
"""The state before a preset was loaded."""
PREVIOUS_FILE = "previous_window.json"
_ENDING = ".json"
_NAME = re.compile(r"[^\W_][\w.-]{0,63}")


class PresetFiles(Protocol):
    """Subset of `services.workspace.state.StateFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Names of the files in a folder, sorted."""
        ...

    def remove(self, name: str) -> bool:
        """Remove a file; False where there is none."""
        ...


class PresetStore:
    """The presets of a workspace."""

    def __init__(
        self, files: PresetFiles, mask: Callable[[str], str], *, own: PresetFiles | None = None
    ) -> None:
        """`files`: those that are shared; `mask`: takes likely secrets out of a text; `own`: the person's state, with
        the window before a preset was loaded, and what was saved of a damaged one."""
        self._files = files
        self._own = files if own is None else own
        self._mask = mask

    def save(self, name: str, state: WindowState) -> None:
        """Store a state under a name, replacing an earlier one. Raises UsageError for an invalid name, ReadOnly."""
        if name in (CURRENT, PREVIOUS):
            what = "the window as it is" if name == CURRENT else "what a preset took the place of"
            raise UsageError(f"{name} names {what}. Choose another name.", preset=name)
        self._files.write(preset_path(name), encode(self._shared(state)))

    def save_previous(self, state: WindowState) -> None:
        """Store the state before a preset is loaded. Raises ReadOnly."""
        self._own.write(PREVIOUS_FILE, encode(state))

    def _shared(self, state: WindowState) -> WindowState:
        """A state without likely secrets: notes, hunks and matches carry their own text, and what another version of
        the program wrote may."""
        mask = self._mask

        def masked(entry: Entry) -> Entry:
            data, extra = _masked(entry.data, mask), _masked(entry.extra, mask)
            return replace(entry, label=mask(entry.label), data=data, extra=extra)

        return WindowState(
            pinned=tuple(map(masked, state.pinned)),
            recent=tuple(map(masked, state.recent)),
            extra=_masked(state.extra, mask),
        )

    def load(self, name: str) -> WindowState:
        """The state of a name. Raises UsageError where there is none, or its file is none."""
        path = preset_path(name)
        try:
            data = self._own.read(path) or self._files.read(path)
        except WorkspaceError as error:
            raise UsageError(error.message, preset=name) from error
        if data is None:
            there = ", ".join(self.names()) or "none yet"
            raise UsageError(f"There is no preset {name!r}; there are: {there}.", preset=name)
        try:
            return decode(data)
        except ValueError as error:
            raise UsageError(f"The preset {name!r} cannot be read: {error}.", preset=name) from error

    def delete(self, name: str) -> None:
        """Remove a preset. Raises UsageError where there is none, ReadOnly."""
        path = preset_path(name)
        if not (self._own.remove(path) or self._files.remove(path)):
            raise UsageError(f"There is no preset {name!r}.", preset=name)

    def names(self) -> tuple[str, ...]:
        """The names that there are, sorted."""
        files = {*self._files.names(FOLDER), *self._own.names(FOLDER)}
        found = (name.removesuffix(_ENDING) for name in files if name.endswith(_ENDING))
        named = {name for name in found if _NAME.fullmatch(name)} - {PREVIOUS}
        return tuple(sorted(named | ({PREVIOUS} if self._own.read(PREVIOUS_FILE) is not None else set())))

    def rows(self) -> tuple[PresetRow, ...]:
        """Return the content of each preset; one that cannot be read is empty, with the reason."""
        return tuple(map(self._row, self.names()))

    def _row(self, name: str) -> PresetRow:
        try:
            state = self.load(name)
        except UsageError as error:
            return PresetRow(name=name, pinned=0, recent=0, labels=(), problem=error.message)
        labels = tuple(entry.label or entry.key for entry in state.pinned)
        return PresetRow(name=name, pinned=len(state.pinned), recent=len(state.recent), labels=labels)


def difference(first: WindowState, second: WindowState, names: tuple[str, str]) -> PresetDiff:
    """Compare two states: items only in `first`, items only in `second`, and items that differ."""
    one, other = _by_key(first), _by_key(second)
    return PresetDiff(
        first=names[0],
        second=names[1],
        only_first=_labels(one, lambda key: key not in other),
        only_second=_labels(other, lambda key: key not in one),
        changed=tuple(
            f"{_label(its[1])}: {_change(its, other[key])}"
            for key, its in one.items()
            if key in other and _how(*its) != _how(*other[key])
        ),
        same=sum(key in other and _how(*other[key]) == _how(*its) for key, its in one.items()),
        reordered=_order(first, second) != _order(second, first),
    )


def _order(state: WindowState, other: WindowState) -> list[str]:
    """Return the pins of a state that another has too. Recent items are in the order of their use."""
    return [entry.key for entry in state.pinned if other.is_pinned(entry.key)]


_Placed = dict[str, tuple[bool, Entry]]


def _by_key(state: WindowState) -> _Placed:
    pinned = {entry.key: (True, entry) for entry in state.pinned}
    return pinned | {entry.key: (False, entry) for entry in state.recent}


def _labels(placed: _Placed, wanted: Callable[[str], bool]) -> tuple[str, ...]:
    return tuple(_label(entry) for key, (_, entry) in placed.items() if wanted(key))


def _label(entry: Entry) -> str:
    return entry.label or entry.key


def _how(pinned: bool, entry: Entry) -> tuple[bool, str, frozenset[str]]:
    """How an item is shown: the usual level is the same whether it was chosen or not, and members in any order."""
    request = entry.request()
    return pinned, entry.level if request is None else request.level, frozenset(entry.members)


def _change(first: tuple[bool, Entry], second: tuple[bool, Entry]) -> str:
    """`pinned at outline -> recent`."""
    one, other = _said(*first), _said(*second)
    return f"{one} -> {other}" if one != other else f"{one} -> {other}, of other members"


def _said(pinned: bool, entry: Entry) -> str:
    state = "pinned" if pinned else "recent"
    level = f" at {entry.level}" if entry.level else ""
    count = len(entry.members)
    outlined = entry.level == Level.OUTLINE
    one, more = ("member", "members") if outlined else ("body", "bodies")
    return state + level + (f" with {count} {one if count == 1 else more}" if count else "")


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(each, mask) for key, each in value.items()}
    return [_masked(each, mask) for each in value] if isinstance(value, (list, tuple)) else value


def preset_path(name: str) -> str:
    """The file of a preset. Raises UsageError for what is no name."""
    if name == PREVIOUS:
        return PREVIOUS_FILE
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a preset. Use letters, digits, dots, - and _, a letter or digit first.",
            preset=name,
        )
    return f"{FOLDER}/{name}{_ENDING}"


STATE_FILE = "window.json"
COPY_FILE = "window.copy.json"


class StateFiles(Protocol):
    """Subset of `services.workspace.state.StateFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...

    def quarantine(self, name: str, what: str) -> None:
        """Store a damaged file under another name, with a notice that `what` was lost."""
        ...

    def locked(self, name: str) -> AbstractContextManager[Any]:
        """Hold the lock of a file against other threads and processes."""
        ...


class WindowStore:
    """The state in a state folder. Safe to call from any thread and any number of processes."""

    def __init__(self, files: StateFiles, *, on_notice: Callable[[Notice], None]) -> None:
        self._files = files
        self._on_notice = on_notice
        self._known: tuple[bytes | None, WindowState] = (None, WindowState())
        self._encoder = Encoder()
        self._requests: dict[str, tuple[Entry, Request | None]] = {}

    def load(self) -> WindowState:
        """The state as it is now."""
        data = self._files.read(STATE_FILE)
        try:
            return self._decoded(data)
        except ValueError:
            return self.update(lambda state: state)

    def requests(self, state: WindowState) -> tuple[Request | None, ...]:
        """Return the render request of each entry, pinned and recent; None for those of unknown kinds."""
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
        with self._files.locked(STATE_FILE):
            data = self._files.read(STATE_FILE)
            try:
                state = self._decoded(data)
            except ValueError:
                state = self._quarantine(data or b"")
            changed = change(state)
            written = self._encoder.encode(changed)
            if data != written and (data is not None or changed != state):
                self._files.write(STATE_FILE, written)
                self._known = (written, changed)
                if changed.pinned != state.pinned or data is None:
                    self._copy(written)
            return changed

    def _copy(self, written: bytes) -> None:
        """Write the copy; where there is no space for two files, only the main one is written."""
        with suppress(CodeCortexError):
            self._files.write(COPY_FILE, written)

    def _decoded(self, data: bytes | None) -> WindowState:
        """The state of the bytes, which mostly are those of the last time."""
        known, state = self._known
        if data != known:
            state = _shared(state, decode(data))
            self._known = (data, state)
        return state

    def _quarantine(self, data: bytes) -> WindowState:
        mark = hashlib.sha256(data).hexdigest()[:8]
        name = f"window.damaged-{mark}.json"
        if data:
            self._files.write(name, data)
        where = f"is kept as {name}" if data else "was empty"
        message = f"The list of pinned items could not be read; it {where}."
        advice = "Pin again what is missing, or repair that file and copy it over window.json."
        rescued = self._rescued(data)
        if rescued.pinned or rescued.recent:
            preset = f"rescued-{mark}"
            self._files.write(f"{FOLDER}/{preset}.json", encode(rescued))
            message = (
                f"{message} {len(rescued.pinned)} pinned items of it are offered as the preset {preset}."
            )
            advice = f"Load the preset {preset} to have them back (codecortex preset-load {preset})."
        self._on_notice(
            Notice(severity="warning", message=message, what_to_do=advice, file=name if data else None)
        )
        return WindowState()

    def _rescued(self, data: bytes) -> WindowState:
        """Return the readable parts of a damaged list: those of the copy, then those found only in the list
        itself."""
        kept, found = WindowState(), salvaged(data)
        with suppress(ValueError, OSError):
            kept = decode(self._files.read(COPY_FILE))
        known = {entry.key for entry in kept.pinned}
        pinned = (*kept.pinned, *(entry for entry in found.pinned if entry.key not in known))
        known |= {entry.key for entry in found.pinned}
        recent = {entry.key: entry for entry in (*kept.recent, *found.recent) if entry.key not in known}
        return WindowState(pinned=pinned, recent=tuple(recent.values()))


def _shared(before: WindowState, now: WindowState) -> WindowState:
    """Return the state with equal entries replaced by the objects of before, since caches go by identity."""
    known = {entry.key: entry for entry in (*before.pinned, *before.recent)}

    def kept(entry: Entry) -> Entry:
        return known[entry.key] if known.get(entry.key) == entry else entry

    return replace(now, pinned=tuple(map(kept, now.pinned)), recent=tuple(map(kept, now.recent)))
