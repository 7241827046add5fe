"""A line of names of which one is chosen: tabs, without a frame and without a second line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from widgets.format.display import visible


class ChoiceLine(Widget):
    """Names next to each other. The chosen one is in brackets, as colour alone is not enough."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice-line--chosen"}

    chosen: reactive[str] = reactive("")

    class Chosen(Message):
        """A name was clicked."""

        def __init__(self, line: ChoiceLine, choice: str) -> None:
            super().__init__()
            self.line = line
            self.choice = choice

        @property
        def control(self) -> ChoiceLine:
            """The line that sent the message."""
            return self.line

    def __init__(
        self,
        choices: Sequence[tuple[str, str]],
        *,
        id: str | None = None,  # noqa: A002
        close: bool = False,
    ) -> None:
        """`choices`: (id, name); `close`: without a blank between them."""
        super().__init__(id=id)
        self._choices = tuple(choices)
        self._between = "" if close else " "
        self._notes: dict[str, str] = {}

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Cells of all names."""
        return self._from(0).cell_length

    def render(self) -> Content:
        """The names, as content that knows which name is where. Where not all fit, those in front of the chosen one
        are left out as far as that takes."""
        names = [choice for choice, _ in self._choices]
        chosen = names.index(self.chosen) if self.chosen in names else 0
        first = 0
        while first < chosen and self._from(first, chosen + 1).cell_length > self.content_size.width:
            first += 1
        return self._from(first)

    def note(self, choice: str, note: str) -> None:
        """Show a note after the name of a choice; a line that is as wide as its names does not grow by it."""
        if self._notes.get(choice, "") != note:
            self._notes[choice] = note
            self.refresh()

    def on_resize(self) -> None:
        """Show as many names as fit."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        if choice := event.style.meta.get("choice"):
            self.post_message(self.Chosen(self, choice))

    def _from(self, first: int, end: int | None = None) -> Content:
        parts = (self._part(choice, label) for choice, label in self._choices[first:end])
        return Content(self._between).join(parts)

    def _part(self, choice: str, label: str) -> Content:
        chosen, note = choice == self.chosen, self._notes.get(choice)
        label = f"{label} {note}" if note else label
        said = Content(f"[{visible(label)}]" if chosen else f" {visible(label)} ")
        if chosen:
            said = said.stylize(self.get_visual_style("choice-line--chosen"))
        return said.stylize(Style.from_meta({"choice": choice}))
