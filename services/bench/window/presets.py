"""Presets of the window: kept, brought back, compared."""

from __future__ import annotations

from services.bench.window.curation import Curation
from services.model import Window
from services.model.copies import CURRENT, PresetDiff, PresetsAnswer
from services.prompt.presets import PREVIOUS, PresetStore, difference
from services.prompt.state.state import WindowState
from services.workspace.state import StateFolder


class Presets:
    """The presets of one workspace. Thread-safe."""

    def __init__(self, window: Curation, state: StateFolder) -> None:
        self._window = window
        self._store = PresetStore(state)

    def list(self, done: str = "") -> PresetsAnswer:
        """The presets there are."""
        return PresetsAnswer(presets=self._store.rows(), done=done)

    def save(self, name: str) -> PresetsAnswer:
        """Keep the window as it is under a name. Raises UsageError, ReadOnly."""
        state = self._window.state()
        self._store.save(name, state)
        return self.list(f"{len(state.pinned)} pinned and {len(state.recent)} recent items kept as {name}.")

    def load(self, name: str) -> Window:
        """Put what was kept in the place of the window, which becomes the preset `previous`: loading that takes it
        back. Raises UsageError, ReadOnly."""
        state = self._store.load(name)
        self._store.save(PREVIOUS, self._window.state())
        return self._window.restore(state)

    def delete(self, name: str) -> PresetsAnswer:
        """Remove a preset. Raises UsageError, ReadOnly."""
        self._store.delete(name)
        return self.list(f"{name} removed.")

    def difference(self, first: str, second: str = CURRENT) -> PresetDiff:
        """What two presets do not have in common; `current` is the window as it is. Raises UsageError."""
        return difference(self._state(first), self._state(second), (first, second))

    def _state(self, name: str) -> WindowState:
        return self._window.state() if name == CURRENT else self._store.load(name)
