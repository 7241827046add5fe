"""As-you-type search over the symbols of a workspace. Importing this package imports numpy: do it when first needed.

`Symbols` are immutable columns, `Segment`s are what is searched, `SymbolSearch` answers.
"""

from services.index.search.choices import unknown
from services.index.search.columns import ACCESSES, KINDS, SymbolRow, Symbols, load, save
from services.index.search.engine import Answer, Hit, SymbolSearch, dead_rows
from services.index.search.query import parse
from services.index.search.segment import Segment
from services.index.search.texts import Texts

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
