"""Line over the patch editor: whether the read version is current, the remaining lease, and the owner of the lock."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from widgets.format.display import visible

_ROOMY = 90
"""Cells from which whole phrases are used."""


class PatchState(Struct, frozen=True):
    """`read_ago`: seconds since the file was looked at; `fresh`: whether it still is as it was read; `lock_left`:
    seconds; `lock`: free, yours or the name of who holds it; `changed`: whether there is something to write; `problem`:
    a sentence about what would be written."""

    read_ago: float = 0.0
    fresh: bool = True
    lock: str = "free"
    lock_left: float = 0.0
    changed: bool = False
    problem: str = ""


class PatchButton(Struct, frozen=True):
    """Button: the command it runs, its key, its label; `refused`: it would only explain why it is unavailable."""

    command: str
    key: str
    word: str
    refused: bool = False


class PatchLine(Widget):
    """State on the left, buttons on the right."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"patch-line--warning", "patch-line--good", "patch-line--refused"}
    DEFAULT_CSS = """
    PatchLine { height: 1; width: 1fr; padding: 0 1; color: $text-muted; }
    PatchLine > .patch-line--warning { color: $text-warning; text-style: bold; }
    PatchLine > .patch-line--good { color: $text-success; }
    PatchLine > .patch-line--refused { color: $text-disabled; text-style: strike; }
    """

    state: reactive[PatchState | None] = reactive(None)
    buttons: reactive[tuple[PatchButton, ...]] = reactive(())

    class ButtonPressed(Message):
        """A button was clicked."""

        def __init__(self, command: str) -> None:
            super().__init__()
            self.command = command

    def render(self) -> Content:
        """Return the line, as content with clickable buttons. Where it is too narrow, unavailable buttons are
        dropped first, then the last."""
        if self.state is None:
            return Content("")
        said = self._said(self.state)
        shown = list(self.buttons)
        while shown:
            right = Content(" ").join(map(self._button, shown))
            gap = self.content_size.width - said.cell_length - right.cell_length
            if gap >= 2:
                return said + Content(" " * gap) + right
            shown.pop(max(range(len(shown)), key=lambda at: (shown[at].refused, at)))
        return said

    def on_click(self, event: events.Click) -> None:
        """Run what was clicked."""
        if command := event.style.meta.get("command"):
            self.post_message(self.ButtonPressed(command))

    def _said(self, state: PatchState) -> Content:
        short = self.content_size.width < _ROOMY
        as_read, since, lasts = (
            ("read", "", "") if short else ("as you read it", " since you read it", " for")
        )
        read = Content.styled(f"✓ {as_read} {in_words(state.read_ago)} ago", self._style("good"))
        if not state.fresh:
            read = Content.styled(f"⟳ changed on disk{since}", self._style("warning"))
        left = in_words(state.lock_left)
        lock = {
            "free": Content("not locked"),
            "yours": Content.styled(f"locked by you{lasts} {left}", self._style("good")),
        }.get(
            state.lock,
            Content.styled(f"locked by {visible(state.lock)}{lasts} {left}", self._style("warning")),
        )
        parts = [read, lock, *([Content("● unsaved")] if state.changed else ())]
        if state.problem:
            parts.append(Content.styled(f"✗ {visible(state.problem)}", self._style("warning")))
        return Content("   ").join(parts)

    def _button(self, button: PatchButton) -> Content:
        said = Content(f"[{button.key} {button.word}]")
        if button.refused:
            said = said.stylize(self._style("refused"))
        return said.stylize(Style.from_meta({"command": button.command}))

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"patch-line--{name}")


def in_words(seconds: float) -> str:
    """`12 s`, `9 min`."""
    whole = max(0, int(seconds))
    return f"{whole} s" if whole < 100 else f"{round(whole / 60)} min"
