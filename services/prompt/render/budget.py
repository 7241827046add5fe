"""How much the window may hold, and what may be pinned of that (SPEC section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from services.errors import BudgetExceeded
from services.prompt.render.content import RemainingBudget, grouped
from services.prompt.render.render_cache import Piece
from services.prompt.tokens.tokenizers import TokenCounter


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """How much the text may be, and how much of that may be pinned unless forced.

    `tokens`: of the model's tokenizer; `max_chars`: characters, or None; `soft`: the pinned share, 0 to 1; `band`: by
    how many percent the count may be wrong; `reserve`, `per_item`: tokens kept free, once and for each item."""

    tokens: int
    max_chars: int | None = None
    soft: float = 0.6
    band: int = 0
    reserve: int = 0
    per_item: int = 0

    @property
    def room(self) -> RemainingBudget:
        """The size that the text may have."""
        return self.room_for(0)

    def room_for(self, items: int) -> RemainingBudget:
        """Return the size that a text of so many items may have: small enough that the high end of the band is within
        the budget."""
        free = max(0, self.tokens - self.reserve - self.per_item * items)
        return RemainingBudget(free * 100 // (100 + self.band), self.max_chars)

    @property
    def pin_room(self) -> RemainingBudget:
        """The size of pins that are not forced."""
        # As a fraction: 0.6 of 10 as floating point is less than 6.
        share = Fraction(str(self.soft))
        room = self.room
        tokens = min(int(self.tokens * share * 100 / (100 + self.band)), room.tokens)
        return RemainingBudget(tokens, None if room.chars is None else int(room.chars * share))

    def low(self, tokens: int) -> int:
        """Return the low end of the band of a count."""
        return tokens * (100 - self.band) // 100

    def high(self, tokens: int) -> int:
        """Return the high end of the band of a count."""
        return -(-tokens * (100 + self.band) // 100)

    def admit(self, label: str, new: Sequence[Piece], *, beside: Sequence[Piece]) -> None:
        """Raise BudgetExceeded unless items of these sizes may be added to the present pins."""
        free = self.pin_room.less(sum(piece.tokens for piece in beside), sum(piece.chars for piece in beside))
        tokens, chars = sum(piece.tokens for piece in new), sum(piece.chars for piece in new)
        if free.holds(tokens, chars):
            return
        by_tokens = tokens > free.tokens
        size = tokens if by_tokens else chars
        left = free.tokens if by_tokens else free.chars or 0
        unit = "tokens" if by_tokens else "characters"
        about = "about " if by_tokens and not all(piece.counted for piece in new) else ""
        all_of_it = (self.pin_room.tokens if by_tokens else self.pin_room.chars) or 0
        less = "lines of it" if len(new) == 1 else "fewer of them"
        way_out = (
            f"Unpin {grouped(size - left)} {unit}" if size <= all_of_it else f"Pin {less}, or less detail"
        )
        share = f"the {round(self.soft * 100)} % of the budget that may be pinned"
        message = (
            f"{label} {'takes' if len(new) == 1 else 'take'} {about}{grouped(size)} {unit}; "
            f"{grouped(max(0, left))} are free of {share}. "
            f"{way_out}, raise the budget, or force it."
        )
        raise BudgetExceeded(
            message,
            needed=tokens,
            free=max(0, free.tokens),
            budget=self.pin_room.tokens,
        )


class WindowOptions(msgspec.Struct, frozen=True, kw_only=True):
    """For whom the text is. `model`: the name people chose; `counter`: its tokenizer's; `recents`: whether recent items
    are part of the text, not only listed."""

    model: str
    counter: TokenCounter
    budget: Budget
    recents: bool = True
