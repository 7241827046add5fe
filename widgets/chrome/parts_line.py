"""Line of parts, of which the last are dropped first where it is too narrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from widgets.format.display import visible

_BETWEEN = " · "


class PartsLine(Static):
    """`12 lines in 3 of 40 files · 5 ms`: whole parts, in the order in which a reader needs them. One that is cut would
    seem to say something."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(markup=False, classes=classes)
        self._parts: tuple[str, ...] = ()

    def say(self, *parts: str) -> None:
        """Show parts; empty ones are left out."""
        self._parts = tuple(visible(part) for part in parts if part)
        self._fit()

    def on_resize(self) -> None:
        """Fit the parts to the new width."""
        self._fit()

    def _fit(self) -> None:
        room, parts = self.size.width, self._parts
        while room and len(parts) > 1 and cell_len(_BETWEEN.join(parts)) > room:
            parts = parts[:-1]
        if (shown := _BETWEEN.join(parts)) != self.content:
            self.update(shown, layout=False)


class Toggles(Widget):
    """Line of toggles. `switches`: (id, label, whether it is on). Active ones are in brackets, so that colour is
    not needed."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"toggles--on"}
    DEFAULT_CSS = """
    Toggles { height: 1; width: 1fr; padding: 0 1; color: $text-muted;
        text-wrap: nowrap; text-overflow: ellipsis; }
    Toggles > .toggles--on { color: $text-primary; text-style: bold; }
    """

    switches: reactive[Sequence[tuple[str, str, bool]]] = reactive(())

    class SwitchPressed(Message):
        """A switch was clicked."""

        def __init__(self, switch: str) -> None:
            super().__init__()
            self.switch = switch

    def render(self) -> Content:
        """The line as content that knows which switch is where."""
        return Content(" ").join(self._part(*switch) for switch in self.switches)

    def on_click(self, event: events.Click) -> None:
        """Press what was clicked."""
        if switch := event.style.meta.get("switch"):
            self.post_message(self.SwitchPressed(switch))

    def _part(self, id_: str, label: str, on: bool) -> Content:
        shown = Content(visible(f"[{label}]" if on else f" {label} "))
        if on:
            shown = shown.stylize(self.get_visual_style("toggles--on"))
        return shown.stylize(Style.from_meta({"switch": id_}))
