"""The help, made from the table of commands and the keys in force."""

from __future__ import annotations

from itertools import groupby

from textual.content import Content

from workbench.commands import COMMANDS, Command
from workbench.keymap import Keys
from workbench.situation import Situation

_KEYS = 12
_MORE = (
    (
        "In lists and views",
        (
            ("↑ ↓", "Move by a row; page up and page down by a page, home and end to the ends."),
            ("shift+↑ ↓", "In the source: select lines, to be pinned or copied."),
            ("n N", "In the outline: to the next name of a type, or the one before. Enter follows it."),
        ),
    ),
)


def help_text(keys: Keys, situation: Situation) -> Content:
    """Every command under its group: keys, title, what it does, why not now; then the keys of the widgets."""
    lines: list[Content] = []
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
    return Content("\n").join(lines)


def _command(command: Command, keys: Keys, situation: Situation) -> Content:
    line = _row(keys.shown(command.id) or "–", f"{command.title}. {command.help}")
    refused = command.refusal(situation)
    return line + Content.styled(f" (Not now: {refused})", "italic") if refused else line


def _row(shown: str, text: str) -> Content:
    return Content.styled(f"  {shown:<{_KEYS}} ", "bold") + Content(text)
