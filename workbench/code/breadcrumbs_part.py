"""The trail above the middle pane: the symbol that is open, or that the cursor of the source is in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message
from textual.timer import Timer

from services.model import SymbolRef
from widgets.chrome.breadcrumbs import Breadcrumbs
from workbench.code.place import steps_of
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench

_REST = 0.1
"""Seconds the cursor has to rest before the trail follows it."""


class BreadcrumbsPart(Breadcrumbs):
    """Breadcrumbs of the cursor once it rests: a key held down would request every line."""

    class Reached(Message):
        """The trail leads somewhere else now."""

    def __init__(self) -> None:
        super().__init__()
        self.bench: Bench | None = None
        self.symbol: SymbolRef | None = None
        self._jobs = Jobs(self, self._failed)
        self._rest: Timer | None = None
        self._looked_at: tuple[str, int] | None = None

    def show(self, symbol: SymbolRef | None) -> None:
        """Lead to a symbol, or nowhere. What is still being looked up counts no more."""
        self._looked_at = None
        if symbol != self.symbol:
            self.symbol = symbol
            self.steps = steps_of(symbol)
            self.post_message(self.Reached())

    def look(self, file: str, line: int) -> None:
        """Lead to the innermost symbol around a line."""
        if bench := self.bench:
            place = self._looked_at = (file, line)
            self._jobs.run(
                "around",
                lambda: bench.places.enclosing(file, line),
                lambda symbol: self.show(symbol) if self._looked_at == place else None,
            )

    def once_rested(self, act: Callable[[], None]) -> None:
        """Run an act when the cursor has rested, unless the program ends before: then the surrounding widgets are
        being removed."""
        if (
            self._rest is not None
        ):  # a timer of its own for each key of a held one would cost more than its frame
            self._rest.reset()
            return

        def rested() -> None:
            self._rest = None
            if self.app.is_running:
                act()

        self._rest = self.set_timer(_REST, rested)

    def _failed(self, error: Exception) -> None:
        self.post_message(Tell(notice_of(error)))
