"""Textual's command palette over the table of commands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, cast

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from workbench.commands.commands import COMMANDS, Command
from workbench.commands.keymap import Keys
from workbench.commands.situation import Situation

# Textual's command palette, whose list may not be there yet, or no more.


class SteadyPalette(CommandPalette):
    """Textual's raises KeyError for a page key before its list has been laid out, and NoMatches where what it gathered
    arrives after it was closed; this one lets both pass."""

    def _action_command_list(self, action: str) -> None:
        """A key that early moves nothing."""
        with suppress(KeyError):
            super()._action_command_list(action)

    def _watch__list_visible(self) -> None:
        if self._has_list:
            super()._watch__list_visible()

    async def _watch__show_busy(self) -> None:
        if self._has_list:
            await super()._watch__show_busy()

    @property
    def _has_list(self) -> bool:
        return bool(self.query(CommandList))


class CommandHost(Protocol):
    """The screen whose commands the palette offers."""

    @property
    def keys(self) -> Keys:
        """The keys in force."""
        ...

    @property
    def situation(self) -> Situation:
        """What decides which commands make sense now."""
        ...

    def run_command(self, id_: str, /) -> None:
        """Do what the command `id_` says."""
        ...


class Palette(SteadyPalette):
    """Closed once, as other dialogs: see `Modal`."""

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Go; nothing where another screen is in front already."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete.nothing()


class CommandProvider(Provider):
    """Offers every command; one that makes no sense now says why, and is offered all the same."""

    async def discover(self) -> Hits:
        """All of them, in the order of the table."""
        for command in COMMANDS:
            yield DiscoveryHit(self._title(command), self._run(command), command.title, self._help(command))

    async def search(self, query: str) -> Hits:
        """Those whose title or id fits."""
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
        refused = self._host.keys.refusal(command.id, self._host.situation)
        return f"Not now: {refused}" if refused else command.help

    def _run(self, command: Command) -> Callable[[], None]:
        return lambda: self._host.run_command(command.id)
