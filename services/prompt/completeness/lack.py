"""What a window lacks: the types its text refers to and does not show, and the best of them that fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.model import Level
from services.prompt.completeness.knapsack import Option, best
from services.prompt.completeness.references import References

_IN_SOURCE = 4
"""A reference in source counts as so many in a signature: the model reads the source to understand it."""
_NAMED_IN_SOURCE = 300
_SCALE = 100
_SIGNATURE_SHARE = 0.45


@dataclass(slots=True)
class Lack:
    """A type that is referred to. Counts of references by name, by use of members, and of those in source; `by`: keys
    of items."""

    named: int = 0
    used: int = 0
    in_source: int = 0
    by: list[str] = field(default_factory=list)

    @property
    def worth(self) -> int:
        """What showing its outline is worth: the first reference most, each further one less, so that many types are
        shown before few are shown for many references."""
        weight = self.named + self.used + (_IN_SOURCE - 1) * self.in_source
        return round(_SCALE * math.log2(1 + weight)) + (_NAMED_IN_SOURCE if self.in_source else 0)

    @property
    def rank(self) -> tuple[int, int, int]:
        """What sorts the most referred to first."""
        return -self.in_source, -(self.named + self.used), -len(self.by)


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens of a type at a level."""

    signature: int
    outline: int

    def options(self, worth: int) -> list[tuple[Level, Option]]:
        """The levels to choose from. A signature that costs as much as the outline is none."""
        outline = (Level.OUTLINE, Option(self.outline, worth))
        if self.signature >= self.outline:
            return [outline]
        return [outline, (Level.SIGNATURE, Option(self.signature, max(1, round(worth * _SIGNATURE_SHARE))))]


def referred(items: Mapping[str, References]) -> dict[str, Lack]:
    """Every type that items refer to beyond themselves, by id. `items`: by their keys."""
    found: dict[str, Lack] = {}
    for key, its in items.items():
        for id_ in its.named.keys() | its.used.keys():
            lack = found.setdefault(id_, Lack())
            lack.named += its.named[id_]
            lack.used += its.used[id_]
            lack.in_source += its.named[id_] + its.used[id_] if its.source else 0
            lack.by.append(key)
    return found


def chosen(lacks: Mapping[str, Lack], costs: Mapping[str, Costs], room: int) -> dict[str, Level]:
    """The best set that fits, by id."""
    ids = [id_ for id_ in lacks if id_ in costs]
    options = [costs[id_].options(lacks[id_].worth) for id_ in ids]
    taken = best([[option for _, option in each] for each in options], room)
    return {
        id_: each[number][0]
        for id_, each, number in zip(ids, options, taken, strict=True)
        if number is not None
    }


def unneeded(items: Mapping[str, References], pinned: Sequence[str]) -> list[tuple[str, int]]:
    """Pinned items, by key, that nothing else refers to, each with how many types it refers to itself."""
    found: list[tuple[str, int]] = []
    for key in pinned:
        its = items.get(key)
        own = its.shown | its.about if its is not None else frozenset[str]()
        if its is None or not own:
            continue
        others = (other for at, other in items.items() if at != key)
        if not any(own & (other.named.keys() | other.used.keys()) for other in others):
            found.append((key, len((its.named.keys() | its.used.keys()) - own)))
    return found
