"""One line on the terminal that says how far long work is."""

from __future__ import annotations

import time
from typing import TextIO

from services.model import Progress

FIRST_AFTER = 0.3
"""Seconds before anything is shown: short work leaves the screen alone."""

EVERY = 0.1
"""Seconds between two paintings."""


class ProgressLine:
    """Call it with each `Progress`; writes only where `stream` is a terminal, and cleans up after itself."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._wanted = stream.isatty()
        self._next = time.monotonic() + FIRST_AFTER
        self._width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def __call__(self, progress: Progress) -> None:
        """Show it, unless something was shown a moment ago."""
        now = time.monotonic()
        if self._wanted and now >= self._next:
            self._next = now + EVERY
            self._show(words(progress))

    def _show(self, text: str) -> None:
        if text or self._width:
            self._stream.write(f"\r{text:<{self._width}}" + ("" if text else "\r"))
            self._stream.flush()
            self._width = len(text)


def words(progress: Progress) -> str:
    """`parsing: 1 200 of 5 000 files, 24 %`; without a total, how many so far."""
    done = f"{progress.done:,}".replace(",", " ")
    if progress.fraction is None:
        return f"{progress.phase}: {done} {progress.unit}"
    total = f"{progress.total:,}".replace(",", " ")
    return f"{progress.phase}: {done} of {total} {progress.unit}, {progress.fraction:.0%}".replace("%", " %")
