"""The Diff view of the middle pane: one file of a change set, hunk by hunk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from textual.message import Message
from textual.reactive import var
from textual.widgets import Static

from services.errors import CodeCortexError
from services.model import DiffLine, FileChange, Hunk
from widgets.format.display import visible
from widgets.text.diff_rows import DiffRows, DiffShape
from widgets.text.diff_view import DiffView
from workbench.code.diff_ahead import Asked, Coloured, DiffsAhead, colours_of, has_colours
from workbench.code.source_part import Colouring
from workbench.commands.situation import Subject
from workbench.state.ui_state import DiffOptions
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Changed, GoTo, Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.review import Review, Standing

HUNK = "hunk:"
"""Before the file and the lines, in the key of a hunk's item."""
_EMPTY = "d compares the working tree with HEAD, b chooses a commit"


class DiffPart(Vertical):
    """A line about the file, and its hunks."""

    shown: var[FileChange | None] = var(None)
    """The file whose lines stand in the view."""
    view = query_one(DiffView)
    about = query_one(".diff-about", Static)

    class PastEnd(Message):
        """There is no hunk any more in this direction (1 or -1): the next file's turn."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.bench: Bench | None = None
        self.change: FileChange | None = None
        self.options = DiffOptions()
        self.stageable = False
        """Whether the diff is of the working area against HEAD: git's index lies between."""
        self.scope = ""
        """What is compared, as it was asked for."""
        self.signature = ""
        """Of the change set that is compared."""
        self._beside: Sequence[FileChange] = ()
        self._marks: tuple[str, ...] = ()
        self._about = _About()
        self._standing: Standing | None = None
        self._jobs = Jobs(self, self._failed)
        self._colouring = (
            Colouring(
                self._jobs,
                "colour old",
                in_view=lambda: {row.old for row in self.view.rows_in_view if row.old},
                take=lambda found: self.view.colour(old=found),
            ),
            Colouring(
                self._jobs,
                "colour new",
                in_view=lambda: {row.new for row in self.view.rows_in_view if row.new},
                take=lambda found: self.view.colour(new=found),
            ),
        )
        self._ahead = DiffsAhead(self._jobs)
        self._said = ""

    def compose(self) -> ComposeResult:
        """The line, the diff."""
        yield Static(classes="diff-about", markup=False)
        yield DiffView(empty=_EMPTY)

    def on_mount(self) -> None:
        """Colour the lines in view."""
        self.watch(self.view, "scroll_y", self._colour, init=False)

    def on_resize(self) -> None:
        """Colour the lines in view; wrap lines anew."""
        self._colour()
        if self.options.wrap:
            self._reshape()

    def set_options(self, options: DiffOptions) -> None:
        """Apply options of layout and comparison."""
        before, self.options = self.options, options
        if (before.context, before.ignore_space) != (options.context, options.ignore_space):
            self.show(self.change, again=True)
        elif before != options:
            self._reshape()

    @property
    def subject(self) -> Subject | None:
        """The selected part of the hunk under the cursor, else all of it, by the key of its item; the whole file
        where there is no hunk."""
        change, selected = self.change, self.view.selected_hunk
        hunk = selected or self.view.hunk
        if change is None or not change.new_mode:
            return None
        if hunk is None:
            return Subject(change.path, change.path)
        start, end = hunk.new_range
        return Subject(f"{HUNK}{change.path}:{start}-{end}", "the selected lines" if selected else "the hunk")

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line of the new side under the cursor; None where the file is gone."""
        if self.change is None or not self.change.new_mode:
            return None
        return self.change.path, self.view.new_line

    @property
    def lines(self) -> tuple[str, Sequence[DiffLine]] | None:
        """File and lines of the new side that are selected, blank ones at their ends left out, or the one under the
        cursor; of lines that were deleted, the one that now stands there. None where the file is gone."""
        place, hunk = self.place, self.view.hunk
        if place is None:
            return None
        selected = self.view.selected_hunk
        lines = [line for line in selected.lines if line.new is not None] if selected is not None else []
        written = [at for at, line in enumerate(lines) if line.text.strip()]
        if written:
            lines = lines[written[0] : written[-1] + 1]
        elif hunk is not None:
            lines = [line for line in hunk.lines if line.new == place[1]]
        return place[0], lines or [DiffLine(text="", new=place[1])]

    @property
    def text(self) -> str:
        """The selected part of the hunk under the cursor, else all of it, in diff syntax, from its `@@` line on."""
        hunk = self.view.selected_hunk or self.view.hunk
        if hunk is None:
            return ""
        head = f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
        return "\n".join([head, *(f"{line.sign}{line.text}" for line in hunk.lines), ""])

    def show(
        self,
        change: FileChange | None,
        *,
        hunk: int = 0,
        line: int | None = None,
        again: bool = False,
        why: str = "",
        beside: Sequence[FileChange] | None = None,
    ) -> None:
        """Show a file's hunks, the cursor on one of them; `again`: the cursor stays at its line; `why`: the
        explanation where there is no file; `beside`: the files to prefetch, where they have changed."""
        bench = self.bench
        same = again and change is not None and self.change is not None and change.path == self.change.path
        line = self.view.new_line if same and line is None else line
        self.change = change
        self._beside = self._beside if beside is None else beside
        for job in ("hunks", "texts", "staged"):
            self._jobs.drop(job)
        if change is None or bench is None:
            self._say("")
            self.view.empty = why or _EMPTY
            self.view.set_rows(DiffRows())
            self.shown = None
            return
        if ahead := self._ahead.get(self._asked(change)):
            self._take(change, ahead.rows, at=(hunk, line), colours=ahead.colours)
            return
        options, shape, scope = self.options, self._shape, self.scope

        def read() -> DiffRows:
            source = bench.review.shown(scope).source
            hunks = source.hunks(change, context=options.context, ignore_space=options.ignore_space)
            return DiffRows(hunks, shape)

        self._jobs.run(
            "hunks", read, lambda rows: self._take(change, rows, at=(hunk, line)), failed=self._refused
        )

    @property
    def review(self) -> Review | None:
        """The review of the compared change, where it has any content."""
        return self._standing.review if self._standing is not None else None

    def show_review(self, standing: Standing | None) -> None:
        """Show the comments and marks of a review with the lines and hunks that they are about, and which hunks came
        since the last look."""
        self._standing = standing
        if self.change is not None and self.view.hunks:
            self._marks = self._all_marks(self.view.hunks)
            self._reshape()
        self._say_where()

    @property
    def marks(self) -> tuple[str, ...]:
        """The remark next to each hunk's heading; empty where no hunk has one."""
        return self._marks

    @property
    def is_reviewed(self) -> bool:
        """Whether the hunk under the cursor, or the file where it has none, is marked as looked at."""
        from services.review.look import REVIEWED, looked_at

        hunk = self.view.hunk
        return (
            hunk is not None
            and self.change is not None
            and looked_at(self._standing, self.change.path, hunk) == REVIEWED
        )

    def _all_marks(self, hunks: Sequence[Hunk]) -> tuple[str, ...]:
        """Return the remark next to each hunk's heading: how much of it is staged, whether it was looked at."""
        from services.review.look import looked_at

        path = self.change.path if self.change is not None else ""
        found = []
        for at, hunk in enumerate(hunks):
            staged = self._about.staged[at] if at < len(self._about.staged) else ""
            found.append(" · ".join(filter(None, (staged, looked_at(self._standing, path, hunk)))))
        return tuple(found) if any(found) else ()

    @property
    def _notes(self) -> dict[int, tuple[str, ...]]:
        """The comments on the file that is shown, by line."""
        if self.review is None or self.change is None:
            return {}
        from services.review.markdown import said_below

        notes: dict[int, tuple[str, ...]] = {}
        for each in self.review.comments:
            if each.file == self.change.path and each.line is not None and not each.outdated:
                line = each.end_line or each.line
                notes[line] = (*notes.get(line, ()), *said_below(each))
        return notes

    def step(self, hunks: int) -> None:
        """Go to the next hunk, or the one before (-1)."""
        if not self.view.step_hunk(hunks):
            self.post_message(self.PastEnd(hunks))

    def jump(self) -> None:
        """Show the line in the source."""
        if place := self.place:
            self.post_message(GoTo(*place, lit={}))

    def on_diff_view_line_highlighted(self, event: DiffView.LineHighlighted) -> None:
        """Another line is under the cursor."""
        event.stop()
        self._say_where()
        self.post_message(Changed())

    def on_diff_view_line_opened(self, event: DiffView.LineOpened) -> None:
        """A double click leads to the source."""
        event.stop()
        self.jump()

    @property
    def _shape(self) -> DiffShape:
        options = self.options
        return DiffShape(
            split=options.split, wrap=options.wrap, width=self.view.view_size.width, marks=self._marks,
            headings=self._about.headings, notes=self._notes,
        )  # fmt: skip

    def _reshape(self) -> None:
        hunks, shape = self.view.hunks, self._shape

        def laid(rows: DiffRows) -> None:
            if rows.hunks is self.view.hunks:
                self.view.reshape(rows)
                self._colour()
                self.call_after_refresh(self._look_ahead)

        self._jobs.run("shape", lambda: DiffRows(hunks, shape), laid)

    def _asked(self, change: FileChange) -> Asked:
        """Return the prefetched part of a file: its rows without remarks."""
        options = self.options
        shape = DiffShape(split=options.split, wrap=options.wrap, width=self.view.view_size.width)
        return Asked(self.scope, self.signature, change, options.context, options.ignore_space, shape)

    def _look_ahead(self) -> None:
        if self.bench is not None and self.signature:
            self._ahead.read(self.bench, [self._asked(each) for each in self._beside])

    def _take(
        self,
        change: FileChange,
        rows: DiffRows,
        *,
        at: tuple[int, int | None],
        colours: Coloured | None = None,
    ) -> None:
        if rows.hunks != self.view.hunks:
            self._about = _About()
        self._marks = self._all_marks(rows.hunks)
        if self._marks != rows.shape.marks or self._about.headings or self._notes:
            rows = DiffRows(rows.hunks, self._shape)
        self.view.empty = _why_empty(change, self.options)
        for colouring in self._colouring:
            colouring.begin(None)
        self.view.set_rows(rows, line=at[1])
        if at[1] is None:
            self.view.go_to_hunk(at[0])
        self.shown = change
        self._say_where()
        self.post_message(Changed())
        bench = self.bench
        if bench is not None and rows:
            scope, stageable = self.scope, self.stageable
            self._jobs.run(
                "about",
                lambda: _about(bench, scope, change, rows.hunks, stageable=stageable),
                self._take_about,
            )
        if colours is not None:
            self._begin_colours(colours)
        elif bench is not None and rows and has_colours(change):
            scope = self.scope
            self._jobs.run("texts", lambda: Coloured(colours_of(bench, scope, change)), self._begin_colours)
        self.call_after_refresh(self._look_ahead)  # what was asked for is painted first

    def _take_about(self, about: _About) -> None:
        """Take over the state and the members of hunks, which take longer to read than the lines."""
        before, self._about = self._about, about
        marks = self._all_marks(self.view.hunks)
        if marks != self._marks or before.headings != about.headings:
            self._marks = marks
            self._reshape()

    def _begin_colours(self, colours: Coloured) -> None:
        for colouring, side, known in zip(
            self._colouring, colours.sides, (colours.old, colours.new), strict=True
        ):
            colouring.begin(side, known=known)
        if colours.old or colours.new:
            self.view.colour(old=colours.old, new=colours.new)
        self._colour()

    def _colour(self) -> None:
        """Colour the lines in view."""
        for colouring in self._colouring:
            colouring.look()

    def _refused(self, error: Exception) -> None:
        """Why there is no diff of this file, in its place; the others can be looked at."""
        self.view.empty = notice_of(error).message
        self.view.set_rows(DiffRows())
        self.shown = self.change
        self._say_where()

    def _say_where(self) -> None:
        change = self.change
        if change is None:
            return
        hunk = self.view.hunk_number
        parts = [
            str(change.status),
            "" if hunk is None else f"hunk {hunk + 1} of {self.view.hunk_count}",
            "" if change.added is None else f"+{change.added} −{change.deleted}",
            f"mode {change.old_mode} → {change.new_mode}" if change.mode_changed else "",
            f"was {change.old_path}" if change.old_path else "",
            "white space ignored" if self.options.ignore_space else "",
        ]
        self._say(visible(" · ".join(part for part in parts if part)))

    def _say(self, said: str) -> None:
        """Update the line above, where it differs. It is one line high: a layout of the whole screen would take
        longer than painting the diff."""
        if said != self._said:
            self._said = said
            self.about.update(said, layout=False)

    def _failed(self, error: Exception) -> None:
        self.post_message(Tell(notice_of(error)))


class _About(Struct, frozen=True):
    """Headings of hunks: how much of each is staged, and the members that it changes."""

    staged: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()


def _about(bench: Bench, scope: str, change: FileChange, hunks: Sequence[Hunk], *, stageable: bool) -> _About:
    """Return what is known of hunks; nothing where git fails, or the file cannot be read."""
    staged: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    with suppress(CodeCortexError):
        headings = bench.review.shown(scope).headings(change, hunks)
    with suppress(CodeCortexError):
        staged = bench.hunk_edits.staging.states(change, hunks) if stageable else ()
    return _About(staged, headings)


def _why_empty(change: FileChange, options: DiffOptions) -> str:
    if change.binary:
        return "A binary file: there are no lines to show"
    if change.mode_changed:
        return "Only the mode changed"
    if options.ignore_space and change.added is not None and change.added + (change.deleted or 0):
        return "Only white space differs"
    return "Moved without a change" if change.old_path else "No line differs"
