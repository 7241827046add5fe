"""Proposals of agents: each change with its diff, to be applied, changed or refused with a reason."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.getters import query_one
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from services.bench.edits.proposals import without_hunks
from services.errors import ProposalDecided
from services.model import Notice, Proposal
from widgets.chrome.pane import Pane
from widgets.format.display import visible
from widgets.format.shorten import counted, keep_end
from widgets.text.code_edit import CodeEdit
from widgets.text.diff_text import DiffText
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import Hint, KeyLine, with_keys
from workbench.ui.modal import Modal
from workbench.ui.notices import TITLES, notice_of

if TYPE_CHECKING:
    from services.bench import Bench

_KEYS = (
    Hint("apply", "{proposals.apply:a}", "apply"),
    Hint("step(1)", "{proposals.next-hunk:n}", "next hunk"),
    Hint("leave_out", "{proposals.leave-out:space}", "leave the hunk out, or not"),
    Hint("change", "{proposals.change:e}", "change the lines"),
    Hint("refuse", "{proposals.refuse:r}", "refuse"),
    Hint("back", "esc", "close"),
)
_CHANGING = (
    Hint("apply_changed", "{proposals.apply-changed:^s}", "apply what you typed"),
    Hint("back", "esc", "back"),
)
_REFUSING = (Hint("refuse_now", "⏎", "refuse"), Hint("back", "esc", "back"))
_NOTHING = tuple(msgspec.structs.replace(hint, refused=hint.command != "back") for hint in _KEYS)
_EMPTY = (
    "No agent waits for an answer. Where the settings agents.write and agents.run are ask, they propose what they "
    "would write or run"
)
_NONE_CHOSEN = "Choose one on the left: what you looked at was decided elsewhere"
_ROW = 32
"""Cells of a row of the list."""


class ProposalsScreen(Modal[None]):
    """Pending proposals, the last one first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", show=False, id="proposals.back"),
        Binding("a", "apply", "Apply", show=False, id="proposals.apply"),
        Binding("n", "step(1)", "Next hunk", show=False, id="proposals.next-hunk"),
        Binding("N", "step(-1)", "Previous hunk", show=False, id="proposals.previous-hunk"),
        Binding("space", "leave_out", "Leave out", show=False, id="proposals.leave-out"),
        Binding("e", "change", "Change", show=False, id="proposals.change"),
        Binding("r", "refuse", "Refuse", show=False, id="proposals.refuse"),
        Binding("ctrl+s", "apply_changed", "Apply changed", show=False, id="proposals.apply-changed"),
    ]

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012 - Textual declares it, as a class variable

    listed = query_one(OptionList)
    diff = query_one(DiffText)
    reason = query_one(Input)
    editor = query_one(CodeEdit)
    keys = query_one(KeyLine)

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._jobs = Jobs(self, self._failed)
        self._proposals: tuple[Proposal, ...] = ()
        self._deciding: set[str] = set()
        """Those that are being decided, or were, by keys pressed here: of them, that is told."""
        self._goes_on = False
        self._diff_shown = ""

    def compose(self) -> ComposeResult:
        """The list, the diff of the one under the cursor, the line for a reason, the keys."""
        with Pane(title="Proposals of agents", id="proposals"):
            with Horizontal():
                yield OptionList(markup=False)
                yield DiffText(empty=_EMPTY)
                yield CodeEdit(numbered=False)
            yield Input(placeholder="Why not? The agent is told. Enter refuses, esc goes back.")
            yield KeyLine()

    def on_mount(self) -> None:
        """Nothing is typed yet; what there is is read."""
        self.reason.display = self.editor.display = False
        self.read()

    @property
    def current(self) -> Proposal | None:
        """The one under the cursor."""
        at = self.listed.highlighted
        return self._proposals[at] if at is not None and at < len(self._proposals) else None

    def read(self) -> None:
        """Read again what is to be decided."""
        self._jobs.run("read", lambda: self._bench.proposals.listed(pending=True), self._show)

    def on_option_list_option_highlighted(self) -> None:
        """Another one is under the cursor."""
        self._show_current()

    async def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """A key of the line was clicked."""
        event.stop()
        await self.run_action(event.command)

    def on_input_submitted(self) -> None:
        """Refuse, with what was typed as the reason."""
        self.action_refuse_now()

    def action_refuse_now(self) -> None:
        """Refuse, with what was typed as the reason."""
        proposal, reason = self.current, self.reason.value.strip()
        if proposal is not None and reason:
            self._decide("RefuseProposal", "refused", reason=reason)

    def action_apply(self) -> None:
        """Apply it, as it is or without the hunks that are left out."""
        proposal, left_out = self.current, self.diff.left_out
        if proposal is None:
            return
        if not left_out:
            self._decide("ApplyProposal", "applied")
        elif len(left_out) == self.diff.hunk_count:
            self._tell("Every hunk is left out: refuse it instead.")
        elif (content := without_hunks(proposal, left_out)) is not None:
            self._decide(
                "ApplyProposal", f"applied without {counted(len(left_out), 'hunk')}", content=content
            )

    def action_step(self, steps: int) -> None:
        """Go to the next hunk, or the one before."""
        self.diff.step_hunk(steps)

    def action_leave_out(self) -> None:
        """Leave out the hunk that was stepped to, or take it again; the first one where none was."""
        proposal = self.current
        if proposal is None or not self.diff.hunk_count:
            return
        if self.diff.hunk is None:
            self.diff.step_hunk(1)
        left_out = self.diff.left_out ^ {self.diff.hunk or 0}
        if without_hunks(proposal, left_out) is None:
            self._tell(
                "This change is written whole or not at all. Refuse it, and say what should be different."
            )
            return
        self.diff.left_out = left_out
        self._look_at_syntax()

    def action_change(self) -> None:
        """Edit the agent's lines before they are applied."""
        proposal = self.current
        if proposal is None:
            return
        if not isinstance(proposal.arguments.get("content"), str):
            self._tell("Its lines cannot be changed here. Refuse it, and say what should be different.")
            return
        self.editor.load_code(proposal.arguments["content"])
        self._typing(self.editor)

    def action_apply_changed(self) -> None:
        """Apply it with the lines that were typed."""
        proposal = self.current
        if proposal is not None and self.editor.display:
            self._decide("ApplyProposal", "applied with your lines", content=self.editor.code)

    def action_refuse(self) -> None:
        """Enter the reason."""
        if self.current is not None:
            self.reason.value = ""
            self._typing(self.reason)

    def action_back(self) -> None:
        """Stop typing, or close."""
        if self.reason.display or self.editor.display:
            self._typing(None)
        else:
            self.dismiss()

    def _typing(self, box: Input | CodeEdit | None) -> None:
        """Give the keyboard to a box, or back to the list."""
        self.reason.display, self.editor.display = box is self.reason, box is self.editor
        self.diff.display = box is not self.editor
        idle = _KEYS if self.current else _NOTHING
        self._hint(_CHANGING if box is self.editor else _REFUSING if box is self.reason else idle)
        (box or self.listed).focus()

    def _hint(self, hints: tuple[Hint, ...]) -> None:
        self.keys.hints = [msgspec.structs.replace(hint, key=with_keys(self, hint.key)) for hint in hints]

    def _show(self, proposals: tuple[Proposal, ...]) -> None:
        """Show the proposals. The selected one and the typed text are unchanged while others come and go: a key
        applies to the one that was read. After another person's decision about it, no other takes its place until it
        is chosen."""
        looked_at = self.current
        at = next((at for at, each in enumerate(proposals) if looked_at and each.id == looked_at.id), None)
        begins, self._goes_on = self._goes_on or not self._proposals, False
        is_typing = self.reason.display or self.editor.display
        self._proposals = proposals
        self.listed.set_options([Option(_line(proposal)) for proposal in proposals])
        self.listed.highlighted = at if at is not None or not begins or not proposals else 0
        if at is None:
            self._typing(None)
        self._show_current()
        if at is None and looked_at is not None and looked_at.id not in self._deciding:
            self._tell_outcome(looked_at, unused=is_typing)

    def _show_current(self) -> None:
        """The diff of what is under the cursor, or what to do where nothing is."""
        self.diff.empty = _NONE_CHOSEN if self._proposals else _EMPTY
        shown = self.current.diff if self.current else ""
        if shown != self._diff_shown:
            self._diff_shown = shown
            self.diff.set_diff(shown)
            self._look_at_syntax()
        if not (self.reason.display or self.editor.display):
            self._hint(_KEYS if self.current else _NOTHING)

    def _look_at_syntax(self) -> None:
        """Show in the frame what would not parse any more with the hunks that are taken."""
        diff, left_out = self._diff_shown, self.diff.left_out
        pane = self.query_one(Pane)
        if not diff:
            pane.note = ""
            return

        def known(said: str) -> None:
            pane.note = f"⚠ {said}" if said else ""

        self._jobs.run("syntax", lambda: self._bench.patching.unparsable_after(diff, left_out), known)

    def _tell_outcome(self, proposal: Proposal, *, unused: bool) -> None:
        """Show another person's decision on the proposal displayed here, and that the typed text is `unused`."""

        def told_of(now: Proposal) -> None:
            typed = " What you typed was not used." if unused else ""
            self._tell(f"{_change_of(now)} {now.outcome.rstrip('.')}.{typed}")

        self._jobs.run("outcome", lambda: self._bench.proposals.get(proposal.id), told_of)

    def _decide(self, operation: str, done: str, **arguments: str) -> None:
        proposal, bench = self.current, self._bench
        if proposal is None or proposal.id in self._deciding:
            return
        self._deciding.add(proposal.id)

        def act() -> object:
            from services.operations import by_name

            found = by_name(operation)
            return found and found.run(bench, {"proposalId": proposal.id, **arguments})  # pyright: ignore[reportArgumentType]

        def decided(_: object) -> None:
            self._tell(f"{_change_of(proposal)} is {done}.")
            self._goes_on = True
            self.read()

        def failed(error: Exception) -> None:
            if isinstance(error, ProposalDecided):
                self._tell_outcome(proposal, unused=bool(arguments))
            else:
                self._deciding.discard(proposal.id)
                self._failed(error)
            self.read()

        self._jobs.act("decide", act, decided, failed=failed)

    def _failed(self, error: Exception) -> None:
        notice = notice_of(error)
        self._say(notice)

    def _tell(self, sentence: str) -> None:
        self._say(Notice(severity="information", message=sentence))

    def _say(self, notice: Notice) -> None:
        text = visible(" ".join(part for part in (notice.message, notice.what_to_do) if part))
        severity = "error" if notice.severity == "error" else "information"
        self.app.notify(text, title=TITLES[severity], severity=severity, markup=False)


def _change_of(proposal: Proposal) -> str:
    return f"The change of {proposal.agent} to {proposal.object}"


def _line(proposal: Proposal) -> str:
    at = datetime.fromtimestamp(proposal.created_at / 1000).astimezone()
    lines = [
        visible(f"{at:%H:%M} {proposal.agent}"),
        keep_end(proposal.object, _ROW),
        visible(proposal.purpose or ""),
    ]
    return "\n".join(filter(None, lines))
