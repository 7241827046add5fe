"""Filling the budget: what goes into the text, whole, cut or not at all (SPEC section 8, 004 section 8).

Items come in the order of the text: pinned by the time they were pinned, then recent by last use. Each is
taken whole where it fits, else cut at a line, else left out and listed at the end. The text never exceeds
either limit, and the same items give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.model import Omitted
from services.prompt.content import Content
from services.prompt.cut import Room, cut_to, grouped
from services.prompt.render import Format
from services.prompt.shelf import Piece, pieces_of
from services.prompt.tokenizers import TokenCounter

LISTED = 30
"""How many of the things that are not shown are listed by name."""
FOOTER_SHARE = 10
"""One part in so many of the budget is kept free for that list."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that wants in. `content` is None for one that has vanished; `piece` is what it costs whole."""

    key: str
    label: str
    pinned: bool
    content: Content | None
    piece: Piece | None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Composition:
    """The text. `pieces`: what was taken of each candidate, None for those left out; `cut`: keys of those
    cut."""

    text: str
    tokens: int
    pieces: tuple[Piece | None, ...]
    cut: frozenset[str]
    omitted: tuple[Omitted, ...]


class Composer:
    """Puts one text together in a format, within limits."""

    def __init__(self, form: Format, counter: TokenCounter, limits: Room) -> None:
        self._form = form
        self._counter = counter
        self._limits = limits

    def compose(self, candidates: Sequence[Candidate]) -> Composition:
        """The text of the candidates, in their order."""
        head, tail, listed_tail = self._measure(self._form.head, self._form.tail, self._form.listed_tail)
        taken = self._taken(candidates, _less(self._limits, head, tail))
        if any(piece is None for piece, _ in taken):
            # Room for both endings: whether the list fits is not known yet.
            room = self._beside_a_footer(candidates, _less(self._limits, head, tail, listed_tail))
            taken = self._taken(candidates, room)
        omitted = [
            _omitted(each) for each, (piece, _) in zip(candidates, taken, strict=True) if piece is None
        ]
        pieces = [piece for piece, _ in taken if piece is not None]
        footer = self._footer(omitted, _less(self._limits, head, listed_tail, *pieces))
        parts = [head, *pieces, *footer, listed_tail if footer else tail]
        text = "".join(part.text for part in parts) if _less(self._limits, *parts).holds(0, 0) else ""
        return Composition(
            text=text,
            tokens=self._tokens(text, parts),
            pieces=tuple(piece for piece, _ in taken),
            cut=frozenset(each.key for each, (_, cut) in zip(candidates, taken, strict=True) if cut),
            omitted=tuple(omitted),
        )

    def _beside_a_footer(self, candidates: Sequence[Candidate], room: Room) -> Room:
        """The room less what listing some of the candidates takes, at most FOOTER_SHARE of it."""
        named = [_omitted(each) for each in candidates[:LISTED]]
        head, rest, *lines = self._measure(
            self._form.omitted_head,
            self._rest(len(candidates), _sum(candidates)),
            *(self._form.omitted(_what(each), each.key, first=False) for each in named),
        )
        tokens = min(sum(line.tokens for line in lines), room.tokens // FOOTER_SHARE)
        chars = min(sum(line.chars for line in lines), (room.chars or 0) // FOOTER_SHARE)
        return _less(room, head, rest).less(tokens, chars)

    def _tokens(self, text: str, parts: Sequence[Piece]) -> int:
        """Of the text: the sum of its pieces, but for approximations, which round each piece up."""
        if not text:
            return 0
        return sum(part.tokens for part in parts) if self._counter.exact else self._counter.count(text)

    def _whole(self, candidate: Candidate, *, first: bool) -> Piece | None:
        if candidate.content is None or not first:
            return candidate.piece
        return self._measure(self._form.item(candidate.content, first=True))[0]

    def _taken(self, candidates: Sequence[Candidate], room: Room) -> list[tuple[Piece | None, bool]]:
        """(piece or None, whether it is cut) of each candidate."""
        taken: list[tuple[Piece | None, bool]] = []
        first, cuttable = True, True
        for candidate in candidates:
            piece, cut = self._whole(candidate, first=first), False
            if piece is not None and not room.holds(piece.tokens, piece.chars):
                # What is cut leaves next to nothing: after it only what fits whole comes in.
                piece = self._cut(candidate, room, first=first) if cuttable else None
                cut = piece is not None
                cuttable = not cut
            if piece is not None:
                room, first = room.less(piece.tokens, piece.chars), False
            taken.append((piece, cut))
        return taken

    def _cut(self, candidate: Candidate, room: Room, *, first: bool) -> Piece | None:
        content, whole = candidate.content, candidate.piece
        if content is None or whole is None:
            return None

        def measured(shorter: Content) -> Piece:
            return self._measure(self._form.item(shorter, first=first))[0]

        def fits(shorter: Content) -> bool:
            piece = measured(shorter)
            return room.holds(piece.tokens, piece.chars)

        shorter = cut_to(room, content, tokens=whole.tokens, fits=fits)
        return None if shorter is None else measured(shorter)

    def _footer(self, omitted: Sequence[Omitted], room: Room) -> list[Piece]:
        """The list of what is not shown, as much of it as fits, or nothing."""
        if not omitted:
            return []
        form, named = self._form, omitted[:LISTED]
        head, *lines = self._measure(
            form.omitted_head,
            *(form.omitted(_what(each), each.key, first=number == 0) for number, each in enumerate(named)),
        )
        left = [sum(each.tokens for each in omitted[count:]) for count in range(len(named) + 1)]
        ends = self._measure(
            *(self._rest(len(omitted) - n, tokens, first=n == 0) for n, tokens in enumerate(left))
        )
        for count in range(len(named), -1, -1):
            footer = [head, *lines[:count], *([ends[count]] if count < len(omitted) else [])]
            if _less(room, *footer).holds(0, 0):
                return footer
        return []

    def _rest(self, count: int, tokens: int, *, first: bool = False) -> str:
        size = f"{grouped(tokens)} tokens"
        sentence = f"{grouped(count)} items, {size}" if first else f"and {grouped(count)} more, {size}"
        return self._form.omitted(sentence, None, first=first)

    def _measure(self, *texts: str) -> list[Piece]:
        return pieces_of(texts, self._counter)


def _sum(candidates: Sequence[Candidate]) -> int:
    return sum(each.piece.tokens for each in candidates if each.piece is not None)


def _less(room: Room, *pieces: Piece) -> Room:
    return room.less(sum(piece.tokens for piece in pieces), sum(piece.chars for piece in pieces))


def _omitted(candidate: Candidate) -> Omitted:
    tokens = candidate.piece.tokens if candidate.piece is not None else 0
    reason = candidate.why_not or "It does not fit what is left of the budget."
    return Omitted(key=candidate.key, label=candidate.label, tokens=tokens, reason=reason)


def _what(omitted: Omitted) -> str:
    return f"{omitted.label}: {f'{grouped(omitted.tokens)} tokens' if omitted.tokens else omitted.reason}"
