"""A screen that styles and paints no more than what changed."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget

from widgets.textual.frugal_compositor import FrugalCompositor
from widgets.textual.frugal_focus import style_focus


class FrugalScreen(Screen[None]):
    """For a screen of many panes."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = FrugalCompositor()

    def _update_focus_styles(self, focused: Widget | None = None, blurred: Widget | None = None) -> None:
        style_focus(self, focused, blurred)
