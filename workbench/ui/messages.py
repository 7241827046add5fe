"""What the parts of the main screen say to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.message import Message

from services.model import Notice

Lit = Mapping[str, Mapping[int, Sequence[tuple[int, int]]]]
"""What is lit in the source: file -> line -> (start, end) columns, end exclusive."""


class Said(Message):
    """A person should be told."""

    def __init__(self, notice: Notice) -> None:
        super().__init__()
        self.notice = notice


class GoTo(Message):
    """Show a line of a file; with `lit`, that and nothing else is lit in the source from now on."""

    def __init__(self, file: str, line: int, *, column: int | None = None, lit: Lit | None = None) -> None:
        super().__init__()
        self.file = file
        self.line = line
        self.column = column
        self.lit = lit


class Passing(GoTo):
    """The cursor of a list rests on a line: show it beside the list, which keeps the keyboard."""


class Changed(Message):
    """Something is different in a list; commands may fit differently."""


class RunCommand(Message):
    """A click asks for a command."""

    def __init__(self, command: str) -> None:
        super().__init__()
        self.command = command
