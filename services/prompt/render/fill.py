"""Filling of the budget: the choice of items for the text, and of their detail (SPEC section 8, 004 section 8).

Items come by their priority: pinned ones, then recent by last use; in the text interfaces and values stand before
what uses them, tests behind those, and source last. Where not everything fits as it was chosen, the ladder
(ladder.py) takes detail away before it takes items away. What it took is listed at the end of the text, with keys to
ask for it by. The text never exceeds either limit, and the same items give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace

from services.model import Lowered, Omitted
from services.prompt.items import Order
from services.prompt.render.content import Content, Format, RemainingBudget, grouped
from services.prompt.render.ladder import Allocation, Candidate, Rung, less
from services.prompt.render.render_cache import Piece, pieces_of
from services.prompt.tokens.tokenizers import TokenCounter

LISTED = 30
"""How many of the things that are not shown are listed by name."""
_MOST_ATTEMPTS = 3
"""How often what joining saves is shared out anew."""
WITHOUT_CONTENTS = 8
"""Items up to which a text needs no table of contents."""
CONTENTS_SHARE = 10
"""One part in so many of the text its contents may take."""
FOOTER_SHARE = 10
"""One part in so many of the budget is kept free for that list."""


class Composition(msgspec.Struct, frozen=True):
    """The text. `taken`: what it shows of each candidate, None for those left out; `costs`: its tokens,
    where some share a piece."""

    text: str
    tokens: int
    taken: tuple[Rung | None, ...]
    omitted: tuple[Omitted, ...]
    lowered: tuple[Lowered, ...]
    costs: tuple[int, ...] | None = None

    @property
    def lost(self) -> tuple[int, int]:
        """How many items are left out, and how many are shown with less detail than was chosen."""
        return len(self.omitted), len(self.lowered)


class _Line(msgspec.Struct, frozen=True):
    """An entry of the list at the end. `tokens`: what is not shown of it."""

    what: str
    key: str
    tokens: int


class JoinPlan(Protocol):
    """Candidates of which some are shown as one."""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates that the text consists of."""
        ...

    def costs(self, items: Sequence[Candidate], taken: Sequence[Rung]) -> list[int]:
        """The tokens of each item, which together are those of `candidates` as they were taken."""
        ...


Join = Callable[[Sequence[Candidate]], JoinPlan | None]
"""Says which of some candidates, each at the one rung it is shown at, belong together; None where none do."""
Lower = Callable[[Sequence[Candidate]], Sequence[Candidate]]
"""Gives candidates all their rungs."""


