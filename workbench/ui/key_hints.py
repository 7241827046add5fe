"""Sentences that name a command's key, `{pin:space}`, as a person reads them: with the key in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.widget import Widget

from widgets.chrome.empty_state import EmptyState

if TYPE_CHECKING:
    from workbench.commands.keymap import Keys


def with_keys(widget: Widget, sentence: str) -> str:
    """The sentence with the keys of the screen that the widget is shown on or over; without one, as it is written."""
    if "{" not in sentence:
        return sentence
    return _keys(widget).with_keys(sentence)


def moved_keys(widget: Widget) -> Mapping[str, tuple[str, ...]]:
    """The keys of dialogs that are not the program's own, by id."""
    return _keys(widget).dialogs


def _keys(widget: Widget) -> Keys:
    """Return the keys in force on the screen that the widget is shown on or over."""
    from workbench.commands.keymap import TABLE, Keys

    known = (getattr(screen, "keys", None) for screen in widget.app.screen_stack)
    return next((keys for keys in known if isinstance(keys, Keys)), TABLE)


class HintedState(EmptyState):
    """An empty state whose advice may name keys."""

    def on_mount(self) -> None:
        """Apply the initial values, now that it is on a screen."""
        self.advice = self.advice

    def validate_advice(self, advice: str) -> str:
        """Return the advice with readable keys."""
        return with_keys(self, advice)
