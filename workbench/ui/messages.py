"""Messages of the parts of the main screen.

Long work that is not indexing: told on the same line, cancelled by the same key.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from textual.dom import DOMNode
from textual.message import Message

from services.model import Notice, Progress

Lit = Mapping[str, Mapping[int, Sequence[tuple[int, int]]]]
"""What is lit in the source: file -> line -> (start, end) columns, end exclusive."""


class Tell(Message):
    """A notice to show."""

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


class CursorMoved(Message):
    """The cursor of a list of places is on another row."""


class Changed(Message):
    """Something is different in a list; commands may fit differently."""


class PinsChanged(Message):
    """Something else is pinned than before."""


class IndexChanged(Message):
    """More has been read, or other than before."""


class RunCommand(Message):
    """A click requests a command."""

    def __init__(self, command: str) -> None:
        super().__init__()
        self.command = command


_SOON = 0.3
"""Seconds that go without a word."""
_EVERY = 0.1


class Working(Message):
    """Some work has come so far; None: it has ended."""

    def __init__(self, progress: Progress | None) -> None:
        super().__init__()
        self.progress = progress


@contextmanager
def working(owner: DOMNode) -> Iterator[Callable[[Progress], None]]:
    """Yield the progress callback of a service in a thread, while `owner` waits for it."""
    began, told = time.monotonic(), 0.0

    def report(progress: Progress) -> None:
        nonlocal told
        now = time.monotonic()
        if now - began >= _SOON and now - told >= _EVERY:
            told = now
            owner.post_message(Working(progress))

    try:
        yield report
    finally:
        if told:
            owner.post_message(Working(None))
