"""Message handlers of the main screen: lists, and the views they lead to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from services.model import Definition, FileChange
from workbench.code.definitions import Definitions
from workbench.code.diff_part import DiffPart
from workbench.commands.situation import CHANGES, CODE, DIFF, GREP, SYMBOLS
from workbench.main.frame import Frame
from workbench.panes.changes_pane import ChangesPane
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.messages import Changed, CursorMoved, GoTo

if TYPE_CHECKING:
    from workbench.ui.picker import Picked


class OnLists(Frame):
    """Handlers of the messages about places."""

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A pane was clicked in the switcher, or a list in its tabs."""
        if not self.is_complete:
            self.once_complete(partial(self.on_choice_line_chosen, event))
        elif event.line is self.lists:
            self.show_list(event.choice)
        else:
            self.focus_pane(self.left if event.choice == SYMBOLS else event.choice)

    def on_go_to(self, event: GoTo) -> None:
        """Show a line; the list remains focused while it is stepped through next to the source."""
        if self.left == GREP:
            self.grep.box.remember()
        self.code.show(f"{event.file}:{event.line}", lit=event.lit, column=event.column)
        if self.has_class("-single") or not self.stepping:
            self.focus_pane(CODE)
        self.stepping = False
        self.update_keys()

    def on_cursor_moved(self, event: CursorMoved) -> None:
        """Show the place next to its list."""
        event.stop()
        self.preview_at_rest()

    def on_changed(self, event: Changed) -> None:
        """Commands may fit differently."""
        event.stop()
        self.update_keys()

    def on_changes_pane_shown(self, event: ChangesPane.Shown) -> None:
        """Look at a file's diff."""
        self.code.diff.stageable, self.code.diff.signature = self.changes.is_stageable, self.changes.signature
        if self.reviewed_scope != self.changes.scope or event.again:
            self.read_review()
        self.code.diff.show(
            event.change,
            hunk=event.hunk,
            line=event.line,
            again=event.again,
            why=event.why,
            beside=self.changes.beside,
        )
        if self.pane == CHANGES:
            self.code.view = DIFF
        self._saw(event.change)

    def on_changes_pane_opened(self) -> None:
        """The diff gets the keyboard."""
        self.code.view = DIFF
        self.focus_pane(CODE)
        self._saw(self.changes.list.current)

    def _saw(self, change: FileChange | None) -> None:
        """Only what is on the screen was looked at."""
        if change is not None and self.code.view == DIFF and self.code.display:
            self.changes.list.saw(change.path)

    def on_diff_part_past_end(self, event: DiffPart.PastEnd) -> None:
        """The next file's first hunk, or the last of the file before."""
        if not self.changes.step(event.direction, hunk=0 if event.direction > 0 else -1):
            self.app.notify("There is no hunk after this one." if event.direction > 0 else "This is the first hunk.",
                            markup=False, timeout=3)  # fmt: skip

    def on_definitions_ambiguous(self, event: Definitions.Ambiguous) -> None:
        """Offer the possible symbols."""
        self.pick_meaning(event.definition)

    def pick_meaning(self, definition: Definition) -> None:
        """Offer the symbols a name may mean."""
        from workbench.ui.picker import Picker, filtered
        from workbench.ui.picks import symbol_row

        def picked(answer: Picked | None) -> None:
            if answer is not None:
                self.code.show(answer.values[0])

        rows = [symbol_row(symbol) for symbol in definition.symbols]
        self.app.push_screen(Picker(definition.reason or definition.name, filtered(rows)), picked)

    def show_list(self, pane: str) -> None:
        """Bring a list to the front; one that is still empty is filled."""
        if pane == CHANGES:
            self.changes.open(at=self.code.file)
        self.focus_pane(pane)
