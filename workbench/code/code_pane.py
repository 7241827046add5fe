"""The pane in the middle: what is open in it, and how one gets from there to somewhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widget import AwaitMount

from services.model import Notice, SymbolRef
from widgets.chrome.breadcrumbs import Breadcrumbs
from widgets.text.outline_view import OutlineView
from widgets.text.source_view import SourceView
from workbench.code.code_views import BreadcrumbsPart, CodeViews
from workbench.code.opened import Opened
from workbench.code.visits import Arrival, Definitions, Visits
from workbench.commands.situation import DIFF, OUTLINE, SEMANTIC, SOURCE, Subject
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Lit, Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench


class CodePane(CodeViews):
    """Shows a symbol, or lines of a file. Where one has been can be gone back to."""

    class Visited(Message):
        """A place was opened; the services count it as used."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Code", id=id)
        self._jobs = Jobs(self, self._failed)
        self._open: Opened | None = None
        self._last_view = self.view
        self._beneath: str | None = None
        self._jumped = False
        self._previewing = False
        """Whether what is shown was not opened."""
        self._line = 0
        """The line of the source that the cursor was on."""
        self._behind: Opened | None = None
        """What is open behind a preview."""
        self.definitions = Definitions(self, self._jobs)
        self.visits = Visits(self._jobs, here=self._here, arrived=self._show)

    @property
    def subject(self) -> Subject | None:
        """The subject of a pin: the selected lines, else the open place."""
        if self.view == DIFF:
            return self.diff.subject
        if self._open is None:
            return None
        selected = self.source.subject if self.view == SOURCE else None
        return selected or Subject(target=self._open.place.target, label=self._open.path)

    @property
    def edit_target(self) -> str:
        """The target of editing: the selected lines, the member at the cursor of the source or the diff, else the
        open place."""
        place = self.place
        if place is not None and (self.view == DIFF or self.source.selection_range is None):
            return f"{place[0]}:{place[1]}"
        subject = self.subject
        return subject.target if subject else ""

    @property
    def text(self) -> tuple[str, str]:
        """The text shown, or its selected part, and its name; both empty where there is none."""
        if self.view == DIFF:
            return (
                self.diff.text,
                "The hunk" if self.diff.view.selected_from is None else "The selected lines",
            )
        if self.view == SOURCE:
            return self.source.text
        if self.view == SEMANTIC:
            return self.notes.text, "The note"
        outline = self._open.outline if self._open and self.view == OUTLINE else None
        return (outline.text, "The outline") if outline else ("", "")

    @property
    def has_text(self) -> bool:
        """Whether `text` is any, without making it."""
        if self.view == DIFF:
            return self.diff.view.hunk is not None
        if self.view == SEMANTIC:
            return self.notes.note is not None
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
        """The file of what is shown, the diff's in its view; empty where nothing is."""
        if self.view == DIFF and self.diff.change is not None:
            return self.diff.change.path
        return self._open.source.file if self._open else ""

    @property
    def symbol(self) -> SymbolRef | None:
        """The symbol that is open, or that the cursor is in where the source or a diff is shown."""
        return self.breadcrumbs.symbol

    @property
    def within(self) -> tuple[str, str]:
        """The open place, also under a preview, as a scope of searches: the symbol's id, or the file, and its
        name."""
        symbol, file = self.symbol, self.file
        if self.is_previewing:
            behind = self._behind
            symbol = behind.outline.symbol if behind and behind.outline else None
            file = behind.source.file if behind else ""
        return (symbol.id, symbol.label) if symbol else (file, file.rpartition("/")[2])

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line under the cursor of the source or the diff."""
        if self.view == DIFF:
            return self.diff.place
        return self.source.place if self.view == SOURCE else None

    def follow_name(self) -> None:
        """Go to what the name under the cursor means."""
        if self.view == SOURCE:
            self.go_to_definition()
        else:
            self.outline.action_follow_link()

    @property
    def lit_lines(self) -> int:
        """How many lines of the open file are lit."""
        return self.source.lit_lines if self._open else 0

    def mount_others(self) -> AwaitMount:
        """Make the views behind the first one; the frame names a file in the turn in which its diff is shown."""
        mounted = super().mount_others()
        self.watch(self.diff, "shown", self._entitle, init=False)
        return mounted

    def attach(self, bench: Bench) -> None:
        """Show what is in this workspace."""
        self.visits.bench = self.breadcrumbs.bench = self.definitions.bench = self.diff.bench = bench

    def show(
        self,
        place: str,
        *,
        quiet: bool = False,
        lit: Lit | None = None,
        column: int | None = None,
    ) -> None:
        """Open a symbol by id, `file:line` or `file:start-end`. `quiet`: it may have gone since, and then nothing is
        said; `lit`: what is lit from now on; `column`: where in the line the cursor goes."""
        if lit is not None:
            self.source.light(lit)
        self.visits.go(place, quiet=quiet, column=column)

    def preview(self, place: str, *, lit: Lit | None = None, column: int | None = None) -> None:
        """Show what the cursor of a list is on, without opening it."""
        if lit is not None:  # another word may be looked for in the same place
            self.source.light(lit)
        if place not in (self.visits.previewed, "" if self.visits.previewed else self.opened):
            self.visits.preview(place, column=column)

    @property
    def is_previewing(self) -> bool:
        """Whether something is shown only because the cursor of a list is on it."""
        return bool(self.visits.previewed)

    def put_back(self) -> None:
        """Show what was open before the preview, or nothing where nothing was."""
        if not self.visits.put_back():
            self._open, self.has_outline = None, False
            self.outline.set_outline("")
            self.view = OUTLINE
            self.breadcrumbs.show(None)
            self._entitle()
            self.post_message(self.Shown())

    def keep_preview(self) -> None:
        """Open what is previewed: somebody turned to it."""
        if self.is_previewing and not self.visits.is_going:
            self.visits.go(self.visits.previewed, quiet=True, view=self.view)

    def restore(self, place: str) -> None:
        """Open what was open last, unless something else is by now; a diff stays in front of it. It may have gone
        since, and then nothing is said. A preview stays in front of it too."""
        if self.is_previewing:
            self.visits.history = self.visits.history.visit(place)
        elif self.visits.are_none:
            self.visits.go(place, quiet=True, view=DIFF if self.view == DIFF else "")
        else:
            self.visits.reload()

    def go_to_definition(self) -> None:
        """Go to the definition of the name under the cursor of the source."""
        if self._open is not None:
            self.definitions.at(self.file, self.source.cursor_line, self.source.cursor_column)

    def go_up(self) -> None:
        """To the type of a member, or what encloses a type; in the diff, of the member at its cursor."""
        if self.view == DIFF:
            self._at_diff(self.definitions.above)
        elif self.symbol is not None:
            self.definitions.above(self.symbol)

    @property
    def can_go_back(self) -> bool:
        """Whether an earlier place exists, or a view under the diff."""
        history = self.visits.history
        return history.can_go_back or self._beneath is not None or self._jumped or self.is_previewing

    def go_back(self) -> None:
        """To what was shown before: from the diff to what it was opened over, from what its cursor led to to it, from a
        preview to what was open."""
        if self.is_previewing:
            self.put_back()
        elif self.view == DIFF and self._beneath is not None:
            self.view = self._beneath
        elif self._jumped and not self.visits.history.can_go_back:
            self.view = DIFF
        else:
            self.visits.step(-1)

    def read_note(self) -> None:
        """Read again what the open type is for, where that is looked at."""
        if self.view == SEMANTIC and self._open is not None and (bench := self.visits.bench) is not None:
            self.notes.show(bench, self._open.place.target if self._open.outline else "")

    def show_view(self, view: str) -> None:
        """A view of what is open; from the diff, of what its cursor is in."""
        if self.view != DIFF or view == DIFF or self.place is None:
            super().show_view(view)
        elif view == SOURCE:
            self.diff.jump()
        else:
            self._at_diff(lambda symbol: self.visits.go(symbol.id, view=view))

    def watch_view(self, view: str) -> None:
        """Update the title and the breadcrumbs; notes are read when they are shown."""
        super().watch_view(view)
        self.read_note()
        self._beneath = self._last_view if view == DIFF and self._open is not None else None
        self._jumped = self._last_view == DIFF
        self._last_view = view
        self._entitle()
        if view == DIFF:
            self._follow_cursor()
        elif self._open is not None:
            self.breadcrumbs.show(self._open.outline.symbol if self._open.outline else None)
            self.breadcrumbs.once_rested(self._follow_cursor)

    def on_outline_view_link_selected(self, event: OutlineView.LinkSelected) -> None:
        """Follow the name of a type."""
        event.stop()
        self.definitions.named(event.text)

    def on_breadcrumbs_followed(self, event: Breadcrumbs.Followed) -> None:
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
        """Update the breadcrumbs once the cursor rests."""
        event.stop()
        self._note_jump(event.start)
        self._note_line()
        self.breadcrumbs.once_rested(self._follow_cursor)

    def on_breadcrumbs_part_reached(self, event: BreadcrumbsPart.Reached) -> None:
        """Commands may fit differently."""
        event.stop()
        self.post_message(self.Shown())

    def on_source_view_range_selected(self) -> None:
        """Lines are selected: a pin would take them."""
        self.post_message(self.Shown())

    def on_source_view_selection_cleared(self) -> None:
        """Forget the selected lines."""
        self.post_message(self.Shown())

    def on_changed(self) -> None:
        """Another line or hunk of the diff is looked at."""
        self.breadcrumbs.once_rested(self._follow_cursor)

    def _failed(self, error: Exception) -> None:
        self.post_message(Tell(notice_of(error)))

    def _entitle(self) -> None:
        """Update the title: the file that differs, or the open place."""
        opened, change = self._open, self.diff.shown if self.has_all_views else None
        if self.view == DIFF:
            self.title, self.note = change.path if change else "Diff", ""
        elif opened is None:
            self.title, self.note = "Code", ""
        else:
            self.title, self.note = opened.title, opened.note
            self._note_line()
        self.breadcrumbs.titled = self.title

    def _note_line(self) -> None:
        """Show file and line of the source's cursor in the frame."""
        if self.view == SOURCE and (place := self.source.place) is not None:
            self.note = f"{place[0]}:{place[1]}"

    def _note_jump(self, line: int) -> None:
        """A move of more than a page within a file can be gone back from."""
        before, self._line = self._line, line
        if before and not self.is_previewing and abs(line - before) > self.source.view_size.height:
            self.visits.history = self.visits.history.jumped(before, line, self.view)
            self.post_message(self.Shown())

    def _here(self) -> tuple[int, str]:
        return self.source.cursor_line if self._open else 0, self.view

    def _show(self, arrival: Arrival) -> None:
        before, opened, spot, view = self._open, arrival.opened, arrival.spot, self.view
        again = before is not None and before.place == opened.place
        opens = not arrival.preview and (not again or self._previewing)
        if arrival.preview and not self._previewing:
            self._behind = before
        self._open, self._previewing = opened, arrival.preview
        self._show_outline(before)
        self.read_note()
        keep_line = again and (arrival.reloaded or not opened.place.is_range)
        self.source.show(opened, keep_line=keep_line, column=arrival.column)
        if spot is not None and spot.line:
            self.source.go_to(spot.line)
        self._line = self.source.cursor_line
        self._choose_view(arrival)
        self._show_both()
        self._say_what(opened)
        if self.view != view:  # it is there with the next layout, which would be asked for too late
            self.screen.refresh(repaint=False, layout=True)
        # What that leads to can wait until it is on the screen: a thread that works takes half of the time.
        if not arrival.preview:
            self.call_after_refresh(self._seen, opened, opens=opens and not arrival.reloaded)
        self.post_message(self.Shown())

    def _seen(self, opened: Opened, *, opens: bool) -> None:
        self._jobs.act("count", opened.count, lambda _: None)
        if opens:
            self.post_message(self.Visited())

    def _show_outline(self, before: Opened | None) -> None:
        outline = self._open.outline if self._open else None
        self.has_outline = outline is not None
        self.outline.empty = "" if outline else "An outline belongs to a symbol; these are lines of a file"
        if before is None or before.outline != outline:
            self.outline.set_outline(outline.text if outline else "")

    def _choose_view(self, arrival: Arrival) -> None:
        """Choose the view of the place returned to; the source where there is no outline. A diff remains where the
        open place is only read again."""
        if arrival.spot is not None and arrival.spot.view:
            self.view = arrival.spot.view
        elif self.view == DIFF:
            self.view = DIFF if arrival.reloaded else SOURCE
        elif arrival.opened.outline is None:
            self.view = SOURCE

    def _say_what(self, opened: Opened) -> None:
        self.breadcrumbs.show(opened.outline.symbol if opened.outline else None)
        self._entitle()
        if opened.outline is None:
            self.breadcrumbs.once_rested(self._follow_cursor)

    def _follow_cursor(self) -> None:
        if self.view in (SOURCE, DIFF) and (place := self.place):
            self.breadcrumbs.look(*place)
            self.post_message(self.Shown())

    def _at_diff(self, act: Callable[[SymbolRef], None]) -> None:
        """Do something with the symbol at the cursor of the diff, which the trail may not have reached yet."""
        bench, place = self.visits.bench, self.place
        if bench is None or place is None:
            return

        def found(symbol: SymbolRef | None) -> None:
            if symbol is not None:
                act(symbol)
                return
            message = f"Line {place[1]} of {place[0]} is in no type or member of the index."
            self.post_message(Tell(Notice(severity="information", message=message)))

        self._jobs.run("at diff", lambda: bench.places.enclosing(*place), found)
