"""Where symbols are used, and what a name at a place means."""

from __future__ import annotations

from services.model.base import Value
from services.model.symbols import Resolved, SymbolRef


class Usage(Value, kw_only=True, frozen=True):
    """A place where a symbol is used (SPEC section 10, FindUsages).

    `snippet`: the line, cut where it is very long; `column`, `end_column`: 0-based characters of it, end exclusive.
    `grade`: `bound` where the name is bound to the symbol by the rules of the language, `name match` where it cannot be
    told. `enclosing`: the member or type it stands in; `kind`: call, read, write, new, type, base, attribute …"""

    file: str
    line: int
    column: int
    end_column: int
    snippet: str
    grade: str
    kind: str
    enclosing: SymbolRef | None = None


class UsagesAnswer(Value, kw_only=True, frozen=True):
    """Usages by project, file and line, the declaring project first. `total`: how many there are of the grade that was
    asked for, `bound`: how many of them are bound; `truncated`: not all of them are told."""

    resolved: Resolved
    symbol: SymbolRef
    usages: tuple[Usage, ...]
    total: int
    bound: int
    truncated: bool
    elapsed_ms: float


class Definition(Value, kw_only=True, frozen=True):
    """What a name at a place means. `symbols`: the one declaration where `certain`, else what it may be; `line`: where
    a local is declared; `reason`: a sentence where it could not be told, or is not declared in the workspace."""

    name: str
    symbols: tuple[SymbolRef, ...] = ()
    certain: bool = False
    line: int | None = None
    reason: str = ""


class FileHit(Value, kw_only=True, frozen=True):
    """A file found by a part of its path. `positions`: 0-based character offsets into `path` that matched."""

    path: str
    positions: tuple[int, ...] = ()
