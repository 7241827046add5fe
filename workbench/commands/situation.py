"""Situation of the screen, and the reason why it makes a command unavailable."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from services.model import is_member_id

SYMBOLS, GREP, USAGES, CHANGES, CODE, WINDOW = "symbols", "grep", "usages", "changes", "code", "window"
PATCH = "patch"
LISTS = (SYMBOLS, GREP, USAGES, CHANGES)
"""What the left column can show, in the order of its tabs."""
PANES = (*LISTS, CODE, WINDOW)
"""All of them, from left to right; the patch editor is below them while something is edited."""

OUTLINE, SEMANTIC, SOURCE, DIFF = "outline", "semantic", "source", "diff"
VIEWS = (OUTLINE, SEMANTIC, SOURCE, DIFF)
"""The views of the middle pane, in the order of their tabs."""


def scope_of(pane: str, view: str) -> str:
    """Return the scope of keys and footer: the pane in use, or its view where that has keys of its own."""
    return view if pane == CODE and view in (DIFF, SEMANTIC) else pane


class Subject(Struct, frozen=True):
    """Subject of opening, pinning and dismissing. `target`: a symbol's id, a file or `file:start-end`."""

    target: str
    label: str
    pinned: bool = False
    in_window: bool = False

    @property
    def is_member(self) -> bool:
        """Whether it is a member, by its id."""
        return is_member_id(self.target.removeprefix("member:"))


class Situation(Struct, frozen=True):
    """`left`: which of LISTS is shown; `view`: which of VIEWS; `subject`: what is under the cursor, or open, in the
    pane that has the keyboard; `place`: whether that is in a file's lines; `items`: how many the prompt window
    holds, `recents`: those of them that are not pinned; `missing`: how many types it refers to could be added,
    `undoable`: the last change of it, `redoable`: the one undone last; `has_text`: whether the middle pane shows
    any; `visits`: places visited, but for the one shown; `hits`: places to step through; `files`: files of the change
    set, `stageable`: it is the working tree against HEAD; `working`: a search or an export runs; `typing`: a box
    takes what is typed;
    `editing`: the patch editor is open, `unsaved` what was typed in it, `lock` who holds its file's lock (`yours`,
    `free`). On their way are: the workspace and its window (`opening`), the answer to what was typed (`searching`),
    a change of the window (`changing`), what it lacks (`weighing`)."""

    ready: bool = False
    pane: str = SYMBOLS
    left: str = SYMBOLS
    view: str = OUTLINE
    subject: Subject | None = None
    place: bool = False
    opened: bool = False
    items: int = 0
    recents: int = 0
    missing: int = 0
    undoable: str = ""
    redoable: str = ""
    hits: int = 0
    files: int = 0
    stageable: bool = False
    has_text: bool = False
    visits: int = 0
    can_go_back: bool = False
    can_go_forward: bool = False
    indexing: bool = False
    working: bool = False
    typing: bool = False
    editing: bool = False
    unsaved: bool = False
    lock: str = ""
    opening: bool = False
    searching: bool = False
    changing: bool = False
    weighing: bool = False

    @property
    def scope(self) -> str:
        """The scope of keys and footer."""
        return scope_of(self.pane, self.view)

    @property
    def is_diff(self) -> bool:
        """Whether commands are about the line under the cursor of a diff."""
        return self.view == DIFF and self.pane in (CODE, CHANGES)


Refusal = Callable[[Situation], str]
"""Why a command makes no sense now, as a sentence that says what to do; empty where it does."""


_LINES = re.compile(r":\d+(?:-\d+)?\Z")
_GONE = "This file is gone: there is no line of it now to act on. Step on to another ({next-file:>})."


def never(situation: Situation) -> str:  # noqa: ARG001
    """Always makes sense."""
    return ""


def not_open(situation: Situation) -> str:
    """Needs a workspace."""
    return "" if situation.ready else "No workspace is open yet."


def no_subject(situation: Situation) -> str:
    """Needs something under the cursor, or open."""
    if situation.subject is not None:
        return ""
    if situation.is_diff and situation.files:
        return _GONE
    if situation.pane == CODE:
        return "Nothing is open. Choose a symbol on the left and press {open:enter}."
    return not_open(situation) or "There is nothing under the cursor. Type a name after {search:/} first."


def no_lines(situation: Situation) -> str:
    """Needs selected lines."""
    subject = situation.subject
    if subject is not None and _LINES.search(subject.target):
        return ""
    return "Select whole statements in the source first: shift and the arrow keys, or the mouse."


def no_item(situation: Situation) -> str:
    """Needs an item of the prompt window under the cursor."""
    if situation.subject is not None and situation.subject.in_window:
        return ""
    return "Go to the prompt window ({go-window:3}) and put the cursor on an item first."


def empty_window(situation: Situation) -> str:
    """Needs an item in the prompt window."""
    return "" if situation.items else "The prompt window is empty. Pin a symbol first ({pin:space})."


def no_recents(situation: Situation) -> str:
    """Needs something recent in the prompt window."""
    return "" if situation.recents else not_open(situation) or "Nothing is recent: what is there is pinned."


def nothing_missing(situation: Situation) -> str:
    """Require a type that the window refers to, does not show and could contain."""
    if situation.missing:
        return ""
    return (
        empty_window(situation)
        or "Nothing can be added: all that fits of what the window refers to is shown."
    )


def nothing_to_undo(situation: Situation) -> str:
    """Needs a change of the window."""
    return "" if situation.undoable else "Nothing was changed in the window yet."


def nothing_to_redo(situation: Situation) -> str:
    """Needs an undone change of the window."""
    return "" if situation.redoable else "Nothing was undone since the window changed last."


