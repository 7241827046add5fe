"""The pane in the middle: what is open, in four views."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.getters import query_one
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import ContentSwitcher

from services.model import Definition, Notice, OutlineAnswer, ResolveAnswer, SourceRange, Span, SymbolRef
from widgets.diff_view import DiffView
from widgets.empty_state import EmptyState
from widgets.outline_view import OutlineView
from widgets.pane import Pane
from widgets.source_view import SourcePage, SourceView
from widgets.trail import Trail
from workbench.bench_port import BenchPort
from workbench.jobs import Jobs
from workbench.notices import notice_of
from workbench.screens.choice_line import ChoiceLine
from workbench.screens.diff_part import DiffPart
from workbench.screens.history import History
from workbench.screens.messages import Lit, Said
from workbench.screens.place import Place, lines_of, steps_of
from workbench.situation import DIFF, OUTLINE, SEMANTIC, SOURCE, VIEWS, Subject

_REST = 0.1
"""Seconds the cursor has to rest before the trail follows it."""
_NOTHING_OPEN = "Choose a symbol on the left and press enter"


@dataclass(frozen=True, slots=True)
class _Opened:
    place: Place
    outline: OutlineAnswer | None
    source: SourceRange


class CodePane(Pane):
    """Shows a symbol, or lines of a file. Where one has been can be gone back to."""

    view: reactive[str] = reactive(OUTLINE, init=False)
    """The view shown: one of VIEWS."""
    tabs = query_one("#views", ChoiceLine)
    views = query_one(ContentSwitcher)
    outline = query_one(OutlineView)
    source = query_one(SourceView)
    diff = query_one(DiffPart)
    trail = query_one(Trail)

    class Shown(Message):
        """Something else is open now, or another view of it; commands may fit differently."""

    class Several(Message):
        """A name may mean several symbols: one has to be picked. `reason`: why it is not known which."""

        def __init__(self, definition: Definition) -> None:
            super().__init__()
            self.definition = definition

    class Visited(Message):
        """A place was opened; the services count it as used."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Code", id=id)
        self._bench: BenchPort | None = None
        self._jobs = Jobs(self, self._failed)
        self._history = History()
        self._open: _Opened | None = None
        self._lit: Lit = {}
        self._symbol: SymbolRef | None = None
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """The tabs, and the view that is shown first."""
        with Horizontal(id="above"):
            yield ChoiceLine([(view, view.capitalize()) for view in VIEWS], id="views")
            yield Trail()
        with ContentSwitcher(initial=OUTLINE):
            yield OutlineView(id=OUTLINE, empty=_NOTHING_OPEN)

    def on_mount(self) -> None:
        """The first tab; the views behind the others once the screen has been painted."""
        self.tabs.chosen = self.view
        self.call_after_refresh(self._mount_others)

    @property
    def subject(self) -> Subject | None:
        """What a pin would take: the selected lines, else what is open."""
        if self.view == DIFF:
            return self.diff.subject
        if self._open is None:
            return None
        file, selected = self._open.source.file, self.source.selection_range
        if self.view == SOURCE and selected is not None:
            return Subject(target=f"{file}:{selected[0]}-{selected[1]}", label="the selected lines")
        return Subject(target=self._open.place.target, label=self._title)

    @property
    def edit_target(self) -> str:
        """What editing is about: the selected lines, the member at the cursor of the source, the hunk, else what is
        open."""
        if self.view == DIFF and self.subject:
            return self.subject.target
        if self._open is None:
            return ""
        if self.view == SOURCE and self.source.selection_range is None and self.source.cursor_line:
            return f"{self._open.source.file}:{self.source.cursor_line}"
        return self.subject.target if self.subject else ""

    @property
    def text(self) -> tuple[str, str]:
        """What is shown, or the selected part of it, and what to call it; both empty where nothing is."""
        if self.view == DIFF:
            return self.diff.text, "The hunk"
        if self._open is None or self.view not in (OUTLINE, SOURCE):
            return "", ""
        if self.view == OUTLINE:
            return (self._open.outline.text, "The outline") if self._open.outline else ("", "")
        whole, selected = self._open.source, self.source.selection_range
        if selected is None:
            return whole.content, f"{whole.file}"
        first, last = (line - whole.start_line for line in selected)
        return "\n".join(whole.content.split("\n")[first : last + 1]) + "\n", f"{last - first + 1} lines"

    @property
    def has_text(self) -> bool:
        """Whether `text` is any, without making it."""
        if self.view == DIFF:
            return self.diff.view.hunk is not None
        opened = self._open
        return opened is not None and (
            self.view == SOURCE or (self.view == OUTLINE and opened.outline is not None)
        )

    @property
    def opened(self) -> str:
        """The place shown, as it can be opened again."""
        return self._history.current or ""

    @property
    def history(self) -> History:
        """Where one has been."""
        return self._history

    @property
    def front(self) -> OutlineView | SourceView | DiffView | ContentSwitcher:
        """What takes the keyboard when the pane does: the view shown, or the frame of one that takes no keys."""
        if self.view == DIFF:
            return self.diff.view
        return {OUTLINE: self.outline, SOURCE: self.source}.get(self.view, self.views)

    @property
    def file(self) -> str:
        """The file of what is open; empty where nothing is."""
        return self._open.source.file if self._open else ""

    @property
    def symbol(self) -> SymbolRef | None:
        """The symbol that is open, or that the cursor is in where the source is shown."""
        return self._symbol

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line under the cursor of the source or the diff."""
        if self.view == DIFF:
            return self.diff.place
        return (self.file, self.source.cursor_line) if self.view == SOURCE and self.file else None

    @property
    def lit_lines(self) -> int:
        """How many lines of the open file are lit."""
        return len(self._lit.get(self.file, ()))

    def attach(self, bench: BenchPort) -> None:
        """Show what is in this workspace."""
        self._bench = bench
        self.call_after_refresh(self._attach_diff)

    def show(
        self, place: str, *, quiet: bool = False, lit: Lit | None = None, column: int | None = None
    ) -> None:
        """Open a symbol by id, `file:line` or `file:start-end`. `quiet`: it may have gone since, and then nothing is
        said; `lit`: what is lit from now on; `column`: where in the line the cursor goes."""
        if lit is not None:
            self._lit = lit
        self._visit(self._left.visit(place), quiet=quiet, column=column)

    def step(self, places: int) -> None:
        """Back (-1) or forward (1), to where in the place one was."""
        self._visit(self._left.step(places), quiet=False, back=True)

    def darken(self) -> None:
        """Nothing is lit any more."""
        self._lit = {}
        self.source.set_hits({})
        self.post_message(self.Shown())

    def go_to_definition(self) -> None:
        """Of the name under the cursor of the source."""
        bench, file, line, column = self._bench, self.file, self.source.cursor_line, self.source.cursor_column
        if bench is not None and file:
            self._jobs.run("definition", lambda: bench.places.definition(file, line, column), self._defined)

    def go_up(self) -> None:
        """To the type of a member, or what encloses a type."""
        symbol = self._symbol
        if symbol is None:
            return
        if symbol.id.count("_") > 1:
            self.show(symbol.id.rpartition("_")[0])
        elif symbol.container:
            self.follow(symbol.container)

    def follow(self, target: str) -> None:
        """Open what a name means, from an outline or the trail."""
        if bench := self._bench:
            self._jobs.run("follow", lambda: bench.resolve(target), self._follow)

    @property
    def _left(self) -> History:
        """The history, knowing where one is about to leave."""
        return self._history.left_at(self.source.cursor_line if self._open else 0, self.view)

    def reload(self) -> None:
        """The index changed: show what is open as it is now."""
        if self._history.current:
            self._visit(self._history, quiet=True)

    def validate_view(self, view: str) -> str:
        """One of the views that are there; else the first."""
        return view if any(child.id == view for child in self.views.children) else OUTLINE

    def watch_view(self, view: str) -> None:
        """Bring the view to the front."""
        had_focus = self.has_focus_within
        self.views.current = view
        self.tabs.chosen = view
        if had_focus:
            self.front.focus()
        if view == SOURCE:
            self.call_after_refresh(self._show_context)
        self._entitle()
        self.post_message(self.Shown())

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A tab was clicked."""
        event.stop()
        self.view = event.choice

    def on_outline_view_link_selected(self, event: OutlineView.LinkSelected) -> None:
        """Follow the name of a type."""
        event.stop()
        self.follow(event.text)

    def on_trail_followed(self, event: Trail.Followed) -> None:
        """A step of the trail was clicked."""
        event.stop()
        self.follow(event.target)

    def on_source_view_name_opened(self, event: SourceView.NameOpened) -> None:
        """A double click on a name."""
        event.stop()
        self.go_to_definition()

    def on_source_view_line_highlighted(self, event: SourceView.LineHighlighted) -> None:
        """The trail says where the cursor is, once it rests."""
        event.stop()
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(_REST, self._follow_cursor)

    def on_source_view_range_selected(self) -> None:
        """Lines are selected: a pin would take them."""
        self.post_message(self.Shown())

    def on_source_view_selection_cleared(self) -> None:
        """No lines are selected any more."""
        self.post_message(self.Shown())

    def step_view(self, places: int) -> None:
        """The next view, or the one before, round the end."""
        self.view = VIEWS[(VIEWS.index(self.view) + places) % len(VIEWS)]

    @property
    def _title(self) -> str:
        opened = self._open
        if opened is None:
            return ""
        return opened.outline.symbol.path if opened.outline else opened.place.target

    def _failed(self, error: Exception) -> None:
        self.post_message(Said(notice_of(error)))

    def _mount_others(self) -> None:
        others = (
            EmptyState(
                "Notes on what a symbol is for, its lifecycle and its limits will be here.",
                "They are not made yet. The outline (o) has the documentation comments, the source (s) the rest.",
                id=SEMANTIC,
            ),
            SourceView(id=SOURCE, empty=_NOTHING_OPEN),
            DiffPart(id=DIFF),
        )
        for view in others:
            view.display = False
        self.views.mount_all(others)

    def _entitle(self) -> None:
        """The frame says what is shown in it: the file that differs, or what is open."""
        opened, change = self._open, self.diff.change if self.diff_is_there else None
        self.trail.display = self.view != DIFF
        if self.view == DIFF:
            self.title, self.note = change.path if change else "Diff", ""
        elif opened is None:
            self.title, self.note = "Code", ""
        else:
            place, file = opened.place, opened.source.file
            self.title = self._title.replace(".", " ▸ ") if opened.outline else file
            self.note = f"{file}:{place.start}" if place.start else file

    @property
    def diff_is_there(self) -> bool:
        """Whether the views behind the first one have been made."""
        return any(child.id == DIFF for child in self.views.children)

    def on_changed(self) -> None:
        """Another hunk or file is looked at."""
        self._entitle()

    def _attach_diff(self) -> None:
        self.diff.bench = self._bench

    def _visit(self, history: History, *, quiet: bool, back: bool = False, column: int | None = None) -> None:
        bench, place = self._bench, history.current
        if bench is None or place is None:
            return
        self._jobs.run(
            "open",
            lambda: _read(bench, Place.parse(place)),
            lambda opened: self._show(history, opened, back=back, column=column),
            failed=(lambda _: None) if quiet else None,
        )

    def _show(
        self, history: History, opened: _Opened, *, back: bool = False, column: int | None = None
    ) -> None:
        before, again = self._open, self._open is not None and self._open.place == opened.place
        reloaded = history is self._history
        self._history, self._open = history, opened
        outline, place = opened.outline, opened.place
        self.outline.empty = "" if outline else "An outline belongs to a symbol; these are lines of a file"
        if before is None or before.outline != outline:
            self.outline.set_outline(outline.text if outline else "")
        spot = history.spot if back else None
        self._show_source(before, opened, keep_line=again and (reloaded or not place.is_range), column=column)
        if spot is not None and spot.line:
            self.source.go_to(spot.line)
        if spot is not None and spot.view:
            self.view = spot.view
        elif outline is None or (self.view == DIFF and not reloaded):
            self.view = SOURCE
        self._say_what(opened)
        if not again:
            self.post_message(self.Visited())
        self.post_message(self.Shown())

    def _say_what(self, opened: _Opened) -> None:
        outline = opened.outline
        self._symbol = outline.symbol if outline else None
        self.trail.steps = steps_of(self._symbol)
        self._entitle()
        if outline is None:
            self._follow_cursor()

    def _show_source(
        self, before: _Opened | None, opened: _Opened, *, keep_line: bool, column: int | None = None
    ) -> None:
        source, place = opened.source, opened.place
        line = self.source.cursor_line if keep_line else place.start
        known = before is not None and (before.source.file, before.source.token) == (
            source.file,
            source.token,
        )
        if not known:
            self.source.set_page(SourcePage(source.start_line, lines_of(source.content)), line=line or None)
        self.source.set_hits(self._lit.get(source.file, {}))
        if not keep_line or column is not None:
            self.source.go_to(line or 1, column=column)
        if place.end and place.is_range and not keep_line:
            self.source.select(place.start, place.end)
        bench = self._bench
        if bench is not None and not known:
            self._jobs.run("colour", lambda: bench.highlight(source.content), self._colour)

    def _follow_cursor(self) -> None:
        bench, file, line = self._bench, self.file, self.source.cursor_line
        if bench is not None and file and self.view == SOURCE:
            self._jobs.run("around", lambda: bench.places.enclosing(file, line), self._around)
            self.post_message(self.Shown())

    def _around(self, symbol: SymbolRef | None) -> None:
        self._symbol = symbol
        self.trail.steps = steps_of(symbol)
        self.post_message(self.Shown())

    def _defined(self, definition: Definition) -> None:
        if definition.certain and definition.line is not None:
            self.show(f"{self.file}:{definition.line}")
        elif definition.certain and definition.symbols:
            symbol = definition.symbols[0]
            if (symbol.file, symbol.start_line) == (self.file, self.source.cursor_line):
                said = f"This is the declaration of {symbol.label}."
                self.post_message(Said(Notice(severity="information", message=said,
                                              what_to_do="u shows where it is used.")))  # fmt: skip
            else:
                self.show(symbol.id)
        elif definition.symbols:
            self.post_message(self.Several(definition))
        else:
            said = definition.reason or "There is no name under the cursor."
            self.post_message(Said(Notice(severity="information", message=said)))

    def _show_context(self) -> None:
        """Lines before the cursor's too: a page that was taken out of view knew no height."""
        row, height = self.source.cursor_line - 1, self.source.view_size.height
        if row == self.source.scroll_offset.y and row:
            self.source.scroll_to(y=max(0, row - height // 3), animate=False, immediate=True)

    def _colour(self, spans: tuple[tuple[Span, ...], ...]) -> None:
        self.source.colour(1, spans)

    def _follow(self, answer: ResolveAnswer) -> None:
        if answer.symbol is not None:
            self.show(answer.symbol.id)
        elif answer.candidates:
            reason = f"{answer.query} may be one of several."
            self.post_message(
                self.Several(Definition(name=answer.query, symbols=answer.candidates, reason=reason))
            )
        else:
            self.post_message(
                Said(
                    Notice(
                        severity="information", message=f"{answer.query} is not declared in this workspace."
                    )
                )
            )


def _read(bench: BenchPort, place: Place) -> _Opened:
    """Everything about a place that is shown. A symbol counts as used."""
    if place.is_range:
        return _Opened(place, None, bench.read(place.file))
    outline = bench.outline(place.target)
    bench.visit(outline.symbol.id)
    at = Place(outline.symbol.id, outline.symbol.file, outline.symbol.start_line, outline.symbol.end_line)
    return _Opened(at, outline, bench.read(outline.symbol.file))
