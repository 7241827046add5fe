"""The files of a change set, to be stepped through."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from services.errors import RemoteError, UsageError, WorkspaceError
from services.model import ChangeSet, FileChange
from widgets.chrome.empty_state import EmptyState
from widgets.chrome.pane import Pane
from widgets.format.display import visible
from widgets.format.shorten import grouped
from widgets.lists.change_list import ChangeList
from workbench.commands.situation import Subject
from workbench.ui.jobs import Jobs
from workbench.ui.key_hints import HintedState, with_keys
from workbench.ui.messages import Changed, Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.review.opened import OpenedChange

_NOTICED = 0.15
"""Seconds after which one wonders what is being compared: what is there before then is shown at once."""
_LOOKED_AGAIN = 2.0
"""Seconds between two looks at a working tree that is shown: not every file that changes is one of the index."""


class ChangesPane(Pane):
    """Differences of two states; the working tree against HEAD at first."""

    list = query_one(ChangeList)
    nothing = query_one(EmptyState)
    said = query_one(".list-said", Static)

    class Shown(Message):
        """Look at a file's diff, or at none. `hunk`: which first, -1 the last; `line`: of the new side, instead;
        `again`: it was looked at before; `why` there is none."""

        def __init__(
            self,
            change: FileChange | None,
            *,
            hunk: int = 0,
            line: int | None = None,
            again: bool = False,
            why: str = "",
        ) -> None:
            super().__init__()
            self.line = line
            self.why = why
            self.change = change
            self.hunk = hunk
            self.again = again

    class Opened(Message):
        """Give the diff the keyboard."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Changes", id=id)
        self._bench: Bench | None = None
        self._jobs = Jobs(self, self._refused)
        self._scope = ""
        self._found: ChangeSet | None = None
        self._cancel = threading.Event()
        self._hunk = 0
        self._line: int | None = None
        self._wanted = ""

    def compose(self) -> ComposeResult:
        """Compose the scope, the counts, the files."""
        yield Static(classes="list-said", markup=False)
        yield ChangeList(id="changed-files")
        yield HintedState(
            "Nothing was compared yet.",
            "{view-diff:d} compares the working tree with HEAD, {compare:b} chooses a commit.",
        )

    def on_mount(self) -> None:
        """There is nothing yet; a working tree that is shown is looked at again now and then."""
        self.list.display = False
        self.nothing.can_focus = True
        self.set_interval(_LOOKED_AGAIN, self._look_again)

    @property
    def front(self) -> ChangeList | EmptyState:
        """The widget to focus."""
        return self.list if self.list.display else self.nothing

    @property
    def scope(self) -> str:
        """The compared scope, as it was requested."""
        return self._scope

    @property
    def signature(self) -> str:
        """The signature of the change set; empty where there is none."""
        return self._found.signature if self._found is not None else ""

    @property
    def beside(self) -> list[FileChange]:
        """The next file and the one before, as far as there are any."""
        at, files = self.list.cursor, self.list.files
        return [files[row] for row in (at + 1, at - 1) if 0 <= row < len(files)] if at is not None else []

    @property
    def is_stageable(self) -> bool:
        """Whether git's index lies between the two states."""
        return not self._scope.strip()

    @property
    def is_working_tree(self) -> bool:
        """Whether the new side is the files as they are."""
        return self._found is not None and not self._found.new

    @property
    def subject(self) -> Subject | None:
        """The file under the cursor."""
        change = self.list.current
        return Subject(change.path, change.path) if change and change.new_mode else None

    @property
    def subjects(self) -> list[Subject]:
        """The marked files, or the one under the cursor."""
        rows = sorted(self.list.marked) or ([self.list.cursor] if self.list.cursor is not None else [])
        files = [self.list.files[row] for row in rows]
        return [Subject(file.path, file.path) for file in files if file.new_mode]

    def attach(self, bench: Bench) -> None:
        """Compare in this workspace from now on."""
        self._bench = bench

    def open(self, *, at: str = "") -> None:
        """Show what is compared, the cursor on file `at` if it is among it; read it the first time."""
        self._wanted = at
        if self._found is None:
            self.compare(self._scope)
        else:
            self._choose_wanted()

    def compare(self, scope: str) -> None:
        """Compare something else: `A..B`, a commit, a patch, a request on a server; nothing for the working tree."""
        self._scope = scope
        self._found = None
        self.said.update("comparing …", layout=False)
        # It may take a while, of a large repository or beside the making of the index.
        self.set_timer(_NOTICED, self._say_comparing)
        self._read(quiet=False)

    def _say_comparing(self) -> None:
        if self._found is None and not self.list.files and self._jobs.is_running("changes"):
            self._say_nothing("Comparing …", "")

    def reload(self) -> None:
        """Something may differ now."""
        if self._found is not None:
            self._read(quiet=True)

    def step(self, files: int, *, hunk: int = 0) -> bool:
        """Go to the next file, or the one before (-1), at one of its hunks; False where there is none."""
        if self.list.cursor is None or not 0 <= self.list.cursor + files < len(self.list.files):
            return False
        self._hunk = hunk
        self.list.move_cursor(files)
        return True

    def has(self, path: str) -> bool:
        """Whether a file is among what is compared."""
        return any(file.path == path for file in self.list.files)

    def go_to(self, path: str, line: int | None) -> None:
        """Look at a file, at the hunk that shows a line of its new side."""
        row = next((at for at, file in enumerate(self.list.files) if file.path == path), None)
        if row is None:
            return
        if row == self.list.cursor:
            self.post_message(self.Shown(self.list.current, line=line))
        else:
            self._line = line
            self.list.move_cursor(row - (self.list.cursor or 0))

    def on_change_list_highlighted(self, event: ChangeList.Highlighted) -> None:
        """Another file is looked at."""
        event.stop()
        change, hunk, line = self.list.current, self._hunk, self._line
        self._hunk, self._line = 0, None
        self.post_message(self.Shown(change, hunk=hunk, line=line))
        self.post_message(Changed())

    def on_change_list_selected(self, event: ChangeList.Selected) -> None:
        """A file was opened: its diff gets the keyboard."""
        event.stop()
        self.post_message(self.Opened())

    def _look_again(self) -> None:
        if self.display and self.is_working_tree and not self._jobs.is_running("changes"):
            self._read(quiet=True)

    def _read(self, *, quiet: bool) -> None:
        bench = self._bench
        if bench is None:
            return
        self._cancel.set()
        cancel = self._cancel = threading.Event()
        written = self._scope
        self._jobs.run(
            "changes",
            lambda: bench.review.open(written, cancel=cancel),
            lambda opened: self._take(opened, again=quiet),
            failed=self._refused,
        )

    def _take(self, opened: OpenedChange, *, again: bool) -> None:
        # What was pasted is asked for under the name that it was given.
        self._scope = opened.source.name
        self._show(opened.set, again=again)

    def _show(self, found: ChangeSet, *, again: bool) -> None:
        before, self._found = self._found, found
        if before is not None and before.signature == found.signature:
            return
        added, deleted = (sum(count or 0 for count in counts) for counts in
                          ([file.added for file in found.files], [file.deleted for file in found.files]))  # fmt: skip
        self.title = found.title
        count = f"{grouped(len(found.files))} file{'' if len(found.files) == 1 else 's'}"
        self.said.update(f"{count} · +{grouped(added)} −{grouped(deleted)}", layout=False)
        if not found.files:
            self._say_nothing("Nothing differs.", "Choose a commit or a range ({compare:b}).")
            return
        self._bring_forward(self.list, instead_of=self.nothing)
        with self.prevent(ChangeList.Highlighted):
            self.list.set_files(found.files, keep_cursor=again)
            self._choose_wanted()
        self.post_message(self.Shown(self.list.current, again=again))
        self.post_message(Changed())

    def _choose_wanted(self) -> None:
        paths = [file.path for file in self.list.files]
        if self._wanted in paths:
            self.list.cursor = paths.index(self._wanted)
        self._wanted = ""

    def _refused(self, error: Exception) -> None:
        self.said.update("", layout=False)
        if isinstance(error, WorkspaceError | UsageError | RemoteError):
            self._say_nothing(visible(error.message), "Choose something else to compare ({compare:b}).")
        else:
            self.post_message(Tell(notice_of(error)))

    def _say_nothing(self, sentence: str, advice: str) -> None:
        self.list.set_files(())
        self.nothing.sentence, self.nothing.advice = sentence, advice
        self._bring_forward(self.nothing, instead_of=self.list)
        self.post_message(self.Shown(None, why=f"{sentence} {with_keys(self, advice)}".rstrip()))
        self.post_message(Changed())

    def _bring_forward(self, widget: ChangeList | EmptyState, *, instead_of: ChangeList | EmptyState) -> None:
        had_focus = instead_of.has_focus
        widget.display, instead_of.display = True, False
        if had_focus:
            widget.focus()
