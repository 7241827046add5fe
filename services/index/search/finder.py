"""Search over the catalogue: segments of rows, large for what has been there long, small for what came last."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.lineage import Lineage
from services.workspace.files.durable import checksum_of, private_file, private_folder
from services.workspace.files.openers import held

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from services.index.search import RankedHits, SearchSegment, Symbols


class Engine(Protocol):
    """Search engine over segments."""

    def replace(self, segments: Sequence[SearchSegment]) -> None:
        """Search these from now on."""
        ...

    def search(self, text: str, *, limit: int = 50, recent: Mapping[int, float] | None = None) -> RankedHits:
        """The best symbols for what was typed."""
        ...


def in_this_process() -> Engine:
    """An engine without segments."""
    from services.index.search import SymbolSearch

    return SymbolSearch()


_ROWS = (
    "rows-13"  # the number is that of the columns and what they mean: what an earlier one wrote is not used
)
_UNREADABLE = -1
_ENOUGH_KEPT = 0.8
_SMALL = 2_000
"""Rows that are made a tier of in ten milliseconds, as long as the files of a stored one take to map; a search of one
tier more would take that again and again."""


class _Tier(NamedTuple):
    """Rows `first` to `last` (exclusive) of the catalogue as they were when they came. `keys`, `origins`: as of a
    segment."""

    first: int
    last: int
    symbols: Symbols
    keys: NDArray[np.int32]
    origins: NDArray[np.uint32]

    @property
    def size(self) -> int:
        return self.last - self.first


class _StoredRows(NamedTuple):
    """`rows` in a folder. `checksum`: of all their files."""

    rows: int
    checksum: int = 0


class Finder:
    """Answers queries with row numbers of catalogues that have the same numbers. Thread-safe: one query at a time.

    New rows become a tier of their own; neighbours are made one when the later has grown to half of the earlier, or
    both are small, so that a catalogue that grows while somebody types costs each row only a few copies."""

    def __init__(
        self,
        engine: Callable[[], Engine] = in_this_process,
        damaged: Callable[[str], object] = lambda _: None,
    ) -> None:
        """`engine`: creates the search engine; `damaged`: called with the name of stored data that was changed."""
        self._damaged = damaged
        self._lock = threading.Lock()  # segments and the engine over them change together
        self._engine = engine
        self._search: Engine | None = None
        self._version = -1
        self._tiers: list[_Tier] = []
        self._kept: Path | None = None
        self._unusable = False
        self._names_projects = False
        """Whether a query has named a project: it takes a look at every file to know what projects share."""

    def find(
        self, catalogue: Catalogue, query: str, *, limit: int, recent: Mapping[int, float]
    ) -> RankedHits:
        """The best rows, of the parts of a type only the best one. Hits' `number` is the catalogue row."""
        from services.index.search.match.query import may_name_projects

        with self._lock:
            named = not self._names_projects and may_name_projects(query)
            if self._search is None or self._version != catalogue.version or named:
                self._names_projects = self._names_projects or named
                self._search = self._search or self._engine()
                self._search.replace(self._segments(catalogue))
                self._version = catalogue.version
            rows = self._tiers[-1].last if self._tiers else 0
            known = {row: weight for row, weight in recent.items() if row < rows}
            return self._search.search(query, limit=limit, recent=known)

    def change_engine(self) -> None:
        """Searches with another engine from the next query on."""
        with self._lock:
            self._search = None

    def keep(self, catalogue: Catalogue, folder: Path) -> None:
        """Write all rows as one tier into a folder, replacing it, unless most of them are stored there or few are
        made as soon as read. Raises OSError."""
        rows = len(catalogue.columns.dead)
        kept = _StoredRows(0) if self._unusable else _kept_rows(folder, catalogue.lineage)
        if kept.rows >= rows * _ENOUGH_KEPT or (rows <= _SMALL and not self._unusable):
            return
        import shutil

        from services.index.search import load, save

        whole = self._whole(catalogue)
        # First the file that makes the rest valid, which others may be about to read.
        (folder / _ROWS).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        private_folder(folder)
        save(whole.symbols, whole.origins, folder)
        known = f"{catalogue.lineage.name} {whole.last} {_checksum(folder)}"
        with private_file(folder / _ROWS) as file:
            file.write(known.encode())
        self._unusable = False
        with suppress(OSError, ValueError, KeyError, EOFError):
            symbols, origins = load(folder, whole.symbols.projects)
            mapped = whole._replace(symbols=symbols, origins=origins)
            if (folder / _ROWS).read_text("ascii") == known:  # else another process writes its own there
                self._go_on_with(mapped, instead=whole)

    def _go_on_with(self, mapped: _Tier, *, instead: _Tier) -> None:
        """Search the stored rows instead: mapped, they take memory only where they are read."""
        with self._lock:
            if self._tiers and self._tiers[0] is instead:
                self._tiers, self._version = [mapped, *self._tiers[1:]], -1

    def _whole(self, catalogue: Catalogue) -> _Tier:
        """All rows as one tier, of which searches go on once it is made: making it takes a second of a large
        workspace, for which none waits."""
        rows = len(catalogue.columns.dead)
        with self._lock:
            tiers = self._tiers
        if len(tiers) == 1 and tiers[0].last == rows:
            return tiers[0]
        whole = _built(catalogue, 0, rows)
        with self._lock:
            if not self._tiers or self._tiers[-1].last <= rows:
                self._tiers, self._version = [whole], -1
        return whole

    def take(self, folder: Path) -> None:
        """Use the rows stored in a folder, if they are of this catalogue; they are read when first needed."""
        self._kept = folder

    def _segments(self, catalogue: Catalogue) -> list[SearchSegment]:
        from services.index.search import SearchSegment
        from services.index.search.columns import dead_of, shared_of

        self._take_kept(catalogue)
        rows, last = len(catalogue.columns.dead), self._tiers[-1].last if self._tiers else 0
        # Rows of a later catalogue may be present already: in an earlier one they count as dead.
        if rows > last or not self._tiers:
            self._tiers.append(_built(catalogue, last, rows))
            while len(self._tiers) > 1 and _belong(*self._tiers[-2:]):
                self._tiers[-2:] = [_built(catalogue, self._tiers[-2].first, rows)]
        self._tiers = [_as_mentioned(tier, catalogue) for tier in self._tiers]
        return [
            SearchSegment(
                t.symbols,
                dead_of(catalogue, t.first, t.last),
                t.keys,
                t.origins,
                shared_of(catalogue, t.first, t.last) if self._names_projects else None,
            )
            for t in self._tiers
        ]

    def _take_kept(self, catalogue: Catalogue) -> None:
        from services.index.search import load
        from services.index.search.columns import keys_of

        if self._kept is None:
            return
        folder, self._kept = self._kept, None
        rows, checksum = kept = _kept_rows(folder, catalogue.lineage)
        loaded: tuple[Symbols, NDArray[np.uint32]] | None = None
        try:
            sound = _checksum(folder) == checksum if rows else checksum != _UNREADABLE
            loaded = load(folder, catalogue.projects)
        except (OSError, ValueError, KeyError, EOFError, TypeError):
            sound = False
        # Another process may be writing them.
        if _kept_rows(folder, catalogue.lineage) != kept:
            return
        if loaded is None or not sound:
            if rows or checksum == _UNREADABLE:
                # Stored again when there is time.
                self._unusable = True
                self._damaged("the columns of search")
            return
        symbols, origins = loaded
        is_whole = 0 < rows == len(symbols) == len(origins)
        if is_whole and rows <= len(catalogue.columns.dead) and not self._tiers:
            self._tiers = [_Tier(0, rows, symbols, keys_of(catalogue, 0, rows), origins)]


