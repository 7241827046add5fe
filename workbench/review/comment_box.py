"""Texts that a reviewer types: a comment on one line or several, the message of a commit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from textual.widgets import Static

from services.model.review import ReviewComment, Severity
from services.review.markdown import fence
from widgets.format.display import visible
from widgets.format.shorten import counted
from widgets.text.code_edit import LinesEdit
from workbench.dialogs.base import Dialog, Key, bindings_of

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
