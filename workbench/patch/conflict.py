"""Both sides changed a file: what each did, and what would be written. A person decides; nothing is written before."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.widgets import Static

from services.model import ConflictHunk, MergeChoice, Rebased
from widgets.chrome.pane import Pane
from widgets.format.display import visible
from widgets.text.diff_text import DiffText
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import Hint, KeyLine, with_keys
from workbench.ui.modal import Modal
from workbench.ui.notices import TITLES

if TYPE_CHECKING:
    from services.bench import Bench


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
