"""Values of the prompt window: items, states, packs and suggestions, and answers of FindContext."""

from __future__ import annotations

from enum import StrEnum

from services.model.base import Value
from services.model.symbols import SymbolRef


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
    """Missing types of the window, most referred to first, and items it may not need. `referred`: how many members its
    source uses beyond those that the same item shows, `shown`: how many of them another item shows, by its source or in
    an outline; `types`, `types_shown`: so of the types that its text refers to; `room`: tokens there are for more,
    `suggested_tokens`: what the best set takes of it; `added`: keys that were pinned."""

    referred: int
    shown: int
    types: int
    types_shown: int
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


class Level(StrEnum):
    """How much of an item is shown, least first (SPEC section 8). Which of them a kind of item has is in
    services/prompt/items.py."""

    SIGNATURE = "signature"
    USED = "used"
    OUTLINE = "outline"
    DECLARATIONS = "declarations"
    BODIES = "bodies"
    RANGE = "range"
    WHOLE = "whole"


class ItemState(StrEnum):
    """State of an item compared with the time when it was pinned."""

    FRESH = "fresh"
    BODY_CHANGED = "body changed"
    SIGNATURE_CHANGED = "signature changed"
    MOVED = "moved"
    GONE = "gone"


class ItemFlag(StrEnum):
    """Flag of an item of the window; a row shows `GLYPH` next to the word's first use in the legend."""

    STALE = "stale"
    CUT = "cut"
    LOWERED = "lowered"
    VANISHED = "vanished"
    SECRET = "secret"


class WindowItem(Value, kw_only=True, frozen=True):
    """Item of the prompt window, as the pane lists it. `tokens`: cost as rendered now.

    `level`: what is shown of it, None where nothing is; `wanted`: what was chosen; `members`: ids of those whose
    bodies were chosen, or which its outline is to list. `state_detail`: sentences about `state`, empty while it is
    fresh; `by`: the agent that chose it, empty for a person; `copied`: whether it belongs to the text, or is only
    listed as recently used, with what it would take."""

    key: str
    kind: str
    label: str
    detail: str
    pinned: bool
    tokens: int
    flags: tuple[ItemFlag, ...] = ()
    symbol_id: str | None = None
    file: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    level: Level | None = None
    wanted: Level | None = None
    members: tuple[str, ...] = ()
    state: ItemState = ItemState.FRESH
    state_detail: str = ""
    by: str = ""
    copied: bool = True


class Omitted(Value, kw_only=True, frozen=True):
    """Something that did not fit. `reason` is a sentence."""

    key: str
    label: str
    tokens: int
    reason: str


class Lowered(Value, kw_only=True, frozen=True):
    """Something that is shown with less detail than was chosen, because that did not fit. `tokens`: how many more
    `wanted` would take; `reason` is a sentence."""

    key: str
    label: str
    wanted: Level
    shown: Level
    tokens: int
    reason: str


class Window(Value, kw_only=True, frozen=True):
    """The prompt window, rendered. `budget`, `soft_budget`, and all counts are tokens of `model`'s tokenizer.

    `tokens_low`, `tokens_high`: what the model itself may count, where `tokens` is `approximate`; it is the high end
    that never exceeds the budget."""

    text: str
    tokens: int
    tokens_low: int | None = None
    tokens_high: int | None = None
    budget: int
    pinned_tokens: int
    soft_budget: int
    model: str
    tokenizer: str
    approximate: bool = False
    items: tuple[WindowItem, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    lowered: tuple[Lowered, ...] = ()


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
