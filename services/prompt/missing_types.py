"""Types missing from a window: the types its text refers to and does not show, the members that shown bodies use of
their own types, and the best of them that fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from services.index.index import Index
from services.model import TYPE_KINDS, Level, SymbolRef
from services.prompt.references import VALUES, ItemReferences

_IN_SOURCE = 4
"""A reference in source counts as so many in a signature: the model reads the source to understand it."""
_NAMED_IN_SOURCE = 300
_SCALE = 100
_SIGNATURE_SHARE = 0.45


class MissingType(msgspec.Struct):
    """A type that is referred to. Counts of references by name, by use of members, and of those in source; `by`: keys
    of items."""

    named: int = 0
    used: int = 0
    in_source: int = 0
    by: list[str] = msgspec.field(default_factory=list)

    @property
    def worth(self) -> int:
        """Value of showing its outline: the first reference counts most, each further one less, so that many types
        are shown before few are shown for many references."""
        weight = self.named + self.used + (_IN_SOURCE - 1) * self.in_source
        return round(_SCALE * math.log2(1 + weight)) + (_NAMED_IN_SOURCE if self.in_source else 0)

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key, the most referenced first."""
        return -self.in_source, -(self.named + self.used), -len(self.by)


class Costs(msgspec.Struct, frozen=True):
    """Tokens of a type at a level; of a member (`is_member`) `outline` is what its source takes."""

    signature: int
    outline: int
    is_member: bool = False

    def options(self, worth: int) -> list[tuple[Level, PackingOption]]:
        """The levels to choose from. A signature that costs as much as the outline is none, and a member that is shown
        by its signature already has no other than its source."""
        if self.is_member:
            return [(Level.BODIES, PackingOption(self.outline, worth))]
        outline = (Level.OUTLINE, PackingOption(self.outline, worth))
        if self.signature >= self.outline:
            return [outline]
        return [
            outline,
            (Level.SIGNATURE, PackingOption(self.signature, max(1, round(worth * _SIGNATURE_SHARE)))),
        ]


def referred(items: Mapping[str, ItemReferences]) -> dict[str, MissingType]:
    """Every type that items refer to beyond themselves, by id. `items`: by their keys. What lines use of the type that
    they are of is told by its members."""
    found: dict[str, MissingType] = {}
    for key, its in items.items():
        own = its.about if its.source else frozenset[str]()
        for id_ in (its.named.keys() | its.used.keys()) - own:
            lack = found.setdefault(id_, MissingType())
            lack.named += its.named[id_]
            lack.used += its.used[id_]
            lack.in_source += its.named[id_] + its.used[id_] if its.source else 0
            lack.by.append(key)
    return found


class OwnMember(NamedTuple):
    """A member that shown source of its own type uses. `value`: of a constant."""

    symbol: SymbolRef
    lack: MissingType
    value: str


class UsedMembers(NamedTuple):
    """How many members the source of the window uses beyond those that the same item shows, how many of them another
    item shows, and those of the window's own types that none does."""

    referred: int
    shown: int
    own: list[OwnMember]


def used_members(index: Index, items: Mapping[str, ItemReferences]) -> UsedMembers:
    """Return the members that the window's source uses. Fields and constants of its own types are listed above their
    bodies already: of those only the ones that lines and hunks use are told."""
    lines = [stretch for its in items.values() for stretch in its.lines]
    used: dict[tuple[int, int], MissingType] = {}
    for key, its in items.items():
        for place, count in its.members.items() if its.source else ():
            lack = used.setdefault(place, MissingType())
            lack.used += count
            lack.in_source += count
            lack.by.append(key)
    listed = frozenset[str]().union(*(its.listed for its in items.values()))
    told: list[OwnMember] = []
    referred, shown = set[str](), set[str]()
    for place, lack in used.items():
        symbol = index.files.declared(*place)
        if symbol is None or symbol.kind in TYPE_KINDS:
            continue
        is_source = _is_shown(symbol, lines)
        if not all(symbol.id in items[key].listed or _is_shown(symbol, items[key].lines) for key in lack.by):
            referred.add(symbol.id)
            if is_source or symbol.id in listed:
                shown.add(symbol.id)
        owners = frozenset[str]().union(*(items[key].about for key in lack.by))
        bare = any(key.partition(":")[0] in ("range", "hunk") for key in lack.by)
        if _type_of(symbol) in owners and not is_source and (symbol.kind not in VALUES or bare):
            told.append(OwnMember(symbol, lack, index.value_of(*place)))
    return UsedMembers(len(referred), len(shown), told)


