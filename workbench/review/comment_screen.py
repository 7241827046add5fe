"""A comment on a line, typed."""

from __future__ import annotations

import re
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from services.model.review import ReviewComment, Severity
from widgets.chrome.pane import Pane
from widgets.format.display import visible
from workbench.dialogs.listing import Asked
from workbench.ui.modal import Modal

_HEAD = re.compile(r"(\w+):\s*(\S.*)", re.DOTALL)
_HOW = (
    "Begin with blocker: warning: question: or praise: if it is no suggestion. Enter keeps it, esc does not."
)


class CommentScreen(Modal[str]):
    """Answers the text; None where there is none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Back", show=False, id="comment.back"),
    ]

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        """Where it stands, the line to type into, how."""
        with Pane(title="Comment", id="comment"):
            yield Static(visible(self._place), markup=False)
            yield Asked(compact=True, select_on_focus=False)
            yield Static(_HOW, markup=False)

    def on_mount(self) -> None:
        """The keyboard is on the line."""
        self.query_one(Asked).focus()

    def on_input_submitted(self, event: Asked.Submitted) -> None:
        """Enter answers."""
        event.stop()
        self.dismiss(event.value.strip() or None)

    def action_give_up(self) -> None:
        """Nothing is kept."""
        self.dismiss(None)


def read_comment(text: str, file: str, line: int) -> ReviewComment:
    """What was typed, as a comment: a word before a colon may say how much it matters."""
    head = _HEAD.fullmatch(text)
    severity = Severity.SUGGESTION
    if head is not None and head[1].lower() in tuple(Severity):
        severity, text = Severity(head[1].lower()), head[2]
    return ReviewComment(file=file, line=line, text=text, severity=severity)
