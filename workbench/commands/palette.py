"""Textual's command palette over the table of commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from textual.await_complete import AwaitComplete
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from widgets.textual_private import SteadyPalette
from workbench.commands.commands import COMMANDS, Command
from workbench.commands.keymap import Keys
from workbench.commands.situation import Situation


class CommandHost(Protocol):
    """The screen whose commands the palette offers."""

    @property
    def keys(self) -> Keys:
        """The keys in force."""
        ...

    @property
    def situation(self) -> Situation:
        """The situation that decides which commands make sense."""
        ...

    def run_command(self, id_: str, /) -> None:
        """Run the command `id_`."""
        ...


class Palette(SteadyPalette):
    """Closed once, as other dialogs: see `Modal`."""

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Go; nothing where another screen is in front already."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete.nothing()


class CommandProvider(Provider):
    """Provider of all commands; an unavailable one is listed with the reason."""

    async def discover(self) -> Hits:
        """All of them, in the order of the table."""
        for command in COMMANDS:
            yield DiscoveryHit(self._title(command), self._run(command), command.title, self._help(command))

    async def search(self, query: str) -> Hits:
        """Yield the commands whose title or id matches."""
        matcher = self.matcher(query)
        for command in COMMANDS:
            score = max(matcher.match(command.title), matcher.match(command.id))
            if score > 0:
                shown = matcher.highlight(command.title) + Content(self._keys(command))
                yield Hit(score, shown, self._run(command), command.title, self._help(command))

    @property
    def _host(self) -> CommandHost:
        return cast(CommandHost, self.screen)

    def _title(self, command: Command) -> Content:
        return Content(command.title + self._keys(command))

    def _keys(self, command: Command) -> str:
        shown = self._host.keys.shown(command.id)
        return f"  {shown}" if shown else ""

    def _help(self, command: Command) -> str:
        refused = self._host.keys.unavailable_reason(command.id, self._host.situation)
        return f"Not now: {refused}" if refused else command.help

    def _run(self, command: Command) -> Callable[[], None]:
        return lambda: self._host.run_command(command.id)
