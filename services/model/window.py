"""The prompt window."""

from __future__ import annotations

from enum import StrEnum

from services.model.base import Value


class Level(StrEnum):
    """How much of an item is shown, least first (SPEC section 8). Which of them a kind of item has is in
    services/prompt/state/items.py."""

    SIGNATURE = "signature"
    OUTLINE = "outline"
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
