"""Going from place to place, and back: each is read from the workspace before it counts as visited."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from workbench.code.history import History, Spot
from workbench.code.opened import Opened, read
from workbench.code.place import Place
from workbench.state.bench_port import BenchPort
from workbench.ui.jobs import Jobs


class Arrival(Struct, frozen=True):
    """`spot`: where in the place one was, where one comes back to it; `column`: where in its line one goes;
    `reloaded`: one did not go anywhere, the place is read again as it is on disk."""

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
        self.bench: BenchPort | None = None
        self.history = History()

    def go(
        self, place: str, *, quiet: bool = False, column: int | None = None, passing: bool = False
    ) -> None:
        """To a symbol's id, `file:line` or `file:start-end`. `quiet`: it may have gone since, and then nothing is
        said; `passing`: the next place takes its place in the history."""
        self._read(self._left.visit(place, passing=passing), quiet=quiet, column=column)

    def step(self, places: int) -> None:
        """Back (-1) or forward (1), to where in the place one was."""
        self._read(self._left.step(places), back=True)

    def reload(self) -> None:
        """Read the place shown again, if there is one. It may have gone: then nothing changes. Where one is on the way
        to another place that is read again, once one is there."""
        self._jobs.after("open", lambda: self._read(self.history, quiet=True))

    @property
    def _left(self) -> History:
        """The history, knowing where one is about to leave."""
        return self.history.left_at(*self._here())

    def _read(
        self, history: History, *, quiet: bool = False, back: bool = False, column: int | None = None
    ) -> None:
        bench, place = self.bench, history.current
        if bench is None or place is None:
            return
        spot, reloaded = history.spot if back else None, history is self.history

        def arrived(opened: Opened) -> None:
            self.history = history
            self._arrived(Arrival(opened, spot, column, reloaded))

        failed: Callable[[Exception], None] | None = (lambda _: None) if quiet else None
        self._jobs.run(
            "open", lambda: read(bench, Place.parse(place), again=reloaded), arrived, failed=failed
        )
