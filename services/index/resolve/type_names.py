"""Types by simple name, in any case."""

from __future__ import annotations

import threading

from services.index.catalog.catalogue import Catalogue

_NEAR = 5


class TypeNameIndex:
    """Types of one catalogue by name, computed on first use, from those of an earlier one and the types added and
    removed since; and names that differ only in case."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._earlier: TypeNameIndex | None = None
        self._making = threading.Lock()
        self._types: dict[str, list[int]] | None = None
        self._rows = _RowNames(catalogue.names.values)

    def after(self, catalogue: Catalogue) -> TypeNameIndex:
        """Return the names for a catalogue that comes after this one's, with the same numbers."""
        other = TypeNameIndex(catalogue)
        other._rows = self._rows
        with self._making:
            other._earlier = self._earlier if self._types is None else self
        return other

    def types(self) -> dict[str, list[int]]:
        """The types that are there by simple name, lower case, each name with one at least. Not to be changed."""
        if self._types is None:
            with self._making:
                if self._types is None:
                    self._types, self._earlier = self._made(), None
        return self._types

    def of_rows(self, name: str) -> list[int]:
        """The indexes of a simple name, lower case, among the names of the catalogue."""
        return self._rows.find(name)

    def rows_near(self, name: str, distance: int) -> list[int]:
        """Return rows like `of_rows`, for the names at most so many edits away, the closest ones alone."""
        return self._rows.near(name, distance)

    def _made(self) -> dict[str, list[int]]:
        if self._earlier is not None:
            return self._taken_over(self._earlier)
        found: dict[str, list[int]] = {}
        for index, entry in self._catalogue.live_types():
            found.setdefault(entry.name.lower(), []).append(index)
        return found

    def _taken_over(self, earlier: TypeNameIndex) -> dict[str, list[int]]:
        known, was, types = earlier.types(), earlier._catalogue.types, self._catalogue.types
        touched = self._catalogue.changed_since(earlier._catalogue.changes)
        moved = [at for at in touched if (at < len(was) and bool(was[at].parts)) != bool(types[at].parts)]
        if not moved:
            return known
        found = dict(known)
        for index in sorted(moved):
            name = types[index].name.lower()
            others = [other for other in found.get(name, ()) if other != index]
            found[name] = sorted((*others, index)) if types[index].parts else others
            if not found[name]:
                del found[name]
        return found


class _RowNames:
    """Names by their lower case; `names` only grows."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._making = threading.Lock()
        self._until = 0
        self._at: dict[str, list[int]] = {}

    def find(self, name: str) -> list[int]:
        return self._known().get(name, [])

    def near(self, name: str, distance: int) -> list[int]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        known = self._known()
        found = process.extract(name, list(known), scorer=OSA.distance, score_cutoff=distance, limit=_NEAR)
        return [at for each, edits, _ in found if edits == found[0][1] for at in known[each]]

    def _known(self) -> dict[str, list[int]]:
        with self._making:
            count = len(self._names)
            for at in range(self._until, count):
                self._at.setdefault(self._names[at].lower(), []).append(at)
            self._until = count
            return self._at
