"""The pane in the middle: what is open in it, and how one gets from there to somewhere else."""

from __future__ import annotations

from textual.message import Message

from services.model import SymbolRef
from widgets.chrome.breadcrumbs import Trail
from widgets.text.outline_view import OutlineView
from widgets.text.source_view import SourceView
from workbench.code.breadcrumbs_part import TrailPart
from workbench.code.code_views import CodeViews
from workbench.code.definitions import Definitions
from workbench.code.opened import Opened
from workbench.code.visits import Arrival, Visits
from workbench.commands.situation import DIFF, OUTLINE, SOURCE, Subject
from workbench.state.bench_port import BenchPort
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Lit, Said
from workbench.ui.notices import notice_of


class CodePane(CodeViews):
    """Shows a symbol, or lines of a file. Where one has been can be gone back to."""

    class Visited(Message):
        """A place was opened; the services count it as used."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Code", id=id)
        self._jobs = Jobs(self, self._failed)
        self._open: Opened | None = None
        self.definitions = Definitions(self, self._jobs)
        self.visits = Visits(self._jobs, here=self._here, arrived=self._show)

    @property
    def subject(self) -> Subject | None:
        """What a pin would take: the selected lines, else what is open."""
        if self.view == DIFF:
            return self.diff.subject
        if self._open is None:
            return None
        selected = self.source.subject if self.view == SOURCE else None
        return selected or Subject(target=self._open.place.target, label=self._open.path)

    @property
    def edit_target(self) -> str:
        """What editing is about: the selected lines, the member at the cursor of the source, the hunk, else what is
        open."""
        if self.view == SOURCE and self.source.selection_range is None and self.source.cursor_line:
            return f"{self.file}:{self.source.cursor_line}"
        subject = self.subject
        return subject.target if subject else ""

    @property
    def text(self) -> tuple[str, str]:
        """What is shown, or the selected part of it, and what to call it; both empty where nothing is."""
        if self.view == DIFF:
            return self.diff.text, "The hunk"
        if self.view == SOURCE:
            return self.source.text
        outline = self._open.outline if self._open and self.view == OUTLINE else None
        return (outline.text, "The outline") if outline else ("", "")

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
        """The place shown, as it can be opened again; empty where none is."""
        return self.visits.history.current or ""

    @property
    def file(self) -> str:
        """The file of what is open; empty where nothing is."""
        return self._open.source.file if self._open else ""

    @property
    def symbol(self) -> SymbolRef | None:
        """The symbol that is open, or that the cursor is in where the source is shown."""
        return self.trail.symbol

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line under the cursor of the source or the diff."""
        if self.view == DIFF:
            return self.diff.place
        return self.source.place if self.view == SOURCE else None

    @property
    def lit_lines(self) -> int:
        """How many lines of the open file are lit."""
        return self.source.lit_lines if self._open else 0

    def attach(self, bench: BenchPort) -> None:
        """Show what is in this workspace."""
        self.visits.bench = self.trail.bench = self.definitions.bench = bench
        self.call_after_refresh(self._attach_others)

    def show(
        self,
        place: str,
        *,
        quiet: bool = False,
        lit: Lit | None = None,
        column: int | None = None,
        passing: bool = False,
    ) -> None:
        """Open a symbol by id, `file:line` or `file:start-end`. `quiet`: it may have gone since, and then nothing is
        said; `lit`: what is lit from now on; `column`: where in the line the cursor goes; `passing`: the next place
        takes its place in the history."""
        if lit is not None:
            self.source.light(lit)
        self.visits.go(place, quiet=quiet, column=column, passing=passing)

    def darken(self) -> None:
        """Nothing is lit any more."""
        self.source.light({})
        self.post_message(self.Shown())

    def go_to_definition(self) -> None:
        """Of the name under the cursor of the source."""
        if self._open is not None:
            self.definitions.at(self.file, self.source.cursor_line, self.source.cursor_column)

    def go_up(self) -> None:
        """To the type of a member, or what encloses a type."""
        if self.symbol is not None:
            self.definitions.above(self.symbol)

    def watch_view(self, view: str) -> None:
        """The frame says what is in it."""
        super().watch_view(view)
        self._entitle()

    def on_outline_view_link_selected(self, event: OutlineView.LinkSelected) -> None:
        """Follow the name of a type."""
        event.stop()
        self.definitions.named(event.text)

    def on_trail_followed(self, event: Trail.Followed) -> None:
        """A step of the trail was clicked."""
        event.stop()
        self.definitions.named(event.target)

    def on_definitions_found(self, event: Definitions.Found) -> None:
        """A name led somewhere."""
        event.stop()
        self.show(event.place)

    def on_source_view_name_opened(self, event: SourceView.NameOpened) -> None:
        """A double click on a name."""
        event.stop()
        self.go_to_definition()

    def on_source_view_line_highlighted(self, event: SourceView.LineHighlighted) -> None:
        """The trail says where the cursor is, once it rests."""
        event.stop()
        self.trail.once_rested(self._follow_cursor)

    def on_trail_part_reached(self, event: TrailPart.Reached) -> None:
        """Commands may fit differently."""
        event.stop()
        self.post_message(self.Shown())

    def on_source_view_range_selected(self) -> None:
        """Lines are selected: a pin would take them."""
        self.post_message(self.Shown())

    def on_source_view_selection_cleared(self) -> None:
        """No lines are selected any more."""
        self.post_message(self.Shown())

    def on_changed(self) -> None:
        """Another hunk or file is looked at."""
        self._entitle()

    def _failed(self, error: Exception) -> None:
        self.post_message(Said(notice_of(error)))

    def _attach_others(self) -> None:
        self.diff.bench = self.visits.bench

    def _entitle(self) -> None:
        """The frame says what is shown in it: the file that differs, or what is open."""
        opened, change = self._open, self.diff.change if self.has_all_views else None
        self.trail.display = self.view != DIFF
        if self.view == DIFF:
            self.title, self.note = change.path if change else "Diff", ""
        elif opened is None:
            self.title, self.note = "Code", ""
        else:
            self.title, self.note = opened.title, opened.note

    def _here(self) -> tuple[int, str]:
        return self.source.cursor_line if self._open else 0, self.view

    def _show(self, arrival: Arrival) -> None:
        before, opened, spot, view = self._open, arrival.opened, arrival.spot, self.view
        again = before is not None and before.place == opened.place
        self._open = opened
        self._show_outline(before)
        keep_line = again and (arrival.reloaded or not opened.place.is_range)
        self.source.show(opened, keep_line=keep_line, column=arrival.column)
        if spot is not None and spot.line:
            self.source.go_to(spot.line)
        self._choose_view(arrival)
        self._say_what(opened)
        if self.view != view:  # it is there with the next layout, which would be asked for too late
            self.screen.refresh(repaint=False, layout=True)
        # What that leads to can wait until it is on the screen: a thread that works takes half of the time.
        self.call_after_refresh(self._seen, opened, again=again)
        self.post_message(self.Shown())

    def _seen(self, opened: Opened, *, again: bool) -> None:
        self._jobs.act("count", opened.count, lambda _: None)
        if not again:
            self.post_message(self.Visited())

    def _show_outline(self, before: Opened | None) -> None:
        outline = self._open.outline if self._open else None
        self.outline.empty = "" if outline else "An outline belongs to a symbol; these are lines of a file"
        if before is None or before.outline != outline:
            self.outline.set_outline(outline.text if outline else "")

    def _choose_view(self, arrival: Arrival) -> None:
        """The one of the place one comes back to; the source where there is no outline."""
        if arrival.spot is not None and arrival.spot.view:
            self.view = arrival.spot.view
        elif arrival.opened.outline is None or (self.view == DIFF and not arrival.reloaded):
            self.view = SOURCE

    def _say_what(self, opened: Opened) -> None:
        self.trail.show(opened.outline.symbol if opened.outline else None)
        self._entitle()
        if opened.outline is None:
            self.trail.once_rested(self._follow_cursor)

    def _follow_cursor(self) -> None:
        if self.view == SOURCE and (place := self.source.place):
            self.trail.look(*place)
            self.post_message(self.Shown())
