"""Which types have come and gone between two looks at a catalogue."""

from __future__ import annotations

from collections.abc import Iterable

from services.index.catalogue import Catalogue
from services.index.follower import Follower


class LiveTypes:
    """The types that had a declaration at the last look, by index. Not thread-safe."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._follow = Follower(catalogue)
        self._count = 0
        self._gone: set[int] = set()

    def changed(self) -> tuple[set[int], set[int]]:
        """(those that came, those that went) since the last call; at the first, all that are there came."""
        came, gone = set[int](), set[int]()
        for index in self._follow.touched():
            was = index < self._count and index not in self._gone
            if bool(self._catalogue.types[index].parts) != was:
                (gone if was else came).add(index)
        new = range(self._count, self._catalogue.type_count)
        self._gone = (self._gone | gone | set(new)) - came
        self._count = self._catalogue.type_count
        return came, gone

    def gone(self) -> list[int]:
        """Those that have no declaration any more, as of the last look."""
        return sorted(self._gone)

    def take(self, gone: Iterable[int]) -> None:
        """Of the catalogue as it is, all types but these are there."""
        self._follow.skip()
        self._count, self._gone = self._catalogue.type_count, set(gone)

    def moved_to(self, catalogue: Catalogue) -> LiveTypes:
        """The same for a catalogue that goes on where the other ends, with the same types by the same indexes."""
        moved = LiveTypes(catalogue)
        moved._follow = self._follow.moved_to(catalogue)
        moved._count, moved._gone = self._count, self._gone
        return moved
