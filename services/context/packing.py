"""Packing of a ranking into a token budget: outlines for the first ten units, signatures for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from services.context import words
from services.context.query import ContextQuery
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
