"""A ranking made presentable: packed into a token budget, outlines for the first ten units and signatures for the
rest, with the reasons for offering each item in clauses, the strongest first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from services.context import words
from services.context.query import ContextQuery
from services.context.ranking import ContextRanking, Ranked, RankingCorpus
from services.context.structure import Structure
from services.model import Level, Symbol

_NAME = 2.0
"""How much a word of a member's name counts beside one of its types and parameters."""


class RelevantMembers:
    """Over one question: its words, and those of its seeds' members."""

    def __init__(self, query: ContextQuery, rarity: Callable[[int], float]) -> None:
        """Prepare the scoring of members. `rarity`: weight of a word, by its number."""
        said = "\n".join([query.text, *(text for seed in query.seeds for text in (seed.member, seed.text))])
        self._worth = {
            word: weight * rarity(words.number(word)) for word, weight in words.asked(said).items()
        }

    def first(self, members: Iterable[Symbol]) -> list[Symbol]:
        """Return the members with most of the words first, the rest in source order."""
        return sorted(members, key=self._score, reverse=True)

    def _score(self, member: Symbol) -> float:
        name = _words(member.name)
        return sum(
            self._worth[word] * (_NAME if word in name else 1.0)
            for word in dict.fromkeys((*name, *_words(member.signature)))
            if word in self._worth
        )