def _type_of(symbol: SymbolRef) -> str:
    return "_".join(symbol.id.split("_")[:2])


def _is_shown(symbol: SymbolRef, lines: Iterable[tuple[str, int, int]]) -> bool:
    return any(
        file == symbol.file and first <= symbol.start_line and symbol.end_line <= last
        for file, first, last in lines
    )


def chosen(lacks: Mapping[str, MissingType], costs: Mapping[str, Costs], room: int) -> dict[str, Level]:
    """The best set that fits, by id."""
    ids = [id_ for id_ in lacks if id_ in costs]
    options = [costs[id_].options(lacks[id_].worth) for id_ in ids]
    taken = best([[option for _, option in each] for each in options], room)
    return {
        id_: each[number][0]
        for id_, each, number in zip(ids, options, taken, strict=True)
        if number is not None
    }


def unneeded(items: Mapping[str, ItemReferences], pinned: Sequence[str]) -> list[tuple[str, int]]:
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


# The best choice of levels within a room: the multiple-choice knapsack, by dynamic programming over its size. The
# answer is the best there is while the room has at most MOST_STEPS units; in a larger one sizes are rounded up to
# whole steps, so that the choice always fits, and its value is the best of all choices in a room smaller by as many
# steps as there are things to choose from.

MOST_STEPS = 16_384


class PackingOption(NamedTuple):
    """Option for an item: its cost, a whole number of 0 or more, and its value, above 0."""

    cost: int
    value: int


def best(things: Sequence[Sequence[PackingOption]], room: int) -> list[int | None]:
    """Return the option to take for each item, None for none, so that the value is greatest and the cost at most
    `room`.

    Of equal worth the cheaper choice is taken, then the one that takes earlier things."""
    import numpy as np

    if room < 0 or not things:
        return [None] * len(things)
    if sum(max((o.cost for o in options), default=0) for options in things) <= room:
        return [_worthiest(options) for options in things]
    step = -(-(room + 1) // MOST_STEPS)
    size = room // step + 1
    worth = np.zeros(size, dtype=np.int64)  # by room, in steps
    taken = np.full((len(things), size), -1, dtype=np.int16)
    for n in range(len(things) - 1, -1, -1):
        before = worth.copy()
        for number, option in enumerate(things[n]):
            cost = -(-option.cost // step)
            if cost >= size:
                continue
            offered = before[: size - cost] + option.value
            better = offered > worth[cost:]
            worth[cost:][better] = offered[better]
            taken[n, cost:][better] = number
    return _traced(things, taken, int(np.argmax(worth)), step)


def _traced(things: Sequence[Sequence[PackingOption]], taken, at: int, step: int) -> list[int | None]:
    """Return the choice behind the best value, at the smallest cost that reaches it."""
    chosen: list[int | None] = []
    for n, options in enumerate(things):
        number = int(taken[n, at])
        chosen.append(number if number >= 0 else None)
        if number >= 0:
            at -= -(-options[number].cost // step)
    return chosen


def _worthiest(options: Sequence[PackingOption]) -> int | None:
    ranked = sorted(range(len(options)), key=lambda n: (-options[n].value, options[n].cost))
    return ranked[0] if ranked else None
