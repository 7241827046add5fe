"""Dialogs of a pasted answer: the box it is pasted into, and its pieces, each with where it lands and its diff."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.binding import BindingType
from textual.getters import query_one
from textual.widget import Widget

from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from widgets.text.diff_text import DiffText
from workbench.dialogs.base import Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing
from workbench.ui.key_line import with_keys
from workbench.ui.modal import Confirm
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.edits.paste.result import Landing, Unplaced
    from services.edits.places import EditHunk
    from services.model.writes import PasteAnswer

_TELL = "What a chat or a tool answered, whole: diffs, SEARCH/REPLACE, patches, code in fences"
_ON, _OFF, _PROBLEM = "●", "○", "!"


class PasteBox(TextBox[str | None]):
    """Answers what was pasted; None where nothing was."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "look", "look where it lands"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("paste-box", KEYS)

    def __init__(self, text: str = "") -> None:
        super().__init__("Paste an answer", lead=_TELL, text=text)

    def action_look(self) -> None:
        """Answer what was pasted."""
        self.dismiss(self.editor.text if self.editor.text.strip() else None)


class _Plan(Struct, frozen=True):
    """A landing with its hunks. `hunks`: by the value of their rows; `around`: lines about the place where a problem
    nearly lands, by the value of its row."""

    landing: Landing
    hunks: Mapping[str, tuple[int, EditHunk]]
    problems: Mapping[str, Unplaced]
    around: Mapping[str, str]


