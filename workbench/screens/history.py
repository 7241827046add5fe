"""Where one has been, and is: a line of places to go back and forward on."""

from __future__ import annotations

from dataclasses import dataclass, replace

_KEPT = 100


@dataclass(frozen=True, slots=True)
class History:
    """`places` in the order they were visited, `at` the one shown; -1 while there is none."""

    places: tuple[str, ...] = ()
    at: int = -1

    @property
    def current(self) -> str | None:
        """The place shown."""
        return self.places[self.at] if self.places else None

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before this one."""
        return self.at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether going back can be undone."""
        return self.at < len(self.places) - 1

    def visit(self, place: str) -> History:
        """At `place`; what was ahead is forgotten. The same place twice is one."""
        if place == self.current:
            return self
        places = (*self.places[: self.at + 1], place)[-_KEPT:]
        return History(places, len(places) - 1)

    def step(self, places: int) -> History:
        """So many places on, -1 for back; no further than there are."""
        return replace(
            self, at=min(max(self.at + places, min(0, len(self.places) - 1)), len(self.places) - 1)
        )
