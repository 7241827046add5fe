"""A box in which code is typed."""

from __future__ import annotations

from textual import events
from textual.widgets import TextArea


class CodeEdit(TextArea):
    """Tab indents, nothing is wrapped, and escape is left to whoever is above, who knows what leaving means."""

    def __init__(self, *, numbered: bool = True, id: str | None = None) -> None:  # noqa: A002
        super().__init__(show_line_numbers=numbered, soft_wrap=False, tab_behavior="indent", id=id)

    def on_key(self, event: events.Key) -> None:
        """Escape would otherwise go to whatever comes next on the screen."""
        if event.key == "escape":
            event.prevent_default()


class LinesEdit(CodeEdit):
    """A few wrapped lines of text. Enter is left to whoever is above, who takes them."""

    def __init__(self) -> None:
        super().__init__(numbered=False)
        self.soft_wrap = True

    def on_key(self, event: events.Key) -> None:
        """Enter would otherwise begin a line."""
        if event.key == "enter":
            event.prevent_default()
        super().on_key(event)
