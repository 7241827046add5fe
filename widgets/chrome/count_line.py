"""The line under a list of results: `1 204 of 18 230 · 3 ms`."""

from __future__ import annotations

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from widgets.format.token_count import grouped


class Counts(Struct, frozen=True):
    """`found` of `searched` things, in so many milliseconds; None: not measured."""

    found: int
    searched: int
    milliseconds: float | None = None


class CountLine(Widget):
    """One line that says how much was found, and how fast. Blank until something was."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    CountLine { height: 1; width: 1fr; padding: 0 1; color: $text-muted; }
    """

    counts: reactive[Counts | None] = reactive(None)

    def __init__(self, counts: Counts | None = None, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.set_reactive(CountLine.counts, counts)

    def render(self) -> Content:
        """The line as content."""
        if self.counts is None:
            return Content("")
        said = f"{grouped(self.counts.found)} of {grouped(self.counts.searched)}"
        if self.counts.milliseconds is not None:
            said += f" · {self.counts.milliseconds:.0f} ms"
        return Content(said)
