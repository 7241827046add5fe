"""Situation of the screen that decides which commands are available."""

from __future__ import annotations

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
