"""Rows on the left, what the one under the cursor is on the right, and a line to type into when it is needed.

Numbers of tokens as people write and read them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.widget import Widget
from textual.widgets import Input, Static

from widgets.format.display import is_safe, visible
from widgets.format.paste import MOST_IN_LINE, refuse_long_paste
from widgets.lists.pick_list import PickList, PickRow
from workbench.code.source_part import PlacePreview
from workbench.dialogs.base import Dialog
from workbench.ui.key_line import Hint, with_keys

if TYPE_CHECKING:
    from services.bench import Bench

T = TypeVar("T")


class Pins(Protocol):
    """Pins as rows show them, and their toggling."""

    def is_pinned(self, target: str) -> bool:
        """Whether a symbol, by its id, or a file is pinned."""
        ...

    def toggle_target(self, target: str, label: str) -> None:
        """Pin what is not pinned, unpin what is. `label`: what people call it."""
        ...


class Asked(Input):
    """Text input. Characters that a terminal would act on are removed."""

    def validate_value(self, value: str) -> str:
        """`value` without unsafe characters."""
        return "".join(filter(is_safe, value))

    def on_paste(self, event: events.Paste) -> None:
        """Take no paste that is no line."""
        refuse_long_paste(self, event, MOST_IN_LINE)


class Listing(Dialog[T]):
    """Dialog with rows. A subclass fills the rows (`set_rows`), describes each (`about`) and requests a line of text
    with `ask`."""

    rows = query_one(PickList)
    detail = query_one("#over-detail", Static)
    asked = query_one(Asked)
    said = query_one("#over-said", Static)

    def __init__(self, title: str, *, empty: str, code: Bench | None = None) -> None:
        """`code`: the workspace whose source is shown of what a row leads to (`place_of`)."""
        super().__init__(title)
        self._empty = empty
        self._code = code
        self._answered: Callable[[str], object] | None = None

    def body(self) -> ComposeResult:
        """Compose rows and their description; the text input and its remark."""
        yield from self.head()
        with Horizontal():
            yield PickList(empty=with_keys(self, self._empty))
            yield self.beside()
        yield Asked(compact=True, select_on_focus=False)
        yield Static(id="over-said", markup=False)

    def beside(self) -> Widget:
        """Return the widget on the right of the rows."""
        detail = VerticalScroll(Static(id="over-detail", markup=False), can_focus=False)
        if self._code is None:
            return detail
        return Vertical(detail, PlacePreview(self._code), id="over-beside")

    def head(self) -> ComposeResult:
        """Compose the widgets above the rows."""
        yield from ()

    def on_mount(self) -> None:
        """Hide the text input."""
        super().on_mount()
        self.set_class(self._code is not None, "-code")
        self.asked.display = self.said.display = False
        self.rows.focus()
        self.read()

    def read(self) -> None:
        """Fill the rows, and fill them again."""
        raise NotImplementedError

    def about(self, row: PickRow) -> Content:
        """Return the description of a row."""
        raise NotImplementedError

    def place_of(self, row: PickRow) -> str:  # noqa: ARG002
        """The place that a row leads to, as it can be opened; empty where it leads to none."""
        return ""

    @property
    def is_typing(self) -> bool:
        """Whether a line of text is being entered."""
        return self._answered is not None

    @property
    def has_row(self) -> bool:
        """Whether a row is under the cursor."""
        return self.rows.current is not None

    @property
    def current(self) -> str:
        """The value of the row under the cursor; empty where there is none."""
        row = self.rows.current
        return row.value if row else ""

    def set_rows(self, rows: Sequence[PickRow], *, at: str = "") -> None:
        """Show rows; the cursor moves to the one of the value `at`, or stays on its row; where that is gone, it moves
        to the next remaining one below, else above."""
        place, before = self.rows.cursor or 0, [row.value for row in self.rows.rows]
        values = {row.value: row_at for row_at, row in enumerate(rows)}
        wanted = (at, *before[place:], *reversed(before[:place]))
        self.rows.set_rows(rows, at=next((values[value] for value in wanted if value in values), 0))
        self.show_detail()
        self.show_keys()

    def reveal(self, below: int) -> None:
        """Scroll so that so many rows below the cursor are seen with it, or as many as fit."""
        at = self.rows.cursor or 0
        self.rows.scroll_to_rows(at, at + below)

    def show_keys(self) -> None:
        """Show the keys; while a line is being entered, no other key has an effect."""
        if self.is_typing:
            self.key_line.hints = (Hint("submit", "⏎", "take it"), Hint("back", "esc", "back"))
        else:
            super().show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys of the rows while a line is being entered."""
        own = {key.action.partition("(")[0] for key in self.KEYS}
        return not (self.is_typing and action in own) and super().check_action(action, parameters)

    async def action_submit(self) -> None:
        """Take the line as it is, as enter does."""
        await self.asked.action_submit()

    def show_detail(self) -> None:
        """Describe the row under the cursor."""
        row = self.rows.current
        shown = self.about(row) if row else Content("")
        self.detail.update(shown[2:] if shown.plain.startswith("\n\n") else shown)
        if self._code is not None:
            self.query_one(PlacePreview).look(self.place_of(row) if row else "")

    def on_pick_list_highlighted(self) -> None:
        """Another row is under the cursor."""
        self.show_detail()

    def ask(
        self,
        question: str,
        answered: Callable[[str], object],
        *,
        value: str = "",
        offer: str = "",
        said: str = "",
    ) -> None:
        """Request a line of text; enter answers, esc cancels. `value`: the initial text; `offer`: the answer unless
        something else is typed, which replaces it."""
        self._answered = answered
        self.asked.value = value or offer
        self.asked.display = True
        self.asked.focus()
        self.asked.cursor_position = len(self.asked.value)
        if not value:
            self.asked.select_all()
        self.asked.placeholder = question if said else ""
        self.remark(said or question)
        self.show_keys()

    def remark(self, text: str) -> None:
        """Show a remark below the text input."""
        self.said.display = bool(text)
        self.said.update(visible(text))

    def answered(self) -> None:
        """Hide the text input."""
        self._answered = None
        self.asked.display = False
        self.remark("")
        self.rows.focus()
        self.show_keys()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The line was typed."""
        event.stop()
        if self._answered is not None:
            self._answered(event.value.strip())

    def action_back(self) -> None:
        """Leave the line, or close."""
        if self.is_typing:
            self.answered()
        else:
            self.dismiss(None)


def facts(*pairs: tuple[str, str]) -> Content:
    """`name  value` lines; those without a value are left out."""
    shown = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in shown), default=0)
    lines = [Content.styled(f"{name:<{width}}  ", "bold") + Content(visible(value)) for name, value in shown]
    return Content("\n").join(lines)


def paragraph(title: str, lines: Sequence[str]) -> Content:
    """A heading over lines; nothing where there are none."""
    if not lines:
        return Content("")
    return Content.styled(f"\n\n{title}\n", "bold") + Content("\n".join(map(visible, lines)))


_WRITTEN = re.compile(r"(\d[\d _.,]*)\s*([kKmM]?)")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


def tokens_of(text: str) -> int | None:
    """`32k`, `12 800`, `0.5m`, `32_000`: tokens; None for what is no number. A dot or comma before k or m is a decimal
    one, else it separates thousands."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        return None
    digits, unit = found[1].replace(" ", "").replace("_", ""), found[2].lower()
    try:
        if unit:
            return round(float(digits.replace(",", ".")) * _TIMES[unit])
        return int(digits.replace(",", "").replace(".", ""))
    except ValueError:
        return None


def rounded(tokens: int) -> str:
    """`32k`, `1.05M`, `8 192`: short where that loses nothing."""
    if tokens >= 1_000_000 and tokens % 10_000 == 0:
        return f"{tokens / 1_000_000:g}M"
    return f"{tokens // 1_000}k" if tokens and tokens % 1_000 == 0 else f"{tokens:,}".replace(",", " ")
