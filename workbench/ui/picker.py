"""Something to pick, found as one types: files and symbols, commits, commands, meanings of a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.getters import query_one

from widgets.chrome.pane import Pane
from widgets.chrome.search_box import SearchBox
from widgets.lists.pick_list import PickList, PickRow
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import with_keys
from workbench.ui.modal import Modal
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from workbench.code.source_part import PlacePreview

Find = Callable[[str], Sequence[PickRow]]
"""The rows for what is typed. It may block."""


class Picked(Struct, frozen=True):
    """`values` of the picked rows, top first; `otherwise`: they were picked by the other key; `earlier`: what was
    looked for in the picker, the last first."""

    values: tuple[str, ...]
    otherwise: bool = False
    earlier: tuple[str, ...] = ()


class Picker(Modal[Picked | None]):
    """Answers what was picked; None where nothing was."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012 - Textual declares it, as a class variable
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", show=False, id="picker.close"),
        Binding("up", "move(-1)", "Up", show=False, id="picker.up"),
        Binding("down", "move(1)", "Down", show=False, id="picker.down"),
        Binding("pageup", "move(-10)", "Page up", show=False, id="picker.page-up"),
        Binding("pagedown", "move(10)", "Page down", show=False, id="picker.page-down"),
        Binding("shift+up", "mark(-1)", "Mark up", show=False, id="picker.mark-up"),
        Binding("shift+down", "mark(1)", "Mark down", show=False, id="picker.mark-down"),
        Binding("ctrl+t", "pick(True)", "Pick otherwise", show=False, id="picker.otherwise"),
    ]
    box = query_one(SearchBox)
    rows = query_one(PickList)

    def __init__(
        self,
        title: str,
        find: Find,
        *,
        placeholder: str = "",
        note: str = "",
        empty: str = "",
        preview: PlacePreview | None = None,
        looked_at: Callable[[str], object] | None = None,
        at_once: Callable[[str], str | None] | None = None,
        earlier: Sequence[str] = (),
    ) -> None:
        """`preview`: shows the place that the value of the row under the cursor is; `looked_at` is called with that;
        `at_once`: answers a value for typed text that is enough to pick it; `earlier`: what was looked for before."""
        super().__init__()
        self._preview = preview
        self._looked_at = looked_at
        self._at_once = at_once
        self._earlier = tuple(earlier)
        self._pane_title = title
        self._find = find
        self._placeholder = placeholder
        self._note = note or "enter picks · esc closes"
        self._empty = empty or "Nothing fits: type less"
        self._jobs = Jobs(self, self._failed)
        self._wants_first = False

    def compose(self) -> ComposeResult:
        """Box and rows."""
        with Pane(title=self._pane_title, note=with_keys(self, self._note), id="picker"):
            yield SearchBox(placeholder=self._placeholder)
            with Horizontal(id="picker-body"):
                yield PickList(empty=self._empty)
                if self._preview is not None:
                    yield self._preview

    def on_mount(self) -> None:
        """Show the choices before anything was typed."""
        if self.is_open:
            self.set_class(self._preview is not None, "-preview")
            self.box.earlier = self._earlier
            self.box.focus_input()
            self._look()

    def on_search_box_query_changed(self, event: SearchBox.QueryChanged) -> None:
        """Look again as one types."""
        event.stop()
        picked = self._at_once(event.value) if self._at_once is not None else None
        if picked is None:
            self._look()
        elif self.is_open:
            self.dismiss(Picked((picked,)))

    def on_search_box_query_submitted(self, event: SearchBox.QuerySubmitted) -> None:
        """Pick what is under the cursor, or, with the answer still on its way, its first."""
        event.stop()
        if self._jobs.is_running("find"):
            self._wants_first = True
        else:
            self.action_pick()

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """A row was opened."""
        event.stop()
        self.action_pick()

    def on_pick_list_highlighted(self) -> None:
        """Show what is under the cursor."""
        row = self.rows.current
        if self._preview is not None and self.is_open:
            self._preview.look(row.value if row else "")
        if self._looked_at is not None and self.is_open and row is not None:
            self._looked_at(row.value)

    def action_move(self, rows: int) -> None:
        """Move the cursor; above the first row is what was looked for before."""
        if rows == -1 and not self.rows.cursor:
            self.box.recall()
        else:
            self.rows.move_cursor(rows)

    def action_mark(self, rows: int) -> None:
        """Mark the way."""
        self.rows.action_mark(rows)

    def action_pick(self, otherwise: bool = False) -> None:
        """Answer the marked rows, or the one under the cursor."""
        if chosen := self.rows.chosen:
            self.box.remember()
            self.dismiss(Picked(tuple(row.value for row in chosen), otherwise, self.box.earlier))

    def _look(self) -> None:
        query = self.box.value
        self._wants_first = False
        self._jobs.run("find", lambda: self._find(query), self._show)

    def _show(self, rows: Sequence[PickRow]) -> None:
        if self.is_open:
            self.rows.set_rows(rows)
            if self._wants_first:
                self.action_pick()

    def _failed(self, error: Exception) -> None:
        if self.is_open:
            self.rows.empty = notice_of(error).message
            self.rows.set_rows(())


def fuzzy(rows: Sequence[PickRow]) -> Find:
    """Those of some rows that have every word of what is typed, those with all of it in their label first; then those
    whose label has its letters in their order."""

    def find(query: str) -> Sequence[PickRow]:
        typed = query.lower().strip()
        letters = typed.replace(" ", "")
        within = filtered(rows)(query)
        ranked = sorted(
            within, key=lambda row: (typed not in row.label.lower(), typed not in row.value.lower())
        )
        others = [row for row in rows if row not in within and _has_in_order(row.label.lower(), letters)]
        return [*ranked, *others]

    return find


def _has_in_order(text: str, letters: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def filtered(rows: Sequence[PickRow]) -> Find:
    """Return a search of the rows that show every typed word."""

    def find(query: str) -> Sequence[PickRow]:
        words = query.lower().split()
        shown = ((row, f"{row.label} {row.detail} {row.tail}".lower()) for row in rows)
        return [row for row, text in shown if all(word in text for word in words)]

    return find
