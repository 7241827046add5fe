"""Budget of the window: how much it may hold, and the ladder: how much of each item is shown where not all of it
fits (SPEC section 8).

Detail goes before items do. Pinned items are served before recent ones, and within each group the first pinned or
last used; each gets the most detail that leaves the others of its group their least. What cannot even have its least
is cut at a line, or left out. Room that is then still left goes to the first item that lost detail: its next higher
rung, cut at a line, if a fair share of it fits. At most one item is cut. Of types whose whole outlines do not all
fit, each first has the members that the rest of the window and the question name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from services.errors import BudgetExceeded
from services.model import Level
from services.prompt.items import OUTLINES
from services.prompt.render.content import Content, RemainingBudget, cut_to, grouped
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
        from fractions import Fraction

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


LEAST_SHARE = 4
"""A cut rung that shows less than one part in so many says less than the rung below it."""
LEAST_SHARE_OF_OUTLINE = 2
"""As LEAST_SHARE: an outline begins with its facts, and its members, which tell more than a signature, come after."""

_RAISED = (Level.OUTLINE, Level.DECLARATIONS)
"""Levels that a type has once every other has the members that others use."""


class Rung(msgspec.Struct, frozen=True):
    """An item at a level, cut or not, and what it costs: behind others, unless it is shown as the first of them.
    `sections`: how many of those it shows that are left out first."""

    content: Content
    piece: Piece
    sections: int = 0

    @property
    def cut(self) -> bool:
        """Whether it ends before the item does."""
        return bool(self.content.cut)


class Candidate(msgspec.Struct, frozen=True):
    """An item that wants in. `rungs`: as it was chosen first, then with less and less detail; none for an item that has
    vanished, of which `why_not` speaks."""

    key: str
    label: str
    pinned: bool
    rungs: tuple[Rung, ...]
    why_not: str = ""

    @property
    def wanted(self) -> Rung | None:
        """The rung that was chosen."""
        return self.rungs[0] if self.rungs else None


Measure = Callable[[Content, bool], Piece]
"""The piece of a content; the flag says whether it is the first of the text."""


def less(room: RemainingBudget, *pieces: Piece) -> RemainingBudget:
    """Return the remaining budget after pieces."""
    return room.less(sum(piece.tokens for piece in pieces), sum(piece.chars for piece in pieces))


class Reserve:
    """Budget reserved for pieces that have not had their turn."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._tokens = sum(piece.tokens for piece in pieces)
        self._chars = sum(piece.chars for piece in pieces)

    def release(self, piece: Piece) -> None:
        """Its turn has come."""
        self._tokens -= piece.tokens
        self._chars -= piece.chars

    def beside(self, room: RemainingBudget) -> RemainingBudget:
        """Return the remaining budget after all reserved pieces."""
        return room.less(self._tokens, self._chars)


