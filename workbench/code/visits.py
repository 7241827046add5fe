"""Going from place to place, and back: each is read from the workspace before it counts as visited.

Where one has been, and is: a line of places to go back and forward on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from workbench.code.opened import Opened, read
from workbench.code.place import Place
from workbench.commands.situation import DIFF
from workbench.ui.jobs import Jobs

if TYPE_CHECKING:
    from services.bench import Bench

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
        """At `place`; what was ahead is forgotten. The same place twice is one, unless it was left for a diff, which
        can be come back to; a place in passing gives way."""
        spot = self.spot
        if spot and place == spot.place and spot.view != DIFF and (passing or not spot.passing):
            return self
        kept = self.at if spot and spot.passing else self.at + 1
        spots = (*self.spots[:kept], Spot(place, passing=passing))[-_KEPT:]
        return History(spots, len(spots) - 1)

    def step(self, places: int) -> History:
        """So many places on, -1 for back; no further than there are."""
        return replace(self, at=min(max(self.at + places, min(0, len(self.spots) - 1)), len(self.spots) - 1))


class Arrival(Struct, frozen=True):
    """`spot`: where in the place one was, where one comes back to it, or is to be; `column`: where in its line one
    goes; `reloaded`: one did not go anywhere, the place is read again as it is on disk."""

    opened: Opened
    spot: Spot | None = None
    column: int | None = None
    reloaded: bool = False


class Visits:
    """Reads places with the jobs of a node. `here` answers the line and the view that one is about to leave;
    `arrived` shows what was read."""

    def __init__(
        self, jobs: Jobs, *, here: Callable[[], tuple[int, str]], arrived: Callable[[Arrival], None]
    ) -> None:
        self._jobs = jobs
        self._here = here
        self._arrived = arrived
        self.bench: Bench | None = None
        self.history = History()

    @property
    def are_none(self) -> bool:
        """Whether nothing is shown, and nothing on its way to be."""
        return self.history.spot is None and not self._jobs.is_running("open")

    def go(
        self,
        place: str,
        *,
        quiet: bool = False,
        column: int | None = None,
        passing: bool = False,
        view: str = "",
    ) -> None:
        """To a symbol's id, `file:line` or `file:start-end`. `quiet`: it may have gone since, and then nothing is
        said; `passing`: the next place takes its place in the history; `view`: the one it is shown in."""
        spot = Spot(place, view=view) if view else None
        self._read(self._left.visit(place, passing=passing), spot, quiet=quiet, column=column)

    def step(self, places: int) -> None:
        """Back (-1) or forward (1), to where in the place one was."""
        there = self._left.step(places)
        self._read(there, there.spot)

    def reload(self) -> None:
        """Read the place shown again, if there is one. It may have gone: then nothing changes. Where one is on the way
        to another place that is read again, once one is there."""
        self._jobs.after("open", lambda: self._read(self.history, quiet=True))

    @property
    def _left(self) -> History:
        """The history, knowing where one is about to leave."""
        return self.history.left_at(*self._here())

    def _read(
        self,
        history: History,
        spot: Spot | None = None,
        *,
        quiet: bool = False,
        column: int | None = None,
    ) -> None:
        bench, place = self.bench, history.current
        if bench is None or place is None:
            return
        reloaded = history is self.history

        def arrived(opened: Opened) -> None:
            self.history = history
            self._arrived(Arrival(opened, spot, column, reloaded))

        failed: Callable[[Exception], None] | None = (lambda _: None) if quiet else None
        self._jobs.run(
            "open", lambda: read(bench, Place.parse(place), again=reloaded), arrived, failed=failed
        )
