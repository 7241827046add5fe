"""A text in numbered parts: one after the other to the clipboard, each when the one before was pasted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from workbench.dialogs.base import Key, Over, bindings_of


class NextPart(Over[bool]):
    """Answers whether the next part is wanted."""

    KEYS: ClassVar[Sequence[Key]] = (Key("enter,n,y", "go", "copy the next part"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("parts", KEYS)

    def __init__(self, done: int, parts: int, said: str) -> None:
        super().__init__(f"Part {done} of {parts}")
        self._lead = f"{said} Paste it, then go on with part {done + 1}."

    def body(self) -> ComposeResult:
        """What became of the part before."""
        yield Static(self._lead, classes="over-lead", markup=False)

    def action_go(self) -> None:
        """Yes."""
        self.dismiss(True)

    def action_back(self) -> None:
        """No."""
        self.dismiss(False)
