"""The window as values: what the faces get to see, and what the text shows of each item."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from services.model import ItemFlag, ItemState, Level, Window, WindowItem
from services.prompt.render.content import Content
from services.prompt.render.fill import Composition
from services.prompt.render.ladder import Candidate, Rung, WindowOptions
from services.prompt.secrets.masking import Secret
from services.prompt.state import Entry

BESIDE = "~"
"""Stands in a version between that of the source and that of what else is told of it, at levels that tell more."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """Rendered item: `text` at `level`, without heading and fences. `members`: ids of those shown with
    their bodies; `version`: of its source; `tokens`: with heading and fences; `secrets`: those that were found in it,
    masked or let through; `is_source`: whether its lines are those of the file from `start_line` on; `listed`: ids of
    the members that it lists as an outline; `cut`: the text is not all of it."""

    key: str
    level: Level
    text: str
    tokens: int
    version: str
    pinned: bool
    symbol_id: str | None = None
    members: tuple[str, ...] = ()
    file: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    secrets: tuple[Secret, ...] = ()
    is_source: bool = False
    listed: frozenset[str] = frozenset()
    cut: bool = False


class Rendering(msgspec.Struct, frozen=True):
    """A window and, in the order of its text, the items that the text shows."""

    window: Window
    shown: tuple[Shown, ...]


class _Row(msgspec.Struct, frozen=True):
    """An item as values, and what they were made of."""

    entry: Entry
    candidate: Candidate
    taken: Rung | None
    item: WindowItem
    shown: Shown | None

    def is_of(self, candidate: Candidate, taken: Rung | None, *, copied: bool) -> bool:
        """Whether it would be made of the very same again."""
        return self.candidate is candidate and self.taken is taken and self.item.copied is copied

    def costing(self, tokens: int) -> _Row:
        """Return the row with so many tokens: it shares its piece of the text with others."""
        if not self.item.copied or self.item.tokens == tokens:
            return self
        shown = None if self.shown is None else replace(self.shown, tokens=tokens)
        item = msgspec.structs.replace(self.item, tokens=tokens)
        return replace(self, item=item, shown=shown)


class Values:
    """Makes windows as values. What has not changed since the last one is not made again. Not safe between threads."""

    def __init__(self) -> None:
        self._rows: dict[str, _Row] = {}

    def rendering(
        self,
        entries: Sequence[Entry],
        candidates: Sequence[Candidate],
        composition: Composition,
        options: WindowOptions,
    ) -> Rendering:
        """The values of a text. `entries`, `candidates`: as they were put into it, in the same order."""
        costs = composition.costs or [None] * len(entries)
        rows = [
            self._row(*each, copied=each[1].pinned or options.recents)
            for each in zip(entries, candidates, composition.taken, strict=True)
        ]
        self._rows = {row.entry.key: row for row in rows}
        rows = [row if cost is None else row.costing(cost) for row, cost in zip(rows, costs, strict=True)]
        window = Window(
            text=composition.text,
            tokens=composition.tokens,
            tokens_low=options.budget.low(composition.tokens),
            tokens_high=options.budget.high(composition.tokens),
            budget=options.budget.tokens,
            pinned_tokens=sum(row.item.tokens for row in rows if row.item.pinned),
            soft_budget=options.budget.pin_room.tokens,
            model=options.model,
            tokenizer=options.counter.name,
            approximate=not options.counter.exact,
            items=tuple(row.item for row in rows),
            omitted=composition.omitted,
            lowered=composition.lowered,
        )
        return Rendering(window, tuple(row.shown for row in rows if row.shown is not None))

    def _row(self, entry: Entry, candidate: Candidate, taken: Rung | None, *, copied: bool) -> _Row:
        known = self._rows.get(entry.key)
        if known is not None and known.entry is entry and known.is_of(candidate, taken, copied=copied):
            return known
        shown = None if taken is None else _shown(entry, taken)
        # What is only listed says what it would be: as it was chosen.
        item = _item(entry, candidate, taken if copied else candidate.wanted, copied=copied)
        return _Row(entry, candidate, taken, item, shown)


def _shown(entry: Entry, taken: Rung) -> Shown:
    content, rendered = taken.content, taken.content.rendered
    return Shown(
        key=entry.key,
        level=content.level,
        text=content.text,
        tokens=taken.piece.tokens,
        version=rendered.version,
        pinned=content.pinned,
        symbol_id=rendered.symbol_id,
        members=entry.members if content.level is Level.BODIES else (),
        file=rendered.file,
        start_line=rendered.start_line,
        end_line=rendered.end_line,
        secrets=_secrets_of(content),
        is_source=rendered.is_source,
        listed=rendered.listed,
        cut=taken.cut,
    )


def _secrets_of(content: Content) -> tuple[Secret, ...]:
    """Return the secrets in the remaining text of a content that was cut."""
    lines = content.text.count("\n") + 1
    return tuple(secret for secret in content.secrets if secret.line <= lines)


def _item(entry: Entry, candidate: Candidate, taken: Rung | None, *, copied: bool) -> WindowItem:
    wanted = candidate.wanted
    kind = candidate.key.partition(":")[0]
    if wanted is None:
        return WindowItem(
            key=candidate.key,
            kind=kind,
            label=candidate.label,
            detail=candidate.why_not,
            pinned=candidate.pinned,
            tokens=0,
            flags=(ItemFlag.VANISHED,),
            by=entry.by,
            copied=copied,
            state=ItemState.GONE,
            state_detail=candidate.why_not,
        )
    rendered = wanted.content.rendered
    return WindowItem(
        key=candidate.key,
        kind=kind,
        label=rendered.label,
        detail=rendered.detail,
        pinned=candidate.pinned,
        tokens=taken.piece.tokens if taken is not None else 0,
        flags=_flags(candidate, taken),
        symbol_id=rendered.symbol_id,
        file=rendered.file,
        start_line=rendered.start_line,
        end_line=rendered.end_line,
        level=taken.content.level if taken is not None else None,
        wanted=wanted.content.level,
        members=entry.members,
        by=entry.by,
        copied=copied,
        state=rendered.state,
        state_detail=rendered.state_detail,
    )


def _flags(candidate: Candidate, taken: Rung | None) -> tuple[ItemFlag, ...]:
    wanted = candidate.wanted
    changed = wanted is not None and wanted.content.rendered.changed
    lowered = taken is not None and wanted is not None and taken.content.level is not wanted.content.level
    cut = taken is None or taken.cut
    secret = taken is not None and bool(_secrets_of(taken.content))
    flags = (
        (ItemFlag.STALE, changed),
        (ItemFlag.LOWERED, lowered),
        (ItemFlag.CUT, cut),
        (ItemFlag.SECRET, secret),
    )
    return tuple(flag for flag, is_so in flags if is_so)
