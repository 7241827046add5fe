"""Patch pane at the bottom: lines of a file to edit, and the diff of the write."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer

from services.concurrency.background import BackgroundWriter
from services.model import Draft, MergeChoice, Notice, Rebased
from widgets.chrome.pane import Pane
from widgets.chrome.patch_line import PatchButton, PatchLine, PatchState
from widgets.text.diff_text import DiffText
from workbench.edits import patch_calls as calls
from workbench.edits.patch_calls import FREE, HeldLock
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Tell
from workbench.ui.modal import Confirm
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from widgets.text.code_edit import CodeEdit

_LOOK_EVERY = 20.0
"""Seconds between two looks at the file and its lock while nothing says that they changed."""

_PARSED_AFTER = 0.4
"""Seconds in which nobody typed before what was typed is parsed."""

_EMPTY_DIFF = "Nothing would change yet: type in the lines"


class PatchPane(Pane):
    """Editor of a draft. Typed text is stored on disk at once; the file is unchanged until the draft is applied."""

    line = query_one(PatchLine)
    body = query_one(Horizontal)
    diff = query_one(DiffText)

    class Changed(Message):
        """Other commands may fit now: a draft was begun, changed, locked or closed."""

    class Written(Message):
        """The file was written."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Patch", id=id)
        self._bench: Bench | None = None
        self._keeper = BackgroundWriter()
        self._jobs = Jobs(self, self._failed)
        self._held = FREE
        self._fresh = True
        self._looked = 0.0
        self._problem = ""
        """What is wrong with what would be written."""
        self._parse: Timer | None = None
        self._editor: CodeEdit | None = None
        self.draft: Draft | None = None

    def compose(self) -> ComposeResult:
        """Compose state, buttons and diff; the editor is inserted before it when there is something to edit."""
        yield PatchLine()
        with Horizontal():
            yield DiffText(empty=_EMPTY_DIFF)

    def on_mount(self) -> None:
        """Closed until something is to be edited."""
        self.display = False
        self._clock = self.set_interval(1.0, self._tick, pause=True)

    def on_show(self) -> None:
        """The token's time runs on."""
        self._clock.resume()

    def on_hide(self) -> None:
        """React to being hidden, which sends no other message."""
        self._clock.pause()

    def on_unmount(self) -> None:
        """Store letters typed together with the key that left."""
        self.keep()

    @property
    def editor(self) -> CodeEdit:
        """The text editor, created on first use: its parser takes long to import."""
        if self._editor is None:
            from widgets.text.code_edit import CodeEdit

            self._editor = CodeEdit()
            self.body.mount(self._editor, before=0)
        return self._editor

    @property
    def is_typing(self) -> bool:
        """Whether the box has the keyboard."""
        return self._editor is not None and self._editor.has_focus

    @property
    def is_open(self) -> bool:
        """Whether something is being edited."""
        return self.draft is not None

    @property
    def is_changed(self) -> bool:
        """Whether the text differs from the file."""
        draft = self.draft
        return draft is not None and self._typed(draft).text != calls.lines_of(draft)

    @property
    def held(self) -> HeldLock:
        """The lock of the file, as far as it is known."""
        return self._held

    @property
    def state(self) -> PatchState | None:
        """The state that the line over the editor shows."""
        if self.draft is None:
            return None
        return PatchState(
            read_ago=time.monotonic() - self._looked,
            fresh=self._fresh,
            lock=self._held.owner,
            lock_left=self._held.left,
            changed=self.is_changed,
            problem=self._problem,
        )

    def attach(self, bench: Bench, keeper: BackgroundWriter) -> None:
        """Edit files of this workspace; `keeper` stores typed text."""
        self._bench, self._keeper = bench, keeper

    def begin(self, target: str) -> None:
        """Edit a symbol, or lines of a file. An open draft is stored first."""
        if bench := self._bench:
            self.keep()
            flush = self._keeper.flush  # what was typed in this file comes back from the disk
            self._jobs.run("begin", lambda: calls.begin(bench, target, after=flush), self._begun)

    def apply(self) -> None:
        """Write what was typed."""
        bench, draft = self._bench, self.draft
        if bench is not None and draft is not None:
            typed, held = self._typed(draft), self._held
            self._jobs.run("apply", lambda: calls.apply(bench, typed, held), self._applied)

    def toggle_lock(self) -> None:
        """Lock the file, or give the lock back."""
        bench, draft, held = self._bench, self.draft, self._held
        if bench is None or draft is None:
            return
        if held.is_mine:
            self._jobs.run("lock", lambda: calls.unlock(bench, draft, held), self._locked)
        else:
            self._jobs.run("lock", lambda: calls.lock(bench, draft), self._locked)

    def break_lock(self) -> None:
        """Break another's lock, after confirmation."""
        bench, draft = self._bench, self.draft
        if bench is None or draft is None:
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._jobs.run("lock", lambda: calls.break_lock(bench, draft), self._locked)

        question = (
            f"{self._held.owner} holds {draft.file}. Their handle never writes again; the act is logged."
        )
        self.app.push_screen(Confirm("Break the lock", question, yes="Break it"), answered)

    def look(self) -> None:
        """See again whether the file is as it was read, and who holds its lock."""
        bench, draft, held = self._bench, self.draft, self._held
        if bench is not None and draft is not None:
            self._looked = time.monotonic()
            self._jobs.run("look", lambda: (calls.looked_at(bench, draft, held), held), self._seen)

    def close(self, *, throw_away: bool = False) -> None:
        """Stop editing. Typed text is stored, unless it is to be discarded; the lock is released."""
        bench, draft, held = self._bench, self.draft, self._held
        if bench is None or draft is None:
            return
        if throw_away:
            self._keeper.keep(calls.name_of(draft), lambda: bench.patching.forget(draft))
        elif self.is_changed:
            self.keep()
            self.post_message(
                Tell(
                    Notice(
                        severity="information",
                        message=f"What you typed in {draft.file} is kept; edit it to go on.",
                    )
                )
            )
        if held.is_mine:
            self._jobs.run("unlock", lambda: calls.unlock(bench, draft, held), lambda _: None)
        self.draft, self._held = None, FREE
        self.post_message(self.Changed())

    def on_text_area_changed(self) -> None:
        """Show the diff of the write, and store the typed text."""
        bench, draft = self._bench, self.draft
        if bench is None or draft is None:
            return
        typed = self._typed(draft)
        self._jobs.run("diff", lambda: bench.patching.diff(typed), self.diff.set_diff)
        self.keep()
        self._say_state()
        if self._parse is not None:
            self._parse.stop()
        self._parse = self.set_timer(_PARSED_AFTER, self._parse_typed)

    def _parse_typed(self) -> None:
        """Show whether the typed text parses, once typing pauses: a large file takes a while."""
        bench, draft = self._bench, self.draft
        if bench is not None and draft is not None:
            typed = self._typed(draft)
            self._jobs.run("parse", lambda: bench.patching.unparsable(typed), self._parsed)

    def _parsed(self, problem: str) -> None:
        self._problem = problem
        self._say_state()

    def on_patch_line_button_pressed(self, event: PatchLine.ButtonPressed) -> None:
        """A button is a command of the screen."""
        event.stop()
        self.screen.run_command(event.command)  # pyright: ignore[reportAttributeAccessIssue]

    def keep(self) -> None:
        """Store typed text on disk; delete the stored draft of unchanged text."""
        bench, draft = self._bench, self.draft
        if bench is None or draft is None:
            return
        typed = self._typed(draft)
        keep = bench.patching.keep if self.is_changed else bench.patching.forget
        self._keeper.keep(
            calls.name_of(draft),
            lambda: keep(typed),
            failed=lambda error: self.call_later(self._failed, error),
        )

    def set_buttons(self, buttons: tuple[PatchButton, ...]) -> None:
        """Show the enabled buttons."""
        self.line.buttons = buttons

    def _begun(self, begun: tuple[Draft, bool]) -> None:
        draft, kept = begun
        self._show(draft)
        self._held, self.display = FREE, True
        self.editor.focus()
        self.look()
        if kept:
            message = f"What you had typed in {draft.file} is back. It was never written."
            self.post_message(Tell(Notice(severity="information", message=message)))

    def _show(self, draft: Draft) -> None:
        self.draft, self._fresh, self._problem = draft, True, ""
        self._looked = time.monotonic()
        self.title = f"Patch  {draft.file}:{draft.start}-{draft.end}"
        self.editor.line_number_start = draft.start
        self.editor.load_code(draft.text)
        self._say_state()
        self.post_message(self.Changed())

    def _applied(self, applied: calls.Applied) -> None:
        if applied.conflict is not None:
            self._decide(applied.conflict)
        elif applied.draft is not None:
            self._show(applied.draft)
            self.post_message(Tell(Notice(severity="information", message=applied.said)))
            self.post_message(self.Written())

    def _decide(self, rebased: Rebased) -> None:
        """Let the person decide how the changes of both sides are merged. Nothing was written."""
        from workbench.edits.patch_dialogs import ConflictScreen, Decision

        bench = self._bench
        if bench is None:
            return

        def decided(decision: Decision | None) -> None:
            if decision is Decision.EDIT:
                self._show(bench.patching.onto(rebased))
            elif decision is not None:
                choice = MergeChoice.MINE if decision is Decision.MINE else MergeChoice.THEIRS
                handle = self._held.handle
                self._jobs.run(
                    "apply",
                    lambda: calls.write_resolved(bench, rebased, choice, handle),
                    self._applied,
                )

        self.app.push_screen(ConflictScreen(bench, rebased), decided)

    def _locked(self, held: HeldLock) -> None:
        self._held = held
        self._say_state()
        self.post_message(self.Changed())

    def _seen(self, seen: tuple[tuple[Draft, bool, HeldLock], HeldLock]) -> None:
        (draft, fresh, held), before = seen
        if self.draft is None or (draft.file, draft.base) != (self.draft.file, self.draft.base):
            return
        self.draft, self._fresh = draft, fresh
        # A lock that was taken or given back while this was looked at is known better.
        self._locked(held if self._held is before else self._held)

    def _typed(self, draft: Draft) -> Draft:
        return msgspec.structs.replace(draft, text=self.editor.code)

    def _tick(self) -> None:
        if self.draft is None:
            return
        self._say_state()
        if time.monotonic() - self._looked > _LOOK_EVERY:
            self.look()

    def _say_state(self) -> None:
        self.line.state = self.state

    def _failed(self, error: Exception) -> None:
        self.post_message(Tell(notice_of(error)))
        self.look()
