"""Main screen: the frame with its message handlers."""

from __future__ import annotations

from textual import events

from widgets.format.shorten import counted
from workbench.commands.availability import no_subject
from workbench.commands.commands import BY_ID, OPEN, awaited, meant_in
from workbench.commands.situation import SYMBOLS, scope_of
from workbench.main.actions import ACTIONS
from workbench.main.frame import OnPanes
from workbench.main.on_lists import OnLists
from workbench.main.on_session import OnSession
from workbench.ui.key_line import KeyLine
from workbench.ui.messages import RunCommand
from workbench.ui.notices import notice_of

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
