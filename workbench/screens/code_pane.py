"""The pane in the middle: what is open, in four views."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.getters import query_one
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import ContentSwitcher

from services.model import Notice, OutlineAnswer, ResolveAnswer, SourceRange, Span
from widgets.empty_state import EmptyState
from widgets.outline_view import OutlineView
from widgets.pane import Pane
from widgets.source_view import SourcePage, SourceView
from workbench.bench_port import BenchPort
from workbench.jobs import Jobs
from workbench.notices import notice_of
from workbench.screens.choice_line import ChoiceLine
from workbench.screens.history import History
from workbench.screens.messages import Said
from workbench.screens.place import Place, lines_of
from workbench.situation import DIFF, OUTLINE, SEMANTIC, SOURCE, VIEWS, Subject

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

    class Shown(Message):
        """Something else is open now, or another view of it; commands may fit differently."""

    class Visited(Message):
        """A place was opened; the services count it as used."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Code", id=id)
        self._bench: BenchPort | None = None
        self._jobs = Jobs(self, self._failed)
        self._history = History()
        self._open: _Opened | None = None

    def compose(self) -> ComposeResult:
        """The tabs, and the view that is shown first."""
        yield ChoiceLine([(view, view.capitalize()) for view in VIEWS], id="views")
        with ContentSwitcher(initial=OUTLINE):
            yield OutlineView(id=OUTLINE, empty=_NOTHING_OPEN)

    def on_mount(self) -> None:
        """The first tab; the views behind the others once the screen has been painted."""
        self.tabs.chosen = self.view
        self.call_after_refresh(self._mount_others)

    @property
    def subject(self) -> Subject | None:
        """What a pin would take: the selected lines, else what is open."""
        if self._open is None:
            return None
        file, selected = self._open.source.file, self.source.selection_range
        if self.view == SOURCE and selected is not None:
            return Subject(target=f"{file}:{selected[0]}-{selected[1]}", label="the selected lines")
        return Subject(target=self._open.place.target, label=self._title)

    @property
    def text(self) -> tuple[str, str]:
        """What is shown, or the selected part of it, and what to call it; both empty where nothing is."""
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
    def front(self) -> OutlineView | SourceView | ContentSwitcher:
        """What takes the keyboard when the pane does: the view shown, or the frame of one that takes no keys."""
        return {OUTLINE: self.outline, SOURCE: self.source}.get(self.view, self.views)

    def attach(self, bench: BenchPort) -> None:
        """Show what is in this workspace."""
        self._bench = bench

    def show(self, place: str, *, quiet: bool = False) -> None:
        """Open a symbol by id, or `file:start-end`. `quiet`: it may have gone since, and then nothing is said."""
        self._visit(self._history.visit(place), quiet=quiet)

    def step(self, places: int) -> None:
        """Back (-1) or forward (1)."""
        self._visit(self._history.step(places), quiet=False)

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
        self.post_message(self.Shown())

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A tab was clicked."""
        event.stop()
        self.view = event.choice

    def on_outline_view_link_selected(self, event: OutlineView.LinkSelected) -> None:
        """Follow the name of a type."""
        event.stop()
        if bench := self._bench:
            self._jobs.run("follow", lambda: bench.resolve(event.text), self._follow)

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
            EmptyState(
                "What changed in the open symbol since the last commit will be here.",
                "It is not made yet. Meanwhile git diff shows it in a shell; the source (s) is as it is on the disk.",
                id=DIFF,
            ),
        )
        for view in others:
            view.display = False
        self.views.mount_all(others)

    def _visit(self, history: History, *, quiet: bool) -> None:
        bench, place = self._bench, history.current
        if bench is None or place is None:
            return
        self._jobs.run(
            "open",
            lambda: _read(bench, Place.parse(place)),
            lambda opened: self._show(history, opened),
            failed=(lambda _: None) if quiet else None,
        )

    def _show(self, history: History, opened: _Opened) -> None:
        before, again = self._open, self._open is not None and self._open.place == opened.place
        self._history, self._open = history, opened
        outline, source, place = opened.outline, opened.source, opened.place
        self.outline.empty = "" if outline else "An outline belongs to a symbol; these are lines of a file"
        if before is None or before.outline != outline:
            self.outline.set_outline(outline.text if outline else "")
        self._show_source(source, place, keep_line=again)
        if outline is None:
            self.view = SOURCE
        self.title = self._title.replace(".", " ▸ ") if outline else place.target
        self.note = f"{source.file}:{place.start}" if place.start else source.file
        if not again:
            self.post_message(self.Visited())
        self.post_message(self.Shown())

    def _show_source(self, source: SourceRange, place: Place, *, keep_line: bool) -> None:
        line = self.source.cursor_line if keep_line else place.start
        self.source.set_page(SourcePage(source.start_line, lines_of(source.content)), line=line or None)
        if place.is_range and not keep_line:
            self.source.select(place.start, place.end)
        if bench := self._bench:
            self._jobs.run("colour", lambda: bench.highlight(source.content), self._colour)

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
            names = ", ".join(candidate.path for candidate in answer.candidates[:3])
            self.post_message(Said(Notice(severity="warning", message=f"{answer.query} may be {names}.",
                                          what_to_do="Search for the one that is meant.")))  # fmt: skip
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
