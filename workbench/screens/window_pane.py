"""The pane on the right: what a model would get to see, and how much of it fits."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.getters import query_one
from textual.widgets import Static

from services.model import Window
from widgets.display import visible
from widgets.pane import Pane
from widgets.token_count import grouped
from widgets.token_meter import TokenMeter
from widgets.window_list import WindowList
from workbench.situation import Subject


class WindowPane(Pane):
    """The prompt window: meter, items, and what did not fit."""

    meter = query_one(TokenMeter)
    items = query_one(WindowList)
    left_out = query_one("#left-out", Static)

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Prompt window", id=id)
        self.window: Window | None = None

    def compose(self) -> ComposeResult:
        """Meter, items, a line for what did not fit."""
        yield TokenMeter()
        yield WindowList(empty="Empty: space pins")
        yield Static(id="left-out", markup=False)

    def on_mount(self) -> None:
        """Nothing is left out of nothing."""
        self.left_out.display = False

    @property
    def subject(self) -> Subject | None:
        """The item under the cursor."""
        item = self.items.current
        return item and Subject(target=item.key, label=item.label, pinned=item.pinned, in_window=True)

    def set_window(self, window: Window) -> None:
        """Show a window as it is now."""
        self.window = window
        self.meter.window = window
        self.items.set_items(window.items)
        self.left_out.display = bool(window.omitted)
        self.left_out.update(_left_out(window))


def _left_out(window: Window) -> str:
    """`2 do not fit (1 204 tokens): JsonReader, JsonWriter`."""
    tokens = sum(item.tokens for item in window.omitted)
    names = ", ".join(visible(item.label) for item in window.omitted)
    return f"{len(window.omitted)} do not fit ({grouped(tokens)} tokens): {names}"
