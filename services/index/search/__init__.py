"""Search over the symbols of a workspace as you type. Its parts, which import numpy, are imported when first needed.

`Symbols` are immutable columns, `SearchSegment`s are searched, `SymbolSearch` answers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from services.index.search.engine import RankedHits, ScoredHit, SymbolSearch, dead_rows
    from services.index.search.filter.segment import SearchSegment
    from services.index.search.filter.view import unknown
    from services.index.search.match.columns import ACCESSES, KINDS, SymbolRow, Symbols, load, save
    from services.index.search.match.query import parse
    from services.index.search.match.texts import Texts

__all__ = [
    "ACCESSES",
    "KINDS",
    "RankedHits",
    "ScoredHit",
    "SearchSegment",
    "SymbolRow",
    "SymbolSearch",
    "Symbols",
    "Texts",
    "dead_rows",
    "load",
    "parse",
    "save",
    "unknown",
]
_HOMES = {
    "engine": ("RankedHits", "ScoredHit", "SymbolSearch", "dead_rows"),
    "filter.view": ("unknown",),
    "filter.segment": ("SearchSegment",),
    "match.columns": ("ACCESSES", "KINDS", "SymbolRow", "Symbols", "load", "save"),
    "match.query": ("parse",),
    "match.texts": ("Texts",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(name)