def _same(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    return candidates


def _apart(_: Sequence[Candidate]) -> None:
    return None


class Composer:
    """Puts one text together in a format, within `limits`."""

    def __init__(
        self,
        form: Format,
        counter: TokenCounter,
        limits: RemainingBudget,
        *,
        most_raised: int | None = None,
    ) -> None:
        """Create it for texts within `limits`. `most_raised`: as in Allocation."""
        self._most_raised = most_raised
        self._form = form
        self._counter = counter
        self.limits = limits
        self._turns: Sequence[int] = ()

    def compose(
        self, candidates: Sequence[Candidate], lower: Lower = _same, join: Join = _apart
    ) -> Composition:
        """Compose the text of the candidates. Budget is given in their order; in the text they are sorted by their
        `Order`. `lower` gives them all their rungs, and is called only where they do not fit as they were chosen;
        `join` groups those that belong together as they are shown."""
        there = sorted(range(len(candidates)), key=lambda n: _order(candidates[n]))
        self._turns = sorted(range(len(candidates)), key=lambda place: there[place])
        made = self._composed([candidates[n] for n in there], lower, join)
        return replace(
            made,
            taken=tuple(made.taken[place] for place in self._turns),
            costs=None if made.costs is None else tuple(made.costs[place] for place in self._turns),
        )

    def _composed(self, candidates: Sequence[Candidate], lower: Lower, join: Join) -> Composition:
        plan = join(candidates) if all(each.rungs for each in candidates) else None
        joined = self._whole(plan.candidates) if plan is not None else None
        if plan is not None and joined is not None:
            costs = plan.costs(candidates, [rung for rung in joined.taken if rung is not None])
            return replace(joined, taken=tuple(each.rungs[0] for each in candidates), costs=tuple(costs))
        return self._whole(candidates) or self._compose_less(lower(candidates), join)

    def measured(self, content: Content) -> Piece:
        """Return the piece of a content that follows others."""
        return self._piece(content, False)

    def _whole(self, candidates: Sequence[Candidate]) -> Composition | None:
        """The text of all candidates as they were chosen; None where they do not fit."""
        head, tail = self._measure(self._form.head, self._form.tail)
        taken = self._all_of(candidates, less(self.limits, head, tail))
        if taken is None:
            return None
        parts = [head, *[each.piece for each in taken], tail]
        parts[1:1] = self._contents(taken, less(self.limits, *parts))
        text = "".join(part.text for part in parts)
        return Composition(text, self._tokens(text, parts), tuple(taken), (), ())

    def _compose_less(self, candidates: Sequence[Candidate], join: Join) -> Composition:
        """The text of candidates that do not all fit as they were chosen. What belongs together is joined where nothing
        is left out or lowered for that; joining takes another room than its parts, which is shared out anew."""
        best, _ = self._attempt(candidates, _apart, (0, 0))
        extra = (0, 0)
        shown = [replace(each, rungs=(its,)) for each, its in zip(candidates, best.taken, strict=True) if its]
        may_join = bool(shown) and join(shown) is not None
        for _ in range(_MOST_ATTEMPTS if may_join else 0):
            made, spared = self._attempt(candidates, join, extra)
            if made.text and made.lost > best.lost:
                break
            if made.text:
                best = made
            if spared == extra or made.costs is None:
                break
            extra = spared
        return best

    def _attempt(
        self, candidates: Sequence[Candidate], join: Join, extra: tuple[int, int]
    ) -> tuple[Composition, tuple[int, int]]:
        """The text, empty where it does not fit, and the tokens and characters that joining saved. `extra`: of both,
        what is shared out beyond the limits because joining is expected to save it, negative where it takes it."""
        head, tail, listed_tail = self._measure(self._form.head, self._form.tail, self._form.listed_tail)
        limits = self.limits.less(-extra[0], -extra[1])
        taken = self._shared(candidates, less(limits, head, tail))
        if any(each is not None for each in map(_line, candidates, taken)):
            # Room for both endings: whether the list fits is not known yet.
            room = self._beside_a_footer(candidates, less(limits, head, tail, listed_tail))
            taken = self._shared(candidates, room)
        rungs, costs = self._joined(candidates, taken, join)
        pieces = [rung.piece for rung in rungs]
        apart = [each.piece for each in taken if each is not None]
        lines = [
            line
            for each, its in zip(candidates, taken, strict=True)
            if (line := _line(each, its)) is not None
        ]
        footer = self._footer(lines, less(self.limits, head, listed_tail, *pieces))
        parts = [head, *pieces, *footer, listed_tail if footer else tail]
        parts[1:1] = self._contents(rungs, less(self.limits, *parts))
        text = "".join(part.text for part in parts) if less(self.limits, *parts).holds(0, 0) else ""
        made = Composition(
            text=text,
            tokens=self._tokens(text, parts),
            taken=tuple(taken),
            omitted=tuple(_omitted(each) for each, its in zip(candidates, taken, strict=True) if its is None),
            lowered=tuple(
                each for pair in zip(candidates, taken, strict=True) if (each := _lowered(*pair)) is not None
            ),
            costs=costs,
        )
        return made, (_tokens_of(apart) - _tokens_of(pieces), _chars_of(apart) - _chars_of(pieces))

    def _joined(
        self, candidates: Sequence[Candidate], taken: Sequence[Rung | None], join: Join
    ) -> tuple[list[Rung], tuple[int, ...] | None]:
        """The pieces of what was taken, what belongs together as one, and the tokens of each candidate then; None where
        each has a piece of its own."""
        shown = [replace(each, rungs=(its,)) for each, its in zip(candidates, taken, strict=True) if its]
        apart = [each.rungs[0] for each in shown]
        plan = join(shown) if shown else None
        if plan is None:
            return apart, None
        rungs = [each.rungs[0] for each in plan.candidates]
        if rungs[0] is not shown[0].rungs[0]:
            rungs[0] = Rung(rungs[0].content, self._piece(rungs[0].content, True))
        costs = iter(plan.costs(shown, rungs))
        return rungs, tuple(next(costs) if its else 0 for its in taken)

    def _contents(self, rungs: Sequence[Rung], remaining: RemainingBudget) -> list[Piece]:
        """Return the contents of a text of many items, with costs, where they fit and take a small part of it."""
        if self._form.contents is None or len(rungs) <= WITHOUT_CONTENTS:
            return []
        told = [
            (f"{rung.content.rendered.label} · {rung.content.title}", rung.piece.tokens) for rung in rungs
        ]
        made = self._measure(self._form.contents(told))
        text = sum(rung.piece.tokens for rung in rungs)
        fits = less(remaining, *made).holds(0, 0) and made[0].tokens * CONTENTS_SHARE <= text
        return made if fits else []

    def _shared(self, candidates: Sequence[Candidate], room: RemainingBudget) -> list[Rung | None]:
        turns, most = self._turns, self._most_raised
        return Allocation(candidates, room, self._piece, turns, most_raised=most).made()

    def _all_of(self, candidates: Sequence[Candidate], room: RemainingBudget) -> list[Rung] | None:
        """Every candidate as it was chosen, if they fit and none has vanished."""
        taken = [each.rungs[0] for each in candidates if each.rungs]
        if len(taken) < len(candidates):
            return None
        room = less(room, *(rung.piece for rung in taken[1:]))
        if taken and room.holds(0, 0):
            taken[0] = Rung(taken[0].content, self._piece(taken[0].content, True))
            room = less(room, taken[0].piece)
        return taken if room.holds(0, 0) else None

    def _beside_a_footer(self, candidates: Sequence[Candidate], room: RemainingBudget) -> RemainingBudget:
        """Return the budget less the cost of listing omitted candidates, at most FOOTER_SHARE of it."""
        named = [_left_out(each) for each in candidates[:LISTED]]
        head, rest, *lines = self._measure(
            self._form.omitted_head,
            self._rest(len(candidates), _sum(candidates)),
            *(self._form.omitted(line.what, line.key, first=False) for line in named),
        )
        tokens = min(sum(line.tokens for line in lines), room.tokens // FOOTER_SHARE)
        chars = min(sum(line.chars for line in lines), (room.chars or 0) // FOOTER_SHARE)
        return less(room, head, rest).less(tokens, chars)

    def _tokens(self, text: str, parts: Sequence[Piece]) -> int:
        """Return the tokens of the text: the sum of its pieces, which an approximation does not round one by one."""
        return self._counter.tokens(sum(part.units for part in parts)) if text else 0

    def _footer(self, lines: Sequence[_Line], room: RemainingBudget) -> list[Piece]:
        """The list of what is not shown, as much of it as fits, or nothing."""
        if not lines:
            return []
        form, named = self._form, lines[:LISTED]
        head, *entries = self._measure(
            form.omitted_head,
            *(form.omitted(line.what, line.key, first=number == 0) for number, line in enumerate(named)),
        )
        left = [sum(line.tokens for line in lines[count:]) for count in range(len(named) + 1)]
        ends = self._measure(
            *(self._rest(len(lines) - n, tokens, first=n == 0) for n, tokens in enumerate(left))
        )
        for count in range(len(named), -1, -1):
            footer = [head, *entries[:count], *([ends[count]] if count < len(lines) else [])]
            if less(room, *footer).holds(0, 0):
                return footer
        return []

    def _rest(self, count: int, tokens: int, *, first: bool = False) -> str:
        size = f"{grouped(tokens)} tokens"
        items = "1 item" if count == 1 else f"{grouped(count)} items"
        sentence = f"{items}, {size}" if first else f"and {grouped(count)} more, {size}"
        return self._form.omitted(sentence, None, first=first)

    def _piece(self, content: Content, first: bool) -> Piece:
        return pieces_of([self._form.item(content, first=first)], self._counter, most=self.limits)[0]

    def _measure(self, *texts: str) -> list[Piece]:
        return pieces_of(texts, self._counter)


def _order(candidate: Candidate) -> Order:
    return candidate.rungs[0].content.rendered.order if candidate.rungs else Order.SOURCE


def _tokens_of(pieces: Sequence[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)


def _chars_of(pieces: Sequence[Piece]) -> int:
    return sum(piece.chars for piece in pieces)


def _sum(candidates: Sequence[Candidate]) -> int:
    return sum(each.rungs[0].piece.tokens for each in candidates if each.rungs)


def _omitted(candidate: Candidate) -> Omitted:
    tokens = candidate.rungs[0].piece.tokens if candidate.rungs else 0
    reason = candidate.why_not or "It does not fit what is left of the budget."
    return Omitted(key=candidate.key, label=candidate.label, tokens=tokens, reason=reason)


def _lowered(candidate: Candidate, taken: Rung | None) -> Lowered | None:
    wanted = candidate.wanted
    if taken is None or wanted is None or taken.content.level is wanted.content.level:
        return None
    more = wanted.piece.tokens - taken.piece.tokens
    reason = (
        f"Shown as {taken.content.title}: as {wanted.content.title} it takes "
        f"{_size(more, wanted.piece)} more, which do not fit the budget."
    )
    return Lowered(
        key=candidate.key,
        label=candidate.label,
        wanted=wanted.content.level,
        shown=taken.content.level,
        tokens=more,
        reason=reason,
    )


def _line(candidate: Candidate, taken: Rung | None) -> _Line | None:
    """Return the entry of a candidate in the list of omissions; None where it is shown as it was chosen."""
    if taken is None:
        return _left_out(candidate)
    lowered = _lowered(candidate, taken)
    if lowered is None or candidate.wanted is None:
        return None
    more = f"{_size(lowered.tokens, candidate.wanted.piece)} more as {candidate.wanted.content.title}"
    return _Line(_about(candidate, more), candidate.key, lowered.tokens)


def _left_out(candidate: Candidate) -> _Line:
    if candidate.wanted is None:
        return _Line(_about(candidate, candidate.why_not), candidate.key, 0)
    piece = candidate.wanted.piece
    return _Line(_about(candidate, _size(piece.tokens, piece)), candidate.key, piece.tokens)


def _about(candidate: Candidate, what: str) -> str:
    """Return the entry's text for a candidate, with its name unless its key contains that: brief, so that many can be
    listed. A member has its key, which distinguishes it from others of its name."""
    kind, _, target = candidate.key.partition(":")
    if candidate.label == target:
        return what
    name = candidate.label.partition("(")[0] if kind == "member" else candidate.label
    return f"{name}: {what}"


def _size(tokens: int, piece: Piece) -> str:
    return f"{'' if piece.counted else 'about '}{grouped(tokens)} tokens"
