"""Advice on the prompt window: what it lacks, what it may not need, and what is related to it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from services.bench.window.context import ContextFinder, ContextRequest
from services.bench.window.curation import Curation, WindowServices
from services.bench.window.packs import Packs
from services.concurrency.cancellation import job_checkpoint
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
from services.prompt.items import SCOPES, Chosen, ItemKey, Request
from services.prompt.missing_types import (
    Costs,
    MissingType,
    chosen,
    referred,
    unneeded,
    used_members,
)
from services.prompt.references import ItemReferences, WindowReferences
from services.prompt.render.shown import Rendering, Shown

_LESS = 0.9
_TRIES = 8
_REFERRED = 0.5
_ANY = 10_000_000
"""Tokens: nobody asked what suggestions cost."""


class Advice:
    """Advice on the window, computed on demand; the references of an item are cached until it changes. Thread-safe."""

    def __init__(
        self,
        ground: WindowServices,
        curation: Curation,
        packs: Packs,
        *,
        context: ContextFinder,
        relate: Callable[[], object],
    ) -> None:
        """`relate`: works out which types name which, however long that takes."""
        self._index = ground.index
        self._measures = ground.measures
        self._relate = ground.relate
        self._curation = curation
        self._packs = packs
        self._context = context
        self._relate = relate
        self._references = WindowReferences(ground.index)
        self._lock = threading.RLock()  # references and costs are of one rendering
        self._known_costs: dict[str, Costs] = {}
        self._known_for: tuple[object, ...] = (None, None, None)

    def completeness(self, *, add: bool = False, budget: int | None = None) -> Completeness:
        """The workspace types that the window's text refers to and does not show, and the best set of them that fits;
        `add` pins that set. Also the pins that nothing else in the window refers to.

        `budget`: tokens that pins may then take, the soft budget where it is None. Raises BudgetExceeded where
        characters, not tokens, are what is wanting; Cancelled."""
        with self._lock, self._measures.timed("prompt.complete.ms"):
            job_checkpoint()
            self._relate()  # outlines say what uses a type: they cost what they will cost
            made = self._curation.rendering()
            items = self._items(made)
            answer = self._lacking(made.window, items, budget)
            return self._added(answer, budget) if add else answer

    def suggestions(self, *, limit: int = 20) -> Suggestions:
        """Types and members that what is in the window is likely to need, best first; nothing is added. Raises
        Cancelled."""
        began = time.perf_counter()
        with self._lock, self._measures.timed("prompt.suggest.ms"):
            job_checkpoint()  # whoever waited for the lock may be gone by now
            self._relate()
            items = self._items(self._curation.rendering())
            given, shown = self._given(items)
            asked = ContextRequest(given=given, shown=shown, most=limit, budget=_ANY)
            found = self._context.find(asked).items if given else ()
            told = [
                *(Suggestion(symbol=i.symbol, score=i.score, reason="; ".join(i.reasons)) for i in found),
                *self._members(items, limit),
            ]
        ranked = sorted(told, key=lambda each: -each.score)[:limit]
        elapsed = round((time.perf_counter() - began) * 1000, 1)
        return Suggestions(suggestions=tuple(ranked), basis=len(shown), elapsed_ms=elapsed)

    def shown_types(self) -> list[str]:
        """The ids of the types that the window shows, or shows something of, in the order of its text."""
        with self._lock:
            items = self._items(self._curation.rendering())
            return list(dict.fromkeys(id_ for its in items.values() for id_ in sorted(its.shown | its.about)))

    # Completeness

    def _items(self, made: Rendering) -> dict[str, ItemReferences]:
        """Return the references of each item that the text shows, by its key."""
        return {each.key: self._refers(each) for each in made.shown}

    def _refers(self, item: Shown) -> ItemReferences:
        job_checkpoint()
        kind, _, target = item.key.partition(":")
        if kind == "pack":
            return self._references.of(item, self._packs.types_of(target))
        its = self._curation.scopes.types_of(ItemKey(kind, target)) if kind in SCOPES else ()
        return self._references.of(item, its)

    def _lacking(
        self, window: Window, items: Mapping[str, ItemReferences], budget: int | None
    ) -> Completeness:
        shown = frozenset[str]().union(*(its.shown for its in items.values()))
        every = referred(items)
        lacks = {id_: lack for id_, lack in every.items() if id_ not in shown}
        refs = {id_: ref for id_ in lacks if (ref := self._ref(id_)) is not None}
        ids = sorted(refs, key=lambda id_: (lacks[id_].rank, refs[id_].path, id_))
        costs = self._costs(ids, window)
        types = len(lacks)
        used = used_members(self._index, items)
        lacks |= {each.symbol.id: each.lack for each in used.own}
        refs |= {each.symbol.id: each.symbol for each in used.own}
        costs |= self._member_costs([each.symbol.id for each in used.own], window)
        values = {each.symbol.id: each.value for each in used.own}
        ids = sorted(refs, key=lambda id_: (lacks[id_].rank, refs[id_].path, id_))
        room = max(0, (window.soft_budget if budget is None else budget) - window.pinned_tokens)
        best = chosen({id_: lacks[id_] for id_ in ids}, costs, room)
        pinned = {item.key: item for item in window.items if item.pinned}
        return Completeness(
            referred=used.referred,
            shown=used.shown,
            types=len(every),
            types_shown=len(every) - types,
            missing=tuple(
                msgspec.structs.replace(
                    _missing(refs[id_], lacks[id_], costs[id_], best), value=values.get(id_, "")
                )
                for id_ in ids
                if id_ in costs
            ),
            unneeded=tuple(_unneeded(pinned[key], refers) for key, refers in unneeded(items, list(pinned))),
            room=room,
            suggested_tokens=sum(_cost(costs[id_], level) for id_, level in best.items()),
        )

    def _costs(self, ids: Sequence[str], window: Window) -> dict[str, Costs]:
        """Return the costs of each type at its levels; types deleted meanwhile are left out."""
        stamp = (self._index.catalogue.version, window.model, self._index.graph().stamp)
        if stamp[:2] != self._known_for[:2] or stamp[2] is not self._known_for[2]:
            self._known_costs, self._known_for = {}, stamp
        known = self._known_costs
        new = [id_ for id_ in ids if id_ not in known]
        levels = (Level.SIGNATURE, Level.OUTLINE)
        found = self._curation.unchecked.costs(
            [Request(key=ItemKey("type", id_), level=level) for id_ in new for level in levels]
        )
        for id_, signature, outline in zip(new, found[::2], found[1::2], strict=True):
            if signature is not None and outline is not None:
                known[id_] = Costs(signature, outline)
        return {id_: known[id_] for id_ in ids if id_ in known}

    def _member_costs(self, ids: Sequence[str], window: Window) -> dict[str, Costs]:
        """Return the costs of each member's source: with the enclosing type's declaration, where no other member of
        the type is in the window as source."""
        there = {
            _type_of(item.symbol_id)
            for item in window.items
            if item.kind == "member" and item.pinned and item.level is Level.BODIES and item.symbol_id
        }
        requests = [
            Request(key=ItemKey("member", id_), level=Level.BODIES)
            if _type_of(id_) in there
            else Request(key=ItemKey("type", _type_of(id_)), level=Level.BODIES, members=(id_,))
            for id_ in ids
        ]
        found = zip(ids, self._curation.unchecked.costs(requests), strict=True)
        return {id_: Costs(cost, cost, is_member=True) for id_, cost in found if cost is not None}

    def _added(self, answer: Completeness, budget: int | None) -> Completeness:
        """Pins the best set. Where characters are what is wanting, less of it, the least referred to left out."""
        wanted = [
            Chosen(key=ItemKey.of_symbol(each.symbol.id), level=each.suggested)
            for each in answer.missing
            if each.suggested is not None
        ]
        if not wanted:
            return answer
        for _ in range(_TRIES):
            try:
                self._curation.unchecked.pin_all(wanted, force=budget is not None)
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
        return self._index.describer.refs.type_ref(whole) if whole is not None else None

    # Suggestions

    def _given(self, items: Mapping[str, ItemReferences]) -> tuple[dict[str, float], set[str]]:
        """Return the seeds by type id: the types of the window, and with less weight those that its source names;
        and the types of the window alone."""
        own = {id_ for its in items.values() for id_ in its.shown | its.about}
        shown = {id_ for its in items.values() for id_ in its.shown}
        given = dict.fromkeys(sorted(own), 1.0)
        named = Counter[str]()
        for its in items.values():
            if its.source:
                named.update({id_: count for id_, count in its.named.items() if id_ not in own})
        total = sum(named.values())
        for id_, count in named.items():
            given[id_] = _REFERRED * max(1, len(own)) * count / total
        return given, shown

    def _members(self, items: Mapping[str, ItemReferences], limit: int) -> list[Suggestion]:
        """Members that the source in the window uses and does not show."""
        used = Counter[tuple[int, int]]()
        for its in items.values():
            used.update(its.members)
        shown = {id_ for its in items.values() for id_ in its.shown | its.about}
        most = max(used.values(), default=1)
        told: list[Suggestion] = []
        for place, count in used.most_common(4 * limit):
            symbol = self._index.files.declared(*place)
            if symbol is None or _type_of(symbol.id) in shown or symbol.id.count("_") < 2:
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


def _type_of(id_: str) -> str:
    """The id of the type of a member."""
    return "_".join(id_.split("_")[:2])


def _missing(symbol: SymbolRef, lack: MissingType, costs: Costs, best: Mapping[str, Level]) -> Missing:
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
