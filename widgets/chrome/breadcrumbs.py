"""Breadcrumbs from the outside in: namespace ▸ type ▸ member, each clickable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from widgets.format.display import clip

_BETWEEN = " ▸ "
_LEAST = 12
"""Cells below which nothing that helps fits."""


class Breadcrumbs(Widget):
    """`steps`: (what it leads to, what it is called), outermost first. What does not fit is left out in front."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"breadcrumbs--last"}
    DEFAULT_CSS = """
    Breadcrumbs { height: 1; width: 1fr; padding: 0 0 0 1; color: $text-muted; text-align: right; }
    Breadcrumbs > .breadcrumbs--last { color: $text-primary; text-style: bold; }
    """

    steps: reactive[Sequence[tuple[str, str]]] = reactive(())
    titled: reactive[str] = reactive("")
    """What the frame around says: a last step of this name is left out."""

    class Followed(Message):
        """A step was clicked."""

        def __init__(self, target: str) -> None:
            super().__init__()
            self.target = target

    def render(self) -> Content:
        """Return the steps that fit, as content with clickable ranges."""
        steps, room = list(self.steps), self.content_size.width
        if room < _LEAST:
            return Content("")
        if is_titled := bool(steps) and steps[-1][1] == self.titled:
            steps.pop()
        shown = [Content(clip(label, room)) for _, label in steps]
        while len(shown) > 1 and Content(_BETWEEN).join(shown).cell_length > room:
            del shown[0], steps[0]
        parts = [
            part.stylize(Style.from_meta({"target": target}))
            for part, (target, _) in zip(shown, steps, strict=True)
        ]
        if parts and not is_titled:
            parts[-1] = parts[-1].stylize(self.get_visual_style("breadcrumbs--last"))
        return Content(_BETWEEN).join(parts)

    def on_click(self, event: events.Click) -> None:
        """Follow what was clicked."""
        if target := event.style.meta.get("target"):
            self.post_message(self.Followed(target))