@lru_cache(maxsize=8_192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(words.asked(text))


OUTLINED = 10
_OUTLINES = 0.75
"""Of the budget for outlines: the rest is for signatures."""
_ONE = 0.4
"""Of what is left for outlines one may take: where a huge type took all, nothing else would be shown."""
_SHARES = 20
"""An outline that takes more than one part in so many of the budget is shortened."""
_LEAST = 300
"""Tokens that no outline is shortened to less than: its facts and relations alone may take half of that."""
_AT_ONCE = 24
_MISSES = 8
"""Signatures that do not fit any more before no more are looked at."""
LEVELS = (Level.SIGNATURE, Level.OUTLINE)
"""At which types are shown."""

Costs = Mapping[Level, int]
"""Tokens of a type, by level."""
CostsOf = Callable[[Sequence[int], Sequence[Level]], Mapping[int, Costs]]
"""What units cost at these levels; those that cannot be rendered are left out."""


class OutlineExcerpt(NamedTuple):
    """A shortened outline: ids of the members that it lists, and its tokens."""

    members: tuple[str, ...]
    cost: int


ExcerptOf = Callable[[int, int, int], OutlineExcerpt | None]
"""The outline of a unit in about so many tokens, of which it has so many; None where it cannot be shortened."""


class Packed(NamedTuple):
    """A unit as it is shown. `members`: ids of those that its outline lists, all where there are none."""

    unit: int
    level: Level
    cost: int
    members: tuple[str, ...] = ()


def packed(
    ranking: Sequence[int],
    costs: CostsOf,
    budget: int,
    *,
    most: int,
    shortened: ExcerptOf | None = None,
) -> list[Packed]:
    """The best `most` units that fit, in the order of the ranking. Those that cannot be rendered are left out."""
    outlines, most_of_one = int(budget * _OUTLINES), short_of(budget)
    left, misses = budget, 0
    found: list[tuple[Packed, int]] = []
    for rank, (unit, cost) in enumerate(islice(_costed(ranking, costs), most)):
        shown = Packed(unit, Level.SIGNATURE, cost[Level.SIGNATURE])
        whole = cost[Level.OUTLINE] if rank < OUTLINED else 0
        if whole:
            room = max(shown.cost, min(left, int(outlines * _ONE)))
            room_of_short = min(room, most_of_one)
            short = shortened(unit, room_of_short, whole) if shortened and whole > most_of_one else None
            if short is not None and short.cost <= room:
                shown = Packed(unit, Level.OUTLINE, short.cost, short.members)
            elif whole <= room:
                shown = Packed(unit, Level.OUTLINE, whole)
        if shown.cost > left:
            misses += 1
            if misses >= _MISSES:
                break
            continue
        left -= shown.cost
        outlines -= shown.cost if rank < OUTLINED else 0
        found.append((shown, whole))
    return list(_widened(found, left))


def short_of(budget: int) -> int:
    """Tokens past which an outline is shortened in a budget."""
    return max(_LEAST, budget // _SHARES)


def _widened(found: Sequence[tuple[Packed, int]], left: int) -> Iterator[Packed]:
    """Yield the shortened outlines in full as far as tokens remain, each with the tokens of its full outline."""
    for shown, whole in found:
        if shown.members and whole - shown.cost <= left:
            left -= whole - shown.cost
            yield Packed(shown.unit, Level.OUTLINE, whole)
        else:
            yield shown


def _costed(ranking: Sequence[int], costs: CostsOf) -> Iterator[tuple[int, Costs]]:
    """Yield each unit with its costs, a few at a time: most of a long ranking is never reached, and only outlines
    have to be rendered to be counted."""
    at = told = 0
    while at < len(ranking):
        is_first = told < OUTLINED
        units = ranking[at : at + (OUTLINED if is_first else _AT_ONCE)]
        known = costs(units, LEVELS if is_first else (Level.SIGNATURE,))
        yield from ((unit, known[unit]) for unit in units if unit in known)
        at, told = at + len(units), told + len(known)


_MOST = 3
_WORDS = 4
_FEW = 2


class Reasons:
    """Reasons for the items of one ranking. `described`: the display name and bases of a unit."""

    def __init__(
        self,
        ground: RankingCorpus,
        ranking: ContextRanking,
        described: Callable[[int], tuple[str, Sequence[str]]],
    ) -> None:
        self._ground = ground
        self._ranking = ranking
        self._query: ContextQuery = ranking.query
        self._described = described
        self._seeds = [seed.unit for seed in self._query.seeds]
        self._known: dict[int, tuple[str, list[str]]] = {}

    def of(self, item: Ranked, before: Iterable[int]) -> tuple[str, ...]:
        """Up to three. `before`: the units offered before it, for what only these lead to."""
        told = self._query.told.get(item.unit)
        near = [unit for unit in self._seeds or list(before)[:_BEFORE] if unit != item.unit]
        said = [*self._text(item), *self._subjects(item.unit)]
        around = [
            *self._family(item.unit, near),
            *self._edges(item.unit, near),
            *self._together(item.unit),
            *self._like(item),
        ]
        own = [each for each in (told, self._query.linked.get(item.unit)) if each]
        clauses = [*own, *around, *said] if self._seeds else [*own, *said, *around]
        return tuple(clauses[:_MOST]) or (self._vaguely(item),)

    def _family(self, unit: int, near: Sequence[int]) -> Iterable[str]:
        own = self._base_names(unit)
        for seed in near:
            name, others = self._name(seed), self._base_names(seed)
            if self._structure.units[seed].name in own:
                yield f"{'implements' if _is_interface(name) else 'derives from'} {name}"
            elif self._structure.units[unit].name in others:
                yield f"{name} {'implements' if _is_interface(self._name(unit)) else 'derives from'} it"
            elif shared := [base for base in own if base in others and self._is_ours(base)]:
                yield f"is {'an' if shared[0][0] in 'AEIO' else 'a'} {shared[0]} as {name} is"
            else:
                continue
            return

    def _edges(self, unit: int, near: Sequence[int]) -> Iterable[str]:
        used, users = set(self._structure.used(unit)), set(self._structure.users(unit))
        if named := [self._name(seed) for seed in near if seed in used]:
            yield f"names {_listed(named)}"
        if naming := [self._name(seed) for seed in near if seed in users]:
            yield f"named by {_listed(naming)}"

    def _together(self, unit: int) -> Iterable[str]:
        found = [
            each for path in self._structure.units[unit].paths if (each := self._ranking.together.get(path))
        ]
        if found and (best := max(found, key=lambda each: each.times)).times > 1:
            name = best.other.rpartition("/")[2].removesuffix(".cs")
            yield f"changed together with {name} {best.times} of {best.of} times"

    def _text(self, item: Ranked) -> Iterable[str]:
        if not {"text", "title"} & item.signals.keys() or not self._query.words:
            return
        asked = self._asked
        if found := [word for word, having in asked if item.unit in having]:
            of = f"{len(found)} of {len(asked)} words: " if len(asked) > 1 else "the word "
            yield f"has {of}{_listed(found, most=_WORDS)}"

    @cached_property
    def _asked(self) -> list[tuple[str, frozenset[int]]]:
        """Return the words of the query as written, the rarest first, each with the units that have it: as a whole,
        or all its parts."""
        found: dict[str, tuple[str, frozenset[int]]] = {}
        for name in words.identifiers(self._query.text[:20_000]):
            if name.lower() not in found and (having := self._having(name)) is not None:
                found[name.lower()] = (name, having)
        return sorted(found.values(), key=lambda each: len(each[1]))

    def _having(self, name: str) -> frozenset[int] | None:
        """Return the units that have a word; None where it is inconclusive."""
        parts = [hump.lower() for hump in words.humps(name) if hump.lower() not in words.OF_COMMITS]
        stems = [stem for part in parts if (stem := words.stem(part)) in self._query.words]
        postings = self._ground.text.postings
        having = [frozenset(postings.having(words.number(stem))) for stem in stems]
        together = frozenset.intersection(*having) if having else frozenset[int]()
        if len(parts) > 1 and (whole := words.whole(name)) in self._query.words:
            return together | frozenset(postings.having(words.number(whole)))
        return together if having else None

    def _subjects(self, unit: int) -> Iterable[str]:
        found = [
            each for path in self._structure.units[unit].paths if (each := self._ranking.about.get(path))
        ]
        times = max((each.times for each in found), default=0)
        if times:
            yield f"changed by {times} earlier commit{'s' if times > 1 else ''} about such words"

    def _like(self, item: Ranked) -> Iterable[str]:
        if item.signals.get("like", _BEFORE + 1) <= _BEFORE and self._seeds:
            yield f"is named like {self._name(self._seeds[0])}"

    def _vaguely(self, item: Ranked) -> str:
        signals: Mapping[str, str] = _VAGUE
        best = min(item.signals, key=lambda name: item.signals[name], default="")
        return signals.get(best, "related at some distance")

    # Names

    @property
    def _structure(self) -> Structure:
        return self._ground.structure

    def _name(self, unit: int) -> str:
        return self._told(unit)[0]

    def _base_names(self, unit: int) -> list[str]:
        return self._told(unit)[1]

    def _told(self, unit: int) -> tuple[str, list[str]]:
        if unit not in self._known:
            label, bases = self._described(unit)
            names = [text.partition("<")[0].partition("(")[0].rpartition(".")[2] for text in bases]
            self._known[unit] = (label, names)
        return self._known[unit]

    def _is_ours(self, name: str) -> bool:
        return name in self._structure.names.by_name


_BEFORE = 10
_VAGUE = {
    "member": "has much of the member's vocabulary",
    "said": "has much of what the member and the words say",
    "folder": "stands in a folder that the words name",
    "lately": "changed in the newest commits",
    "type": "has much of the same vocabulary",
    "feedback": "has the vocabulary of what was found first",
    "graph": "is reached through what names it or what it names",
    "around": "changed together with what was found first",
    "alike": "changed by commits that changed much of the rest",
}


def _is_interface(name: str) -> bool:
    return len(name) > 1 and name[0] == "I" and name[1].isupper()


def _listed(names: Sequence[str], *, most: int = _FEW) -> str:
    told = list(dict.fromkeys(names))
    more = len(told) - most
    return ", ".join(told[:most]) + (f" and {more} more" if more > 0 else "")


Used = Callable[[int], Sequence[int]]
"""The units that a unit names, in order."""

_MOST_HOPS = 4
_MOST_SEEN = 20_000


def connections(units: Sequence[int], used: Used) -> list[tuple[int, ...]]:
    """Return the shortest path from each unit to another of them that is not part of a longer path, the longest
    first, at most one for each pair. Each unit names the next."""
    found: list[tuple[int, ...]] = []
    for start in units:
        found += ways(start, set(units) - {start}, used)
    found.sort(key=lambda way: (-sum(unit in units for unit in way), len(way), [units.index(way[0])]))
    told: list[tuple[int, ...]] = []
    for way in found:
        if not any(_holds(longer, way) for longer in told):
            told.append(way)
    return told


def ways(start: int, ends: set[int], used: Used) -> list[tuple[int, ...]]:
    """The shortest way from one unit to each of the others that it reaches."""
    before: dict[int, int] = {start: start}
    depth = {start: 0}
    queue = deque([start])
    found: list[tuple[int, ...]] = []
    while queue and len(before) < _MOST_SEEN:
        at = queue.popleft()
        if depth[at] == _MOST_HOPS:
            continue
        for next_ in used(at):
            if next_ not in before:
                before[next_], depth[next_] = at, depth[at] + 1
                queue.append(next_)
                if next_ in ends:
                    found.append(_traced(next_, before))
    return found


def _traced(end: int, before: Mapping[int, int]) -> tuple[int, ...]:
    way = [end]
    while before[way[-1]] != way[-1]:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def _holds(longer: Sequence[int], way: Sequence[int]) -> bool:
    return any(tuple(longer[at : at + len(way)]) == tuple(way) for at in range(len(longer) - len(way) + 1))
