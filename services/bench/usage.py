"""Which symbols were used lately: `access.json`, at most 512 of them (004 section 4.3)."""

from __future__ import annotations

import threading
import time

import msgspec

from services.errors import CodeCortexError
from services.workspace.state import StateFolder

_FILE = "access.json"
_KEPT = 512
_HALF_LIFE_MS = 3 * 24 * 3600 * 1000


class Usage:
    """The times of last use by symbol id, shared between processes. Thread-safe."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._times = self._read()

    def visit(self, id_: str) -> None:
        """Counts `id_` as used now. Where the file cannot be written the use is remembered until the end."""
        with self._lock:
            self._times.pop(id_, None)
            self._times[id_] = time.time_ns() // 1_000_000
            try:
                with self._state.locked(_FILE, timeout=1):
                    merged = self._read() | self._times
                    newest = sorted(merged.items(), key=lambda pair: pair[1])[-_KEPT:]
                    self._times = dict(newest)
                    self._state.write(_FILE, msgspec.json.format(msgspec.json.encode(self._times), indent=1))
            except (CodeCortexError, OSError):
                return

    def weights(self) -> dict[str, float]:
        """1 for what was used last, halved every three days."""
        now = time.time_ns() // 1_000_000
        with self._lock:
            return {id_: 0.5 ** (max(0, now - at) / _HALF_LIFE_MS) for id_, at in self._times.items()}

    def _read(self) -> dict[str, int]:
        try:
            data = self._state.read(_FILE)
            return msgspec.json.decode(data, type=dict[str, int]) if data else {}
        except (OSError, msgspec.MsgspecError):
            return {}
