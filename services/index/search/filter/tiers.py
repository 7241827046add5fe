"""Several segments that are searched as one: fame and access of a name count in all of them, and candidates for an
exact score are the best of all, so that an answer does not depend on which rows are in which segment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from services.concurrency.latest import LRUCache
from services.index.search.filter.segment import SegmentSearch
from services.index.search.filter.segment_query import Candidates, SegmentQuery
from services.index.search.filter.view import Filters, FilterView, Mask
from services.index.search.match.columns import SymbolColumns, fame_of
from services.index.search.match.matcher import Closenesses
from services.index.search.match.sorted_arrays import Places, Ranked, among, ascending, distinct, first_by
from services.index.search.match.texts import joined

_VIEWS = 8

Recent = tuple[Places, NDArray[np.float32]]
"""Places lately used, ascending, and their weights."""

_Pair = tuple[int, int, NDArray[np.int64], NDArray[np.int64]]
"""Two segments, and the names that both have, by their numbers in each."""


class CandidatePool(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Symbols that get an exact score. `places`: of `symbols`, ascending; for each, `segments` and `rows`: where it is
    from; `spanned`: whether it matches by humps of container and name together; `recent`: how much it was used lately;
    `keys`, `origins`: as of its segment. `names`, `containers`: closeness by text for each term."""

    symbols: SymbolColumns
    places: Places
    segments: NDArray[np.int64]
    rows: NDArray[np.int64]
    spanned: Mask
    recent: NDArray[np.float32]
    keys: NDArray[np.integer] | None
    origins: NDArray[np.uint32] | None
    names: list[Closenesses]
    containers: list[Closenesses]


