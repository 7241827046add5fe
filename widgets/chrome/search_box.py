"""Search input behind a `/`, and the count of its results.

The line under a list of results: `1 204 of 18 230 · 3 ms`.
"""

from __future__ import annotations

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.getters import query_one
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from widgets.format.display import is_safe
from widgets.format.paste import MOST_IN_LINE, refuse_long_paste
from widgets.format.shorten import grouped

_MOST_EARLIER, _MOST_LETTERS = 50, 200
"""How many earlier texts are kept, and the length of those that are."""


class _Query(Input):
    """Input that filters out control characters, since it paints its value as it is. Its cursor does not blink:
    blinking would be most of the work of an idle workbench."""

    virtual_size = Reactive(Size(0, 0))
    """Cells of the text. It scrolls in the room that it is given: no key lays the screen out anew, as Textual would."""

    def validate_value(self, value: str) -> str:
        """`value` without unsafe characters."""
        return "".join(filter(is_safe, value))

    def on_paste(self, event: events.Paste) -> None:
        """Take no paste that nothing could be searched for with."""
        refuse_long_paste(self, event, MOST_IN_LINE)


class SearchBox(Horizontal):
    """Input with a `/` before it. Its text is `value`; it posts messages for its input."""

    DEFAULT_CSS = """
    SearchBox { height: 1; width: 1fr; background: $surface; }
    SearchBox > Static { width: 3; padding: 0 1; color: $text-muted; }
    SearchBox:focus-within > Static { color: $text-accent; text-style: bold; }
    SearchBox > Input { width: 1fr; }
    """

    value: reactive[str] = reactive("")
    placeholder: reactive[str] = reactive("")
    input = query_one(Input)

    class QueryChanged(Message):
        """The text is now `value`."""

        def __init__(self, box: SearchBox, value: str) -> None:
            super().__init__()
            self.box = box
            self.value = value

        @property
        def control(self) -> SearchBox:
            """The box that sent the message."""
            return self.box

    class QuerySubmitted(QueryChanged):
        """Enter was pressed."""

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.set_reactive(SearchBox.value, value)
        self.set_reactive(SearchBox.placeholder, placeholder)
        self.earlier: tuple[str, ...] = ()
        """What was looked for before, the last first."""
        self._typed, self._recalled = value, ""

    def compose(self) -> ComposeResult:
        """The sign and the input."""
        yield Static("/", markup=False)
        query = _Query(self.value, placeholder=self.placeholder, compact=True, select_on_focus=False)
        query.cursor_blink = False
        yield query

    @property
    def typed(self) -> str:
        """Return the text in the input, of which `value` may be notified later."""
        return self.input.value

    def watch_value(self, value: str) -> None:
        """Set from outside: the input follows."""
        if self.is_mounted and self.input.value != value:
            self.input.value = value

    def watch_placeholder(self, placeholder: str) -> None:
        """Set from outside: the input follows."""
        if self.is_mounted:
            self.input.placeholder = placeholder

    def on_input_changed(self, event: Input.Changed) -> None:
        """Post a message for the input, once for the last of several keys: with more on their way, an older message
        would set the input back, and the two would chase each other."""
        event.stop()
        if event.value == self.input.value:
            self.value = event.value
            if event.value != self._recalled:
                self._typed, self._recalled = event.value, ""
            self.post_message(self.QueryChanged(self, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Post a message for the input."""
        event.stop()
        self.post_message(self.QuerySubmitted(self, event.value))

    def remember(self) -> None:
        """Store the text as the last search; a very long one is ignored."""
        if (text := self.value.strip()) and len(text) <= _MOST_LETTERS:
            self.earlier = (text, *(each for each in self.earlier if each != text))[:_MOST_EARLIER]

    def recall(self) -> None:
        """Show the search before the text shown, and behind the oldest what was typed."""
        ring = tuple(dict.fromkeys((self._typed, *self.earlier)))
        at = ring.index(self.value) if self.value in ring else 0
        self._recalled = self.value = ring[(at + 1) % len(ring)]
        self.input.cursor_position = len(self.value)

    def focus_input(self) -> None:
        """Put the keyboard into the box."""
        self.input.focus()


class Counts(Struct, frozen=True):
    """`found` of `searched` things, in so many milliseconds; None: not measured."""

    found: int
    searched: int
    milliseconds: float | None = None


class CountLine(Widget):
    """Line that shows the number of results, and the time taken. Blank until there are some."""

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
