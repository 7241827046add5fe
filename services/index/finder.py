"""Search over the catalogue: a large segment of all rows when it was built, a small one of those added since."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from services.index.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from services.index.search import Answer, Segment, SymbolSearch

_OVERLAY_LIMIT = 20_000  # rows; past this the large segment is built anew


class Finder:
    """Answers queries with row numbers of the catalogue. Thread-safe: one query at a time."""

    def __init__(self, catalogue: Catalogue, lock: threading.RLock) -> None:
        self._catalogue = catalogue
        self._writing = lock
        self._lock = threading.Lock()
        self._search: SymbolSearch | None = None
        self._version = -1
        self._large: Segment | None = None
        self._large_rows = 0

    def find(self, query: str, *, limit: int, recent: Mapping[int, float]) -> Answer:
        """The best rows. Hits' `number` is the catalogue row."""
        from services.index.search import SymbolSearch

        with self._lock:
            if self._search is None or self._version != self._catalogue.version:
                segments = self._segments()
                if self._search is None:
                    self._search = SymbolSearch(segments)
                else:
                    self._search.replace(segments)
            rows = len(self._catalogue.columns.dead)
            return self._search.search(
                query, limit=limit, recent={row: weight for row, weight in recent.items() if row < rows}
            )

    def _segments(self) -> list[Segment]:
        from services.index.columns import dead_of, segment_of
        from services.index.search import Segment

        with self._writing:
            catalogue = self._catalogue
            rows = len(catalogue.columns.dead)
            if self._large is None or not self._large_rows <= rows <= self._large_rows + _OVERLAY_LIMIT:
                self._large, self._large_rows = segment_of(catalogue, 0, rows), rows
            large = Segment(self._large.symbols, dead_of(catalogue, 0, self._large_rows))
            segments = [large]
            if rows > self._large_rows:
                segments.append(segment_of(catalogue, self._large_rows, rows))
            self._version = catalogue.version
            return segments

    def reset(self) -> None:
        """Forgets all segments; called when the catalogue was replaced."""
        with self._lock:
            self._search = self._large = None
            self._version = -1
