"""Dialogs of the patch editor: both sides changed a file, and the history of writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.widget import Widget
from textual.widgets import Static

from services.model import ConflictHunk, MergeChoice, Rebased
from widgets.chrome.pane import Pane
from widgets.format.display import visible
from widgets.lists.pick_list import PickList, PickRow
from widgets.text.diff_text import DiffText
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import Hint, KeyLine, with_keys
from workbench.ui.modal import Modal
from workbench.ui.notices import TITLES, notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.writes import ChangeAnswer, HistoryAnswer, HistoryEntry


class Decision(StrEnum):
    """Decision about a conflict: write with my lines, or theirs, where both changed them; or edit my text on over
    theirs."""

    MINE = "mine"
    THEIRS = "theirs"
    EDIT = "edit"


_SIDES = "sides"


class ConflictScreen(Modal[Decision]):
    """Three views: what both sides did, and the diff of each way to go on. Esc decides nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Back, nothing is written", show=False, id="conflict.back"),
        Binding("m", "look('mine')", "Keep mine", show=False, id="conflict.mine"),
        Binding("t", "look('theirs')", "Take theirs", show=False, id="conflict.theirs"),
        Binding("b", "look('sides')", "Both sides", show=False, id="conflict.sides"),
        Binding("e", "edit", "Edit on", show=False, id="conflict.edit"),
        Binding("enter,w", "write", "Write", show=False, id="conflict.write"),
    ]

    choices = query_one("#ways", ChoiceLine)
    question = query_one("#question", Static)
    body = query_one(DiffText)
    keys = query_one(KeyLine)

    def __init__(self, bench: Bench, rebased: Rebased) -> None:
        super().__init__()
        self._bench = bench
        self._rebased = rebased
        self._jobs = Jobs(
            self,
            lambda error: self.app.notify(
                visible(str(error)), title=TITLES["error"], severity="error", markup=False
            ),
        )
        self._looked_at = _SIDES if rebased.hunks else Decision.MINE

    def compose(self) -> ComposeResult:
        """Compose the conflict, the choices, and the diff of the selected one."""
        with Pane(title=f"{self._rebased.draft.file} has changed since you read it", id="conflict"):
            yield Static(id="question", markup=False)
            yield ChoiceLine(self._ways(), id="ways")
            yield DiffText(empty="Nothing would be written: the file stays as it is")
            yield KeyLine()

    def on_mount(self) -> None:
        """Look at the sides where they clash, else at how they go together."""
        self._show()
        self.body.focus()

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A way was clicked."""
        self.action_look(event.choice)

    async def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """A key of the line was clicked."""
        event.stop()
        await self.run_action(event.command)

    def action_look(self, way: str) -> None:
        """Look at what one way would write."""
        if way in dict(self._ways()):
            self._looked_at = way
            self._show()

    def action_write(self) -> None:
        """Write what is looked at."""
        if self._looked_at != _SIDES:
            self.dismiss(Decision(self._looked_at))

    def action_edit(self) -> None:
        """Edit on, over the file as it is now."""
        self.dismiss(Decision.EDIT)

    def _ways(self) -> list[tuple[str, str]]:
        if not self._rebased.hunks:
            return [(Decision.MINE, with_keys(self, "Both changes ({conflict.mine:m})"))]
        return [
            (_SIDES, with_keys(self, "Both sides ({conflict.sides:b})")),
            (Decision.MINE, with_keys(self, "Keep mine ({conflict.mine:m})")),
            (Decision.THEIRS, with_keys(self, "Take theirs ({conflict.theirs:t})")),
        ]

    def _show(self) -> None:
        self.choices.chosen = self._looked_at
        self.question.update(with_keys(self, self._sentence()))
        writes = Hint("write", "⏎", "write this", refused=self._looked_at == _SIDES)
        self.keys.hints = (
            writes,
            Hint("edit", with_keys(self, "{conflict.edit:e}"), "edit on"),
            Hint("dismiss", "esc", "back"),
        )
        if self._looked_at == _SIDES:
            self.body.set_diff("\n".join(map(_sides, self._rebased.hunks)))
            return
        bench, rebased, choice = self._bench, self._rebased, MergeChoice(self._looked_at)
        self._jobs.run("diff", lambda: bench.patching.resolved(rebased, choice)[1], self.body.set_diff)

    def _sentence(self) -> str:
        count = len(self._rebased.hunks)
        if not count:
            return (
                "Nothing was written. Both changes go together: enter writes this diff, {conflict.edit:e} edits on, "
                "esc goes back."
            )
        clash = f"Nothing was written. Both sides changed the same lines in {count} place{'s' if count > 1 else ''}."
        if self._looked_at == _SIDES:
            return (
                clash
                + " {conflict.mine:m} and {conflict.theirs:t} show what would be written; {conflict.edit:e} edits on"
                " over theirs; esc goes back."
            )
        return clash + " enter writes this diff, {conflict.edit:e} edits on over theirs, esc goes back."


def _sides(hunk: ConflictHunk) -> str:
    """Return one place as a diff of three sides: the base, and each side's change."""
    parts = [f"@@ line {hunk.start_line} @@"]
    for sign, title, text in (
        (" ", "it was", hunk.base),
        ("-", "theirs", hunk.theirs),
        ("+", "mine", hunk.mine),
    ):
        lines = text.removesuffix("\n").split("\n") if text else ["(nothing)"]
        parts += [f"{sign} {title:<7}│ {line}" for line in lines]
    return "\n".join(parts)


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
