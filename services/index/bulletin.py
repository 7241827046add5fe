"""Bulletin of the leader's passes, for the processes that follow it instead of the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from services.decoding import decode_msgpack
from services.errors import WorkspaceError
from services.index.catalog.store import DamagedError, Store

_NAME = "bulletin"
_KEPT = 64
_MOST_PATHS = 500


class ChangeBatch(msgspec.Struct, frozen=True, array_like=True):
    """Batch of changes. `paths`: the files that may have changed; None: any file."""

    number: int
    paths: tuple[str, ...] | None


class _Bulletin(msgspec.Struct, frozen=True, array_like=True):
    """`series`: changes when the numbers start again."""

    series: str
    entries: tuple[ChangeBatch, ...]


class Bulletin:
    """The last batches, in the store. One process writes, any number read; `news` answers each batch once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read = self._now()

    def add(self, paths: Iterable[str] | None) -> None:
        """Announce a batch. `paths`: None where any file may have changed."""
        now = self._now()
        named = None if paths is None else tuple(sorted(set(paths)))
        if named is not None and len(named) > _MOST_PATHS:
            named = None
        series = now.series or os.urandom(8).hex()
        entry = ChangeBatch(_last(now) + 1, named)
        self._read = _Bulletin(series, (*now.entries, entry)[-_KEPT:])
        with suppress(DamagedError):
            self._store.keep(_NAME, msgspec.msgpack.encode(self._read))

    def news(self) -> frozenset[str] | None:
        """Return the files of all batches since the last call (none: there was no batch); None where any file may
        have changed, because a batch has no paths or because some batches were missed."""
        before, now = self._read, self._now()
        self._read = now
        new = [entry for entry in now.entries if entry.number > _last(before)]
        if now.series != before.series:
            return None if now.entries else frozenset()
        if new and new[0].number > _last(before) + 1:
            return None
        if any(entry.paths is None for entry in new):
            return None
        return frozenset(path for entry in new for path in entry.paths or ())

    def _now(self) -> _Bulletin:
        # Damage is found, and repaired, by the process that needs the index.
        with suppress(msgspec.MsgspecError, DamagedError, WorkspaceError):
            data = self._store.value(_NAME)
            if data is not None:
                return decode_msgpack(_Bulletin, data)
        return _Bulletin("", ())


def _last(bulletin: _Bulletin) -> int:
    return bulletin.entries[-1].number if bulletin.entries else 0
