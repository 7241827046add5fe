"""What the program remembers of a person, whatever the workspace: the theme they chose, the first steps they have
taken."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec

from workbench.bench_port import StateFiles
from workbench.ui_state import PersonalState, load, save


class Personal:
    """The state of a person, kept at every change; what cannot be kept is forgotten without a word."""

    def __init__(self, files: StateFiles) -> None:
        self._files = files
        self._state: PersonalState | None = None

    @property
    def state(self) -> PersonalState:
        """As it is known here."""
        if self._state is None:
            self._state = load(self._files, PersonalState)
        return self._state

    def change(self, **changes: Any) -> None:
        """Change some of it. What other processes have kept meanwhile stays."""
        self._state = msgspec.structs.replace(load(self._files, PersonalState), **changes)
        with suppress(OSError):
            save(self._files, self._state)
