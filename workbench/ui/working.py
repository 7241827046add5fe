"""Long work that is not indexing: told on the same line, cancelled by the same key."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual.dom import DOMNode
from textual.message import Message

from services.model import Progress

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
    """What a service reports to, in a thread, while `owner` waits for it."""
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
