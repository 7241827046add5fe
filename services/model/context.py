"""Answers of FindContext."""

from __future__ import annotations

from services.model.base import Value
from services.model.symbols import SymbolRef
from services.model.window import Level


class FoundPlace(Value, kw_only=True, frozen=True):
    """A place that a text names. `kind`: frame, line, file or change; `symbol`: what stands there, None where it is
    not of this workspace."""

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
    """Best first. `tokens`: of all items; `places`: what the text named; `commits`: of the history that was asked, 0
    where there is none; `complete`: whether every part of the index was there to be asked."""

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
    """A line of a file that a conclusion stands on."""

    path: str
    line: int
    text: str


class EvidencePlace(Value, kw_only=True, frozen=True):
    """Lines of a file that show what a conclusion says. `path`: of the symbol that they are in, empty where there is
    none; `token`: of the file when they were checked; `digest`: of the lines alone."""

    file: str
    start_line: int
    end_line: int
    token: str
    digest: str
    path: str = ""


class Conclusion(Value, kw_only=True, frozen=True):
    """Conclusion about a question. `kind`: `static` where no model was asked, `model`, or `asked` while one looks;
    `text`: the same as Markdown, which is in `file` too; `places`: what a model's conclusion stands on, each looked up;
    `left_out`: why others that it named are none; `reasons`: why it may not hold any more; `op_id`: of the operation
    that found it out, and its own."""

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
