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


class PatchState(Struct, frozen=True):
    """`token`: the version that was read; `fresh`: whether the file still is that version; `token_left`, `lock_left`:
    seconds; `lock`: free, yours or the name of who holds it; `changed`: whether there is something to write."""

    token: str
    fresh: bool = True
    token_left: float = 0.0
    lock: str = "free"
    lock_left: float = 0.0
    changed: bool = False


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
        sign = Content.styled("✓ read", self._style("good"))
        if not state.fresh:
            sign = Content.styled("⟳ changed on disk", self._style("warning"))
        elif state.token_left <= 0:
            sign = Content.styled("✗ ran out", self._style("warning"))
        token = (
            Content(f"token {visible(_short(state.token))} ") + sign + Content(f" {clock(state.token_left)}")
        )
        left = clock(state.lock_left)
        lock = {
            "free": Content.styled("not locked", self._style("warning")),
            "yours": Content.styled(f"lock yours {left}", self._style("good")),
        }.get(state.lock, Content.styled(f"locked by {visible(state.lock)} {left}", self._style("warning")))
        unsaved = Content("   ● unsaved") if state.changed else Content("")
        return token + Content("   ") + lock + unsaved

    def _button(self, button: PatchButton) -> Content:
        said = Content(f"[{button.key} {button.word}]")
        if button.refused:
            said = said.stylize(self._style("refused"))
        return said.stylize(Style.from_meta({"command": button.command}))

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"patch-line--{name}")


def clock(seconds: float) -> str:
    """`4:12`; `0:00` once it is over."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    return f"{minutes}:{rest:02}"


def _short(token: str) -> str:
    """`1706…_a3f5` of a whole token."""
    at, _, digest = token.partition("_")
    return f"{at[:4]}…_{digest[:4]}" if len(token) > 12 else token
