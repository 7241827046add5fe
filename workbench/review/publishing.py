"""Dialogs of a review: texts that a reviewer types, a comment on one line or several, the message of a commit; and
the preview of its publication, as it would be sent.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.getters import query_one
from textual.widgets import Static

from services.model.review import Publication, ReviewComment, Severity
from services.review.markdown import fence
from widgets.format.display import visible
from widgets.format.shorten import counted
from widgets.text.code_edit import LinesEdit
from workbench.dialogs.base import Dialog, Key, bindings_of
from workbench.dialogs.copying import write_new
from workbench.dialogs.listing import Asked
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench

_HOW = "Begin with blocker: warning: question: or praise: if it is no suggestion."
_HEAD = re.compile(r"(\w+):\s*(\S.*)", re.DOTALL)
_SUGGESTED = re.compile(r"^(`{3,})suggestion\b[^\n]*\n(.*?)^\1[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


_COMMITTED = "Hooks and signatures are left to git commit: none runs here."
_MOST_FILES = 4
"""Staged files that are named."""


class CommitScreen(Dialog[str]):
    """Answers the message; None where there is none. `keep` is called with what is typed."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,ctrl+s", "commit", "commit"),
        Key("ctrl+j,shift+enter", "new_line", "new line"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("commit", KEYS)

    editor = query_one(LinesEdit)

    def __init__(self, files: Sequence[str], message: str, keep: Callable[[str], None]) -> None:
        super().__init__(f"Commit {counted(len(files), 'staged file')}")
        self._files, self._message, self._keep = files, message, keep

    def body(self) -> ComposeResult:
        """What is committed, the box for the message."""
        more = len(self._files) - _MOST_FILES
        named = ", ".join(map(visible, self._files[:_MOST_FILES])) + (f" and {more} more" if more > 0 else "")
        yield Static(named, id="comment-code", markup=False)
        yield LinesEdit()
        yield Static(_COMMITTED, id="comment-how", markup=False)

    def on_mount(self) -> None:
        """The keyboard is in the box."""
        super().on_mount()
        self.editor.load_text(self._message)
        self.editor.move_cursor(self.editor.document.end)
        self.editor.focus()

    def on_text_area_changed(self) -> None:
        """Store what is typed."""
        self._keep(self.editor.text)

    def action_commit(self) -> None:
        """Answer what was typed."""
        if not self.editor.text.strip():
            self.tell("A commit needs a message.", "Say in a line what it does.")
            return
        self.dismiss(self.editor.text)

    def action_new_line(self) -> None:
        """Go on in the next line."""
        self.editor.insert("\n")


class CommentScreen(Dialog[str]):
    """Answers the text; None where there is none."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,ctrl+s", "keep", "keep it"),
        Key("ctrl+j,shift+enter", "new_line", "new line"),
        Key("ctrl+g", "suggest", "suggest lines"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("comment", KEYS)

    editor = query_one(LinesEdit)

    def __init__(self, place: str, code: str) -> None:
        """`code`: the lines that it is about."""
        super().__init__(f"Comment on {visible(place)}")
        self._code = code

    def body(self) -> ComposeResult:
        """The lines that it is about, the box to type into, how."""
        yield Static(_shown(self._code), id="comment-code", markup=False)
        yield LinesEdit()
        yield Static(_HOW, id="comment-how", markup=False)

    def on_mount(self) -> None:
        """The keyboard is in the box."""
        super().on_mount()
        self.editor.focus()

    def action_keep(self) -> None:
        """Answer what was typed."""
        self.dismiss(self.editor.text.strip() or None)

    def action_new_line(self) -> None:
        """Go on in the next line."""
        self.editor.insert("\n")

    def action_suggest(self) -> None:
        """Write the lines as what to suggest in their place, as GitHub and GitLab have them, the cursor in it."""
        before = "" if self.editor.cursor_location[1] == 0 else "\n"
        mark = fence(self._code)
        self.editor.insert(f"{before}{mark}suggestion\n{self._code}\n{mark}")
        row, _ = self.editor.cursor_location
        self.editor.move_cursor((row - 1, len(self._code.rpartition("\n")[2])))


def _shown(code: str) -> str:
    """Return the first line, and the number of further ones, to show above the box."""
    first, *more = code.split("\n")
    return f"{visible(first.strip())}{f'  … {len(more)} more' if more else ''}"


def read_comment(text: str, file: str, line: int, end_line: int | None = None) -> ReviewComment:
    """Parse the typed comment: a word before a colon may be its severity, a `suggestion` fence contains the
    replacement of its lines."""
    suggestion, text = None, text.replace("\r\n", "\n")
    if suggested := _SUGGESTED.search(text):
        suggestion = suggested[2].removesuffix("\n")
        text = f"{text[: suggested.start()]}{text[suggested.end() :]}".strip()
    head = _HEAD.fullmatch(text)
    severity = Severity.SUGGESTION
    if head is not None and head[1].lower() in tuple(Severity):
        severity, text = Severity(head[1].lower()), head[2]
    return ReviewComment(
        file=file, line=line, end_line=end_line, text=text, severity=severity, suggestion=suggestion
    )


class PublishScreen(Dialog[bool]):
    """Answers whether something was sent."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("1", "show('server')", "to the server"),
        Key("2", "show('markdown')", "as Markdown"),
        Key("3", "show('sarif')", "as SARIF"),
        Key("4", "show('sarif', True)", "with findings"),
        Key("y", "copy", "copy the text"),
        Key("w", "file", "write to a file"),
        Key("ctrl+s", "send", "send it"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("publish", KEYS)
    text = query_one("#publish-text", Static)
    lead = query_one("#over-head", Static)
    asked = query_one(Asked)

    def __init__(self, bench: Bench, change: str, copy: Callable[[str, str], object]) -> None:
        super().__init__("Publish")
        self._bench, self._change, self._copy = bench, change, copy
        self._target = "server"
        self._shown: Publication | None = None
        self._cancel = threading.Event()

    def body(self) -> ComposeResult:
        """Compose the target and the text."""
        yield Static(id="over-head", markup=False)
        with VerticalScroll(can_focus=True):
            yield Static(id="publish-text", markup=False)
        yield Asked(
            id="publish-file", compact=True, placeholder="A new file, from the folder of the workspace on"
        )

    def on_mount(self) -> None:
        """The server first; Markdown where the change is on none."""
        super().on_mount()
        self.asked.display = False
        self.query_one(VerticalScroll).focus()
        self.jobs.run(
            "target",
            lambda: self._bench.review.open(self._change).source.remote is not None,
            lambda is_remote: self.action_show("server" if is_remote else "markdown"),
        )

    def action_show(self, target: str, analyse: bool = False) -> None:
        """Show what would be sent there: as SARIF the comments, and where `analyse` what an analysis finds."""
        self._cancel.set()
        cancel = self._cancel = threading.Event()
        self._target, self._shown = target, None
        doing = "The change is being analysed; another key stops it …" if analyse else "Looking …"
        self.lead.update(f"{target}: {doing}")
        self.text.update("")
        self.jobs.run(
            "preview",
            lambda: self._bench.review.publish(
                self._change, target, preview=True, analyse=analyse, cancel=cancel
            ),
            self._show,
            failed=self._refused,
        )

    def on_unmount(self) -> None:
        """Analyse no more."""
        self._cancel.set()

    def action_copy(self) -> None:
        """Copy what is shown."""
        if self._shown is None:
            self.tell("Nothing is shown yet that could be copied.")
        else:
            self._copy(self._shown.text, f"The review for {self._shown.target}")

    @property
    def is_typing(self) -> bool:
        """Whether the name of a file is typed."""
        return self.asked.has_focus

    def action_back(self) -> None:
        """Leave the name of a file, or close."""
        if self.is_typing:
            self._end_file()
        else:
            super().action_back()

    def action_file(self) -> None:
        """Ask for a file to write what is shown to."""
        if self._shown is None:
            self.tell("Nothing is shown yet that could be written.")
            return
        self.asked.value = "review.sarif" if self._target == "sarif" else "review.md"
        self.asked.display = True
        self.asked.focus()

    def on_input_submitted(self, event: Asked.Submitted) -> None:
        """Write the file; one that is there already is left alone."""
        event.stop()
        shown, name = self._shown, event.value.strip()
        if shown is None or not name:
            return
        path = self._bench.root / Path(name).expanduser()

        def written(why: str) -> None:
            if why:
                self.tell(why, "Choose another name.")
                return
            self.tell(f"The review is written to {visible(str(path))}.")
            self._end_file()

        self.jobs.act("file", lambda: write_new(path, shown.text), written, failed=self._refused)

    def _end_file(self) -> None:
        self.asked.display = False
        self.query_one(VerticalScroll).focus()
        self.show_keys()

    def action_send(self) -> None:
        """Send it to the server of the change."""
        if self._target != "server":
            self.tell("Only what is on a server is sent.", "Copy the text instead (y).")
            return

        def sent(answer: Publication) -> None:
            self.tell(f"{len(answer.published)} comments are published.", visible(answer.address))
            self.dismiss(True)

        self.jobs.act(
            "publish", lambda: self._bench.review.publish(self._change, "server", preview=False), sent,
            failed=self._refused,
        )  # fmt: skip

    def _show(self, shown: Publication) -> None:
        self._shown = shown
        waiting = len(shown.pending)
        self.lead.update(
            visible(f"{shown.target}: {waiting} accepted comment{'s' * (waiting != 1)}. Nothing is sent yet.")
        )
        self.text.update("\n".join(map(visible, shown.text.split("\n"))))

    def _refused(self, error: Exception) -> None:
        self._shown = None
        notice = notice_of(error)
        self.lead.update(visible(" ".join(filter(None, (notice.message, notice.what_to_do)))))
        self.text.update("")
