"""Every command there is, said once: bindings, footer, palette and help are made from this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual.binding import Binding

from workbench.situation import CODE, PANES, SYMBOLS, WINDOW, Situation

Refusal = Callable[[Situation], str]
"""Why a command makes no sense now, as a sentence that says what to do; empty where it does."""


def _never(situation: Situation) -> str:  # noqa: ARG001
    return ""


def _not_open(situation: Situation) -> str:
    return "" if situation.ready else "No workspace is open yet."


def _no_subject(situation: Situation) -> str:
    if situation.subject is not None:
        return ""
    if situation.pane == CODE:
        return "Nothing is open. Choose a symbol on the left and press enter."
    return _not_open(situation) or "There is nothing under the cursor. Type a name after / first."


def _no_item(situation: Situation) -> str:
    if situation.subject is not None and situation.subject.in_window:
        return ""
    return "Go to the prompt window (3) and put the cursor on an item first."


def _empty_window(situation: Situation) -> str:
    return "" if situation.items else "The prompt window is empty. Pin a symbol first (space)."


def _no_text(situation: Situation) -> str:
    return "" if situation.has_text else "Nothing is shown. Choose a symbol on the left and press enter."


def _no_past(situation: Situation) -> str:
    return "" if situation.can_go_back else "There is nothing to go back to."


def _no_future(situation: Situation) -> str:
    return "" if situation.can_go_forward else "There is nothing to go forward to."


def _indexing(situation: Situation) -> str:
    return _not_open(situation) or ("The index is being built already." if situation.indexing else "")


def _idle(situation: Situation) -> str:
    return "" if situation.indexing else "Nothing is running."


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command. `keys`: separated by commas, as Textual names them; `short`: its word in the footer; `footer`: the
    panes in which the footer names it."""

    id: str
    title: str
    help: str
    keys: str
    group: str
    refusal: Refusal = _never
    short: str = ""
    footer: tuple[str, ...] = ()


COMMANDS: tuple[Command, ...] = (
    Command(id="search", title="Search symbols", help="Type a part of a name; capitals and dots count.",
            keys="slash", group="Go", short="search", footer=PANES),
    Command(id="open", title="Open", help="Show the outline and the source of what is under the cursor.",
            keys="enter", group="Go", refusal=_no_subject, short="open", footer=(SYMBOLS, WINDOW)),
    Command(id="back", title="Back", help="Show what was open before.",
            keys="alt+left", group="Go", refusal=_no_past, short="back", footer=(CODE,)),
    Command(id="forward", title="Forward", help="Undo going back.",
            keys="alt+right", group="Go", refusal=_no_future),
    Command(id="leave", title="Back to the list", help="Leave the box, or the pane, for the list of symbols.",
            keys="escape", group="Go", short="list", footer=(SYMBOLS,)),
    Command(id="next-pane", title="Next pane", help="Give the keyboard to the pane on the right.",
            keys="tab", group="Go"),
    Command(id="previous-pane", title="Previous pane", help="Give the keyboard to the pane on the left.",
            keys="shift+tab", group="Go"),
    Command(id="go-symbols", title="Go to the symbols", help="Give the keyboard to the list of symbols.",
            keys="1", group="Go"),
    Command(id="go-code", title="Go to the code", help="Give the keyboard to the middle pane.",
            keys="2", group="Go"),
    Command(id="go-window", title="Go to the prompt window", help="Give the keyboard to the prompt window.",
            keys="3", group="Go"),
    Command(id="view-outline", title="View the outline", help="Structure of the open symbol, as models get it.",
            keys="o", group="View", short="outline", footer=(CODE,)),
    Command(id="view-semantic", title="View the semantic notes", help="Notes on what the open symbol is for.",
            keys="m", group="View"),
    Command(id="view-source", title="View the source", help="The file of the open symbol, at its declaration.",
            keys="s", group="View", short="source", footer=(CODE,)),
    Command(id="view-diff", title="View the diff", help="What changed in the open symbol.",
            keys="d", group="View"),
    Command(id="next-view", title="Next view", help="Step through the views of the middle pane.",
            keys="right_square_bracket", group="View"),
    Command(id="previous-view", title="Previous view", help="Step back through the views of the middle pane.",
            keys="left_square_bracket", group="View"),
    Command(id="zoom", title="One pane or all", help="Let the pane in use have the whole screen, or share it again.",
            keys="z", group="View"),
    Command(id="pin", title="Pin or unpin", help="Pin what is under the cursor or selected into the prompt window.",
            keys="space,ctrl+@,ctrl+space", group="Prompt window", refusal=_no_subject, short="pin", footer=PANES),
    Command(id="dismiss", title="Take out of the window", help="Remove an item from the prompt window.",
            keys="x,delete", group="Prompt window", refusal=_no_item, short="take out", footer=(WINDOW,)),
    Command(id="copy", title="Copy the window", help="Check every item against the disk and copy the whole text.",
            keys="y,ctrl+y", group="Prompt window", refusal=_empty_window, short="copy", footer=PANES),
    Command(id="preview", title="Preview the window", help="Show the exact text that would be copied.",
            keys="v", group="Prompt window", refusal=_empty_window, short="preview", footer=(WINDOW,)),
    Command(id="copy-view", title="Copy the view", help="Copy the selected lines, or the whole outline or file.",
            keys="c", group="Prompt window", refusal=_no_text, short="copy view", footer=(CODE,)),
    Command(id="refresh", title="Refresh the index", help="Look at every file again and read what changed.",
            keys="f5,ctrl+r", group="Workspace", refusal=_indexing),
    Command(id="cancel", title="Cancel", help="Stop what is running; what it has done so far is kept.",
            keys="ctrl+g", group="Workspace", refusal=_idle),
    Command(id="notices", title="Notices", help="Read again what the program had to say.",
            keys="n,exclamation_mark", group="Workspace"),
    Command(id="palette", title="Commands", help="Every command, by name.",
            keys="ctrl+p", group="Program", short="commands", footer=PANES),
    Command(id="help", title="Help", help="Keys and what they do.",
            keys="question_mark,f1", group="Program", short="help", footer=PANES),
    Command(id="theme", title="Choose a theme", help="Dark, light, high contrast or the terminal's own colours.",
            keys="t", group="Program"),
    Command(id="quit", title="Quit", help="Leave. What is pinned and where you are is kept.",
            keys="q,ctrl+q", group="Program", short="quit"),
)  # fmt: skip
"""In the order of help, palette and footer."""

BY_ID: Mapping[str, Command] = {command.id: command for command in COMMANDS}


def bindings() -> list[Binding]:
    """A binding for each command, under its id, so that a keymap can move it."""
    return [
        Binding(command.keys, f"run_command('{command.id}')", command.title, show=False, id=command.id)
        for command in COMMANDS
    ]
