"""Failures of the last test run, each a place to open, and what it takes to mend one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from widgets.format.display import visible
from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, paragraph

if TYPE_CHECKING:
    from services.bench import Bench
    from services.operations.models.testing import TestRunAnswer
    from services.testing.values import TestFailure

Chosen = tuple[str, str]
"""`open` with a place, or `context` with a text to find context for."""
_EMPTY = "No test run is known. `codecortex run-tests` in a shell, an agent or a workflow runs them"
_GREEN = "All tests that ran passed"


class FailuresScreen(Listing[Chosen | None]):
    """Failures of the last run in this workspace, whoever ran it. Answers what is wanted of one."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,o", "open", "open its place", row=True),
        Key("c", "context", "what it needs", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("failures", KEYS)

    def __init__(self, bench: Bench) -> None:
        super().__init__("Test failures", empty=_EMPTY, code=bench)
        self._bench = bench
        self._failures: tuple[TestFailure, ...] = ()

    def read(self) -> None:
        """Read the last run."""
        from services.operations.models.testing import last_run

        self.jobs.run("failures", lambda: last_run(self._bench), self._show)

    def about(self, row: PickRow) -> Content:
        """Its message and its stack."""
        failure = self._failures[int(row.value)]
        head = Content.styled(f"{visible(failure.name)}\n\n", "bold")
        stack = paragraph("Stack", failure.stack.splitlines()[:_MOST_LINES])
        return head + Content("\n".join(map(visible, failure.message.splitlines()))) + stack

    def place_of(self, row: PickRow) -> str:
        """The innermost line of the workspace that it names."""
        place = next(iter(self._failures[int(row.value)].places), None)
        return f"{place.file}:{max(place.line, 1)}" if place is not None else ""

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter opens its place."""
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Open the line where it failed."""
        row = self.rows.current
        if row is None:
            return
        if place := self.place_of(row):
            self.dismiss(("open", place))
        else:
            self.tell("It names no line of this workspace.")

    def action_context(self) -> None:
        """Find what it takes to mend it."""
        if self.has_row:
            failure = self._failures[int(self.current)]
            self.dismiss(("context", f"{failure.name}\n{failure.message}\n{failure.stack}".strip()))

    def _show(self, ran: TestRunAnswer | None) -> None:
        self._failures = ran.failures if ran is not None else ()
        if ran is not None:
            self.rows.empty = _GREEN if ran.success else "; ".join(ran.notes) or "The run told no failure"
            counts = f"{counted(ran.passed, 'test')} passed, {ran.failed} failed, {ran.skipped} skipped"
            self.pane.note = visible(f"{counts} · {ran.command}")
        rows = [
            PickRow(str(at), each.name, "" if each.kind == "failed" else each.kind, sign="!")
            for at, each in enumerate(self._failures)
        ]
        self.set_rows(rows)


_MOST_LINES = 200
