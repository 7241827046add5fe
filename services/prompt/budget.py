"""How much the window may hold, and what may be pinned of that (SPEC section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from services.errors import BudgetExceeded
from services.prompt.cut import Room, grouped
from services.prompt.shelf import Piece
from services.prompt.tokenizers import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much the text may be, and how much of that may be pinned unless forced.

    `tokens`: of the model's tokenizer; `max_chars`: characters, or None; `soft`: the pinned share, 0 to 1."""

    tokens: int
    max_chars: int | None = None
    soft: float = 0.6

    @property
    def room(self) -> Room:
        """What the text may be."""
        return Room(self.tokens, self.max_chars)

    @property
    def pin_room(self) -> Room:
        """What may be pinned unless forced."""
        # As a fraction: 0.6 of 10 as floating point is less than 6.
        share = Fraction(str(self.soft))
        return Room(int(self.tokens * share), None if self.max_chars is None else int(self.max_chars * share))

    def admit(self, label: str, new: Piece, *, beside: Sequence[Piece]) -> None:
        """Raise BudgetExceeded unless an item of this size may be pinned beside these."""
        free = self.pin_room.less(sum(piece.tokens for piece in beside), sum(piece.chars for piece in beside))
        if free.holds(new.tokens, new.chars):
            return
        by_tokens = new.tokens > free.tokens
        size = new.tokens if by_tokens else new.chars
        left = max(0, free.tokens if by_tokens else free.chars or 0)
        unit = "tokens" if by_tokens else "characters"
        share = f"the {round(self.soft * 100)} % of the budget that may be pinned"
        message = (
            f"{label} takes {grouped(size)} {unit}; {grouped(left)} are free of {share}. "
            f"Unpin {grouped(size - left)} {unit}, raise the budget, or force it."
        )
        raise BudgetExceeded(
            message,
            needed=new.tokens,
            free=max(0, free.tokens),
            budget=self.pin_room.tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOptions:
    """For whom the text is. `model`: the name people chose; `counter`: its tokenizer's."""

    model: str
    counter: TokenCounter
    budget: Budget
