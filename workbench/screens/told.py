"""Sentences that name a command's key, `{pin:space}`, as a person reads them: with the key in force."""

from __future__ import annotations

from textual.widget import Widget

from widgets.empty_state import EmptyState


def told(widget: Widget, sentence: str) -> str:
    """The sentence with the keys of the screen that the widget is shown on or over; without one, as it is written."""
    if "{" not in sentence:
        return sentence
    from workbench.keymap import TABLE, Keys

    known = (getattr(screen, "keys", None) for screen in widget.app.screen_stack)
    return next((keys for keys in known if isinstance(keys, Keys)), TABLE).told(sentence)


class ToldState(EmptyState):
    """An empty state whose advice may name keys."""

    def on_mount(self) -> None:
        """What it was made with is told too, now that it is on a screen."""
        self.advice = self.advice

    def validate_advice(self, advice: str) -> str:
        """As people read it."""
        return told(self, advice)
