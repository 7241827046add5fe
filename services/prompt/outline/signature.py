"""A type or a member as its signature alone: what is left of it where nothing more fits."""

from __future__ import annotations

from services.model import Symbol
from services.prompt.outline.names import symbol_name
from services.prompt.outline.outline_members import one_line


def signature_of(symbol: Symbol, owner: Symbol | None = None) -> str:
    """The signature, and as a comment its full name, its id to ask for more by, and its place. One line. `owner`: the
    type of a member."""
    end = f"-{symbol.end_line}" if symbol.end_line != symbol.start_line else ""
    place = f"{symbol.file}:{symbol.start_line}{end}"
    return f"{one_line(symbol.signature)}  // {symbol_name(symbol, owner)} {symbol.id} {place}\n"
