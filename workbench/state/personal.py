"""What the program remembers of a person, whatever the workspace: the theme they chose, the first steps they have
taken."""

from __future__ import annotations

import threading
from typing import Any

import msgspec

from workbench.state.background_writer import Keeper
from workbench.state.bench_port import StateFiles
from workbench.state.ui_state import PersonalState, load, save

_NAME = "personal"


class Personal:
    """The state of a person, kept at every change; what cannot be kept is forgotten without a word."""

    def __init__(self, files: StateFiles, keeper: Keeper) -> None:
        self._files = files
        self._keeper = keeper
        self._state: PersonalState | None = None
        self._unkept: dict[str, Any] = {}
        self._changing = threading.Lock()

    @property
    def state(self) -> PersonalState:
        """As it is known here."""
        if self._state is None:
            self._state = load(self._files, PersonalState)
        return self._state

    def change(self, **changes: Any) -> None:
        """Change some of it, at once for this process and soon on disk. What other processes have kept meanwhile
        stays."""
        with self._changing:
            self._state = msgspec.structs.replace(self.state, **changes)
            self._unkept |= changes
        self._keeper.keep(_NAME, self._keep)

    def _keep(self) -> None:
        """Off the screen's thread. What cannot be written is tried again with the next change."""
        kept = load(self._files, PersonalState)
        with self._changing:
            changes = dict(self._unkept)
            self._state = state = msgspec.structs.replace(kept, **changes)
        save(self._files, state)
        with self._changing:
            self._unkept = {
                name: value
                for name, value in self._unkept.items()
                if name not in changes or changes[name] != value
            }
