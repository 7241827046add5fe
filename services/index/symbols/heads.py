"""Types without their members: what a row of a list tells, at the price of one declaration a part."""

from __future__ import annotations

import threading

from services.index.catalog.access import widest
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.symbols.declared import parts_of, placed, primary_of
from services.index.symbols.identities import Identities
from services.index.symbols.placed import Head, Placed

_KEPT = 1024
Key = tuple[int, tuple[tuple[int, int], ...], str]
"""A type by its number, its parts and its id: as long as these are the same, so is the type."""


class Heads:
    """Makes them, and keeps the last few, because a search that is being typed asks for the same again and again."""

    def __init__(self, catalogue: Catalogue, records: Records, identities: Identities) -> None:
        self._catalogue = catalogue
        self._records = records
        self._identities = identities
        self._lock = threading.Lock()
        self._kept: dict[Key, Head] = {}

    def key(self, index: int) -> Key:
        """A changed file is another file to the catalogue, so that the same parts under the same id are the same
        type."""
        parts = self._catalogue.type(index).parts
        return index, tuple(parts), self._identities.type_id(index) if parts else ""

    def head(self, index: int) -> Head | None:
        """A type, or None where none of its parts can be read."""
        key = self.key(index)
        with self._lock:
            found = self._kept.pop(key, None)
            if found is not None:
                self._kept[key] = found  # the last asked for goes last
        if found is None:
            found = self._made(index)
            if found is not None and len(found.parts) == len(found.entry.parts):
                self._keep(key, found)
        return found

    def _keep(self, key: Key, head: Head) -> None:
        with self._lock:
            if len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = head

    def _made(self, index: int) -> Head | None:
        entry = self._catalogue.type(index)
        parts = parts_of(self._catalogue, self._records, index)
        if not parts:
            return None
        primary = primary_of(parts)
        modifiers = tuple(dict.fromkeys(word for part in parts for word in part.declaration.modifiers))
        access = widest([part.declaration.access for part in parts])
        return Head(index, entry, self._identities.type_id(index), parts, primary, access, modifiers)

    def placed(self, file: int, at: int) -> Placed | None:
        """Declaration `at` of a file, or None where it cannot be read."""
        return placed(self._records, file, at)
