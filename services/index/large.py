"""Values of an index that are too large to be read whole at each start: mapped, a start pays for what it looks at."""

from __future__ import annotations

import mmap
import os
import time
from contextlib import suppress

import msgspec

from services.errors import ReadOnly
from services.index.catalog.store import Store
from services.workspace.files.openers import held
from services.workspace.state import StateFolder

_FOLDER = "large"
_YOUNG = 60.0
"""Seconds for which a file that no row tells of is left alone: another process may be about to write the row."""

_Told = tuple[str, int]
"""(file, bytes)."""


class LargeValues:
    """Named values, each in a file of its own that is never written again; a row of the store says in which, so that a
    value counts from the moment its row is written until that is dropped."""

    def __init__(self, store: Store, state: StateFolder) -> None:
        self._store = store
        self._state = state

    def keep(self, name: str, value: bytes) -> None:
        """Writes a value, where other processes can read the store. Raises ReadOnly, WorkspaceError."""
        if self._store.is_lasting:
            file = f"{_FOLDER}/{name}-{os.urandom(8).hex()}"
            self._state.write(file, value)
            self._store.keep(name, msgspec.msgpack.encode((file, len(value))))
            self._sweep(name)

    def kept(self, name: str) -> memoryview | None:
        """A value, or None where there is none. It stays as it is, whatever becomes of its file. Raises
        msgspec.MsgspecError where the row tells of no file."""
        for _ in range(2):  # another process may take a later one's place between the two steps
            told = self._store.kept(name)
            if told is None:
                return None
            file, size = msgspec.msgpack.decode(told, type=_Told)
            found = self._mapped(file)
            if found is not None and len(found) == size:
                return found
        return None

    def _mapped(self, file: str) -> memoryview | None:
        with (
            suppress(OSError, ValueError),
            held(os.fspath(self._state.path(file)), os.O_RDONLY | os.O_NOFOLLOW) as descriptor,
        ):
            return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
        return None

    def _sweep(self, name: str) -> None:
        """Removes what no row tells of."""
        told = self._store.kept(name)
        current = msgspec.msgpack.decode(told, type=_Told)[0] if told is not None else ""
        with suppress(OSError, ReadOnly):
            for other in self._state.names(_FOLDER):
                file = f"{_FOLDER}/{other}"
                if other.startswith(f"{name}-") and file != current and self._age(file) > _YOUNG:
                    self._state.remove(file)

    def _age(self, file: str) -> float:
        return time.time() - self._state.path(file).stat().st_mtime
