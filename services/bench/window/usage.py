"""Recently used symbols: `access.json`, at most 512 of them (004 section 4.3): by id, ms since 1970."""

from __future__ import annotations

import time
from contextlib import suppress

import msgspec

from services.concurrency.exclusion import Guarded
from services.decoding import decode
from services.errors import CodeCortexError
from services.workspace.state import StateFolder

_FILE = "access.json"
_KEPT = 512
_SAVED_EVERY = 2.0
_HALF_LIFE_MS = 3 * 24 * 3600 * 1000


class RecentUse:
    """The times of last use by symbol id, shared between processes. Thread-safe. Close it: what was used within the
    last seconds is written then."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._times = Guarded(self._read())
        self._unsaved = False
        self._saved_at = float("-inf")

    def visit(self, id_: str) -> None:
        """Counts `id_` as used now. Where the file cannot be written the use is remembered until the end."""
        self.note(id_, within=0.0)

    def note(self, id_: str, *, within: float = _SAVED_EVERY) -> None:
        """Record a visit as `visit` does, but write within so many seconds: a client with a hundred requests a
        second does not wait for the disk each time."""
        with self._times as times:
            times.pop(id_, None)
            times[id_] = time.time_ns() // 1_000_000
            self._unsaved = True
            if time.monotonic() - self._saved_at >= within:
                self._save(times)

    def close(self) -> None:
        """Writes what is not written yet."""
        with self._times as times:
            if self._unsaved:
                self._save(times)

    def share(self) -> None:
        """Write `access.json` into the workspace, where a person asked for it. Raises ReadOnly."""
        with self._times as times:
            self._state.shared.write(_FILE, _encoded(times))

    def _save(self, times: dict[str, int]) -> None:
        self._saved_at, self._unsaved = time.monotonic(), False
        with suppress(CodeCortexError, OSError), self._state.locked(_FILE, timeout=1):
            merged = self._read()
            merged |= {id_: max(at, merged.get(id_, 0)) for id_, at in times.items()}
            times.clear()
            times.update(sorted(merged.items(), key=lambda pair: pair[1])[-_KEPT:])
            self._state.write(_FILE, _encoded(times))

    def weights(self) -> dict[str, float]:
        """1 for what was used last, halved every three days."""
        now = time.time_ns() // 1_000_000
        with self._times as times:
            return {id_: 0.5 ** (max(0, now - at) / _HALF_LIFE_MS) for id_, at in times.items()}

    def _read(self) -> dict[str, int]:
        try:
            data = self._state.read(_FILE)
            return {} if data is None else decode(dict[str, int], data)
        except ValueError:
            self._state.quarantine(_FILE, "What was used lately")
        except OSError:
            pass
        return {}


def _encoded(times: dict[str, int]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(times), indent=1)
