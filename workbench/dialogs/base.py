"""Framed dialogs over the main screen, with each key declared once for the keyboard and as a line to click."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.widgets import Input, Static

from services.model import Notice
from widgets.chrome.pane import Pane
from widgets.format.display import visible
from widgets.text.code_edit import CodeEdit
from workbench.commands.keymap import is_typed, key_sign
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import Hint, KeyLine, moved_keys
from workbench.ui.messages import Tell
from workbench.ui.modal import Modal
from workbench.ui.notices import notice_of

T = TypeVar("T")


class Key(Struct, frozen=True):
    """`keys`, separated by commas, run `action`; `word` names it in the line below, which leaves it out where
    empty; `row`: there has to be one under the cursor."""

    keys: str
    action: str
    word: str = ""
    row: bool = False

    @property
    def name(self) -> str:
        """Its part of an id: `take-signature` for `take('signature')`."""
        plain = self.action.replace("(1)", "").replace("(-1)", "-back").replace("_", "-")
        return re.sub(r"[^a-z-]+", "-", plain.lower()).strip("-")


def bindings_of(name: str, keys: Sequence[Key]) -> list[BindingType]:
    """The bindings of a screen, under ids that begin with its name."""
    return [
        Binding(key.keys, key.action, key.word or key.action, show=False, id=f"{name}.{key.name}")
        for key in keys
    ]


class Dialog(Modal[T]):
    """Modal dialog. Esc closes it, or first leaves the text box. Its errors are notices of the main screen, where
    they can be read again."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012 - Textual declares it, as a class variable
    KEYS: ClassVar[Sequence[Key]] = ()
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Close", show=False, id="over.back")]

    key_line = query_one(KeyLine)
    pane = query_one(Pane)

    def __init__(self, title: str) -> None:
        super().__init__()
        self._pane_title = title
        self.jobs = Jobs(self, lambda error: self.say(notice_of(error)))

    def compose(self) -> ComposeResult:
        """The frame, what is in it, and the keys."""
        with Pane(title=self._pane_title, classes="over"):
            yield from self.body()
            yield KeyLine()

    def body(self) -> ComposeResult:
        """Return the content of the frame."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Show the keys."""
        self.show_keys()

    def on_descendant_focus(self) -> None:
        """Keys that a box takes for itself are not offered."""
        self.show_keys()

    def show_keys(self) -> None:
        """Show the keys available now."""
        typing, moved = isinstance(self.focused, Input), moved_keys(self)
        hints = [
            Hint(key.action, key_sign(sign), key.word, refused=key.row and not self.has_row)
            for key in self.KEYS
            if key.word and (sign := _first(moved.get(self._id_of(key), key.keys.split(",")), typing=typing))
        ]
        self.key_line.hints = (*hints, Hint("back", "esc", "back" if self.is_typing else "close"))

    @property
    def is_typing(self) -> bool:
        """Whether esc leaves a box rather than the screen."""
        return False

    @property
    def has_row(self) -> bool:
        """Whether a row can be acted on."""
        return True

    async def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """A key of the line was clicked."""
        event.stop()
        await self.run_action(event.command)

    def action_back(self) -> None:
        """Close, with no answer."""
        self.dismiss(None)

    def _id_of(self, key: Key) -> str:
        own = (each for each in self.BINDINGS if isinstance(each, Binding) and each.action == key.action)
        return next((each.id or "" for each in own), "")

    def say(self, notice: Notice) -> None:
        """Show a notice on the screen below."""
        self.app.screen_stack[0].post_message(Tell(notice))

    def tell(self, message: str, what_to_do: str = "") -> None:
        """Notify the person of a completed action."""
        self.say(Notice(severity="information", message=message, what_to_do=what_to_do))


class TextBox(Dialog[T]):
    """A box to type or to paste into. What is done with the text are the keys of a subclass."""

    head = query_one("#over-head", Static)
    editor = query_one(CodeEdit)

    def __init__(self, title: str, *, lead: str = "", text: str = "") -> None:
        super().__init__(title)
        self._lead = lead
        self._text = text

    def body(self) -> ComposeResult:
        """Compose the content and the text box."""
        yield Static(visible(self._lead), id="over-head", markup=False)
        yield CodeEdit(numbered=False)

    def on_mount(self) -> None:
        """The box has the keyboard."""
        super().on_mount()
        self.head.display = bool(self._lead)
        self.editor.soft_wrap = True
        self.editor.load_text(self._text)
        self.editor.focus()


def _first(keys: Sequence[str], *, typing: bool) -> str:
    return next((sign for sign in keys if not (typing and is_typed(sign))), "")