class Tiers:
    """Segments, with fame and access of names over all of them. `symbols`: of each segment, with that fame."""

    def __init__(self, searches: Sequence[SegmentSearch]) -> None:
        self.searches = searches
        self._shared = _shared(searches)
        fame = [_alive_fame(search) for search in searches]
        self._spread(fame, np.maximum)
        pairs = zip(searches, fame, strict=True)
        self.symbols = [replace(search.symbols, fame=own) for search, own in pairs]
        self._views: LRUCache[Filters, list[FilterView]] = LRUCache(_VIEWS)

    def views(self, filters: Filters) -> list[FilterView]:
        """Return the view of each segment after filters."""
        return self._views.get(filters, lambda: self._viewed(filters))

    def _viewed(self, filters: Filters) -> list[FilterView]:
        views = [search.view(filters) for search in self.searches]
        access = [view.access for view in views]
        if self._shared:
            access = [own.copy() for own in access]
            self._spread(access, np.minimum)
        whole = zip(views, self.symbols, access, strict=True)
        return [view.among(symbols, own) for view, symbols, own in whole]

    def _spread(self, values: list[NDArray[np.uint8]], better: np.ufunc) -> None:
        """Give each name the best value that it has in any segment. `values`: of each segment, by name. A later pair of
        segments finds what the earlier ones have made."""
        for one, other, mine, its in self._shared:
            values[one][mine] = values[other][its] = better(values[one][mine], values[other][its])

    def pool(
        self,
        candidates: Sequence[Candidates],
        findings: Sequence[SegmentQuery],
        recent: Sequence[Recent],
        most: int,
    ) -> CandidatePool:
        """Return the best `most` candidates of each kind. `findings`: of each segment, none where there is no query;
        `recent`: of each segment."""
        places = self._chosen(candidates, most)
        used = [at for at, own in enumerate(places) if len(own)] or [0]
        rows = [self.symbols[at].order[places[at]].astype(np.int64) for at in used]
        segments = [self.searches[at].segment for at in used]
        keys = [segment.keys for segment in segments]
        origins = [segment.origins for segment in segments]
        spans = [
            among(places[at], findings[at].spans) if findings else np.zeros(len(places[at]), np.bool_)
            for at in used
        ]
        symbols, at_names, at_containers = self._columns(used, places)
        terms = range(len(findings[0].names) if findings else 0)
        return CandidatePool(
            symbols=symbols,
            places=places[used[0]] if len(used) == 1 else np.arange(len(symbols)),
            segments=np.repeat(used, [len(own) for own in rows]),
            rows=np.concatenate(rows),
            spanned=np.concatenate(spans),
            recent=np.concatenate([_lately(places[at], recent[at]) for at in used]),
            keys=_taken(keys, rows),
            origins=_taken(origins, rows),
            names=[_of_texts([findings[at].names[term] for at in used], at_names) for term in terms],
            containers=[
                _of_texts([findings[at].containers[term] for at in used], at_containers) for term in terms
            ],
        )

    def _columns(
        self, used: Sequence[int], places: Sequence[Places]
    ) -> tuple[SymbolColumns, list[NDArray[np.int64]], list[NDArray[np.int64]]]:
        """Return the columns of the places of some segments, and which of the names and containers of each they have;
        all of one segment as they are."""
        parts = [self.symbols[at] for at in used]
        if len(used) == 1:
            return parts[0], [], []
        names = [
            distinct(part.name_id[places[at]].astype(np.int64)) for at, part in zip(used, parts, strict=True)
        ]
        owners = [
            distinct(part.container_id[places[at]].astype(np.int64))
            for at, part in zip(used, parts, strict=True)
        ]

        def column(name: str) -> NDArray:
            own = zip(used, parts, strict=True)
            return np.concatenate([getattr(part, name)[places[at]] for at, part in own])

        own = zip(parts, names, strict=True)
        projects = [part.projects for part in parts]
        columns = SymbolColumns(
            names=joined([(part.names, ids) for part, (ids, _) in own]),
            containers=joined([(part.containers, ids) for part, (ids, _) in zip(parts, owners, strict=True)]),
            projects=sum(projects, ()),
            name_id=_numbered(names),
            container_id=_numbered(owners),
            project_id=column("project_id")
            + np.repeat(np.cumsum([0, *map(len, projects[:-1])]), [len(places[at]) for at in used]),
            kind=column("kind"),
            access=column("access"),
            arity=column("arity"),
            boost=column("boost"),
            order=column("order"),
            fame=np.concatenate([part.fame[ids] for part, (ids, _) in zip(parts, names, strict=True)]),
        )
        return columns, [ids for ids, _ in names], [ids for ids, _ in owners]

    def _chosen(self, found: Sequence[Candidates], most: int) -> list[Places]:
        """Return the places of each segment that are among the best of all, ascending."""
        first = self._first_places(found, most)
        partly = self._foremost([each.partly for each in found], most)
        spans = self._foremost([each.spans for each in found], most)
        recent = [each.recent for each in found]
        return [ascending(np.concatenate(own)) for own in zip(first, partly, spans, recent, strict=True)]

    def _first_places(self, found: Sequence[Candidates], most: int) -> list[Places]:
        """Return the first places of the best names."""
        if len(found) == 1:
            return [found[0].first]
        ids = [each.names.values for each in found]
        hashes, which = distinct(
            np.concatenate([self.searches[at].hashes[own] for at, own in enumerate(ids)])
        )
        one = np.empty(len(hashes), np.int64)
        one[which] = np.arange(len(which))
        tiers, numbers = _segments_of(ids), np.concatenate(ids)
        worth = np.concatenate([each.names.worth for each in found])[one]

        def text(at: int) -> str:
            return self.symbols[tiers[one[at]]].names.text(int(numbers[one[at]]))

        kept = hashes[np.sort(_best_of([-worth], len(hashes), most, text))]
        places = [each.first for each in found]
        owners = [self.searches[at].hashes[self.symbols[at].name_id[own]] for at, own in enumerate(places)]
        chosen = [own[among(hash_, kept)] for own, hash_ in zip(places, owners, strict=True)]
        return self._within(chosen, most)

    def _within(self, places: list[Places], most: int) -> list[Places]:
        """Return no more than `most` places of each name."""
        tiers, every = _segments_of(places), np.concatenate(places)
        names = [self.searches[at].hashes[self.symbols[at].name_id[own]] for at, own in enumerate(places)]
        _, which = distinct(np.concatenate(names))
        many = np.flatnonzero(np.bincount(which) > most)
        kept = np.ones(len(every), np.bool_)
        for name in many.tolist():
            own = np.flatnonzero(which == name)
            kept[own] = False
            access, boost = (
                np.array([getattr(self.symbols[tiers[at]], column)[every[at]] for at in own.tolist()])
                for column in ("access", "boost")
            )

            def container(at: int, own: Places = own) -> str:
                symbols = self.symbols[tiers[own[at]]]
                return symbols.containers.text(int(symbols.container_id[every[own[at]]]))

            kept[own[_best_of([access, -boost], len(own), most, container)]] = True
        return [own[kept[tiers == at]] for at, own in enumerate(places)]

    def _foremost(self, found: list[Ranked], most: int) -> list[Places]:
        """Return the places of each segment that are among the `most` best of all."""
        tiers, places = (
            _segments_of([own.values for own in found]),
            np.concatenate([own.values for own in found]),
        )

        def stands(at: int) -> tuple[str, int, float, str]:
            symbols, place = self.symbols[tiers[at]], places[at]
            name, container = symbols.name_id[place], symbols.container_id[place]
            access, boost = symbols.access[place], symbols.boost[place]
            return (
                symbols.names.text(int(name)),
                int(access),
                -float(boost),
                symbols.containers.text(int(container)),
            )

        worth = np.concatenate([own.worth for own in found])
        chosen = _best_of([-worth], len(places), most, stands)
        return [places[chosen[tiers[chosen] == at]] for at in range(len(found))]


