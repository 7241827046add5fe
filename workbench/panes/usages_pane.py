"""Usages of a symbol, in three grades, by file."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.getters import query_one

from services.errors import UsageError
from services.model import UsagesAnswer
from widgets.chrome.parts_line import PartsLine, Toggles
from widgets.format.shorten import grouped
from widgets.lists.place_list import PlaceList
from workbench.panes.places_pane import BOUND_SIGN, NAME_SIGN, RELATED_SIGN, PlacesPane, usage_rows
from workbench.ui.key_line import HintedState
from workbench.ui.messages import working

if TYPE_CHECKING:
    from services.bench import Bench

MOST_USAGES = 2_000
_ADVICE = "Put the cursor on a symbol, or open one, and press {usages:u}."


class UsagesPane(PlacesPane):
    """Usages of one symbol. A sign and a word distinguish bound ones from name matches."""

    toggles = query_one(Toggles)

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Usages", id=id)
        self._target = ""
        self._answer: UsagesAnswer | None = None
        self._bound_only = False
        self._cancel = threading.Event()

    def compose(self) -> ComposeResult:
        """Compose the summary, the switch, the rows."""
        yield PartsLine(classes="list-said")
        yield Toggles()
        yield PlaceList(id="usage-places")
        yield HintedState("Nothing was asked for yet.", _ADVICE)

    def on_mount(self) -> None:
        """All of them are shown."""
        self._show_switch()

    def attach(self, bench: Bench) -> None:
        """Use this workspace from now on."""
        self.bench = bench

    def show(self, target: str, *, keep_cursor: bool = False) -> None:
        """Look for the usages of a symbol."""
        bench = self.bench
        if bench is None:
            return
        self._cancel.set()
        cancel = self._cancel = threading.Event()
        self._target = target
        if not keep_cursor:
            self.title = "Usages"
            self.say_nothing("Looking for usages …")
            self.said.say()
        self.jobs.run(
            "usages",
            lambda: self._look(bench, target, cancel),
            lambda answer: self._show(answer, keep_cursor=keep_cursor),
            failed=self._refused,
        )

    def reload(self) -> None:
        """The index changed: look again."""
        if self._target:
            self.show(self._target, keep_cursor=True)

    def _look(self, bench: Bench, target: str, cancel: threading.Event) -> UsagesAnswer:
        with working(self) as report:
            return bench.usages.find(target, limit=MOST_USAGES, progress=report, cancel=cancel)

    @property
    def is_working(self) -> bool:
        """Whether usages are looked for."""
        return self.jobs.is_running("usages") and not self._cancel.is_set()

    def stop(self) -> None:
        """Look no more."""
        self._cancel.set()

    def toggle_bound(self) -> None:
        """Leave out what only has the name, or show it again."""
        self._bound_only = not self._bound_only
        self._show_switch()
        if self._answer is not None:
            self._show(self._answer, keep_cursor=False)

    def on_toggles_switch_pressed(self, event: Toggles.SwitchPressed) -> None:
        """The switch was clicked."""
        event.stop()
        self.toggle_bound()

    def _show_switch(self) -> None:
        self.toggles.switches = [("bound", "bound only", self._bound_only)]

    def _show(self, answer: UsagesAnswer, *, keep_cursor: bool) -> None:
        self._answer = answer
        self.title = f"Usages of {answer.symbol.label}"
        rows = list(usage_rows(answer.usages, bound_only=self._bound_only))
        first = f"the first {grouped(len(answer.usages))} shown" if answer.truncated else ""
        self.said.say(_counted(answer), first, f"{answer.elapsed_ms:.0f} ms")
        if rows:
            self.show_rows(rows, keep_cursor=keep_cursor)
        elif answer.total:
            self.say_nothing("None is bound.", "Show the places that have the name ({bound-only:alt+u}).")
        else:
            self.say_nothing(
                f"{answer.symbol.label} is not used in this workspace.",
                "Search for its name in files ({grep:g}).",
            )

    def _refused(self, error: Exception) -> None:
        if isinstance(error, UsageError):
            self.say_nothing(error.message, _ADVICE)
        else:
            self.say_nothing("There is no answer.", _ADVICE)
            self.failed(error)


def _counted(answer: UsagesAnswer) -> str:
    """How many there are, of each grade that there is."""
    named = answer.total - answer.bound - answer.related
    grades = (
        (answer.bound, f"{BOUND_SIGN} bound"),
        (answer.related, f"{RELATED_SIGN} related"),
        (named, f"{NAME_SIGN} name match"),
    )
    told = [f"{grouped(count)} {grade}" for count, grade in grades if count]
    return f"{grouped(answer.total)}: {', '.join(told)}" if len(told) > 1 else "".join(told) or "none"