def _built(catalogue: Catalogue, first: int, last: int) -> _Tier:
    from services.index.search.columns import copied, keys_of, origins_of, symbols_of

    own = keys_of(catalogue, first, last), origins_of(catalogue, first, last)
    return _Tier(first, last, symbols_of(copied(catalogue, first, last)), *own)


def _as_mentioned(tier: _Tier, catalogue: Catalogue) -> _Tier:
    """Return the tier with its rows as often mentioned as they are now."""
    from services.index.search.columns import boost_of

    last = min(tier.last, len(catalogue.columns.dead))
    if last < tier.last:  # rows of a later catalogue
        return tier
    return tier._replace(symbols=tier.symbols.boosted(boost_of(catalogue, tier.first, last)))


def _belong(earlier: _Tier, later: _Tier) -> bool:
    """Whether two neighbours are better made one."""
    return later.size * 2 >= earlier.size or earlier.size + later.size <= _SMALL


def _checksum(folder: Path) -> int:
    """Return the checksum of all column files, in the order of their names. Raises OSError."""
    found = 0
    for file in sorted(folder.glob("*.npy")):
        with held(str(file), os.O_RDONLY) as descriptor:
            found = checksum_of(descriptor, zlib.crc32(file.name.encode(), found))
    return found


def _kept_rows(folder: Path, lineage: Lineage) -> _StoredRows:
    """Return how many rows of that lineage are stored in a folder."""
    try:
        of, *numbers = (folder / _ROWS).read_text("ascii").split(" ")
        rows, checksum = map(int, numbers)
        return _StoredRows(rows, checksum) if lineage.holds(of, rows) else _StoredRows(0)
    except OSError:
        return _StoredRows(0)
    except ValueError:
        return _StoredRows(0, _UNREADABLE)
