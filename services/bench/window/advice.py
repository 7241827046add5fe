"""Advice on the prompt window: what it lacks, what it may not need, and what is related to it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from services.bench.window.curation import Curation, Ground
from services.bench.window.packs import Packs
from services.errors import BudgetExceeded
from services.model import (
    Completeness,
    Level,
    Missing,
    Suggestion,
    Suggestions,
    SymbolRef,
    Unneeded,
    Window,
    WindowItem,
)
from services.prompt.completeness.lack import Costs, Lack, chosen, referred, unneeded
from services.prompt.completeness.references import References, WindowReferences
from services.prompt.completeness.related import Related, related
from services.prompt.completeness.walk import Walk
from services.prompt.render.shown import Rendering
from services.prompt.state.items import Chosen, ItemKey, Request

_LESS = 0.9
_TRIES = 8
_REFERRED = 0.5


class Advice:
    """Asked for when somebody wants to know; what is known of an item is kept until the item changes. Thread-safe."""

    def __init__(
        self, ground: Ground, curation: Curation, packs: Packs, *, relate: Callable[[], object]
    ) -> None:
        """`relate`: works out which types name which, however long that takes."""
        self._index = ground.index
        self._measures = ground.measures
        self._settle = ground.relate
        self._curation = curation
        self._packs = packs
        self._relate = relate
        self._references = WindowReferences(ground.index)
        self._lock = threading.RLock()
        self._walk: tuple[object, Walk] | None = None
        self._known_costs: dict[str, Costs] = {}
        self._known_for: tuple[object, ...] = (None, None, None)

    def completeness(self, *, add: bool = False, budget: int | None = None) -> Completeness:
        """The workspace types that the window's text refers to and does not show, and the best set of them that fits;
        `add` pins that set. Also the pins that nothing else in the window refers to.

        `budget`: tokens that pins may then take, the soft budget where it is None. Raises BudgetExceeded where
        characters, not tokens, are what is wanting; Cancelled."""
        with self._lock, self._measures.timed("prompt.complete.ms"):
            self._settle()  # outlines say what uses a type: they cost what they will cost
            made = self._curation.rendering()
            items = self._items(made)
            answer = self._lacking(made.window, items, budget)
            return self._added(answer, budget) if add else answer

    def suggestions(self, *, limit: int = 20) -> Suggestions:
        """Types and members related to what is in the window, best first; nothing is added. Raises Cancelled."""
        began = time.perf_counter()
        with self._lock, self._measures.timed("prompt.suggest.ms"):
            self._relate()
            items = self._items(self._curation.rendering())
            seeds, shown = self._seeds(items)
            found = related(
                self._walker(),
                self._index.graph(),
                self._index.catalogue,
                seeds=seeds,
                shown=shown,
                limit=limit,
            )
            told = [*self._types(found), *self._members(items, limit)]
        ranked = sorted(told, key=lambda each: -each.score)[:limit]
        elapsed = round((time.perf_counter() - began) * 1000, 1)
        return Suggestions(suggestions=tuple(ranked), basis=len(shown), elapsed_ms=elapsed)

    # Completeness

    def _items(self, made: Rendering) -> dict[str, References]:
        """What each item that the text shows refers to, by its key."""
        return {
            each.key: self._references.of(each, self._packs.types_of(each.key[5:]))
            if each.key.startswith("pack:")
            else self._references.of(each)
            for each in made.shown
        }

    def _lacking(self, window: Window, items: Mapping[str, References], budget: int | None) -> Completeness:
        shown = frozenset[str]().union(*(its.shown for its in items.values()))
        every = referred(items)
        lacks = {id_: lack for id_, lack in every.items() if id_ not in shown}
        refs = {id_: ref for id_ in lacks if (ref := self._ref(id_)) is not None}
        ids = sorted(refs, key=lambda id_: (lacks[id_].rank, refs[id_].path, id_))
        costs = self._costs(ids, window)
        room = max(0, (window.soft_budget if budget is None else budget) - window.pinned_tokens)
        best = chosen({id_: lacks[id_] for id_ in ids}, costs, room)
        pinned = {item.key: item for item in window.items if item.pinned}
        return Completeness(
            referred=len(every),
            shown=len(every) - len(lacks),
            missing=tuple(_missing(refs[id_], lacks[id_], costs[id_], best) for id_ in ids if id_ in costs),
            unneeded=tuple(_unneeded(pinned[key], refers) for key, refers in unneeded(items, list(pinned))),
            room=room,
            suggested_tokens=sum(_cost(costs[id_], level) for id_, level in best.items()),
        )

    def _costs(self, ids: Sequence[str], window: Window) -> dict[str, Costs]:
        """What each type costs at its levels; those that have just gone are left out."""
        stamp = (self._index.catalogue.version, window.model, self._index.graph().stamp)
        if stamp[:2] != self._known_for[:2] or stamp[2] is not self._known_for[2]:
            self._known_costs, self._known_for = {}, stamp
        known = self._known_costs
        new = [id_ for id_ in ids if id_ not in known]
        levels = (Level.SIGNATURE, Level.OUTLINE)
        found = self._curation.kept.costs(
            [Request(key=ItemKey("type", id_), level=level) for id_ in new for level in levels]
        )
        for id_, signature, outline in zip(new, found[::2], found[1::2], strict=True):
            if signature is not None and outline is not None:
                known[id_] = Costs(signature, outline)
        return {id_: known[id_] for id_ in ids if id_ in known}

    def _added(self, answer: Completeness, budget: int | None) -> Completeness:
        """Pins the best set. Where characters are what is wanting, less of it, the least referred to left out."""
        wanted = [
            Chosen(key=ItemKey("type", each.symbol.id), level=each.suggested)
            for each in answer.missing
            if each.suggested is not None
        ]
        if not wanted:
            return answer
        for _ in range(_TRIES):
            try:
                self._curation.kept.pin_all(wanted, force=budget is not None)
                break
            except BudgetExceeded:
                wanted = wanted[: int(len(wanted) * _LESS)]
                if not wanted:
                    raise
        made = self._curation.rendering()
        after = self._lacking(made.window, self._items(made), budget)
        return msgspec.structs.replace(after, added=tuple(str(each.key) for each in wanted))

    def _ref(self, id_: str) -> SymbolRef | None:
        at = self._index.identities.find(id_)
        whole = self._index.describer.whole(at) if at is not None else None
        return self._index.describer.type_ref(whole) if whole is not None else None

    # Suggestions

    def _seeds(self, items: Mapping[str, References]) -> tuple[dict[int, float], set[int]]:
        """Where the walk starts, by index: the types of the window, and with less weight those its source names; and
        the types of the window alone."""
        find = self._index.identities.find
        own = {at for its in items.values() for id_ in its.shown | its.about if (at := find(id_)) is not None}
        shown = {at for its in items.values() for id_ in its.shown if (at := find(id_)) is not None}
        seeds = dict.fromkeys(own, 1.0)
        named = Counter[int]()
        for its in items.values():
            for id_, count in its.named.items() if its.source else ():
                if (at := find(id_)) is not None and at not in own:
                    named[at] += count
        total = sum(named.values())
        for at, count in named.items():
            seeds[at] = _REFERRED * max(1, len(own)) * count / total
        return seeds, shown

    def _walker(self) -> Walk:
        graph = self._index.graph()
        if self._walk is None or self._walk[0] is not graph.stamp:
            self._walk = (graph.stamp, Walk(graph))
        return self._walk[1]

    def _types(self, found: Sequence[Related]) -> list[Suggestion]:
        wholes = [(each, self._index.describer.whole(each.at)) for each in found]
        return [
            Suggestion(symbol=self._index.describer.type_ref(whole), score=each.score, reason=each.reason)
            for each, whole in wholes
            if whole is not None
        ]

    def _members(self, items: Mapping[str, References], limit: int) -> list[Suggestion]:
        """Members that the source in the window uses and does not show."""
        used = Counter[tuple[int, int]]()
        for its in items.values():
            used.update(its.members)
        shown = {id_ for its in items.values() for id_ in its.shown | its.about}
        most = max(used.values(), default=1)
        told: list[Suggestion] = []
        for place, count in used.most_common(4 * limit):
            symbol = self._index.declared(*place)
            if symbol is None or "_".join(symbol.id.split("_")[:2]) in shown or symbol.id.count("_") < 2:
                continue
            times = "once" if count == 1 else f"{count} times"
            told.append(
                Suggestion(
                    symbol=symbol,
                    score=round(0.5 * count / most, 4),
                    reason=f"used {times} by the source in the window",
                )
            )
        return told[:limit]


def _missing(symbol: SymbolRef, lack: Lack, costs: Costs, best: Mapping[str, Level]) -> Missing:
    return Missing(
        symbol=symbol,
        named=lack.named,
        used=lack.used,
        signature=costs.signature,
        outline=costs.outline,
        by=tuple(lack.by),
        suggested=best.get(symbol.id),
    )


def _unneeded(item: WindowItem, refers: int) -> Unneeded:
    return Unneeded(key=item.key, label=item.label, tokens=item.tokens, refers=refers)


def _cost(costs: Costs, level: Level) -> int:
    return costs.outline if level is Level.OUTLINE else costs.signature
