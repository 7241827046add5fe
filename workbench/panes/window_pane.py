"""The pane on the right: what a model would get to see, and how much of it fits."""

from __future__ import annotations

import msgspec
from textual.app import ComposeResult
from textual.getters import query_one
from textual.widgets import Static

from services.model import Completeness, ModelPrice, Window
from widgets.chrome.pane import Pane
from widgets.chrome.token_meter import ADD, MissingLine, TokenMeter
from widgets.format.display import visible
from widgets.format.shorten import grouped
from widgets.lists.window_list import WindowList
from workbench.commands.situation import Subject
from workbench.ui.key_line import with_keys
from workbench.ui.messages import RunCommand

_SHORT_TITLE = 20
"""Cells up to which the title is short."""


class WindowPane(Pane):
    """The prompt window: meter, items, and what did not fit."""

    meter = query_one(TokenMeter)
    items = query_one(WindowList)
    missing = query_one(MissingLine)
    left_out = query_one("#left-out", Static)

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Prompt window", id=id)
        self.window: Window | None = None

    def compose(self) -> ComposeResult:
        """Meter, items, a line for what did not fit."""
        yield TokenMeter()
        yield WindowList(empty="")
        yield MissingLine()
        yield Static(id="left-out", markup=False)

    def on_mount(self) -> None:
        """Nothing is left out of nothing."""
        self.left_out.display = False

    def on_resize(self) -> None:
        """Use a short title on little width."""
        self.title = "Prompt window" if self.size.width > _SHORT_TITLE else "Window"

    @property
    def subject(self) -> Subject | None:
        """The item under the cursor."""
        item = self.items.current
        return item and Subject(target=item.key, label=item.label, pinned=item.pinned, in_window=True)

    @property
    def missing_count(self) -> int:
        """How many types could be added."""
        found = self.missing.completeness
        return sum(each.suggested is not None for each in found.missing) if found else 0

    def on_missing_line_part_pressed(self, event: MissingLine.PartPressed) -> None:
        """A word of the line was clicked."""
        event.stop()
        self.post_message(RunCommand("complete" if event.wish == ADD else "advice"))

    def set_missing(self, found: Completeness | None) -> None:
        """Show the window's missing types. With a single item, the absence of references is no news."""
        if found is not None and self.window is not None and len(self.window.items) < 2:
            found = msgspec.structs.replace(found, unneeded=())
        self.missing.completeness = found

    def set_price(self, price: ModelPrice | None) -> None:
        """Show what sending the window costs."""
        self.meter.price = price

    def set_window(self, window: Window) -> None:
        """Show a window as it is now."""
        self.window = window
        self.items.empty = with_keys(self, "Empty: {pin:space} pins")
        self.meter.window = window
        self.items.set_items(window.items, approximate=window.approximate)
        left_out = _left_out(window)
        self.left_out.display = bool(left_out)
        self.left_out.update(left_out)


def _left_out(window: Window) -> str:
    """`2 do not fit (1 204 tokens): JsonReader, JsonWriter`; empty where all that is there fits. What is not there any
    more is said where it is listed."""
    omitted = [item for item in window.omitted if item.tokens]
    if not omitted:
        return ""
    tokens = sum(item.tokens for item in omitted)
    names = ", ".join(visible(item.label) for item in omitted)
    verb = "does" if len(omitted) == 1 else "do"
    return f"{len(omitted)} {verb} not fit ({grouped(tokens)} tokens): {names}"
