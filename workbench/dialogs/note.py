"""Words of one's own, pinned for the model to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one

from widgets.text.code_edit import CodeEdit
from workbench.dialogs.base import Key, Over, bindings_of


class NoteScreen(Over[str | None]):
    """Answers what was typed; None where nothing was."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "pin", "pin it"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("note", KEYS)
    editor = query_one(CodeEdit)

    def __init__(self, text: str = "") -> None:
        super().__init__("A note for the model")
        self._text = text

    def body(self) -> ComposeResult:
        """A box."""
        yield CodeEdit(numbered=False)

    def on_mount(self) -> None:
        """The box has the keyboard."""
        super().on_mount()
        self.editor.soft_wrap = True
        self.editor.load_text(self._text)
        self.editor.focus()

    def action_pin(self) -> None:
        """Answer what was typed."""
        self.dismiss(self.editor.text.strip() or None)