def no_pinned_item(situation: Situation) -> str:
    """Needs a pinned item under the cursor."""
    return no_item(situation) or (
        ""
        if situation.subject and situation.subject.pinned
        else "Only pinned items have an order. Pin it ({pin:space})."
    )


def no_body(situation: Situation) -> str:
    """Needs a line of a file, or a member, under the cursor."""
    subject = situation.subject
    if situation.place or (subject is not None and subject.is_member):
        return ""
    return "Put the cursor on a member, or on a line of the source, a diff, a match or a usage first."


def nothing_open(situation: Situation) -> str:
    """Needs something open in the middle pane."""
    if situation.is_diff and situation.files:
        return "" if situation.opened else _GONE
    return "" if situation.opened else "Nothing is open. Choose a symbol on the left and press {open:enter}."


def no_name(situation: Situation) -> str:
    """Needs the source in front."""
    if situation.opened and situation.pane == CODE and situation.view == SOURCE:
        return ""
    return "Put the cursor on a name in the source first: arrow keys or a click."


def no_hits(situation: Situation) -> str:
    """Needs places to step through."""
    return (
        ""
        if situation.hits
        else "There is nothing to step through. "
        "Search ({grep:g}), ask for usages ({usages:u}) or a diff ({view-diff:d})."
    )


def no_files(situation: Situation) -> str:
    """Needs a change set."""
    return (
        ""
        if situation.files
        else "There are no changed files. Look at a diff first ({view-diff:d}), or choose a commit ({compare:b})."
    )


def not_diff(situation: Situation) -> str:
    """Needs the diff in front."""
    return "" if situation.view == DIFF else "This is about a diff. Look at one first ({view-diff:d})."


def not_lines(situation: Situation) -> str:
    """Needs source or a diff in front."""
    if situation.view in (DIFF, SOURCE):
        return ""
    return "This is about lines of code. Look at source ({view-source:s}) or a diff ({view-diff:d}) first."


def not_changes(situation: Situation) -> str:
    """Needs the list of changes on the left."""
    if situation.left == CHANGES:
        return ""
    return "This is about the list of changes. Look at a diff first ({view-diff:d})."


def no_line(situation: Situation) -> str:
    """Needs a line of a file under the cursor."""
    if situation.place:
        return ""
    return "Put the cursor on a line of the source, a diff, a match or a usage first."


def not_working_tree(situation: Situation) -> str:
    """Needs a change of the working tree against HEAD."""
    if situation.is_diff and situation.stageable:
        return "" if situation.files else no_files(situation)
    return "This is about changes of the working tree against HEAD. Look at them first ({view-diff:d})."


def not_grep(situation: Situation) -> str:
    """Needs the search in files on the left."""
    return "" if situation.left == GREP else "This is about the search in files. Go there first ({grep:g})."


def no_context(situation: Situation) -> str:
    """Needs matches or changes, which have lines around them."""
    return "" if situation.is_diff else not_grep(situation)


def not_usages(situation: Situation) -> str:
    """Needs the usages on the left."""
    return (
        ""
        if situation.left == USAGES
        else "This is about the list of usages. Ask for usages first ({usages:u})."
    )


def no_text(situation: Situation) -> str:
    """Needs text in the middle pane."""
    return (
        "" if situation.has_text else "Nothing is shown. Choose a symbol on the left and press {open:enter}."
    )


def no_note(situation: Situation) -> str:
    """Needs the note of a type in front."""
    if situation.view == SEMANTIC and situation.has_text:
        return ""
    return (
        nothing_open(situation) or "This is about the note of a type. Look at one first ({view-semantic:i})."
    )


def no_past(situation: Situation) -> str:
    """Needs somewhere to go back to."""
    return "" if situation.can_go_back else "There is nothing to go back to."


def no_visits(situation: Situation) -> str:
    """Needs a place that was visited."""
    return "" if situation.visits else "No other place was visited yet."


def no_future(situation: Situation) -> str:
    """Needs to have gone back."""
    return "" if situation.can_go_forward else "There is nothing to go forward to."


def indexing(situation: Situation) -> str:
    """Needs the index to be left alone."""
    return not_open(situation) or ("The index is being built already." if situation.indexing else "")


def idle(situation: Situation) -> str:
    """Needs something that runs."""
    return "" if situation.indexing or situation.working else "Nothing is running."


def not_editing(situation: Situation) -> str:
    """Needs the patch editor."""
    return (
        "" if situation.editing else "Nothing is being edited. Choose a symbol or lines and press {edit:e}."
    )


def not_to_write(situation: Situation) -> str:
    """Require typed text, and that no other process has the lock, which is taken for the write."""
    if refused := not_editing(situation):
        return refused
    if not situation.unsaved:
        return "Nothing would change. Type first."
    if situation.lock in ("yours", "free", ""):
        return ""
    who = f"{situation.lock} holds the lock"
    return f"Nothing was written: {who}. Wait, ask them, or break it ({{patch-break:^b}})."


def not_to_lock(situation: Situation) -> str:
    """Require that no other process has the lock."""
    if refused := not_editing(situation):
        return refused
    held = situation.lock not in ("yours", "free", "")
    return (
        f"{situation.lock} holds the lock. Wait, ask them, or break it ({{patch-break:^b}})." if held else ""
    )


def not_to_break(situation: Situation) -> str:
    """Needs another's lock."""
    if refused := not_editing(situation):
        return refused
    return "Nobody else holds the lock." if situation.lock in ("yours", "free", "") else ""


ABOUT_SUBJECT = frozenset({no_subject, no_lines, no_item, no_pinned_item, no_body, no_name, no_line})
"""Of commands that act on what is under the cursor."""
