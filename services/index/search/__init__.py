"""Search over the symbols of a workspace as you type. Importing this package imports numpy: do it when first needed.

`Symbols` are immutable columns, `Segment`s are searched, `SymbolSearch` answers."""

from services.index.search.engine import Answer, Hit, SymbolSearch, dead_rows
from services.index.search.filter.choices import unknown
from services.index.search.filter.segment import Segment
from services.index.search.match.columns import ACCESSES, KINDS, SymbolRow, Symbols, load, save
from services.index.search.match.query import parse
from services.index.search.match.texts import Texts

__all__ = [
    "ACCESSES",
    "KINDS",
    "Answer",
    "Hit",
    "Segment",
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
