"""The history of writes: what each changed, and taking it back where nothing was written over it since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.getters import query_one
from textual.widget import Widget

from widgets.lists.pick_list import PickList, PickRow
from widgets.text.diff_text import DiffText
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.writes import ChangeAnswer, HistoryAnswer, HistoryEntry

_MOST = 200
_EMPTY = "Nothing was written yet. Edit lines with e; every write can be taken back here"
_SIGNS = {"edit": "~", "undo": "<", "redo": ">"}
_DONE = {"edit": "taken back", "undo": "made again", "redo": "taken back"}


class HistoryScreen(Listing[str]):
    """Writes, the last first, with who made the one under the cursor and its diff. Answers a file to open."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,o", "open", "open the file", row=True),
        Key("u,U", "take_back", "take back / make again", row=True),
        Key("j", "page(1)", "diff down", row=True),
        Key("k", "page(-1)", "up", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("history", KEYS)
    diff = query_one(DiffText)

    def __init__(self, bench: Bench, handle: str, written: Callable[[], object]) -> None:
        """Create the screen. `handle`: of a lock that this process has, if any; `written`: called after files have
        changed."""
        super().__init__("What was written, the last first", empty=_EMPTY)
        self._bench = bench
        self._handles = (handle,) if handle else ()
        self._written = written
        self._entries: dict[str, HistoryEntry] = {}

    def beside(self) -> Widget:
        """The diff of the write under the cursor."""
        return DiffText()

    def read(self) -> None:
        """Read the writes."""
        self.jobs.run("history", lambda: self._bench.writing.history(None, limit=_MOST), self._show)

    def show_detail(self) -> None:
        """Show the diff once it is computed, if its row is still selected."""
        self.diff.empty = ""
        self.diff.set_diff("")
        group = self.current
        if group:
            self.jobs.run(
                "diff", lambda: self._bench.writer.made(int(group)), self._show_diff, failed=self._no_diff
            )

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter opens the file."""
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Open the first of its files."""
        if entry := self._entry:
            self.dismiss(entry.files[0])

    def action_page(self, pages: int) -> None:
        """Scroll the diff."""
        self.diff.scroll_relative(y=pages * max(1, self.diff.size.height // 2), animate=False)

    def action_take_back(self) -> None:
        """Take this write back, or make again what it took back. Refused where its files were written since."""
        entry = self._entry
        if entry is None:
            return
        if entry.undone:
            self.tell("That was taken back already.", "Choose the write that took it back to make it again.")
            return
        act = self._bench.writing.redo if entry.kind == "undo" else self._bench.writing.undo
        done = _DONE[entry.kind]

        def told(answer: ChangeAnswer) -> None:
            files = ", ".join(change.file for change in answer.files)
            self.tell(f"The write of {files} is {done}.")
            self._written()
            self.read()

        self.jobs.act("take back", lambda: act(entry.files[0], self._handles, group=entry.group), told)

    @property
    def _entry(self) -> HistoryEntry | None:
        return self._entries.get(self.current)

    def _show(self, answer: HistoryAnswer) -> None:
        self._entries = {str(entry.group): entry for entry in answer.entries}
        self.set_rows([row_of(entry) for entry in answer.entries])

    def _show_diff(self, answer: ChangeAnswer) -> None:
        if str(answer.group) == self.current:
            self.diff.empty = "No line differs: bytes, or the ends of lines, were changed"
            entry, diff = self._entry, "".join(change.diff for change in answer.files)
            self.diff.set_diff(f"{said_of(entry)}\n\n{diff}" if entry and diff else diff)

    def _no_diff(self, error: Exception) -> None:
        self.diff.empty = notice_of(error).message
        self.diff.set_diff("")


def said_of(entry: HistoryEntry) -> str:
    """Return the action, its author and its purpose on one line."""
    return " ".join(f"{entry.kind} by {entry.owner}".split())


def row_of(entry: HistoryEntry) -> PickRow:
    """Return the row of a write: today's with the time alone, which leaves width for names."""
    at = datetime.fromtimestamp(entry.at / 1000).astimezone()
    today = at.date() == datetime.now().astimezone().date()
    names = ", ".join(file.rpartition("/")[2] for file in entry.files)
    undone = "taken back · " if entry.undone else ""
    said = f"{undone}{said_of(entry)}"
    sign = _SIGNS.get(entry.kind, " ")
    tail = f"{at:%H:%M}" if today else f"{at:%m-%d %H:%M}"
    return PickRow(str(entry.group), names, said, sign=sign, tail=tail, off=entry.undone)
