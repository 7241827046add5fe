"""Views of the middle pane, one of which is shown, and the breadcrumbs above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.getters import query_one
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import AwaitMount
from textual.widgets import ContentSwitcher

from services.errors import CodeCortexError
from services.model import SymbolRef
from widgets.chrome.breadcrumbs import Breadcrumbs
from widgets.chrome.pane import Pane
from widgets.text.diff_view import DiffView
from widgets.text.outline_view import OutlineView
from widgets.text.source_view import SourceView
from workbench.code.diff_part import DiffPart
from workbench.code.opened import steps_of
from workbench.code.source_part import SourcePart
from workbench.commands.situation import DIFF, OUTLINE, SEMANTIC, SOURCE, VIEWS
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import with_keys
from workbench.ui.messages import Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.semantic.values import NoteAnswer

_REST = 0.1
"""Seconds the cursor has to rest before the trail follows it."""


class BreadcrumbsPart(Breadcrumbs):
    """Breadcrumbs of the cursor once it rests: a key held down would request every line."""

    class Reached(Message):
        """The trail leads somewhere else now."""

    def __init__(self) -> None:
        super().__init__()
        self.bench: Bench | None = None
        self.symbol: SymbolRef | None = None
        self._jobs = Jobs(self, self._failed)
        self._rest: Timer | None = None
        self._looked_at: tuple[str, int] | None = None

    def show(self, symbol: SymbolRef | None) -> None:
        """Lead to a symbol, or nowhere. What is still being looked up counts no more."""
        self._looked_at = None
        if symbol != self.symbol:
            self.symbol = symbol
            self.steps = steps_of(symbol)
            self.post_message(self.Reached())

    def look(self, file: str, line: int) -> None:
        """Lead to the innermost symbol around a line."""
        if bench := self.bench:
            place = self._looked_at = (file, line)
            self._jobs.run(
                "around",
                lambda: bench.places.enclosing(file, line),
                lambda symbol: self.show(symbol) if self._looked_at == place else None,
            )

    def once_rested(self, act: Callable[[], None]) -> None:
        """Run an act when the cursor has rested, unless the program ends before: then the surrounding widgets are
        being removed."""
        if (
            self._rest is not None
        ):  # a timer of its own for each key of a held one would cost more than its frame
            self._rest.reset()
            return

        def rested() -> None:
            self._rest = None
            if self.app.is_running:
                act()

        self._rest = self.set_timer(_REST, rested)

    def _failed(self, error: Exception) -> None:
        self.post_message(Tell(notice_of(error)))


_NARROWEST = 30
"""Cells of a line that is worth wrapping."""
_NO_TYPE = "Notes belong to a type; these are lines of a file"


class NotesPart(OutlineView):
    """View of the note on the open type, read when the view is shown."""

    def __init__(self, *, id: str, empty: str) -> None:  # noqa: A002
        super().__init__(empty=empty, id=id)
        self.note: NoteAnswer | None = None
        self.drafts: dict[str, str] = {}
        """What was typed of notes and is not kept yet, by the id of the type."""
        self._jobs = Jobs(self, self._failed)

    @property
    def text(self) -> str:
        """The note as it is shown; empty where there is none."""
        return self._shown(None)

    def show(self, bench: Bench, target: str) -> None:
        """Read and show the note of the type that `target` is, or that declares it; empty: of nothing."""
        if not target:
            self.empty = _NO_TYPE
            self._take(None)
            return
        self._jobs.run("note", lambda: bench.notes.get(bench.lookup.found(target).whole.id), self._take)

    def on_resize(self) -> None:
        """Lines end where the view does."""
        self._lay_out()

    def _take(self, note: NoteAnswer | None) -> None:
        self.note = note
        self._lay_out()

    def _lay_out(self) -> None:
        width = max(_NARROWEST, self.view_size.width)
        self.set_outline(self._shown(width))

    def _shown(self, width: int | None) -> str:
        """The note in lines of at most `width` cells, or of the usual length."""
        if self.note is None:
            return ""
        from services.semantic.text import shown

        return shown(self.note, width=width)

    def _failed(self, error: Exception) -> None:
        """Show the error in place of the note: the symbol may have vanished since."""
        self.empty = error.message if isinstance(error, CodeCortexError) else str(error)
        self._take(None)


_NOTHING_OPEN = "Choose a symbol on the left and press {open:enter}"


class CodeViews(Pane):
    """Outline, semantic, source and diff, with their tabs and the trail above them."""

    view: reactive[str] = reactive(OUTLINE, init=False)
    """The view shown: one of VIEWS."""
    beside: reactive[bool] = reactive(False, init=False)
    """Whether there is room for the outline and the source beside each other."""
    has_outline = False
    """Whether what is open has an outline."""
    tabs = query_one("#views", ChoiceLine)
    views = query_one(ContentSwitcher)
    outline = query_one(f"#{OUTLINE}", OutlineView)
    source = query_one(SourcePart)
    notes = query_one(NotesPart)
    diff = query_one(DiffPart)
    breadcrumbs = query_one(BreadcrumbsPart)

    class Shown(Message):
        """Something else is open now, or another view of it; commands may fit differently."""

    def compose(self) -> ComposeResult:
        """The tabs, and the view that is shown first."""
        with Horizontal(id="above"):
            yield ChoiceLine([(view, view.capitalize()) for view in VIEWS], id="views")
            yield BreadcrumbsPart()
        with ContentSwitcher(initial=OUTLINE):
            yield OutlineView(id=OUTLINE, empty=with_keys(self, _NOTHING_OPEN))

    def on_mount(self) -> None:
        """The first tab."""
        self.tabs.chosen = self.view

    @property
    def front(self) -> OutlineView | SourceView | DiffView:
        """The widget to focus: the view shown."""
        if self.view == DIFF:
            return self.diff.view
        return {OUTLINE: self.outline, SOURCE: self.source, SEMANTIC: self.notes}[self.view]

    @property
    def pointed(self) -> str:
        """The name under the cursor of the source, or under the mouse or stepped to in the outline; empty where none
        is."""
        if self.view == SOURCE:
            return self.source.word
        return self.outline.linked if self.view == OUTLINE else ""

    @property
    def has_all_views(self) -> bool:
        """Whether the views behind the first one have been made."""
        return any(child.id == DIFF for child in self.views.children)

    def show_view(self, view: str) -> None:
        """A view of what is open."""
        self.view = view

    def step_view(self, places: int) -> None:
        """The next view, or the one before, round the end."""
        self.show_view(VIEWS[(VIEWS.index(self.view) + places) % len(VIEWS)])

    def validate_view(self, view: str) -> str:
        """Return the view if it is available; else the first."""
        return view if any(child.id == view for child in self.views.children) else OUTLINE

    def watch_view(self, view: str) -> None:
        """Bring the view to the front."""
        had_focus = self.has_focus_within
        self.views.current = view
        self._show_both()
        self.tabs.chosen = view
        if had_focus:
            self.front.focus()
        if view == SOURCE:
            self.call_after_refresh(self.source.show_context)
        self.post_message(self.Shown())

    def watch_beside(self) -> None:
        """Show one view or two."""
        self._show_both()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Make the focused one of two adjacent views the one in use. A view that is alone, or has lost the focus again
        before this is heard, is none: two such messages under way would call each other for ever."""
        is_focused = self.screen.focused is event.widget
        if is_focused and self.has_class("-beside") and event.widget.id in (OUTLINE, SOURCE):
            self.view = event.widget.id

    def _show_both(self) -> None:
        """Show outline and source next to each other where both fit and exist."""
        if self.has_all_views:
            both = self.beside and self.has_outline and self.view in (OUTLINE, SOURCE)
            self.set_class(both, "-beside")
            self.outline.display = both or self.view == OUTLINE
            self.source.display = both or self.view == SOURCE
            if both:
                self.call_after_refresh(self.source.show_context)

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A tab was clicked."""
        event.stop()
        self.show_view(event.choice)

    def mount_others(self) -> AwaitMount:
        """Make the views behind the first one."""
        others = (
            NotesPart(id=SEMANTIC, empty=with_keys(self, _NOTHING_OPEN)),
            SourcePart(id=SOURCE, empty=with_keys(self, _NOTHING_OPEN)),
            DiffPart(id=DIFF),
        )
        for view in others:
            view.display = False
        return self.views.mount_all(others)
