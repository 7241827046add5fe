"""The pane on the left: a box to type in, and the symbols it finds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer

from services.model import SearchAnswer, SymbolRef, is_member_id
from services.model.source import is_adt
from widgets.chrome.pane import EmptyState, Pane, bring_forward
from widgets.chrome.search_box import CountLine, Counts, SearchBox
from widgets.lists.symbol_list import NOTE_SIGNS, SymbolList, SymbolRow, rows_of
from workbench.state.held_keys import Letters
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import HintedState
from workbench.ui.messages import Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.semantic.values import NoteState

MOST_RESULTS = 128
"""Up to so many results, those of a smaller limit are the first of those of a larger one."""
_FIRST_RESULTS = 40
"""How many results a key waits for, or what is in view where that is more; the others come with the rest."""
_REST = 0.2
"""Seconds in which nobody typed or scrolled before whatever nobody waits for is asked: more results, then costs."""
_COSTS_AT_ONCE = 4
"""Costs asked in one go: an outline has to be made for each, and the next key comes in between."""


class SymbolsPane(Pane):
    """Searches as one types. The arrow keys move the list while the box has the keyboard."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="symbols.up"),
        Binding("down", "move(1)", "Down", show=False, id="symbols.down"),
        Binding("shift+up", "mark(-1)", "Mark up", show=False, id="symbols.mark-up"),
        Binding("shift+down", "mark(1)", "Mark down", show=False, id="symbols.mark-down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="symbols.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="symbols.page-down"),
    ]
    box = query_one(SearchBox)
    results = query_one(SymbolList)
    counts = query_one(CountLine)
    nothing = query_one(EmptyState)

    class Opened(Message):
        """Show `symbol`."""

        def __init__(self, symbol: SymbolRef) -> None:
            super().__init__()
            self.symbol = symbol

    class PinToggled(Opened):
        """Pin `symbol`, or unpin it."""

    class Answered(Message):
        """The query has a new answer."""

        def __init__(self, answer: SearchAnswer) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Symbols", id=id)
        self.letters = Letters()
        """What answers while there is nothing to search."""
        self._bench: Bench | None = None
        self._search_jobs = Jobs(self, self._failed, lane="search")  # a search never waits for other jobs
        self._jobs = Jobs(self, self._failed)
        self._answer: SearchAnswer | None = None
        self._costs: dict[str, int | None] = {}
        self._notes: dict[str, str] = {}
        self._pinned: Collection[str] = ()
        self._has_all = True
        """Whether there is nothing below the results that were found first."""
        self._searched: str | None = None
        self._wants_first = False
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """Box, list, counts."""
        yield SearchBox(placeholder="type a name")
        yield SymbolList(id="results")
        yield HintedState("Opening the workspace …")
        yield CountLine()

    def on_mount(self) -> None:
        """Request costs after each scrolling of the list."""
        self.results.display = False
        self.nothing.can_focus = True
        self.watch(self.results, "scroll_y", self._scrolled, init=False)

    def on_unmount(self) -> None:
        """Nothing is searched any more."""
        self._search_jobs.drop("search")

    @property
    def answer(self) -> SearchAnswer | None:
        """The last answer to the query."""
        return self._answer

    @property
    def current(self) -> SymbolRef | None:
        """The symbol under the cursor."""
        cursor = self.results.cursor
        return None if cursor is None or self._answer is None else self._answer.hits[cursor].symbol

    @property
    def is_behind(self) -> bool:
        """Whether the rows belong to an earlier query."""
        return self._bench is not None and (self._answer is None or self._answer.query != self.box.value)

    @property
    def is_whole(self) -> bool:
        """Whether the rows shown need no further request."""
        return self._rest is None and not any(map(self._jobs.is_running, ("more", "costs")))

    @property
    def marked(self) -> list[SymbolRef]:
        """The symbols of the marked rows."""
        hits = self._answer.hits if self._answer else ()
        return [hits[row].symbol for row in sorted(self.results.marked) if row < len(hits)]

    @property
    def front(self) -> SymbolList | EmptyState:
        """The widget below the box: the rows, or the explanation of their absence."""
        return self.results if self.results.display else self.nothing

    def attach(self, bench: Bench) -> None:
        """Search this workspace from now on."""
        self._bench = bench

    def search(self, *, keep_cursor: bool = False) -> None:
        """Search for the query; the list shows the last answer until the new one arrives. Other requests of the list
        wait or are dropped."""
        bench, query = self._bench, self.box.value
        if bench is None:
            if answer := self.letters.answer(query):
                self._show(answer, keep_cursor=False)
            return
        self._rest_ends()
        self._searched = query
        limit = MOST_RESULTS if keep_cursor else max(_FIRST_RESULTS, self.results.size.height)
        self._search_jobs.run(
            "search",
            lambda: _found(bench, query, limit),
            lambda answer: self._show(answer, keep_cursor=keep_cursor),
        )

    def once_found(self, act: Callable[[], None]) -> None:
        """Call `act` when the search that is under way has been answered and its rows are painted."""

        def found() -> None:
            self.call_after_refresh(act)

        self._search_jobs.after("search", found)

    def forget_costs(self) -> None:
        """Drop all costs after a change of the index or a note, and request them again."""
        self._costs.clear()
        self._rest_begins()

    def set_pinned(self, pinned: Collection[str]) -> None:
        """Mark the pinned symbols, given by id."""
        self._pinned = pinned
        self._repaint()

    def say_nothing_found(self, sentence: str, advice: str = "") -> None:
        """Show why there are no rows, in their place."""
        self.nothing.sentence, self.nothing.advice = sentence, advice
        bring_forward(self.nothing, instead_of=self.results)

    def on_search_box_query_changed(self, event: SearchBox.QueryChanged) -> None:
        """Search as one types. The key that leads here is in no name: pressed here, it changes nothing."""
        event.stop()
        if "/" in event.value:
            self.box.value = event.value.replace("/", "")
            return
        self._wants_first = False
        if self._searched != self.box.value:
            self.search()

    def on_search_box_query_submitted(self, event: SearchBox.QuerySubmitted) -> None:
        """Open what is under the cursor, or, with the answer still on its way, its first."""
        event.stop()
        answer = self._answer
        if self._search_jobs.is_running("search") or answer is None or answer.query != self.box.value:
            self._wants_first = True
        else:
            self._open()

    def on_symbol_list_selected(self, event: SymbolList.Selected) -> None:
        """Open the row."""
        event.stop()
        self._open()

    def on_symbol_list_pin_toggled(self, event: SymbolList.PinToggled) -> None:
        """A click on the dot."""
        event.stop()
        if symbol := self.current:
            self.post_message(self.PinToggled(symbol))

    def action_move(self, rows: int) -> None:
        """Move the list's cursor; above the first row is what was looked for before."""
        if rows < 0 and not self.results.cursor and self.box.input.has_focus:
            self.box.recall()
        else:
            self.results.move_cursor(rows)

    def action_mark(self, rows: int) -> None:
        """Move the list's cursor and mark the way."""
        self.results.action_mark(rows)

    def action_page(self, pages: int) -> None:
        """Move the list's cursor by pages."""
        self.results.move_cursor(pages * max(1, self.results.size.height - 1))

    def _failed(self, error: Exception) -> None:
        self.post_message(Tell(notice_of(error)))

    def _open(self) -> None:
        if symbol := self.current:
            self.post_message(self.Opened(symbol))

    def _show(self, answer: SearchAnswer, *, keep_cursor: bool) -> None:
        before = self.current if keep_cursor and self.results.cursor else None
        self._answer, self._has_all = answer, len(answer.hits) >= MOST_RESULTS
        ids = [hit.symbol.id for hit in answer.hits]
        cursor = ids.index(before.id) if before and before.id in ids else 0
        bring_forward(self.results, instead_of=self.nothing)
        self.results.set_rows(self._rows(answer), cursor=cursor)
        self.counts.counts = Counts(answer.total, answer.searched, answer.elapsed_ms)
        self._rest_begins()
        self.post_message(self.Answered(answer))
        if self._wants_first:
            self._wants_first = False
            self._open()

    def _rows(self, answer: SearchAnswer) -> list[SymbolRow]:
        return rows_of(answer.hits, pinned=self._pinned, costs=self._costs, notes=self._notes)

    def _repaint(self) -> None:
        if self._answer is not None:
            self.results.update_rows(self._rows(self._answer))

    def _scrolled(self) -> None:
        """Request the remaining rows when they are nearly in view, as with a key held down."""
        rows, page = self.results.row_count, self.results.size.height
        if not self._needs_rows or self.results.scroll_y + 2 * page < rows:
            self._rest_begins()
        elif not self._jobs.is_running("more"):
            self._rest_ends()
            self._ask_more()

    def _rest_begins(self) -> None:
        self._rest_ends()
        self._rest = self.set_timer(_REST, self._at_rest)

    def _rest_ends(self) -> None:
        """Drop requests that typing or scrolling has made obsolete."""
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        for job in ("more", "costs"):
            self._jobs.drop(job)

    def _at_rest(self) -> None:
        """Request the results below the first ones, then costs."""
        self._rest = None
        if self._needs_rows:
            self._ask_more()
        else:
            self._ask_costs()

    @property
    def _needs_rows(self) -> bool:
        """Whether results follow the first ones."""
        answer = self._answer
        return answer is not None and not self._has_all and len(answer.hits) < answer.total

    def _ask_more(self) -> None:
        bench, answer = self._bench, self._answer
        if bench is not None and answer is not None:
            self._jobs.run("more", lambda: _found(bench, answer.query, MOST_RESULTS), self._take_more)

    def _take_more(self, answer: SearchAnswer) -> None:
        """The rows stay as they are where they are the first of all; a change of the index searches again anyway."""
        self._has_all = True
        known = self._answer.hits if self._answer else ()
        if [hit.symbol.id for hit in answer.hits[: len(known)]] == [hit.symbol.id for hit in known]:
            self._answer = answer
            self.results.add_rows(self._rows(answer))
        self._ask_costs()

    def _ask_costs(self) -> None:
        """Request the next costs of the rows in view, as long as there are any."""
        bench, answer = self._bench, self._answer
        if bench is None or answer is None:
            return
        top = int(self.results.scroll_y)
        in_view = answer.hits[top : top + max(1, self.results.size.height)]
        ids = [hit.symbol.id for hit in in_view if hit.symbol.id not in self._costs][:_COSTS_AT_ONCE]
        if ids:
            types = [id_ for id_ in ids if not is_member_id(id_)]
            self._jobs.run(
                "costs",
                lambda: (bench.window.costs(ids), bench.note_states(types)),
                lambda found: self._take_costs(ids, *found),
            )

    def _take_costs(
        self, asked: Sequence[str], costs: Mapping[str, int], states: Mapping[str, NoteState]
    ) -> None:
        """Store the costs; an id without one (it has just vanished) is not requested again."""
        self._costs.update({id_: costs.get(id_) for id_ in asked})
        self._notes.update({id_: NOTE_SIGNS.get(state, "") for id_, state in states.items()})
        self._repaint()
        self._ask_costs()


def _found(bench: Bench, query: str, limit: int) -> SearchAnswer:
    """Search the symbols of the workspace, or for `adt:` those of the SAP systems."""
    search = bench.systems.symbols if is_adt(query) else bench.index.search
    return search(query, limit=limit)


# Results of a search as rows: which is drawn under which, what is pinned, what is known of costs.
