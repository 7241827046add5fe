"""A command line taken apart into words, as a shell quotes them and without anything else that a shell does."""

from __future__ import annotations

from services.errors import CommandRefused
from services.workspace.files.names import is_utf8

LONGEST = 20_000
"""Characters of a command line."""
_OPERATORS = {
    "|": "One program a call: there are no pipes. Use -m, head -n or wc -l FILE, or call again.",
    "&": "One program a call. Make another call.",
    ";": "One program a call. Make another call.",
    "<": "Nothing is redirected. Name the file as an argument.",
    ">": "Nothing is redirected: what is printed is the answer.",
    "(": "There are no subshells. Quote or escape a parenthesis that is meant: '('.",
    ")": "There are no subshells. Quote or escape a parenthesis that is meant: ')'.",
}
_EXPANDED = "Nothing is expanded. Put it between single quotes where the character itself is meant."


def words_of(line: str) -> list[str]:
    """The words. `* ? [ ] { } ! ~ # ^` are plain characters. Raises CommandRefused with the piece and what to write
    instead."""
    if len(line) > LONGEST:
        raise CommandRefused(f"The command has more than {LONGEST} characters.", piece=line[:40])
    for character, name in (("\n", "a line break"), ("\0", "a NUL character"), ("\r", "a line break")):
        if character in line:
            raise refused(character, f"it holds {name}", "One command a call, on one line.")
    if not is_utf8(line):
        piece = line.encode("utf-8", "backslashreplace").decode()
        raise refused(piece, "it is not UTF-8", "Name another file, or rename this one.")
    words: list[str] = []
    at = 0
    while (at := _after_blanks(line, at)) < len(line):
        word, at = _word(line, at)
        words.append(word)
    return words


def refused(piece: str, why: str, instead: str) -> CommandRefused:
    """The refusal of one piece of a command."""
    shown = piece if len(piece) <= 80 else f"{piece[:77]}…"
    return CommandRefused(
        f"{shown!r} was refused: {why}. {instead}".rstrip(), piece=piece[:200], instead=instead
    )


def _after_blanks(line: str, at: int) -> int:
    while at < len(line) and line[at] in " \t":
        at += 1
    return at


def _word(line: str, at: int) -> tuple[str, int]:
    made: list[str] = []
    while at < len(line) and line[at] not in " \t":
        character = line[at]
        if character == "'":
            piece, at = _single(line, at)
        elif character == '"':
            piece, at = _double(line, at)
        elif character == "\\":
            piece, at = _escaped(line, at)
        elif character in _OPERATORS:
            raise refused(character, "it is an operator of a shell, and there is none", _OPERATORS[character])
        elif character in "$`":
            raise refused(character, "it would be expanded by a shell", _EXPANDED)
        else:
            piece, at = character, at + 1
        made.append(piece)
    return "".join(made), at


def _single(line: str, at: int) -> tuple[str, int]:
    end = line.find("'", at + 1)
    if end < 0:
        raise refused(line[at:], "its quote is not closed", "Close it, or escape it: \\'.")
    return line[at + 1 : end], end + 1


def _double(line: str, at: int) -> tuple[str, int]:
    made: list[str] = []
    begin, at = at, at + 1
    while at < len(line) and line[at] != '"':
        if line[at] in "$`":
            raise refused(line[at], "it would be expanded by a shell", _EXPANDED)
        if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            at += 1
            if line[at] in "$`":
                raise refused(line[at], "it would be expanded by a shell", _EXPANDED)
        made.append(line[at])
        at += 1
    if at >= len(line):
        raise refused(line[begin:], "its quote is not closed", 'Close it, or escape it: \\".')
    return "".join(made), at + 1


def _escaped(line: str, at: int) -> tuple[str, int]:
    if at + 1 >= len(line):
        raise refused("\\", "nothing follows it", "Leave it out, or double it.")
    if line[at + 1] in "$`":
        raise refused(line[at + 1], "it would be expanded by a shell", _EXPANDED)
    return line[at + 1], at + 2
