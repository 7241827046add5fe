"""`hash_conflicts.log`: one line for each id that two symbols would have shared (SPEC section 3)."""

from __future__ import annotations

from collections.abc import Iterable

from services.errors import CodeCortexError
from services.workspace.state import StateFolder

FILE = "hash_conflicts.log"


class Conflicts:
    """The log. Each id is written once, whichever process meets it first."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._noted: set[str] = set()

    def note(self, id_: str, symbols: Iterable[str]) -> None:
        """Says that `symbols` (FQNs or signatures) came to the same `id_`. A log that cannot be written is no reason
        to fail."""
        if id_ in self._noted:
            return
        self._noted.add(id_)
        try:
            with self._state.locked(FILE, timeout=1):
                kept = self._state.read(FILE) or b""
                line = "\t".join((id_, *sorted(symbols))).encode()
                if line not in kept.split(b"\n"):
                    self._state.write(FILE, kept + line + b"\n")
        except (CodeCortexError, OSError):
            return
