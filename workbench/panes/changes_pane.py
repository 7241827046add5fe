"""The files of a change set, to be stepped through."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from services.errors import CodeCortexError, RemoteError, UsageError, WorkspaceError
from services.model import ChangeSet, FileChange
from widgets.chrome.pane import EmptyState, Pane, bring_forward
from widgets.chrome.search_box import SearchBox
from widgets.format.display import visible
from widgets.format.shorten import counted, grouped
from widgets.lists.change_list import ChangeList
from workbench.commands.situation import Subject
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import HintedState, with_keys
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_filter", "All files", show=False, id="changes.all"),
        Binding("up", "move(-1)", "Up", show=False, id="changes.up"),
        Binding("down", "move(1)", "Down", show=False, id="changes.down"),
    ]

    list = query_one(ChangeList)
    nothing = query_one(EmptyState)
    said = query_one(".list-said", Static)
    filter = query_one(SearchBox)

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
        yield SearchBox(placeholder="part of a path, added, deleted …", id="changes-filter")
        yield ChangeList(id="changed-files")
        yield HintedState(
            "Nothing was compared yet.",
            "{view-diff:d} compares the working tree with HEAD, {compare:b} chooses a commit.",
        )

    def on_mount(self) -> None:
        """There is nothing yet; a working tree that is shown is looked at again now and then."""
        self.list.display = self.filter.display = False
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
        return self.list.beside

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
        return [Subject(file.path, file.path) for file in self.list.chosen if file.new_mode]

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

    def compare(self, scope: str, *, at: str = "") -> None:
        """Compare something else: `A..B`, a commit, a patch, a request on a server; nothing for the working tree. `at`:
        the file to begin with."""
        self._scope = scope
        self._wanted = at or self._wanted
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
        self._hunk = hunk
        if self.list.step(files):
            return True
        self._hunk = 0
        return False

    def has(self, path: str) -> bool:
        """Whether a file is among what is compared."""
        return any(file.path == path for file in self.list.all_files)

    def go_to(self, path: str, line: int | None) -> None:
        """Look at a file, at the hunk that shows a line of its new side."""
        if path not in {file.path for file in self.list.files}:
            self.filter.value = ""  # what was filtered out can be asked for all the same
            self._rearrange(words="")
        current = self.list.current
        if current is not None and current.path == path:
            self.post_message(self.Shown(current, line=line))
        elif self.has(path):
            self._line = line
            self.list.go_to(path)

    def begin_filter(self) -> None:
        """Give the keyboard to the box that filters the files."""
        self.filter.display = True
        self.filter.focus_input()

    def toggle_tree(self) -> None:
        """Show the files under their folders, or one below the other."""
        self._rearrange(tree=not self.list.arrangement.tree)

    def on_search_box_query_changed(self, event: SearchBox.QueryChanged) -> None:
        """Filter as one types."""
        event.stop()
        self._rearrange(words=event.value)

    def on_search_box_query_submitted(self, event: SearchBox.QuerySubmitted) -> None:
        """Go on in the list."""
        event.stop()
        if self.list.files:
            self.list.focus()

    def action_end_filter(self) -> None:
        """Show all files again."""
        self.filter.value = ""
        self.filter.display = False
        self._rearrange(words="")
        self.front.focus()

    def action_move(self, rows: int) -> None:
        """Move the cursor of the list."""
        self.list.move_cursor(rows)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Escape is the screen's while nothing is filtered, the arrows the list's while it has the keyboard."""
        if action == "end_filter":
            return self.filter.display
        return self.filter.input.has_focus if action == "move" else True

    def _rearrange(self, **changed: Any) -> None:
        self.list.set_arrangement(replace(self.list.arrangement, **changed))
        if self._found is not None:
            self.said.update(self._counted(self._found), layout=False)
        self.post_message(Changed())

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
            lambda: _opened(bench, written, cancel),
            lambda answer: self._take(*answer, again=quiet),
            failed=self._refused,
        )

    def _take(self, opened: OpenedChange, staged: Mapping[str, str], *, again: bool) -> None:
        # What was pasted is asked for under the name that it was given.
        self._scope = opened.source.name
        self._show(opened.set, again=again)
        if staged != self.list.arrangement.staged:
            self._rearrange(staged=staged)

    def _show(self, found: ChangeSet, *, again: bool) -> None:
        before, self._found = self._found, found
        if before is not None and before.signature == found.signature:
            return
        self.title = found.title
        self.said.update(self._counted(found), layout=False)
        if not found.files:
            self._say_nothing("Nothing differs.", "Choose a commit or a range ({compare:b}).")
            return
        bring_forward(self.list, instead_of=self.nothing)
        with self.prevent(ChangeList.Highlighted):
            self.list.set_files(found.files, keep_cursor=again)
            self._choose_wanted()
        self.post_message(self.Shown(self.list.current, again=again))
        self.post_message(Changed())

    def _counted(self, found: ChangeSet) -> str:
        """`3 of 5 files · +12 −3`."""
        added, deleted = (sum(count or 0 for count in counts) for counts in
                          ([file.added for file in found.files], [file.deleted for file in found.files]))  # fmt: skip
        some = f"{grouped(len(self.list.files))} of " if self.list.arrangement.words.split() else ""
        return f"{some}{counted(len(found.files), 'file')} · +{grouped(added)} −{grouped(deleted)}"

    def _choose_wanted(self) -> None:
        self.list.go_to(self._wanted)
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
        bring_forward(self.nothing, instead_of=self.list)
        self.post_message(self.Shown(None, why=f"{sentence} {with_keys(self, advice)}".rstrip()))
        self.post_message(Changed())


def _opened(bench: Bench, scope: str, cancel: threading.Event) -> tuple[OpenedChange, Mapping[str, str]]:
    """The change set, and how much of each of its files is staged where git's index lies between. Raises as opening."""
    opened = bench.review.open(scope, cancel=cancel)
    staged: Mapping[str, str] = {}
    if not opened.source.name.strip():
        with suppress(CodeCortexError):
            staged = bench.hunk_edits.staging.files(opened.set.files)
    return opened, staged
