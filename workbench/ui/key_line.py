"""The last line: what may be done here, with its keys, made from the table of commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from widgets.chrome.pane import EmptyState

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


_BETWEEN = Content("  ")


class Hint(Struct, frozen=True):
    """Command in the footer. `refused`: it is unavailable; `rank`: the highest is dropped first on little width."""

    command: str
    key: str
    word: str
    refused: bool = False
    rank: int = 1


class KeyLine(Widget):
    """Hints next to each other, as many as fit: refused ones are dropped first, then the highest ranks, of one rank
    the last. The last two, which lead to all the others, are always shown."""

    ALLOW_SELECT = False
    ALWAYS = 2
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-line--key", "key-line--word", "key-line--refused"}

    hints: reactive[Sequence[Hint]] = reactive(())

    class Pressed(Message):
        """A hint was clicked."""

        def __init__(self, command: str) -> None:
            super().__init__()
            self.command = command

    def render(self) -> Content:
        """The line, as content that knows which command is where."""
        room, kept = self.content_size.width, list(self.hints)
        while len(kept) > self.ALWAYS and _width(kept) > room:
            del kept[
                max(range(len(kept) - self.ALWAYS), key=lambda at: (kept[at].refused, kept[at].rank, at))
            ]
        return _BETWEEN.join(self._part(hint) for hint in kept)

    def on_click(self, event: events.Click) -> None:
        """Run what was clicked."""
        if command := event.style.meta.get("command"):
            self.post_message(self.Pressed(command))

    def _part(self, hint: Hint) -> Content:
        if hint.refused:
            said = Content.styled(f"{hint.key} {hint.word}", self.get_visual_style("key-line--refused"))
        else:
            said = Content.styled(hint.key, self.get_visual_style("key-line--key")) + Content.styled(
                f" {hint.word}", self.get_visual_style("key-line--word")
            )
        return said.stylize(Style.from_meta({"command": hint.command}))


def _width(hints: Sequence[Hint]) -> int:
    return _BETWEEN.join(Content(f"{hint.key} {hint.word}") for hint in hints).cell_length
