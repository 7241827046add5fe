"""What widget tests stand on: an app that holds some widgets, an ear for messages, an eye for what is painted."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget


class Host(App[None]):
    """An app of some widgets."""

    def __init__(self, *widgets: Widget, css: str = "", theme: str = "textual-dark") -> None:
        super().__init__()
        self._held = widgets
        self._own_css = css
        self.animation_level = "none"
        self.theme = theme

    def compose(self) -> ComposeResult:
        self.stylesheet.add_source(self._own_css, read_from=("host", ""))
        yield from self._held


class Ear:
    """A message hook that keeps every message of some types, once."""

    def __init__(self, *types: type[Message]) -> None:
        self.types = types
        self.heard: list[Message] = []

    def __call__(self, message: Message) -> None:
        if isinstance(message, self.types) and not any(message is heard for heard in self.heard):
            self.heard.append(message)

    def last(self) -> Message:
        return self.heard[-1]


def painted(widget: Widget) -> list[str]:
    """The text of each line of the screen within the content of `widget`."""
    region = widget.content_region
    lines = widget.screen._compositor.render_strips()
    return [strip.crop(region.x, region.right).text for strip in lines[region.y : region.bottom]]
