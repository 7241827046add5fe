"""FindContext over this workspace (SPEC section 18): the types and members a change needs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from services.bench.window.question_names import LinkedUnits, ScopePaths, ShortOutlines, named_nested
from services.bench.window.usage import RecentUse
from services.context.ground_cache import CorpusCache
from services.context.packing import LEVELS, Costs, ExcerptOf, Packed, Reasons, RelevantMembers, packed
from services.context.places import PlaceFinder
from services.context.query import ContextQuery, Seed
from services.context.ranking import ContextRanking, Ranked, RankingCorpus
from services.context.structure import Structure
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.index.symbols.describe import Placed
from services.measures import Measures
from services.model import Level, Notice, Progress, SymbolRef
from services.model.window import Context, ContextItem, FoundPlace
from services.prompt.items import ItemKey, Request

BUDGET = 8_000
MOST = 60
_TOLD_FRAMES = 10
_LONGEST = 6_000_000
_FIRST_WORDS = 20_000
_USED = 0.05
_NAMED = "the text names it"


class ContextRequest(NamedTuple):
    """`words`: a text of any kind: words, an issue, a stack trace, a diff, what a test printed; `seeds`: paths of
    symbols that are known to matter; `shown`: ids of types that need not be offered; `given`: ids of types to start
    from, each with its weight; `budget`: tokens; `most`: items; `kinds`: of types, all where there are none; `within`:
    namespaces, folders, projects, files or types that nothing is answered outside of, none for all."""

    words: str = ""
    seeds: Sequence[str] = ()
    shown: Iterable[str] = ()
    given: Mapping[str, float] = {}
    budget: int = BUDGET
    most: int = MOST
    kinds: Sequence[str] = ()
    within: Sequence[str] = ()


class ContextFinder:
    """Context search. Thread-safe. `grounds`: the cached corpus of the ranking."""

    def __init__(
        self,
        index: Index,
        grounds: CorpusCache,
        *,
        find: Callable[[str], FoundSymbol],
        costs: Callable[[Sequence[Request]], list[int | None]],
        stamp: Callable[[], object],
        usage: RecentUse,
        measures: Measures,
        relate: Callable[[], object],
    ) -> None:
        """`find`: the symbol of a path, never by a guess; `costs`: of items of the window; `stamp`: another value
        when the model is another, which counts otherwise; `relate`: works out which types name which."""
        self._index = index
        self.grounds = grounds
        self._find = find
        self._costs = costs
        self._stamp = stamp
        self._usage = usage
        self._measures = measures
        self._relate = relate
        self._known: dict[int, dict[Level, int]] = {}
        self._known_for: tuple[object, ...] = ()
        self._short = ShortOutlines(index, costs)
        self._scope = ScopePaths(index, find)

    def notices(self) -> tuple[Notice, ...]:
        """Notices about damaged caches of words."""
        return self.grounds.notices()

    def prepare(
        self, *, report: Callable[[Progress], None] | None = None, cancel: threading.Event | None = None
    ) -> None:
        """Read what the first query would wait for. Raises Cancelled (what was read is cached)."""
        with self._measures.timed("context.prepare.ms"):
            self.grounds.now(report=report, cancel=cancel)

    def structure(self) -> Structure:
        """The types of the workspace and what they name, as `find` sees them."""
        return self.grounds.now().structure

    def require_scope(self, paths: Sequence[str]) -> None:
        """Raises SymbolNotFound, AmbiguousSymbol, UsageError where a path limits nothing."""
        self._scope.units(self.structure(), paths)

    def places(self, text: str) -> tuple[FoundPlace, ...]:
        """The places that a text names."""
        with self._index.reading(), self._index.lock:
            return tuple(PlaceFinder(self._index).of(text[:_LONGEST]))

    def find(
        self,
        asked: ContextRequest,
        *,
        report: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Context:
        """Return the likely relevant context, best first. Raises SymbolNotFound, AmbiguousSymbol for a seed,
        Cancelled."""
        self._relate()
        with self.grounds.lock, self._index.reading():
            ground = self.grounds.now(report=report, cancel=cancel)
            if report is not None:
                report(Progress(phase="Ranking types", done=0, total=None, unit="types"))
            began = time.perf_counter()
            with self._measures.timed("context.find.ms"):
                places = self.places(asked.words)
                query = self._query(ground, asked, places)
                ranking = ContextRanking(ground, query)
                items = self._items(ground, ranking, asked)
            return Context(
                items=tuple(items),
                tokens=sum(item.cost for item in items),
                budget=asked.budget,
                places=places,
                commits=len(ground.history),
                complete=not self._index.graph().has_unread,
                elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
            )

    # The question

    def _query(
        self, ground: RankingCorpus, asked: ContextRequest, places: Sequence[FoundPlace]
    ) -> ContextQuery:
        found = [self._find(path) for path in asked.seeds]
        seeds = [self._seed(ground, each) for each in found]
        given = ((self._unit(ground, id_), weight) for id_, weight in asked.given.items())
        seeds += [Seed(unit, weight=weight) for unit, weight in given if unit is not None]
        told = _told(places, lambda symbol: self._unit(ground, symbol.id))
        shown = {unit for id_ in asked.shown if (unit := self._unit(ground, id_)) is not None}
        own = {seed.unit for seed in seeds} | shown
        places_of = [Seed(unit) for unit in list(told)[:_TOLD_FRAMES] if unit not in own]
        text = _said(asked.words, places)
        return ContextQuery(
            text=text,
            seeds=tuple(dict.fromkeys([*seeds, *places_of])),
            told=told,
            linked=LinkedUnits(self._index, ground).of(text, found),
            shown=frozenset(shown),
            used=self._used(ground),
        )

    def _unit(self, ground: RankingCorpus, id_: str) -> int | None:
        """The unit of a type or member id."""
        at = self._index.identities.find(_type_id(id_))
        return None if at is None else ground.structure.unit_of.get(at)

    def _seed(self, ground: RankingCorpus, found: FoundSymbol) -> Seed:
        unit = ground.structure.unit_of.get(found.whole.index, found.whole.index)
        if found.member is None:
            return Seed(unit)
        return Seed(unit, self._source(found.member), found.member.declaration.name)

    def _source(self, member: Placed) -> str:
        text = self._index.records.text(member.file)
        if text is None:
            return ""
        declaration = member.declaration
        return text[min(declaration.start, declaration.doc[0] or declaration.start) : declaration.end].decode(
            "utf-8", "replace"
        )

    def _used(self, ground: RankingCorpus) -> dict[int, float]:
        found: dict[int, float] = {}
        for id_, weight in self._usage.weights().items():
            unit = self._unit(ground, id_) if weight > _USED else None
            if unit is not None:
                found[unit] = max(found.get(unit, 0.0), weight)
        return found

    # The answer

    def _items(
        self, ground: RankingCorpus, ranking: ContextRanking, asked: ContextRequest
    ) -> list[ContextItem]:
        best = ranking.best()
        by_unit = {item.unit: item for item in best}
        reasons = Reasons(ground, ranking, self._described)
        top = max((item.score for item in best), default=0.0) or 1.0
        items: list[ContextItem] = []
        before: list[int] = []
        nested = self._nested(ground, ranking.query, by_unit)
        wanted = self._wanted(ground, best, asked)
        units = [at for unit in wanted for at in (*(a for a, outer in nested.items() if outer == unit), unit)]
        shorter = self._shortened(ground, ranking.query)
        offered = packed(units, self.costs_of, asked.budget, most=asked.most, shortened=shorter)
        for shown in self._with_state(offered, ranking.query, asked.budget):
            item = by_unit[nested.get(shown.unit, shown.unit)]
            symbol = self._symbol(shown.unit)
            if symbol is None:
                continue
            told = (_NAMED,) if shown.unit in nested else reasons.of(item, before)
            items.append(
                ContextItem(
                    symbol=symbol,
                    level=shown.level,
                    cost=shown.cost,
                    score=round(item.score / top, 4),
                    reasons=told,
                    members=shown.members,
                )
            )
            if shown.unit not in nested:
                before.append(item.unit)
        return items

    def _with_state(self, offered: Sequence[Packed], query: ContextQuery, budget: int) -> Iterator[Packed]:
        """Yield the offered types; those that a stack trace names with all declarations, where the budget allows:
        the fault may be in their private state."""
        spare = budget - sum(shown.cost for shown in offered)
        for shown in offered:
            named = query.told.get(shown.unit, "").startswith("frame ")
            if named and shown.level is Level.OUTLINE and not shown.members:
                every = self.costs_of([shown.unit], (Level.DECLARATIONS,)).get(shown.unit, {})
                cost = every.get(Level.DECLARATIONS, budget)
                if cost - shown.cost <= spare:
                    spare -= cost - shown.cost
                    shown = Packed(shown.unit, Level.DECLARATIONS, cost)
            yield shown

    def _nested(self, ground: RankingCorpus, query: ContextQuery, found: Container[int]) -> dict[int, int]:
        """The nested types that the words name, each with its unit, of those that were found."""
        named = named_nested(query.text, self._index.catalogue.types, ground.structure.unit_of)
        return {at: unit for unit, types in named.items() if unit in found for at in types if at != unit}

    def _wanted(self, ground: RankingCorpus, best: Sequence[Ranked], asked: ContextRequest) -> list[int]:
        """Return the units of the requested kinds and scope, best first."""
        kinds, types = set(asked.kinds), self._index.catalogue.types
        within = self._scope.units(ground.structure, asked.within)
        return [
            item.unit
            for item in best
            if (not kinds or types[item.unit].kind in kinds) and (within is None or item.unit in within)
        ]

    def _symbol(self, at: int) -> SymbolRef | None:
        whole = self._index.describer.whole(at)
        return self._index.describer.refs.type_ref(whole) if whole is not None else None

    def _described(self, unit: int) -> tuple[str, Sequence[str]]:
        """How a unit is called, and its bases as written."""
        whole = self._index.describer.whole(unit)
        if whole is None:
            return "", ()
        bases = [base for part in whole.parts for base in part.declaration.bases]
        return self._index.describer.refs.type_ref(whole).label, bases

    def shortened(self, asked: ContextRequest) -> ExcerptOf:
        """The outlines of large types with the members that a question touches alone. Raises as `find`."""
        with self.grounds.lock, self._index.reading():
            ground = self.grounds.now()
            return self._shortened(ground, self._query(ground, asked, self.places(asked.words)))

    def _shortened(self, ground: RankingCorpus, query: ContextQuery) -> ExcerptOf:
        return self._short.of(RelevantMembers(query, ground.text.postings.rarity))

    def costs_of(self, units: Sequence[int], levels: Sequence[Level] = LEVELS) -> Mapping[int, Costs]:
        """Return the costs of units at these levels: a type's outline lists its users, so that it changes with the
        graph."""
        stamp = (self._index.catalogue.version, self._index.graph().stamp, self._stamp())
        if stamp != self._known_for:
            self._known, self._known_for = {}, stamp
            self._short.forget()
        known = self._known
        new = [(unit, level) for unit in units for level in levels if level not in known.get(unit, ())]
        ids = {unit: self._index.identities.type_id(unit) for unit, _ in new}
        asked = [
            (unit, Request(key=ItemKey("type", id_), level=level))
            for unit, level in new
            if (id_ := ids[unit])
        ]
        found = self._costs([request for _, request in asked])
        for (unit, request), cost in zip(asked, found, strict=True):
            if cost is not None:
                known.setdefault(unit, {})[request.level] = cost
        return {unit: known[unit] for unit in units if known.get(unit, {}).keys() >= set(levels)}


def _told(places: Sequence[FoundPlace], unit_of: Callable[[SymbolRef], int | None]) -> dict[int, str]:
    """The units of places, in their order, each with why it is one."""
    found: dict[int, str] = {}
    frames = 0
    for place in places:
        frames += place.kind == "frame"
        unit = unit_of(place.symbol) if place.symbol is not None else None
        if unit is None or place.symbol is None or unit in found:
            continue
        where = f"{place.path}:{place.line}" if place.line else place.path
        found[unit] = {
            "frame": f"frame {frames} of the stack trace is {place.symbol.label}",
            "change": f"the diff changes it at {where}",
            "line": f"the text names {where}",
            "file": f"the text names {where}",
            "route": f"{place.symbol.label.partition('(')[0]} answers {place.text}",
        }[place.kind]
    return found


def _said(text: str, places: Sequence[FoundPlace]) -> str:
    """Return the words of a text without its stack frames, which are locations and would outweigh a person's words."""
    if not any(place.kind == "frame" for place in places):
        return text[:_FIRST_WORDS]
    frames = {place.text for place in places if place.kind == "frame"}
    rows = (row for row in text[:_LONGEST].splitlines() if row.strip() not in frames)
    return "\n".join(rows)[:_FIRST_WORDS]


def _type_id(id_: str) -> str:
    return "_".join(id_.split("_")[:2])
