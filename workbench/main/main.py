"""Main screen: the frame with its message handlers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import events

from services.model import Definition, FileChange
from widgets.format.shorten import counted
from workbench.code.diff_part import DiffPart
from workbench.code.visits import Definitions
from workbench.commands.commands import BY_ID, OPEN, awaited, meant_in
from workbench.commands.situation import CHANGES, CODE, DIFF, GREP, SYMBOLS, no_subject, scope_of
from workbench.main.actions import ACTIONS
from workbench.main.frame import Frame, OnPanes
from workbench.main.on_session import OnSession
from workbench.panes.changes_pane import ChangesPane
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.key_line import KeyLine
from workbench.ui.messages import Changed, CursorMoved, GoTo, RunCommand
from workbench.ui.notices import notice_of

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
        from workbench.ui.picker import Picker, filtered, symbol_row

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


_AT_ONCE = frozenset({"quit", "cancel", "help", "palette", "leave"})
"""Commands that wait for nothing."""
_NOTICED = 1.0
"""Seconds after which somebody who pressed a key wonders what became of it."""
_READ = 4.0
"""Seconds for which a refusal can be read."""
_RIGHT = 3
"""The mouse button that asks for a menu."""


class MainScreen(OnSession, OnPanes, OnLists):
    """Main screen without dialogs. Every command is run by `run_command`, by whichever key or click."""

    CSS_PATH = ["../styles/main.tcss", "../styles/overlays.tcss"]  # noqa: RUF012 - Textual wants a list
    _awaits = ""
    """What is said of the command that waits."""

    def run_command(self, command: str) -> None:
        """Run a command, or show why it is unavailable; where that depends on a result under way, once that is
        there."""
        situation = self.situation
        awaits = awaited(BY_ID[command], situation) or ("" if self.is_complete else OPEN)
        if command not in _AT_ONCE and (awaits or self.held.wait):
            self._hold(command, awaits)
            return
        refused = self.keys.unavailable_reason(command, situation)
        if refused:
            self._refuse(BY_ID[command].title, refused)
        else:
            if command == "help":  # the other first steps count once they succeeded
                self.did(command)
            if self.pane == SYMBOLS and BY_ID[command].unavailable is no_subject:
                self.symbols.box.remember()
            try:
                ACTIONS[command](self)
            except (ImportError, SyntaxError) as error:  # dialogs are imported when they open
                self.say(notice_of(error))
        self.update_keys()

    def _hold(self, command: str, awaits: str) -> None:
        """Hold a command until its requirement is met; a noticeable wait is shown."""
        if not self.held.wait and awaits:
            title, leave = BY_ID[command].title, self.keys.first("leave")
            key = self.keys.first(command, typing=self.situation.typing)
            self._awaits = said = f"{key or title}: done as soon as {awaits}. {leave} lets go of it."
            self.set_timer(_NOTICED, lambda: self._say_held(title, said))
        self.held.hold(lambda: self._take_up(command))

    def _say_held(self, title: str, said: str) -> None:
        if self.held.wait and self._awaits == said:
            self._refuse(title, said)

    def _take_up(self, command: str) -> None:
        """Run the held command, unless another screen is open that must be answered first."""
        if self.app.screen is self:
            self.run_command(command)
            return
        lost = self.held.drop() + 1
        self._refuse(
            BY_ID[command].title, f"{counted(lost, 'key')} typed before this question came did nothing."
        )

    def _refuse(self, title: str, refused: str) -> None:
        self.toast(refused, title=title, seconds=_READ)

    def action_run_command(self, command: str) -> None:
        """A key was pressed."""
        self.run_command(meant_in(scope_of(self.pane, self.code.view), command))

    def on_run_command(self, event: RunCommand) -> None:
        """Run the command of the clicked part."""
        event.stop()
        self.run_command(event.command)

    def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """A hint was clicked."""
        self.run_command(event.command)

    def on_click(self, event: events.Click) -> None:
        """Open the menu on the right button."""
        if event.button == _RIGHT:
            self.run_command("menu")