class PasteScreen(Listing[str]):
    """Pieces of an answer by file and hunk: those that can be placed can be left out, the others show the reason.
    Returns the text where it is to be changed, and a file to open as `open:FILE`."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("space", "leave_out", "leave out / take", row=True),
        Key("ctrl+s,ctrl+j", "write", "write"),
        Key("enter,o", "open", "open the file", row=True),
        Key("e,slash", "change", "change the answer"),
        Key("j", "page(1)", "diff down", row=True),
        Key("k", "page(-1)", "up", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("paste", KEYS)
    diff = query_one(DiffText)

    def __init__(self, bench: Bench, text: str, written: Callable[[], object]) -> None:
        """`written`: called after files have changed."""
        super().__init__("Where the answer lands", empty="Looking …")
        self._bench = bench
        self._text = text
        self._written = written
        self._plan: _Plan | None = None
        self._left: set[str] = set()

    def beside(self) -> Widget:
        """The diff of the hunk under the cursor."""
        return DiffText()

    def read(self) -> None:
        """Place the pieces."""
        self.jobs.run("plan", self._planned, self._show, failed=self._refused)

    def show_detail(self) -> None:
        """Show the diff of a hunk, or the nearest match of a piece without a place."""
        plan, value = self._plan, self.current
        if plan is None or not value:
            self.diff.set_diff("")
        elif value in plan.hunks:
            self.diff.set_diff(plan.hunks[value][1].diff)
        else:
            self.diff.set_diff(_nearly(plan.problems[value], plan.around.get(value, "")))

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter opens the file."""
        event.stop()
        self.action_open()

    def action_leave_out(self) -> None:
        """Leave the hunk out, or take it again."""
        if self._plan is not None and self.current in self._plan.hunks:
            self._left ^= {self.current}
            self._show_rows(self._plan)
            self.rows.move_cursor(1)

    def action_open(self) -> None:
        """Open the file that the row is about."""
        plan = self._plan
        if plan is None or not self.current:
            return
        hunk = plan.hunks.get(self.current)
        file, line = (hunk[1].path, hunk[1].line) if hunk else self._place(plan.problems[self.current])
        if file:
            self.dismiss(f"open:{file}:{line}" if line else f"open:{file}")

    def action_change(self) -> None:
        """Go back to the text."""
        self.dismiss(self._text)

    def action_page(self, pages: int) -> None:
        """Scroll the diff."""
        self.diff.scroll_relative(y=pages * max(1, self.diff.size.height // 2), animate=False)

    def action_write(self) -> None:
        """Write the selected pieces, after confirmation where a part of the answer is left out."""
        plan = self._plan
        if plan is None:
            return
        chosen = [value for value in plan.hunks if value not in self._left]
        if not chosen:
            self.tell("Nothing is chosen, so nothing was written.")
            return
        if not plan.problems:
            self._write(plan, chosen)
            return
        lost = counted(len(plan.problems), "piece")
        question = (
            f"{lost} of the answer would be missing. Write the {counted(len(chosen), 'hunk')} all the same?"
        )
        self.app.push_screen(
            Confirm("Not all of it lands", question, yes="Write"),
            lambda yes: self._write(plan, chosen) if yes else None,
        )

    def _write(self, plan: _Plan, chosen: Sequence[str]) -> None:
        from services.edits.places import with_hunks

        def act() -> PasteAnswer:
            edits = [
                with_hunks(
                    edit, {plan.hunks[value][1].number for value in chosen if plan.hunks[value][0] == at}
                )
                for at, edit in enumerate(plan.landing.edits)
            ]
            return self._bench.pasting.write(plan.landing, [edit for edit in edits if edit is not None])

        def done(answer: PasteAnswer) -> None:
            files = ", ".join(each.file for each in answer.files)
            self.tell(f"Written: {files}.", with_keys(self, "{undo-write:U} takes all of it back."))
            self._written()
            self.dismiss(None)

        self.jobs.act("write", act, done)

    # Rows

    def _planned(self) -> _Plan:
        from services.edits.places import hunks_of

        landing = self._bench.pasting.plan(self._text)
        hunks = {
            f"{at}:{hunk.number}": (at, hunk)
            for at, edit in enumerate(landing.edits)
            for hunk in hunks_of(edit)
        }
        problems = {f"!{at}": each for at, each in enumerate(landing.problems)}
        around = {value: self._around(each) for value, each in problems.items() if each.file and each.line}
        return _Plan(landing, hunks, problems, around)

    def _around(self, problem: Unplaced) -> str:
        from services.errors import CodeCortexError

        first = max(1, problem.line - 3)
        try:
            found = self._bench.sources.read(f"{problem.file}:{first}-{problem.line + 3}")
        except CodeCortexError:
            return ""
        lines = found.content.split("\n")
        return "\n".join(f"{number:>6}  {line}" for number, line in enumerate(lines, found.start_line))

    def _place(self, problem: Unplaced) -> tuple[str, int]:
        return problem.file, problem.line

    def _show(self, plan: _Plan) -> None:
        self._plan = plan
        self.rows.empty = "Nothing changes: all of it is so already"
        self._show_rows(plan)
        self.remark("  ".join([*plan.landing.notes, *_there(plan.landing.there)]))

    def _refused(self, error: Exception) -> None:
        self.rows.empty = notice_of(error).message
        self.set_rows(())

    def _show_rows(self, plan: _Plan) -> None:
        left = len(self._left)
        told = [f"{counted(len(plan.hunks) - left, 'hunk')} in {counted(len(plan.landing.edits), 'file')}"]
        told += [f"{left} left out"] if left else []
        told += [f"{counted(len(plan.problems), 'piece')} not placed"] if plan.problems else []
        self.pane.note = " · ".join(told)
        rows = [
            PickRow(value, _named(each.file, each.line), each.message, sign=_PROBLEM)
            for value, each in plan.problems.items()
        ]
        rows += [
            PickRow(
                value,
                _named(hunk.path, hunk.line),
                _first(hunk.diff),
                sign=_OFF if value in self._left else _ON,
            )
            for value, (_, hunk) in plan.hunks.items()
        ]
        self.set_rows(rows)


def _named(file: str, line: int) -> str:
    name = file.rpartition("/")[2] or "no file"
    return f"{name}:{line}" if line else name


def _first(diff: str) -> str:
    """The first line that a diff changes."""
    lines = diff.split("\n")[2:]
    return next((line[:1] + " " + line[1:].strip() for line in lines if line.startswith(("+", "-"))), "")


def _there(files: Sequence[str]) -> list[str]:
    return [f"So already: {', '.join(files)}."] if files else []


def _nearly(problem: Unplaced, around: str) -> str:
    """Why a piece does not land, with the first line that differs, and the lines about the place."""
    lines = [problem.message, f"Line {problem.answer_line} of the answer", ""]
    if problem.wanted or problem.found:
        lines += ["The first line that differs, in the file and in the answer:"]
        lines += [f"-{problem.found}", f"+{problem.wanted}", ""]
    if problem.places:
        lines += [f"It may belong at line {', '.join(map(str, problem.places))} of {problem.file}.", ""]
    return "\n".join([*lines, *([f"{problem.file}:", around] if around else [])])
