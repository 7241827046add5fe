"""Missing types of the window, `3 referred to, not shown` and `+412 tokens  [a] add`, and members, in a line each."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from services.model import Completeness
from widgets.format.display import visible
from widgets.format.shorten import counted, grouped

ADD, LIST = "add", "list"


class MissingLine(Widget):
    """Hidden while nothing is missing and every pin is referred to."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"missing-line--key", "missing-line--dim"}
    DEFAULT_CSS = """
    MissingLine { height: auto; width: 1fr; padding: 0 1; color: $text-warning; display: none; }
    MissingLine.-something { display: block; }
    MissingLine > .missing-line--key { color: $text-accent; text-style: bold; }
    MissingLine > .missing-line--dim { color: $text-muted; }
    """

    completeness: reactive[Completeness | None] = reactive(None, layout=True)
    add_key: reactive[str] = reactive("a")
    list_key: reactive[str] = reactive("w")

    class PartPressed(Message):
        """A word was clicked: ADD or LIST."""

        def __init__(self, wish: str) -> None:
            super().__init__()
            self.wish = wish

    def watch_completeness(self) -> None:
        """Show the line when it has content."""
        self.set_class(bool(self._lines()), "-something")

    def render(self) -> Content:
        """The lines, as content that knows which word is where."""
        return Content("\n").join(self._lines())

    def on_click(self, event: events.Click) -> None:
        """Post a message for the clicked part."""
        if wish := event.style.meta.get("wish"):
            self.post_message(self.PartPressed(wish))

    def _lines(self) -> list[Content]:
        its = self.completeness
        if its is None:
            return []
        lines = []
        listed = Content(" ") + self._wish(LIST, self.list_key, "")
        if its.missing:
            lines.append(Content(f"{grouped(len(its.missing))} referred to, not shown") + listed)
            lines.append(self._fitting(its))
            if its.shown < its.referred:
                said = f"{grouped(its.shown)} of {counted(its.referred, 'member')} shown"
                lines.append(Content.styled(said, self.get_visual_style("missing-line--dim")))
        # What refers to others is what is asked about; nothing needs to refer to that.
        idle = sum(not each.refers for each in its.unneeded)
        if idle:
            pins = counted(idle, "pin")
            said = Content.styled(
                f"{pins} referred to by nothing", self.get_visual_style("missing-line--dim")
            )
            lines.append(said if its.missing else said + listed)
        return lines

    def _fitting(self, its: Completeness) -> Content:
        fitting = sum(each.suggested is not None for each in its.missing)
        if not fitting:
            return Content("  none fits the share of pins")
        part = "  " if fitting == len(its.missing) else f"{grouped(fitting)} fit: "
        return Content(f"{part}+{counted(its.suggested_tokens, 'token')} ") + self._wish(
            ADD, self.add_key, "add"
        )

    def _wish(self, wish: str, key: str, word: str) -> Content:
        said = Content.styled(f"[{visible(key)}]" if key else "", self.get_visual_style("missing-line--key"))
        return (said + Content(f" {word}" if word else "")).stylize(Style.from_meta({"wish": wish}))
