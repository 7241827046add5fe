"""The Diff view of the middle pane: one file of a change set, hunk by hunk."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from services.model import FileChange
from widgets.format.display import visible
from widgets.text.diff_rows import DiffRows
from widgets.text.diff_view import DiffView
from workbench.code.place import lines_of
from workbench.code.source_part import Colouring
from workbench.commands.situation import Subject
from workbench.state.bench_port import BenchPort, Colours
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Changed, GoTo, Said
from workbench.ui.notices import notice_of

HUNK = "hunk:"
"""Before the file and the lines, in the key of a hunk's item."""
_EMPTY = "d compares the working tree with HEAD, b chooses a commit"


class DiffPart(Vertical):
    """A line about the file, and its hunks."""

    view = query_one(DiffView)
    about = query_one(".diff-about", Static)

    class PastEnd(Message):
        """There is no hunk any more in this direction (1 or -1): the next file's turn."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.bench: BenchPort | None = None
        self.change: FileChange | None = None
        self._jobs = Jobs(self, self._failed)
        self._colouring = (
            Colouring(
                self._jobs,
                "colour old",
                in_view=lambda: {row.line.old for row in self.view.rows_in_view if row.line and row.line.old},
                take=lambda found: self.view.colour(old=found),
            ),
            Colouring(
                self._jobs,
                "colour new",
                in_view=lambda: {row.line.new for row in self.view.rows_in_view if row.line and row.line.new},
                take=lambda found: self.view.colour(new=found),
            ),
        )
        self._said = ""

    def compose(self) -> ComposeResult:
        """The line, the diff."""
        yield Static(classes="diff-about", markup=False)
        yield DiffView(empty=_EMPTY)

    def on_mount(self) -> None:
        """What comes into view gets its colours."""
        self.watch(self.view, "scroll_y", self._colour, init=False)

    def on_resize(self) -> None:
        """More may be in view, and may get its colours."""
        self._colour()

    @property
    def subject(self) -> Subject | None:
        """The hunk under the cursor by the key of its item; the whole file where there is no hunk."""
        change, hunk = self.change, self.view.hunk
        if change is None or not change.new_mode:
            return None
        if hunk is None:
            return Subject(change.path, change.path)
        start, end = hunk.new_range
        return Subject(f"{HUNK}{change.path}:{start}-{end}", "the hunk")

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line of the new side under the cursor; None where the file is gone."""
        if self.change is None or not self.change.new_mode:
            return None
        return self.change.path, self.view.new_line

    @property
    def text(self) -> str:
        """The hunk under the cursor as diffs write it, from its `@@` line on."""
        hunk = self.view.hunk
        if hunk is None:
            return ""
        head = f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
        return "\n".join([head, *(f"{line.sign}{line.text}" for line in hunk.lines), ""])

    def show(self, change: FileChange | None, *, hunk: int = 0, again: bool = False, why: str = "") -> None:
        """Show a file's hunks, the cursor on one of them; `again`: the cursor stays at its line; `why`: what is said
        where there is no file."""
        bench = self.bench
        same = again and change is not None and self.change is not None and change.path == self.change.path
        line = self.view.new_line if same else None
        self.change = change
        if change is None or bench is None:
            self._say("")
            self.view.empty = why or _EMPTY
            self.view.set_rows(DiffRows())
            return
        self._jobs.run(
            "hunks",
            lambda: DiffRows(bench.changes.hunks(change)),
            lambda rows: self._take(change, rows, at=(hunk, line)),
            failed=self._refused,
        )

    def step(self, hunks: int) -> None:
        """Go to the next hunk, or the one before (-1)."""
        if not self.view.step_hunk(hunks):
            self.post_message(self.PastEnd(hunks))

    def jump(self) -> None:
        """Show the line in the source."""
        if place := self.place:
            self.post_message(GoTo(*place, lit={}))

    def on_diff_view_highlighted(self, event: DiffView.Highlighted) -> None:
        """Another line is under the cursor."""
        event.stop()
        self._say_where()
        self.post_message(Changed())

    def on_diff_view_opened(self, event: DiffView.Opened) -> None:
        """A double click leads to the source."""
        event.stop()
        self.jump()

    def _take(self, change: FileChange, rows: DiffRows, *, at: tuple[int, int | None]) -> None:
        self.view.empty = _why_empty(change)
        for colouring in self._colouring:
            colouring.begin(None)
        self.view.set_rows(rows, line=at[1])
        if at[1] is None:
            self.view.go_to_hunk(at[0])
        self._say_where()
        self.post_message(Changed())
        bench = self.bench
        if bench is not None and rows and change.path.lower().endswith(".cs"):
            self._jobs.run("texts", lambda: _colours(bench, change), self._begin_colours)

    def _begin_colours(self, sides: tuple[Colours, Colours]) -> None:
        for colouring, colours in zip(self._colouring, sides, strict=True):
            colouring.begin(colours)
        self._colour()

    def _colour(self) -> None:
        """What is in view gets its colours."""
        for colouring in self._colouring:
            colouring.look()

    def _refused(self, error: Exception) -> None:
        """Why there is no diff of this file, in its place; the others can be looked at."""
        self.view.empty = notice_of(error).message
        self.view.set_rows(DiffRows())
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
        ]
        self._say(visible(" · ".join(part for part in parts if part)))

    def _say(self, said: str) -> None:
        """On the line above, where it says something else: each time it is told it lays the whole screen out."""
        if said != self._said:
            self._said = said
            self.about.update(said)

    def _failed(self, error: Exception) -> None:
        self.post_message(Said(notice_of(error)))


def _why_empty(change: FileChange) -> str:
    if change.binary:
        return "A binary file: there are no lines to show"
    if change.mode_changed:
        return "Only the mode changed"
    return "Moved without a change" if change.old_path else "No line differs"


def _colours(bench: BenchPort, change: FileChange) -> tuple[Colours, Colours]:
    old, new = bench.changes.texts(change)
    return bench.colours(lines_of(old)), bench.colours(lines_of(new))