class Allocation:
    """Allocation of a budget to candidates."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        room: RemainingBudget,
        measure: Measure,
        turns: Sequence[int] | None = None,
        *,
        most_raised: int | None = None,
    ) -> None:
        """`turns`: the places of the candidates in the order in which they are served, else their own; `most_raised`:
        tokens up to which a type is listed whole that has the members that others use."""
        self._most_raised = most_raised
        self._candidates = candidates
        self._turns = range(len(candidates)) if turns is None else turns
        self._room = room
        self._measure = measure
        self._taken: list[Rung | None] = [None] * len(candidates)
        self._cuttable = True

    def made(self) -> list[Rung | None]:
        """Return the rung taken of each candidate, in their order."""
        for pinned in (True, False):
            its = [n for n in self._turns if self._candidates[n].pinned is pinned]
            self._share([n for n in its if self._candidates[n].rungs])
        self._add_sections()
        if self._cuttable:
            self._spend_the_rest()
        self._begin()
        return self._taken

    def _begin(self) -> None:
        """Reserve the start of the text, and drop candidates that then do not fit."""
        for n, taken in enumerate(self._taken):
            if taken is None:
                continue
            first = replace(taken, piece=self._measure(taken.content, True))
            room = self._room.less(-taken.piece.tokens, -taken.piece.chars)
            if room.holds(first.piece.tokens, first.piece.chars):
                self._taken[n], self._room = first, less(room, first.piece)
                return
            self._taken[n], self._room = None, room

    def _share(self, group: Sequence[int]) -> None:
        least = {n: self._candidates[n].rungs[-1].piece for n in group}
        kept = self._kept(group, least)
        reserve = Reserve([least[n] for n in group if n in kept])
        for n in group:
            if n in kept:
                reserve.release(least[n])
                self._take(n, reserve.beside(self._room))
            elif self._cuttable:
                self._take_cut(n, reserve.beside(self._room))
        self._raise([n for n in group if self._taken[n] is not None])

    def _raise(self, group: Sequence[int]) -> None:
        """Give whole outlines to types that have the members that others use, the smallest first: one large type would
        take what many others need."""
        for level in (Level.OUTLINE, Level.DECLARATIONS):
            more = [
                (rung.piece.tokens - taken.piece.tokens, n, taken, rung)
                for n in group
                if (taken := self._taken[n]) is not None and taken.content.level in OUTLINES
                for rung in self._candidates[n].rungs
                if rung.content.level is level and not rung.sections and not taken.sections
                if self._most_raised is None or rung.piece.tokens <= self._most_raised
            ]
            for _, n, taken, rung in sorted(more, key=lambda each: each[:2]):
                if OUTLINES.index(taken.content.level) < OUTLINES.index(level):
                    self._replace(n, taken, rung)

    def _kept(self, group: Sequence[int], least: dict[int, Piece]) -> set[int]:
        """Return the candidates whose smallest rung fits, earlier ones first."""
        room, kept = self._room, set[int]()
        for n in group:
            if room.holds(least[n].tokens, least[n].chars):
                room = less(room, least[n])
                kept.add(n)
        return kept

    def _take(self, n: int, room: RemainingBudget) -> None:
        """Take the highest rung that fits, without sections: each item's own text has priority over sections of
        another."""
        rungs = self._candidates[n].rungs
        is_staged = any(rung.content.level is Level.USED for rung in rungs)
        for rung in rungs:
            if rung.sections or (is_staged and rung.content.level in _RAISED):
                continue
            if room.holds(rung.piece.tokens, rung.piece.chars):
                self._set(n, rung)
                return

    def _take_cut(self, n: int, room: RemainingBudget) -> None:
        """Take the lowest rung, cut. Nothing is cut after that, since hardly any budget is left."""
        cut = self._cut(self._candidates[n].rungs[-1], room)
        if cut is not None:
            self._set(n, cut)
            self._cuttable = False

    def _set(self, n: int, taken: Rung) -> None:
        self._taken[n] = taken
        self._room = less(self._room, taken.piece)

    def _add_sections(self) -> None:
        """Spend the remaining budget on sections: the first of each item before the second of any. Where one does not
        fit, no less valuable one is added."""
        most = max((rung.sections for each in self._candidates for rung in each.rungs), default=0)
        fits, count = True, 0
        while fits and (count := count + 1) <= most:
            for n in self._turns:
                taken = self._taken[n]
                if taken is not None and (more := self._with_one_more(n, taken, count)) is not None:
                    fits = fits and self._replace(n, taken, Rung(more.content, more.piece, count))

    def _replace(self, n: int, taken: Rung, more: Rung) -> bool:
        """Replace the rung of an item by a larger one; return whether it fit."""
        room = self._room.less(-taken.piece.tokens, -taken.piece.chars)
        if room.holds(more.piece.tokens, more.piece.chars):
            self._taken[n], self._room = more, less(room, more.piece)
            return True
        return False

    def _with_one_more(self, n: int, taken: Rung, count: int) -> Rung | None:
        """Return the rung with one section more than the current one at its level; None where that is not the
        next."""
        if taken.sections != count - 1:
            return None
        rungs = (rung for rung in self._candidates[n].rungs if rung.sections == count)
        return next((rung for rung in rungs if rung.content.level is taken.content.level), None)

    def _spend_the_rest(self) -> None:
        """Show more of the first item that lost detail, as far as the budget allows. The beginning of a whole file is
        less useful than its outline."""
        shown = [(n, each) for n in self._turns if (each := self._taken[n]) is not None]
        for n, taken in sorted(shown, key=lambda each: each[1].sections):
            higher = self._above(n, taken)
            if higher is None or higher.content.level is Level.WHOLE or taken.content.level is Level.USED:
                continue
            room = self._room.less(-taken.piece.tokens, -taken.piece.chars)
            cut = self._cut(higher, room)
            share = LEAST_SHARE_OF_OUTLINE if higher.content.level is Level.OUTLINE else LEAST_SHARE
            if cut is not None and cut.piece.tokens * share >= higher.piece.tokens:
                self._taken[n] = cut
                return

    def _above(self, n: int, taken: Rung) -> Rung | None:
        rungs = self._candidates[n].rungs
        at = next(place for place, rung in enumerate(rungs) if rung.content is taken.content)
        return rungs[at - 1] if at else None

    def _cut(self, rung: Rung, room: RemainingBudget) -> Rung | None:
        def fits(shorter: Content) -> bool:
            piece = self._measure(shorter, False)
            return room.holds(piece.tokens, piece.chars)

        shorter = cut_to(room, rung.content, tokens=rung.piece.tokens, fits=fits)
        return None if shorter is None else Rung(shorter, self._measure(shorter, False))


def falling(rungs: Sequence[Rung]) -> tuple[Rung, ...]:
    """Return the rungs that cost less than those before them."""
    kept: list[Rung] = []
    for rung in rungs:
        above = kept[-1].piece if kept else None
        if above is None or (rung.piece.tokens < above.tokens and rung.piece.chars < above.chars):
            kept.append(rung)
    return tuple(kept)


def with_rungs(candidate: Candidate, rungs: Sequence[Rung]) -> Candidate:
    """The candidate with all the rungs that take it down."""
    return replace(candidate, rungs=falling(rungs))
