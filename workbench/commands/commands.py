"""Table of all commands, from which bindings, footer, palette and help are made."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from textual.binding import Binding

from workbench.commands.availability import (
    Refusal,
    empty_window,
    idle,
    indexing,
    never,
    no_body,
    no_context,
    no_files,
    no_future,
    no_hits,
    no_item,
    no_line,
    no_lines,
    no_name,
    no_note,
    no_past,
    no_pinned_item,
    no_recents,
    no_subject,
    no_text,
    not_changes,
    not_diff,
    not_editing,
    not_grep,
    not_lines,
    not_open,
    not_to_break,
    not_to_lock,
    not_to_write,
    not_usages,
    not_working_tree,
    nothing_missing,
    nothing_open,
    nothing_to_redo,
    nothing_to_undo,
)
from workbench.commands.situation import (
    CHANGES,
    CODE,
    DIFF,
    GREP,
    LISTS,
    PANES,
    PATCH,
    SEMANTIC,
    SYMBOLS,
    USAGES,
    WINDOW,
    Situation,
)

WINDOW_GROUP = "Prompt window"
"""The group of what changes the prompt window, or hands it over."""


class Command(Struct, frozen=True, kw_only=True):
    """A command. `keys`: separated by commas, as Textual names them; `short`: its word in the footer; `footer`: the
    panes in which the footer names it, or DIFF for that view; `rank`: where there is no room, the highest goes first;
    `instead_of`: in the panes `there`, the keys of that command do this one."""

    id: str
    title: str
    help: str
    keys: str
    group: str
    unavailable: Refusal = never
    short: str = ""
    footer: tuple[str, ...] = ()
    rank: int = 1
    instead_of: str = ""
    there: tuple[str, ...] = ()


COMMANDS: tuple[Command, ...] = (
    Command(id="search", title="Search symbols", help="Type a part of a name; capitals and dots count.",
            keys="slash", group="Go", short="search",
            footer=(SYMBOLS, GREP, USAGES, CODE, WINDOW, SEMANTIC), rank=2),
    Command(id="open", title="Open", help="Show the outline and the source of what is under the cursor.",
            keys="enter", group="Go", unavailable=no_subject, short="open", footer=(*LISTS, WINDOW, DIFF), rank=2),
    Command(id="quick-open", title="Go to a file or symbol", help="Type a part of a path or a name, and go there.",
            keys="ctrl+o", group="Go", unavailable=not_open, short="go to", footer=(CODE,)),
    Command(id="grep", title="Search in files", help="A text or an expression, in every file of the workspace.",
            keys="g", group="Go", unavailable=not_open, short="grep", footer=(SYMBOLS, CODE, CHANGES)),
    Command(id="grep-here", title="Search in what is open", help="In the open symbol or file alone.",
            keys="G", group="Go", unavailable=nothing_open),
    Command(id="usages", title="Usages", help="Where the symbol under the cursor, or the open one, is used.",
            keys="u", group="Go", unavailable=no_subject, short="usages", footer=(SYMBOLS, CODE)),
    Command(id="hierarchy", title="Hierarchy", help="Callers, callees, bases, what derives or overrides: as trees.",
            keys="h", group="Go", unavailable=no_subject, short="hierarchy", footer=(CODE,)),
    Command(id="tree", title="Files", help="The tree of the repository: unfold folders, open and pin files.",
            keys="f2", group="Go", unavailable=not_open),
    Command(id="definition", title="Go to the definition", help="Of the name under the cursor in the source.",
            keys="f12", group="Go", unavailable=no_name),
    Command(id="up", title="Go to the enclosing type", help="From a member to its type, from a type to its namespace.",
            keys="backspace", group="Go", unavailable=nothing_open),
    Command(id="next-place", title="Next place", help="The next match, usage or hunk, of the next file after the last.",
            keys="n", group="Go", unavailable=no_hits, short="next", footer=(GREP, USAGES, CHANGES, CODE, DIFF)),
    Command(id="previous-place", title="Previous place", help="The match, usage or hunk before.",
            keys="N", group="Go", unavailable=no_hits),
    Command(id="next-file", title="Next file", help="The next file of the change set.",
            keys="greater_than_sign,full_stop,right_curly_bracket", group="Go", unavailable=no_files, short="next file",
            footer=(CHANGES, DIFF)),
    Command(id="previous-file", title="Previous file", help="The file of the change set before.",
            keys="less_than_sign,left_curly_bracket", group="Go", unavailable=no_files),
    Command(id="back", title="Back", help="Show what was open before.",
            keys="alt+left", group="Go", unavailable=no_past, short="back", footer=(CODE,)),
    Command(id="forward", title="Forward", help="Undo going back.",
            keys="alt+right", group="Go", unavailable=no_future),
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
    Command(id="go-patch", title="Go to the patch editor", help="Give the keyboard to the lines being edited.",
            keys="4", group="Go", unavailable=not_editing),
    Command(id="view-outline", title="View the outline", help="Structure of the open symbol, as models get it.",
            keys="o", group="View", short="outline", footer=(CODE, SEMANTIC), rank=2),
    Command(id="view-semantic", title="View the semantic notes", help="Notes on what the open symbol is for.",
            keys="i", group="View"),
    Command(id="view-source", title="View the source", help="The file of the open symbol, at its declaration.",
            keys="s", group="View", short="source", footer=(CODE, SEMANTIC), rank=2),
    Command(id="view-diff", title="View the diff", help="What changed, file by file and hunk by hunk.",
            keys="d", group="View", unavailable=not_open, short="diff", footer=(SYMBOLS, CODE), rank=2),
    Command(id="compare", title="Choose what to compare", help="The working tree, a commit, or a range of them.",
            keys="b", group="View", unavailable=not_open, short="compare", footer=(CHANGES, DIFF)),
    Command(id="diff-split", title="Side by side", help="The old lines beside the new ones, or one under the other.",
            keys="vertical_line", group="View", unavailable=not_diff, short="side by side", footer=(DIFF,)),
    Command(id="wrap", title="Wrap long lines", help="Long lines of source or a diff go on in the next row, or scroll.",
            keys="L", group="View", unavailable=not_lines),
    Command(id="diff-space", title="Ignore white space", help="Lines that differ in white space alone are the same.",
            keys="I", group="View", unavailable=not_diff),
    Command(id="filter-changes", title="Filter the changes", help="Show the files with all words in path or status.",
            keys="ampersand", group="View", unavailable=not_changes, short="filter", footer=(CHANGES,),
            instead_of="search", there=(CHANGES,)),
    Command(id="changes-tree", title="Changes by folder", help="Show the changed files under their folders, or not.",
            keys="grave_accent", group="View", unavailable=not_changes, short="by folder", footer=(CHANGES,)),
    Command(id="next-view", title="Next view", help="Step through the views of the middle pane.",
            keys="right_square_bracket", group="View"),
    Command(id="previous-view", title="Previous view", help="Step back through the views of the middle pane.",
            keys="left_square_bracket", group="View"),
    Command(id="zoom", title="One pane or all", help="Let the pane in use have the whole screen, or share it again.",
            keys="z", group="View"),
    Command(id="pane-wider", title="Wider pane", help="Give the pane in use more room; the mouse drags the frames.",
            keys="alt+k", group="View"),
    Command(id="pane-narrower", title="Narrower pane", help="Give the panes beside the one in use more room.",
            keys="alt+j", group="View"),
    Command(id="panes-usual", title="Usual widths", help="Panes as wide as fits the terminal.",
            keys="alt+m", group="View"),
    Command(id="pin", title="Pin or unpin", help="Pin what is under the cursor or selected into the prompt window.",
            keys="space,ctrl+@,ctrl+space", group=WINDOW_GROUP, unavailable=no_subject, short="pin",
            footer=(*PANES, DIFF, SEMANTIC), rank=0),
    Command(id="pin-enclosing", title="Pin the body", help="The member being read, or under the cursor, as source.",
            keys="P,alt+p", group=WINDOW_GROUP, unavailable=no_body, short="pin body",
            footer=(GREP, USAGES, CHANGES, CODE, DIFF)),
    Command(id="more", title="More detail", help="More of an item: signature, members in use, outline, bodies, whole.",
            keys="plus,equals_sign", group=WINDOW_GROUP, unavailable=no_item, short="more", footer=(WINDOW,)),
    Command(id="less", title="Less detail", help="Show less of an item.",
            keys="minus", group=WINDOW_GROUP, unavailable=no_item, short="less", footer=(WINDOW,)),
    Command(id="move-up", title="Move up", help="Put a pinned item before the one above it.",
            keys="K,alt+up", group=WINDOW_GROUP, unavailable=no_pinned_item, short="up", footer=(WINDOW,)),
    Command(id="move-down", title="Move down", help="Put a pinned item behind the one below it.",
            keys="J,alt+down", group=WINDOW_GROUP, unavailable=no_pinned_item, short="down", footer=(WINDOW,)),
    Command(id="dismiss", title="Take out of the window", help="Remove an item from the prompt window.",
            keys="x,delete", group=WINDOW_GROUP, unavailable=no_item, short="take out", footer=(WINDOW,)),
    Command(id="take-recent", title="Take in all that is recent", help="Pin it: only what is pinned is copied.",
            keys="T", group=WINDOW_GROUP, unavailable=no_recents),
    Command(id="clear-recent", title="Clear what is recent", help="Take all that is not pinned out of the window.",
            keys="X", group=WINDOW_GROUP, unavailable=no_recents),
    Command(id="copy", title="Copy the window", help="Check every item against the disk and copy the whole text.",
            keys="y,ctrl+y", group=WINDOW_GROUP, unavailable=empty_window, short="copy",
            footer=(*PANES, DIFF, SEMANTIC), rank=0),
    Command(id="copy-as", title="Copy as …", help="Format, template, a task, parts, or only what changed since.",
            keys="Y", group=WINDOW_GROUP, unavailable=empty_window),
    Command(id="receipts", title="Copies made", help="What was handed over and when; copy only what changed since.",
            keys="alt+y", group=WINDOW_GROUP, unavailable=not_open),
    Command(id="complete", title="Add what is missing", help="Pin the best set that fits of what the window refers to.",
            keys="a", group=WINDOW_GROUP, unavailable=nothing_missing, short="add missing", footer=(WINDOW,)),
    Command(id="advice", title="What is missing or related", help="Types to add one by one; pins nothing refers to.",
            keys="w", group=WINDOW_GROUP, unavailable=empty_window, short="advice", footer=(WINDOW,)),
    Command(id="context", title="What a change needs", help="From words, an issue, a stack trace or a diff: a window.",
            keys="f", group=WINDOW_GROUP, unavailable=not_open),
    Command(id="note", title="Write a note", help="Words of your own for the model, pinned like anything else.",
            keys="ctrl+n", group=WINDOW_GROUP, unavailable=not_open),
    Command(id="undo-window", title="Undo in the window", help="Undo a pin, a move or a level, and say which.",
            keys="ctrl+z", group=WINDOW_GROUP, unavailable=nothing_to_undo, short="undo", footer=(WINDOW,)),
    Command(id="redo-window", title="Redo in the window", help="Make the change again that was undone last.",
            keys="alt+z", group=WINDOW_GROUP, unavailable=nothing_to_redo),
    Command(id="explain", title="Explain the window", help="What counts it, what was lowered or left out, and why.",
            keys="W", group=WINDOW_GROUP, unavailable=empty_window),
    Command(id="packs", title="Packs", help="Types that go together: make them, weigh them, pin them.",
            keys="p", group=WINDOW_GROUP, unavailable=not_open, short="packs", footer=(SYMBOLS, WINDOW)),
    Command(id="presets", title="Presets", help="Windows kept under names: put them back, compare them.",
            keys="alt+s", group=WINDOW_GROUP, unavailable=not_open),
    Command(id="ask", title="Ask a model", help="About the window; without one, by copy and paste.",
            keys="alt+a", group=WINDOW_GROUP, unavailable=not_open),
    Command(id="model", title="Model and budget", help="Whose tokens count, and how many they may be.",
            keys="B", group=WINDOW_GROUP, unavailable=not_open, short="model", footer=(WINDOW,),
            instead_of="compare", there=(WINDOW,)),
    Command(id="preview", title="Preview the window", help="Show the exact text that would be copied.",
            keys="v", group=WINDOW_GROUP, unavailable=empty_window, short="preview", footer=(WINDOW,)),
    Command(id="copy-view", title="Copy the view", help="Copy the selected lines, or the whole outline or file.",
            keys="c", group=WINDOW_GROUP, unavailable=no_text, short="copy view", footer=(CODE,)),
    Command(id="grep-regex", title="Expression or text", help="Whether the search takes its pattern as an expression.",
            keys="alt+r", group="Search in files", unavailable=not_grep, short="regex", footer=(GREP,)),
    Command(id="grep-case", title="Capitals count", help="Whether the search tells capitals from small letters.",
            keys="alt+c", group="Search in files", unavailable=not_grep, short="case", footer=(GREP,)),
    Command(id="grep-word", title="Whole words", help="Whether the search leaves out parts of longer names.",
            keys="alt+w", group="Search in files", unavailable=not_grep, short="word", footer=(GREP,)),
    Command(id="grep-files", title="Which files", help="Globs of the files to search: src/**/*.cs,!*.g.cs.",
            keys="alt+g", group="Search in files", unavailable=not_grep, short="files", footer=(GREP,)),
    Command(id="grep-object", title="Everywhere or here", help="Search the workspace, or what is open alone.",
            keys="alt+o", group="Search in files", unavailable=not_grep),
    Command(id="grep-more", title="More context", help="More lines around each match, or each change of a diff.",
            keys="alt+x", group="Search in files", unavailable=no_context, short="context", footer=(GREP,)),
    Command(id="grep-less", title="Less context", help="Fewer lines around each match, or each change of a diff.",
            keys="alt+e", group="Search in files", unavailable=no_context),
    Command(id="bound-only", title="Bound usages only", help="Leave out, or show, what only has the name.",
            keys="alt+u", group="Search in files", unavailable=not_usages, short="bound only", footer=(USAGES,)),
    Command(id="note-edit", title="Edit the note", help="Write what the type is for, in your own words.",
            keys="alt+n", group="Notes", unavailable=no_note, short="edit the note", footer=(SEMANTIC,),
            instead_of="edit", there=(SEMANTIC,)),
    Command(id="note-prompt", title="Copy the prompt", help="What asks any chat for this note, secrets masked.",
            keys="alt+l", group="Notes", unavailable=no_note, short="copy prompt", footer=(SEMANTIC,),
            instead_of="packs", there=(SEMANTIC,)),
    Command(id="note-answer", title="Paste an answer", help="Keep the note that a chat answered to the prompt.",
            keys="alt+v", group="Notes", unavailable=no_note, short="paste answer", footer=(SEMANTIC,),
            instead_of="preview", there=(SEMANTIC,)),
    Command(id="note-generate", title="Have a model write it", help="The model that is set up; its cost is said first.",
            keys="M", group="Notes", unavailable=no_note, short="ask a model", footer=(SEMANTIC,)),
    Command(id="note-newer", title="Newer note", help="Take or drop what a program wrote beside a person's note.",
            keys="alt+d", group="Notes", unavailable=no_note,
            instead_of="proposals", there=(SEMANTIC,)),
    Command(id="note-earlier", title="Earlier notes", help="What the note said before, compared; put one back.",
            keys="alt+h", group="Notes", unavailable=no_note,
            instead_of="history", there=(SEMANTIC,)),
    Command(id="window-notes", title="Notes of the window", help="Of all its types: one prompt, one answer, the model.",
            keys="alt+t", group="Notes", unavailable=empty_window),
    Command(id="edit", title="Edit", help="Edit the selected lines, the member under the cursor or what is open.",
            keys="e", group="Edit", unavailable=no_subject, short="edit", footer=(CODE, DIFF)),
    Command(id="patch-apply", title="Write the patch", help="Lock the file and write what was typed.",
            keys="ctrl+s", group="Edit", unavailable=not_to_write, short="write", footer=(PATCH,)),
    Command(id="patch-lock", title="Lock or unlock the file", help="Take the lock that writing needs, or give it back.",
            keys="ctrl+l", group="Edit", unavailable=not_to_lock, short="lock", footer=(PATCH,)),
    Command(id="patch-break", title="Break the lock", help="Take another's lock away, after asking. It is logged.",
            keys="ctrl+b", group="Edit", unavailable=not_to_break, short="break"),
    Command(id="patch-close", title="Close the patch editor", help="Stop editing; what was typed is kept.",
            keys="f4", group="Edit", unavailable=not_editing, short="close", footer=(PATCH,)),
    Command(id="patch-drop", title="Throw away what was typed", help="Close the editor and forget its text.",
            keys="f8", group="Edit", unavailable=not_editing),
    Command(id="stage", title="Stage or unstage", help="The hunk under the cursor, or the file in the list of changes.",
            keys="S", group="Edit", unavailable=not_working_tree, short="stage", footer=(CHANGES, DIFF)),
    Command(id="discard", title="Discard a change", help="Put the lines of HEAD back: of the hunk, or of the file.",
            keys="D", group="Edit", unavailable=not_working_tree, short="discard", footer=(CHANGES, DIFF)),
    Command(id="commit", title="Commit", help="What is staged, with a message that you type.",
            keys="number_sign", group="Edit", unavailable=not_open, short="commit", footer=(CHANGES,)),
    Command(id="stash", title="Stash", help="Put the changes of tracked files aside, or a stash back into the files.",
            keys="dollar_sign", group="Edit", unavailable=not_open),
    Command(id="blame", title="Who wrote the line", help="The commit of the line under the cursor.",
            keys="asterisk", group="Review", unavailable=no_line),
    Command(id="file-log", title="Commits of the file", help="Those that changed the file, under any name that it had.",
            keys="tilde", group="Review", unavailable=no_line),
    Command(id="comment-line", title="Comment on the line", help="Write a comment on the line under the cursor.",
            keys="C", group="Review", unavailable=not_diff, short="comment", footer=(DIFF,)),
    Command(id="mark-reviewed", title="Mark as reviewed", help="The hunk under the cursor was looked at, or was not.",
            keys="r", group="Review", unavailable=not_diff, short="reviewed", footer=(DIFF,)),
    Command(id="next-unreviewed", title="Next to review", help="The next hunk that was not looked at yet.",
            keys="O", group="Review", unavailable=no_files, short="next open", footer=(DIFF,), rank=2),
    Command(id="decide-comment", title="Accept or refuse a comment", help="The comment at the line under the cursor.",
            keys="F", group="Review", unavailable=not_diff),
    Command(id="review", title="The review at a glance", help="Progress, comments, findings, pack, answer, publish.",
            keys="Q", group="Review", unavailable=no_files, short="review", footer=(CHANGES, DIFF)),
    Command(id="paste", title="Paste an answer", help="What a chat answered, back into the files; see it first.",
            keys="V", group="Edit", unavailable=not_open),
    Command(id="rename", title="Rename", help="The symbol under the cursor everywhere; see and leave out places first.",
            keys="E", group="Edit", unavailable=no_subject),
    Command(id="extract-method", title="Extract a method", help="Make a method of the selected statements.",
            keys="Z", group="Edit", unavailable=no_lines),
    Command(id="extract-interface", title="Extract an interface", help="Of the public members of the type.",
            keys="alt+i", group="Edit", unavailable=no_subject),
    Command(id="move-type", title="Move to a file of its own", help="The type, beside the file that it shares.",
            keys="alt+q", group="Edit", unavailable=no_subject),
    Command(id="signature", title="Change the signature", help="Add, remove and reorder parameters, with every call.",
            keys="left_parenthesis", group="Edit", unavailable=no_subject),
    Command(id="undo-write", title="Undo the last write", help="Put back the bytes as they were before the last write.",
            keys="U", group="Edit", unavailable=not_open),
    Command(id="redo-write", title="Redo a write", help="Make again what was undone last.",
            keys="R", group="Edit", unavailable=not_open),
    Command(id="history", title="History of writes", help="What was written, with its diff; any last write goes back.",
            keys="H", group="Edit", unavailable=not_open),
    Command(id="proposals", title="Proposals of agents", help="Apply, change or refuse what agents want to write.",
            keys="A", group="Edit", unavailable=not_open),
    Command(id="refresh", title="Refresh the index", help="Look at every file again and read what changed.",
            keys="f5,ctrl+r", group="Workspace", unavailable=indexing),
    Command(id="cancel", title="Cancel", help="Stop what is running; what it has done so far is kept.",
            keys="ctrl+g", group="Workspace", unavailable=idle),
    Command(id="export", title="Write the readable files", help="index.json and every outline, into .context.",
            keys="f6", group="Workspace", unavailable=not_open),
    Command(id="operations", title="Operations", help="What lasts: how far it is, what it told, and cancelling it.",
            keys="f9", group="Workspace", unavailable=not_open),
    Command(id="status", title="Status and measures", help="What is indexed, how fast answers are, and what alarms.",
            keys="f7", group="Workspace", unavailable=not_open),
    Command(id="systems", title="SAP systems", help="Objects of SAP systems: find, read, pin, edit, check, activate.",
            keys="at", group="Workspace", unavailable=not_open),
    Command(id="notices", title="Notices", help="Read again what the program had to say.",
            keys="exclamation_mark", group="Workspace"),
    Command(id="menu", title="What can be done here", help="A menu of the commands that make sense now.",
            keys="m", group="Program"),
    Command(id="palette", title="Commands", help="Every command, by name.",
            keys="ctrl+p", group="Program", short="commands", footer=(*PANES, DIFF, SEMANTIC, PATCH)),
    Command(id="help", title="Help", help="Keys and what they do.",
            keys="question_mark,f1", group="Program", short="help", footer=(*PANES, DIFF, SEMANTIC, PATCH)),
    Command(id="settings", title="Settings", help="Every setting, where its value comes from, and changing it.",
            keys="comma", group="Program"),
    Command(id="first-steps", title="Hide or show the first steps", help="The line that says what to try first.",
            keys="f3", group="Program"),
    Command(id="theme", title="Choose a theme", help="Dark, light, high contrast or the terminal's own colours.",
            keys="t", group="Program"),
    Command(id="quit", title="Quit", help="Leave. What is pinned and where you are is kept.",
            keys="q,ctrl+q", group="Program", short="quit"),
)  # fmt: skip
"""In the order of help, palette and footer."""

_INSTEAD = {(pane, each.instead_of): each.id for each in COMMANDS for pane in each.there}

BY_ID: Mapping[str, Command] = {command.id: command for command in COMMANDS}


OPEN = "the workspace is open"
"""What commands wait for at the start."""


def awaited(command: Command, situation: Situation) -> str:
    """Return the result under way that decides the subject or the availability of a command; empty where there is
    none."""
    if situation.searching and situation.pane == SYMBOLS and command.unavailable in (no_subject, no_body):
        return "what was typed has been searched for"
    if situation.changing and command.group == WINDOW_GROUP:
        return "the change before it is made"
    if not command.unavailable(situation):
        return ""
    if situation.opening:
        return OPEN
    return "what is missing is known" if situation.weighing and command.unavailable is nothing_missing else ""


def meant_in(pane: str, command: str) -> str:
    """The command that the keys of `command` do in a pane."""
    return _INSTEAD.get((pane, command), command)


def bindings() -> list[Binding]:
    """A binding for each command, under its id, so that a keymap can move it."""
    return [
        Binding(command.keys, f"run_command('{command.id}')", command.title, show=False, id=command.id)
        for command in COMMANDS
    ]
