"""Reading what has changed in a catalogue."""

from __future__ import annotations

from services.index.catalog.catalogue import Catalogue


class Follower:
    """One reader of a catalogue's journal: which types have changed since it last looked."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._read: int | None = None

    def skip(self) -> None:
        """What has changed so far is known already."""
        self._read = len(self._catalogue.journal)

    def moved_to(self, catalogue: Catalogue) -> Follower:
        """The same reader of a catalogue that has gone on with the journal."""
        moved = Follower(catalogue)
        moved._read = self._read
        return moved

    def touched(self) -> set[int]:
        """The types that have changed since the last call; at the first call, all."""
        journal = self._catalogue.journal
        start, self._read = self._read, len(journal)
        return set(range(len(self._catalogue.types))) if start is None else set(journal[start:])
