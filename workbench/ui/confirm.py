"""A question that is answered with yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Button, Static

from widgets.chrome.pane import Pane
from widgets.format.display import visible
from workbench.ui.key_hints import with_keys
from workbench.ui.modal import Modal

_REST = 0.5
"""Seconds without a letter after which a late question takes letters as answers."""


class Confirm(Modal[bool]):
    """Answers True for yes. Esc is no. `question`: several are lines of their own; `late`: it opens some time after the
    key that led to it, perhaps under somebody who types on, so that letters count once the keyboard has rested."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "No", show=False, id="confirm.no"),
        Binding("y", "answer(True)", "Yes", show=False, id="confirm.yes"),
        Binding("left", "app.focus_previous", "Left", show=False, id="confirm.left"),
        Binding("right", "app.focus_next", "Right", show=False, id="confirm.right"),
    ]

    def __init__(self, title: str, question: str | Sequence[str], *, yes: str, late: bool = False) -> None:
        super().__init__()
        self._rest: Timer | None = None
        self.takes_letters = not late
        self._pane_title = title
        self._question = (question,) if isinstance(question, str) else question
        self._yes = yes

    def compose(self) -> ComposeResult:
        """The question and two buttons; the keyboard is on the one that changes nothing."""
        with Pane(title=self._pane_title, id="confirm"):
            yield Static("\n".join(map(visible, self._question)), markup=False)
            with Horizontal():
                yield Button(with_keys(self, "No ({confirm.no:n})"), id="no", compact=True)
                yield Button(with_keys(self, self._yes + " ({confirm.yes:y})"), id="yes", compact=True)

    def on_mount(self) -> None:
        """Wait for the keyboard to rest."""
        if not self.takes_letters:
            self._rest = self.set_timer(_REST, self._take_letters)

    def on_key(self, event: events.Key) -> None:
        """Ignore a letter that was typed for what this question has covered."""
        if self._rest is not None and event.is_printable:
            event.stop()
            self._rest.reset()

    def _take_letters(self) -> None:
        self._rest, self.takes_letters = None, True

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button answers."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """A key answers."""
        self.dismiss(answer)
