"""Earlier states of the window brought back: by name, and step by step without what others did since."""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from services.bench.window.curation import Curation
from services.errors import UsageError
from services.model import Window
from services.model.copies import CURRENT, PresetDiff, PresetsAnswer
from services.prompt.presets import PresetStore, difference
from services.prompt.state import Entry, WindowState
from services.workspace.state import StateFolder

_KEPT = 50


class Presets:
    """The presets of one workspace. Thread-safe."""

    def __init__(self, window: Curation, state: StateFolder) -> None:
        self._window = window
        self._store = PresetStore(
            state.shared, lambda text: window.unchecked.vault.masker().text(text), own=state
        )

    def list(self, done: str = "") -> PresetsAnswer:
        """The presets there are."""
        return PresetsAnswer(presets=self._store.rows(), done=done)

    def save(self, name: str) -> PresetsAnswer:
        """Save the window under a name. Raises UsageError, ReadOnly."""
        state = self._window.unchecked.state()
        self._store.save(name, state)
        return self.list(f"{len(state.pinned)} pinned and {len(state.recent)} recent items kept as {name}.")

    def load(self, name: str) -> Window:
        """Replace the window by a preset. The former window becomes the preset `previous`, to be loaded again.
        Raises UsageError, ReadOnly."""
        state = self._store.load(name)
        self._store.save_previous(self._window.unchecked.state())
        return self._window.restore(state)

    def delete(self, name: str) -> PresetsAnswer:
        """Remove a preset. Raises UsageError, ReadOnly."""
        self._store.delete(name)
        return self.list(f"{name} removed.")

    def difference(self, first: str, second: str = CURRENT) -> PresetDiff:
        """Return the difference between two presets; `current` is the current window. Raises UsageError."""
        return difference(self._state(first), self._state(second), (first, second))

    def _state(self, name: str) -> WindowState:
        return self._window.unchecked.state() if name == CURRENT else self._store.load(name)


class _Change(msgspec.Struct, frozen=True):
    """Change of the window by this process. Pins, their levels and their order count; recently used items do not."""

    what: str
    before: WindowState
    after: WindowState


class WindowUndo:
    """Undo and redo of the window's changes made by this process. Thread-safe."""

    def __init__(self, window: Curation) -> None:
        self._window = window
        self._lock = threading.RLock()  # a change and its record in the history are one step
        self._changes: list[_Change] = []
        self._undone: list[_Change] = []

    @property
    def last(self) -> str:
        """Name of the change that undo takes back; empty where there is none."""
        return self._changes[-1].what if self._changes else ""

    @property
    def next(self) -> str:
        """Name of the change that redo makes again; empty where there is none."""
        return self._undone[-1].what if self._undone else ""

    def doing(self, what: str, act: Callable[[], Window]) -> Window:
        """Do `act`, and remember it where it changed the window. Raises what it raises."""
        with self._lock:
            before = self._window.unchecked.state()
            window = act()
            after = self._window.unchecked.state()
            if _kept(before) != _kept(after):
                self._changes = [*self._changes, _Change(what, before, after)][-_KEPT:]
                self._undone.clear()
            return window

    def undo(self) -> tuple[str, Window]:
        """Undo the last change. Return its name and the window. Raises UsageError where there is none, ReadOnly."""
        with self._lock:
            if not self._changes:
                raise UsageError("There is nothing to undo: nothing was changed here yet.")
            change = self._changes[-1]
            window = self._move(change.before, change.after)
            self._undone.append(self._changes.pop())
            return change.what, window

    def redo(self) -> tuple[str, Window]:
        """Make the change again that was undone last. Return its name and the window. Raises UsageError where there is
        none, ReadOnly."""
        with self._lock:
            if not self._undone:
                raise UsageError("There is nothing to redo: nothing was undone since the last change.")
            change = self._undone[-1]
            window = self._move(change.after, change.before)
            self._changes.append(self._undone.pop())
            return change.what, window

    def _move(self, to: WindowState, since: WindowState) -> Window:
        """Put the window back to a state, but for what others did to it since another."""
        return self._window.restore(without(to, since, self._window.unchecked.state()))


def without(before: WindowState, after: WindowState, now: WindowState) -> WindowState:
    """Return `now` without the change that led from `before` to `after`; with both exchanged, with it again.

    Where nobody did anything since, that is `before`. What others pinned since stays, behind; what they took out stays
    out; an entry that they changed stays as it is."""
    if _kept(now) == _kept(after):
        return replace(before, extra=now.extra)
    ours = {entry.key: entry for entry in before.pinned}
    theirs = {entry.key: entry for entry in now.pinned}
    was = {entry.key: entry for entry in after.pinned}
    wanted = [
        theirs[key] if key in theirs and not _alike(theirs[key], was.get(key)) else entry
        for key, entry in ours.items()
        if key in theirs or key not in was
    ]
    there = {entry.key for entry in wanted}
    added = [entry for key, entry in theirs.items() if key not in there and key not in was]
    pinned = (*wanted, *added)
    keys = {entry.key for entry in pinned}
    recent = tuple(entry for entry in now.recent if entry.key not in keys)
    return replace(now, pinned=pinned, recent=recent)


def _kept(state: WindowState) -> tuple[object, ...]:
    recent = {entry.key: (entry.level, entry.members) for entry in state.recent}
    return tuple((entry.key, entry.level, entry.members) for entry in state.pinned), recent


def _alike(entry: Entry, other: Entry | None) -> bool:
    return other is not None and (entry.level, entry.members) == (other.level, other.members)
