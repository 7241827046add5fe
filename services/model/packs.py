"""Packs, and what a window lacks."""

from __future__ import annotations

from services.model.base import Value
from services.model.symbols import SymbolRef
from services.model.window import Level, Omitted


class PackType(Value, kw_only=True, frozen=True):
    """A type in a pack. `chosen`: the filter matched it, or it was named by hand; where not, it is a dependency.
    `circle`: the number of the group of types that depend on each other, 0 for none; `tokens`: at this level."""

    id: str
    name: str
    level: Level
    tokens: int
    chosen: bool
    circle: int = 0


class PackInfo(Value, kw_only=True, frozen=True):
    """A pack as lists show it. `types`: how many it holds; `built_at`: ms since 1970, 0 for never; `active`: it weighs
    its types in the window's recent part; `problem`: a sentence where its file cannot be understood."""

    name: str
    filter: str
    types: int
    tokens: int
    budget: int
    built_at: int = 0
    active: bool = False
    problem: str = ""


class Pack(Value, kw_only=True, frozen=True):
    """A pack as it was built (004 section 10.2). `types`: in the order of the text, dependencies first; `omitted`: what
    did not fit; `gone`: types it names that are not there; `rebuilt`: whether anything had changed. Tokens are those
    of `tokenizer`, within `budget`."""

    name: str
    filter: str
    text: str
    tokens: int
    budget: int
    tokenizer: str
    types: tuple[PackType, ...]
    omitted: tuple[Omitted, ...] = ()
    gone: tuple[str, ...] = ()
    rebuilt: bool = True
    built_at: int = 0


class PackList(Value, kw_only=True, frozen=True):
    """Every pack of the workspace, by name."""

    packs: tuple[PackInfo, ...]


class Missing(Value, kw_only=True, frozen=True):
    """A workspace type that the window's text refers to and does not show, or a member that shown bodies use of their
    own type. `named`: how often it is named; `used`: how often a type is used without naming it, or a member;
    `signature`, `outline`: what showing it would cost, in tokens, a member's `outline` being its source; `value`: of a
    constant; `by`: keys of the items that refer to it; `suggested`: its level in the best set that fits, None where it
    is not in that."""

    symbol: SymbolRef
    named: int
    used: int
    signature: int
    outline: int
    value: str = ""
    by: tuple[str, ...] = ()
    suggested: Level | None = None


class Unneeded(Value, kw_only=True, frozen=True):
    """A pinned item that nothing else in the window refers to. `refers`: how many types it refers to itself: what is
    pinned to be asked about does, and is no waste."""

    key: str
    label: str
    tokens: int
    refers: int


class Completeness(Value, kw_only=True, frozen=True):
    """Missing types of the window, most referred to first, and items it may not need. `referred`: how many types its
    text refers to, `shown`: how many of them it shows; `room`: tokens there are for more, `suggested_tokens`: what the
    best set takes of it; `added`: keys that were pinned."""

    referred: int
    shown: int
    missing: tuple[Missing, ...]
    unneeded: tuple[Unneeded, ...]
    room: int
    suggested_tokens: int = 0
    added: tuple[str, ...] = ()


class Suggestion(Value, kw_only=True, frozen=True):
    """A symbol that is related to what is pinned. `score`: its share of a random walk, of the best one's; `reason`: a
    clause."""

    symbol: SymbolRef
    score: float
    reason: str


class Suggestions(Value, kw_only=True, frozen=True):
    """Best first. `basis`: how many types of the window they are related to."""

    suggestions: tuple[Suggestion, ...]
    basis: int
    elapsed_ms: float
