"""The colours of what is in view, asked for as one gets there: of a long file most lines are never looked at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence

from services.model import Span
from workbench.state.bench_port import Colours
from workbench.ui.jobs import Jobs

Taken = Callable[[Mapping[int, Sequence[Span]]], None]


class Colouring:
    """One text's colours in a view. One job at a time, of a name of its own: while it runs a key that is held may go
    on, and where it has got to is what is asked for next.

    `in_view` answers the lines to be coloured, `take` gets what was found, by line."""

    def __init__(self, jobs: Jobs, name: str, *, in_view: Callable[[], Collection[int]], take: Taken) -> None:
        self._jobs = jobs
        self._name = name
        self._in_view = in_view
        self._take = take
        self._colours: Colours | None = None
        self._known: set[int] = set()
        self._cancel = threading.Event()
        self._running = False

    def begin(self, colours: Colours | None) -> None:
        """Another text is shown, or one without colours; what is still being worked out for the last one ends."""
        self._cancel.set()
        self._cancel = threading.Event()
        self._colours, self._known, self._running = colours, set(), False

    def look(self) -> None:
        """Other lines may be in view."""
        colours, cancel = self._colours, self._cancel
        if colours is None or self._running:
            return
        lines = set(self._in_view()) - self._known
        if lines:
            self._running = True
            self._jobs.run(
                self._name,
                lambda: colours.of(lines, cancel=cancel),
                lambda found: self._took(lines, found) if colours is self._colours else None,
            )

    def _took(self, asked: Collection[int], found: Mapping[int, Sequence[Span]]) -> None:
        self._running = False
        self._known.update(asked, found)
        self._take(found)
        self.look()
