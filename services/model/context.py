"""Answers of FindContext."""

from __future__ import annotations

from services.model.base import Value
from services.model.symbols import SymbolRef
from services.model.window import Level


class FoundPlace(Value, kw_only=True, frozen=True):
    """Location that a text names. `kind`: frame, line, file, change or route; `symbol`: declared there, None outside
    the workspace."""

    text: str
    kind: str
    path: str = ""
    line: int = 0
    symbol: SymbolRef | None = None


class ContextItem(Value, kw_only=True, frozen=True):
    """A type, or a member that was named. `level`: how it is shown in the budget; `cost`: its tokens so; `score`: of
    the best one's; `reasons`: clauses, the strongest first; `members`: ids of those that its outline lists, all where
    there are none."""

    symbol: SymbolRef
    level: Level
    cost: int
    score: float
    reasons: tuple[str, ...]
    members: tuple[str, ...] = ()


class Context(Value, kw_only=True, frozen=True):
    """Ranked context, best first. `tokens`: of all items; `places`: locations that the text names; `commits`: of
    the history that was searched, 0 where there is none; `complete`: whether every part of the index was
    available."""

    items: tuple[ContextItem, ...]
    tokens: int
    budget: int
    places: tuple[FoundPlace, ...] = ()
    commits: int = 0
    complete: bool = True
    elapsed_ms: float = 0.0


class Link(Value, kw_only=True, frozen=True):
    """How types hang together: each of `types` names the next; `calls`: which members do, where that is known."""

    types: tuple[str, ...]
    calls: tuple[str, ...] = ()


class Evidence(Value, kw_only=True, frozen=True):
    """Line of a file that supports a conclusion."""

    path: str
    line: int
    text: str


class EvidencePlace(Value, kw_only=True, frozen=True):
    """Lines of a file that support a conclusion. `path`: of the enclosing symbol, empty where there is none;
    `token`: of the file when they were checked; `digest`: of the lines alone."""

    file: str
    start_line: int
    end_line: int
    token: str
    digest: str
    path: str = ""


class Conclusion(Value, kw_only=True, frozen=True):
    """Conclusion about a question. `kind`: `static` for one without a model, `model`, or `asked` while a model
    searches; `text`: the same as Markdown, which is in `file` too; `places`: evidence of a model's conclusion,
    each verified; `left_out`: why other locations were rejected; `reasons`: why it may be outdated; `op_id`: of
    the operation that produced it, and its own."""

    question: str
    kind: str = "static"
    items: tuple[ContextItem, ...] = ()
    links: tuple[Link, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    commits: int = 0
    text: str = ""
    file: str = ""
    places: tuple[EvidencePlace, ...] = ()
    left_out: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    op_id: str | None = None
