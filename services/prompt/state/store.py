"""Store of the window's state: a readable file that processes share.

`window.json` is read, changed and written under the state folder's lock, so that two processes that pin at
once lose nothing. A file that cannot be understood is kept aside under another name, and said; what can be had
of its items, from itself and from a copy that is written with every change of the pins, is offered as a preset.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any, Protocol

from msgspec.structs import replace

from services.errors import CodeCortexError
from services.model import Notice
from services.prompt.presets import FOLDER as PRESETS
from services.prompt.state.items import Request
from services.prompt.state.state import Encoder, Entry, WindowState, decode, encode, salvaged

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
        """Hold the lock of a file against other processes."""
        ...


class WindowStore:
    """The state in a state folder. Safe to call from any thread and any number of processes."""

    def __init__(self, files: StateFiles, *, on_notice: Callable[[Notice], None]) -> None:
        self._files = files
        self._on_notice = on_notice
        self._lock = threading.Lock()  # the lock of the file counts among processes alone
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
        with self._lock, self._files.locked(STATE_FILE):
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
            self._files.write(f"{PRESETS}/{preset}.json", encode(rescued))
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
