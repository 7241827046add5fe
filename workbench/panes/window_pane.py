"""The pane on the right: what a model would get to see, and how much of it fits."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from services.model import Completeness, ModelPrice, Window
from widgets.chrome.pane import Pane
from widgets.chrome.status_bar import shares
from widgets.format.display import visible
from widgets.format.shorten import counted, grouped, token_count
from widgets.lists.window_list import WindowList
from workbench.commands.situation import Subject
from workbench.ui.key_line import with_keys
from workbench.ui.messages import RunCommand

_COMPACT = 24
"""Cells below which the meter says less in each line."""
_PINNED, _RECENT, _FREE, _TICK = "█", "▒", "░", "│"


class TokenMeter(Widget):
    """Three lines about a window; one more where it is not counted exactly, and one where a price is known. Parts
    differ by their pattern as well as by colour."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "token-meter--pinned",
        "token-meter--recent",
        "token-meter--free",
        "token-meter--tick",
        "token-meter--over",
    }
    DEFAULT_CSS = """
    TokenMeter { height: 3; width: 1fr; padding: 0 1; color: $text-muted; }
    TokenMeter.-approximate, TokenMeter.-priced { height: 4; }
    TokenMeter.-approximate.-priced, TokenMeter.-compact.-priced { height: 5; }
    TokenMeter.-compact { height: 4; }
    TokenMeter > .token-meter--pinned { color: $primary; }
    TokenMeter > .token-meter--recent { color: $accent; }
    TokenMeter > .token-meter--free { color: $text-disabled; }
    TokenMeter > .token-meter--tick { color: $foreground; text-style: bold; }
    TokenMeter > .token-meter--over { color: $text-error; text-style: bold; }
    """

    window: reactive[Window | None] = reactive(None)
    price: reactive[ModelPrice | None] = reactive(None)
    """Of the model that the window would be sent to."""

    def __init__(self, window: Window | None = None, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.set_reactive(TokenMeter.window, window)
        self.watch_window(window)

    def watch_window(self, window: Window | None) -> None:
        """A line more where the count is approximate."""
        self.set_class(window is not None and window.approximate, "-approximate")

    def watch_price(self, price: ModelPrice | None) -> None:
        """A line more where it is known."""
        self.set_class(price is not None, "-priced")

    def render(self) -> Content:
        """Meter, count, share of the pins."""
        if self.window is None:
            return Content("")
        if self.has_class("-compact"):
            return Content("\n").join(self._compact(self.window))
        lines = [self._meter(self.window), self._counts(self.window), self._pinned(self.window)]
        if self.window.approximate:
            low, high = self.window.tokens_low, self.window.tokens_high
            lines.append(Content(f"really {grouped(low or 0)} to {grouped(high or self.window.tokens)}"))
        if self.price is not None:
            lines.append(Content(self._cost(self.window, self.price)))
        return Content("\n").join(lines)

    def on_resize(self, event: events.Resize) -> None:
        """Shorten each line to the new width."""
        is_compact = event.size.width < _COMPACT
        if is_compact != self.has_class("-compact"):
            self.set_class(is_compact, "-compact")
            self.refresh()  # of an approximate count, no style differs

    def _compact(self, window: Window) -> list[Content]:
        used = token_count(window.tokens, approximate=window.approximate)
        lines = [self._meter(window), Content(used), Content(f"of {grouped(window.budget)}")]
        lines.append(self._pinned(window, limit=False))
        return [*lines, *([Content(self._cost(window, self.price))] if self.price is not None else ())]

    def _cost(self, window: Window, price: ModelPrice) -> str:
        cost = price.of(window.tokens)
        amount = f"{cost:.4f}" if cost < 1 else f"{cost:.2f}"
        return visible(f"{amount} {price.currency} to {price.profile}")

    def _meter(self, window: Window) -> Content:
        percent = f" {_percent(window.tokens, window.budget):>3} %"
        width = max(0, self.content_size.width - len(percent))
        pinned, recent = shares(
            (window.pinned_tokens, window.tokens - window.pinned_tokens), window.budget, width
        )
        cells = _PINNED * pinned + _RECENT * recent + _FREE * (width - pinned - recent)
        tick = round(width * window.soft_budget / window.budget) if window.budget else width
        bar = Content(cells).stylize(self._part("pinned"), 0, pinned)
        bar = bar.stylize(self._part("recent"), pinned, pinned + recent)
        bar = bar.stylize(self._part("free"), pinned + recent, width)
        if 0 <= tick < width:
            bar = bar[:tick] + Content.styled(_TICK, self._part("tick")) + bar[tick + 1 :]
        over = window.tokens > window.budget
        return bar + (Content.styled(percent, self._part("over")) if over else Content(percent))

    def _counts(self, window: Window) -> Content:
        used = token_count(window.tokens, approximate=window.approximate)
        return Content(f"{used} of {grouped(window.budget)} · {visible(window.tokenizer)}")

    def _pinned(self, window: Window, *, limit: bool = True) -> Content:
        share, most = (
            _percent(window.pinned_tokens, window.budget),
            _percent(window.soft_budget, window.budget),
        )
        said = Content(f"pinned {share} %{f' of {most} %' if limit else ''}")
        return said.stylize(self._part("over")) if window.pinned_tokens > window.soft_budget else said

    def _part(self, name: str) -> Style:
        return self.get_visual_style(f"token-meter--{name}")


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole > 0 else 0


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
