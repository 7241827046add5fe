"""Help: hints for the first minutes, and the page that is made from the table of commands and the keys in force."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from msgspec import Struct
from textual.content import Content

from services.errors import quoted
from workbench.commands.commands import COMMANDS, Command
from workbench.commands.keymap import Keys
from workbench.commands.situation import CHANGES, CODE, GREP, PATCH, SYMBOLS, USAGES, WINDOW, Situation


class Step(Struct, frozen=True):
    """`command`: what is to be done once; `text`: why, with `{key}` for the key that does it and `{example}` for a
    query that finds something."""

    command: str
    text: str


STEPS = (
    Step("search", "Type a part of a name{example}."),
    Step("open", "{key} opens what is under the cursor."),
    Step("pin", "{key} pins it into what a model will see."),
    Step("copy", "{key} copies the window, checked and masked."),
    Step("help", "{key} lists every key; ^p finds every command."),
)
"""In the order in which they are shown. Each fits a terminal of 80 columns whole."""


def next_step(done: Collection[str]) -> Step | None:
    """The first that was not done yet."""
    return next((step for step in STEPS if step.command not in done), None)


def example_of(labels: Sequence[str]) -> str:
    """Return the capitals of the first type that has two to four of them, as a query to try; empty if none has.
    `labels`: of symbols, with type parameters."""
    names = (label.partition("<")[0] for label in labels if "(" not in label)
    queries = ("".join(char for char in name if char.isupper()) for name in names)
    return next((query for query in queries if 2 <= len(query) <= 4), "")


def hint(done: Collection[str], keys: Keys, *, typing: bool = False, example: str = "") -> str:
    """Return the next step to try, `First steps 2 of 5: …`; empty where all were done. `example`: a query that finds
    something in the opened workspace."""
    step = next_step(done)
    if step is None:
        return ""
    key = keys.first(step.command, typing=typing) or keys.first(step.command) or keys.first("palette")
    tried = f", or capitals: `{example}`" if example else ""
    text = step.text.format(key=key, example=tried).replace("^p", keys.first("palette"))
    off = keys.first("first-steps")
    ending = f" · {off} hides" if off else ""
    return f"First steps, {STEPS.index(step) + 1} of {len(STEPS)}: {text}{ending}"


_KEYS = 12
_PANES = {
    SYMBOLS: (
        "symbols",
        "Every type and member. Type a part of a name; what is empty lists what was used last.",
    ),
    GREP: ("search in files", "Lines that match, as they are found, by file."),
    USAGES: ("usages", "Where a symbol is used: bound to it for certain, or only of its name."),
    CHANGES: ("changes", "What differs from git's HEAD, or between the commits that were chosen."),
    CODE: (
        "code",
        "Outline, source or diff of what is open. What is selected can be pinned, copied and edited.",
    ),
    WINDOW: (
        "prompt window",
        (
            "What a model gets to see, in that order.\n  ⟳ changed since it was pinned, ✂ cut, ▾ shown with less "
            "detail than was chosen, ✗ gone, ⚠ a likely secret.\n  How much is shown of each: S signature, O outline, "
            "B bodies, L lines, W the whole, – nothing."
        ),
    ),
    PATCH: (
        "patch editor",
        "Lines that are written back under their version and a lock, never over another's work.",
    ),
}
_MORE = (
    (
        "In lists and views",
        (
            ("↑ ↓", "Move by a row; page up and page down by a page, home and end to the ends."),
            ("shift+↑ ↓", "Select lines of the source, or mark rows, to be pinned or copied together."),
            ("← →", "In the source: to the next name, or the one before; enter leads to its definition."),
            ("ctrl+← →", "In the source: scroll sideways."),
            ("n N", "In the outline: to the next name of a type, or the one before. Enter follows it."),
            (
                "( )",
                "A key in brackets does that in the prompt window alone; elsewhere it does something else.",
            ),
            ("double click", "Open a row, follow a name to its definition, go from a diff to the source."),
            ("right click", "What can be done here."),
        ),
    ),
    (
        "Signs: glyphs and letters in rows",
        (
            ("● ○", "Pinned, or, of usages, bound; a name match. In the line above: how fresh the index is."),
            (
                "S U O D B",
                "How much is shown of an item: its signature, members in use, its outline, all declarations, bodies.",
            ),
            ("L W –", "Lines of it, the whole, nothing: there is no room."),
            (
                "⟳ ✂ ▾",
                "An item changed since it was pinned, is cut, is shown with less detail than was chosen.",
            ),
            ("✗ ⚠", "An item is gone; a likely secret is in it."),
            (
                "N C S I E",
                "Of symbols: namespace, class, struct, interface, enum; small letters for what is rare.",
            ),
            ("M P F x", "Method, property, field, indexer."),
            ("¶ ⟳ …", "Beside a type: its note holds, may not hold any more, is being made."),
            ("~ < >", "Of writes: an edit, one that took another back, one that made it again."),
            (
                "M A D R ?",
                "Of changed files: modified, added, deleted, moved, not known to git. ·: opened, ✓: reviewed.",
            ),
        ),
    ),
)


def help_text(keys: Keys, situation: Situation, *, query: str = "") -> Content:
    """Every command under its group: keys, title, what it does, why not now; then the keys of the widgets, and what the
    glyphs mean. `query`: the lines alone that have all its words, and those below a heading that has."""
    words = query.lower().split()
    lines = [line for part in _lines(keys, situation) for line in part.split("\n", allow_blank=True)]
    if words:
        lines = list(_having(words, lines))
    return Content("\n").join(lines or [Content(f"Nothing here has {quoted(query)}: type less.")])


def _having(words: Sequence[str], lines: Sequence[Content]) -> Iterator[Content]:
    """The lines that have all the words, and all those below a heading, up to an empty line, that has."""
    heading = below = False
    for line in (Content(""), *lines):
        if not line.plain:
            heading, below = True, False
        else:
            has = all(word in line.plain.lower() for word in words)
            heading, below = False, below or (heading and has)
            if has or below:
                yield line


def _lines(keys: Keys, situation: Situation) -> list[Content]:
    lines: list[Content] = _here(keys, situation)
    for group, commands in groupby(COMMANDS, key=lambda command: command.group):
        lines.append(Content.styled(group, "bold"))
        lines += [_command(command, keys, situation) for command in commands]
        lines.append(Content(""))
    for group, rows in _MORE:
        lines.append(Content.styled(group, "bold"))
        lines += [_row(shown, text) for shown, text in rows]
        lines.append(Content(""))
    ids = ", ".join(command.id for command in COMMANDS)
    lines.append(Content.styled("Keys of your own", "bold"))
    lines.append(
        Content(f"The table [ui.keys] of the settings gives commands other keys by their ids: {ids}.")
    )
    lines.append(
        Content(f'What opens over the screen has its own, such as "packs.new" = "f2": {_dialogs()}.')
    )
    return lines


def _dialogs() -> str:
    """The ids of what can be moved in dialogs."""
    from workbench.commands.keymap import dialog_keys

    return ", ".join(key.id for key in dialog_keys().values() if key.own)


def _here(keys: Keys, situation: Situation) -> list[Content]:
    """Return the purpose of the pane in use, and its main commands."""
    name, about = _PANES[situation.pane]
    lines = [Content.styled(f"Here: {name}", "bold"), Content(f"  {about}")]
    here = (command for command in COMMANDS if situation.pane in command.footer)
    for command in here:
        key = keys.first(command.id, pane=situation.pane)
        lines += [_row(key, f"{command.title}.")] if key else []
    return [*lines, Content("")]


def _command(command: Command, keys: Keys, situation: Situation) -> Content:
    line = _row(keys.shown(command.id) or "–", f"{command.title}. {command.help}")
    refused = keys.unavailable_reason(command.id, situation)
    return line + Content.styled(f" (Not now: {refused})", "italic") if refused else line


def _row(shown: str, text: str) -> Content:
    return Content.styled(f"  {shown:<{_KEYS}} ", "bold") + Content(text)
