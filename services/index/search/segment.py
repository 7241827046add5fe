"""One immutable set of symbols being searched, with all that is remembered of recent terms and filters."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from services.index.search.columns import Symbols
from services.index.search.matcher import Matcher
from services.index.search.spans import Heads
from services.index.search.view import Filters, Mask, View, filter_mask

_VIEWS = 8


@dataclass(frozen=True, slots=True)
class Segment:
    """Symbols and which of their rows no longer count: `dead` is a bool array by row, or None."""

    symbols: Symbols
    dead: NDArray[np.bool_] | None = None


class SegmentSearch:
    """Searches one segment and remembers recent terms and filters."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.symbols = segment.symbols
        self.names = Matcher(self.symbols.names)
        self.containers = Matcher(self.symbols.containers)
        self.heads = Heads(self.symbols.names)
        dead = segment.dead
        self.alive = View(self.symbols, None if dead is None else ~dead[self.symbols.order])
        self._masks: OrderedDict[tuple[str, str], Mask] = OrderedDict()
        self._views: OrderedDict[Filters, View] = OrderedDict()

    @property
    def searched(self) -> int:
        """How many symbols count."""
        dead = self.segment.dead
        return len(self.symbols) - (0 if dead is None else int(np.count_nonzero(dead)))

    def with_dead(self, dead: NDArray[np.bool_] | None) -> SegmentSearch:
        """The same symbols with other dead rows; what is known of terms stays."""
        other = SegmentSearch(Segment(self.symbols, dead))
        other.names, other.containers, other.heads = self.names, self.containers, self.heads
        return other

    def _mask(self, field: str, value: str) -> Mask:
        mask = self._masks.get((field, value))
        if mask is None:
            mask = self._masks[field, value] = filter_mask(self.symbols, field, value)
            if len(self._masks) > _VIEWS:
                self._masks.popitem(last=False)
        return mask

    def view(self, filters: Filters) -> View:
        """What filters leave of the segment."""
        if not filters:
            return self.alive
        view = self._views.get(filters)
        if view is None:
            masks = [self._mask(*one) for one in filters]
            masks += [] if self.alive.mask is None else [self.alive.mask]
            view = View(self.symbols, reduce(np.logical_and, masks))
            self._views[filters] = view
            if len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return view
