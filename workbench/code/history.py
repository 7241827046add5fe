"""Where one has been, and is: a line of places to go back and forward on."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

_KEPT = 100


class Spot(Struct, frozen=True):
    """A place, and where in it one was: the line of the cursor (0: not known) and the view. `passing`: it was only
    looked at from a list, and the next place takes its place."""

    place: str
    line: int = 0
    view: str = ""
    passing: bool = False


class History(Struct, frozen=True):
    """`spots` in the order they were visited, `at` the one shown; -1 while there is none."""

    spots: tuple[Spot, ...] = ()
    at: int = -1

    @property
    def spot(self) -> Spot | None:
        """The place shown, and where one was in it when it was left."""
        return self.spots[self.at] if self.spots else None

    @property
    def current(self) -> str | None:
        """The place shown."""
        return self.spot.place if self.spot else None

    @property
    def places(self) -> tuple[str, ...]:
        """All of them, in the order they were visited."""
        return tuple(spot.place for spot in self.spots)

    def left_at(self, line: int, view: str) -> History:
        """The same, knowing where in the place shown one is."""
        if self.spot is None:
            return self
        spot = replace(self.spot, line=line, view=view)
        return replace(self, spots=(*self.spots[: self.at], spot, *self.spots[self.at + 1 :]))

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before this one."""
        return self.at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether going back can be undone."""
        return self.at < len(self.spots) - 1

    def visit(self, place: str, *, passing: bool = False) -> History:
        """At `place`; what was ahead is forgotten. The same place twice is one, and a place in passing gives way."""
        spot = self.spot
        if spot and place == spot.place and (passing or not spot.passing):
            return self
        kept = self.at if spot and spot.passing else self.at + 1
        spots = (*self.spots[:kept], Spot(place, passing=passing))[-_KEPT:]
        return History(spots, len(spots) - 1)

    def step(self, places: int) -> History:
        """So many places on, -1 for back; no further than there are."""
        return replace(self, at=min(max(self.at + places, min(0, len(self.spots) - 1)), len(self.spots) - 1))