def _best_of(
    columns: Sequence[NDArray], count: int, most: int, last: Callable[[int], object]
) -> NDArray[np.int64]:
    """Return the `most` first of so many indexes in the order of columns, and then of `last`."""
    sure, equal = first_by(columns, np.arange(count), most)
    if len(sure) + len(equal) <= most:
        return np.concatenate((sure, equal))
    rest = sorted(equal.tolist(), key=last)  # pyright: ignore
    return np.concatenate((sure, np.array(rest[: most - len(sure)], np.int64)))


def _segments_of(parts: Sequence[NDArray]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(parts)), [len(own) for own in parts])


def _shared(searches: Sequence[SegmentSearch]) -> list[_Pair]:
    """Return the pairs of segments that have names in common."""
    found: list[_Pair] = []
    for one in range(len(searches)):
        for other in range(one + 1, len(searches)):
            mine, its = _common(searches[one].hashes, searches[other].hashes)
            if len(mine):
                found.append((one, other, mine, its))
    return found


def _common(many: NDArray[np.uint64], few: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indexes of equal numbers, each of which occurs once in either."""
    order = np.argsort(few)
    ordered = few[order]
    if not len(few):
        return order, order
    at = np.minimum(np.searchsorted(ordered, many), len(few) - 1)
    mine = np.flatnonzero(ordered[at] == many)
    return mine, order[at[mine]]


def _alive_fame(search: SegmentSearch) -> NDArray[np.uint8]:
    """Return the fame of names by the rows that count."""
    symbols, mask = search.symbols, search.alive.mask
    if mask is None or not len(symbols):
        return symbols.fame.copy()
    return fame_of(np.maximum.reduceat(symbols.boost * mask, symbols.starts[:-1]))


def _lately(places: Places, recent: Recent) -> NDArray[np.float32]:
    """Return how much each place was used lately."""
    found = np.zeros(len(places), np.float32)
    lately = among(recent[0], places)  # `np.isin` imports numpy.ma
    found[np.searchsorted(places, recent[0][lately])] = recent[1][lately]
    return found


def _taken(columns: Sequence[NDArray | None], rows: Sequence[NDArray[np.int64]]) -> NDArray | None:
    """Return what columns have at rows; None where one of them is not there."""
    there = [column for column in columns if column is not None]
    if len(there) < len(columns):
        return None
    return np.concatenate([column[own] for column, own in zip(there, rows, strict=True)])


def _numbered(ids: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> NDArray[np.int32]:
    """Return the numbers of texts of several columns that were put one behind the other."""
    starts = np.cumsum([0, *(len(own) for own, _ in ids)])
    numbered = [which + start for (_, which), start in zip(ids, starts[:-1].tolist(), strict=True)]
    return np.concatenate(numbered).astype(np.int32)


def _of_texts(found: Sequence[Closenesses], ids: Sequence[NDArray[np.int64]]) -> Closenesses:
    """Return the closeness of some texts of each column; all of one column as it is."""
    if not ids:
        return found[0]
    return np.concatenate([own.take(some) for own, some in zip(found, ids, strict=True)])
