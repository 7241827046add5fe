"""Modal screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from widgets.chrome.pane import Pane
from widgets.format.display import visible
from widgets.textual_private import FrugalModal
from workbench.ui.key_line import with_keys

T = TypeVar("T")


class Modal(FrugalModal[T]):
    """Screen that is answered once: of two keys faster than its closing, the second would close the screen below."""

    @property
    def is_open(self) -> bool:
        """Whether it has not been closed. What is queued for it may still arrive then, and its widgets be gone."""
        return self in self.app.screen_stack

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Go, with an answer; nothing where another screen is in front already."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete.nothing()


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


class TextScreen(Modal[None]):
    """Something to read, in a frame. Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", show=False, id="text.close"),
    ]

    def __init__(self, title: str, body: Widget, *, note: str = "esc closes") -> None:
        super().__init__()
        self._pane_title = title
        self._body = body
        self._note = note

    def compose(self) -> ComposeResult:
        """The frame and the body, which has the keyboard."""
        with Pane(title=self._pane_title, note=self._note, id="text"):
            yield self._body


class FilteredText(TextScreen):
    """A text that shows the lines with every word of what is typed, and the headings over them."""

    def __init__(self, title: str, text: Callable[[str], Content], *, placeholder: str) -> None:
        self._text = text
        self._shown = Static(text(""))
        super().__init__(
            title, VerticalScroll(self._shown, can_focus=True), note="type to filter · esc closes"
        )
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """The frame, a box, the text."""
        with Pane(title=self._pane_title, note=self._note, id="text"):
            yield Input(placeholder=self._placeholder, compact=True)
            yield self._body

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what fits."""
        event.stop()
        self._shown.update(self._text(event.value))

    def on_key(self, event: events.Key) -> None:
        """The arrow keys scroll while the box has the keyboard."""
        pages = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}
        if lines := pages.get(event.key):
            self._body.scroll_relative(y=lines, animate=False)


def reading(content: Content) -> Widget:
    """Content that wraps and scrolls."""
    return VerticalScroll(Static(content), can_focus=True)
