"""Textual's command palette, whose list may not be there yet, or no more."""

from __future__ import annotations

from contextlib import suppress

from textual.command import CommandList, CommandPalette


class SteadyPalette(CommandPalette):
    """Command palette that tolerates two races of Textual: a KeyError for a page key before the layout of its list
    exists, and NoMatches where results arrive after it was closed."""

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
