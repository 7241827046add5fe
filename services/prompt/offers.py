"""What the items of a window offer to its text: each as it was chosen, and, where not all fits, with less detail."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from services.prompt.content import Content
from services.prompt.items import KINDS, Request
from services.prompt.ladder import Candidate, Rung, with_rungs
from services.prompt.shelf import Piece, Shelf
from services.prompt.state import Entry


@dataclass(frozen=True, slots=True)
class Wish:
    """An entry, what is to be rendered of it (None for a kind that this program does not know), and whether it is
    pinned."""

    entry: Entry
    request: Request | None
    pinned: bool


@dataclass(frozen=True, slots=True)
class _Offered:
    """A candidate, and what it was made of."""

    entry: Entry
    content: Content | None
    piece: Piece | None
    candidate: Candidate

    def is_of(self, entry: Entry, content: Content | None, piece: Piece | None, *, pinned: bool) -> bool:
        """Whether it would be made of the very same again."""
        same = self.entry is entry and self.content is content and self.piece is piece
        return same and self.candidate.pinned is pinned


class Offers:
    """Candidates over a shelf. One that would be made of the very same again is the one of the last time. Not safe
    between threads."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._offered: dict[str, _Offered] = {}

    def candidates(self, wishes: Sequence[Wish]) -> list[Candidate]:
        """Each as it was chosen."""
        known = [(wish.request, wish.pinned) for wish in wishes if wish.request is not None]
        found = iter(self._shelf.contents(known))
        contents = [None if wish.request is None else next(found) for wish in wishes]
        pieces = iter(self._shelf.pieces([content for content in contents if content is not None]))
        return [
            self._candidate(wish, content, None if content is None else next(pieces))
            for wish, content in zip(wishes, contents, strict=True)
        ]

    def ladders(self, candidates: Sequence[Candidate], wishes: Sequence[Wish]) -> list[Candidate]:
        """The candidates of these wishes with all their rungs."""
        lower = [
            [(request, each.pinned) for request in _lower(wish.request)] if each.rungs else []
            for each, wish in zip(candidates, wishes, strict=True)
        ]
        found = iter(self._shelf.contents([asked for its in lower for asked in its]))
        contents = [[content for _ in its if (content := next(found)) is not None] for its in lower]
        pieces = iter(self._shelf.pieces([content for its in contents for content in its]))
        return [
            with_rungs(each, [*each.rungs, *(Rung(content, next(pieces)) for content in its)])
            for each, its in zip(candidates, contents, strict=True)
        ]

    def forget_all_but(self, keys: Collection[str]) -> None:
        """Let go of items that are not among these."""
        self._shelf.forget_all_but(keys)
        for key in [key for key in self._offered if key not in keys]:
            del self._offered[key]

    def _candidate(self, wish: Wish, content: Content | None, piece: Piece | None) -> Candidate:
        entry, pinned = wish.entry, wish.pinned
        known = self._offered.get(entry.key)
        if known is not None and known.is_of(entry, content, piece, pinned=pinned):
            return known.candidate
        made = _candidate(entry, content, piece, pinned=pinned)
        self._offered[entry.key] = _Offered(entry, content, piece, made)
        return made


def _lower(request: Request | None) -> list[Request]:
    """The same at every level below its own, the highest first."""
    if request is None:
        return []
    levels = KINDS[request.key.kind].levels
    return [replace(request, level=level) for level in reversed(levels[: levels.index(request.level)])]


def _candidate(entry: Entry, content: Content | None, piece: Piece | None, *, pinned: bool) -> Candidate:
    if content is not None and piece is not None:
        return Candidate(entry.key, content.rendered.label, pinned, (Rung(content, piece),))
    known = entry.key.partition(":")[0] in KINDS
    why = "Its source is no longer there." if known else "This version cannot show items of its kind."
    return Candidate(entry.key, entry.label or entry.key, pinned, (), why)
