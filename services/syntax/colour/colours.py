"""The coloured spans of a long text, worked out a block of lines at a time, as they are asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from services.errors import Cancelled
from services.syntax.colour.highlight import START, Spans, State, highlight_lines

BLOCK = 128
"""Lines that are coloured together."""


class Colours:
    """One text's. What is open at the start of a block is kept, so that only what nobody has looked past yet has to be
    read on the way to a line. Thread-safe."""

    def __init__(self, lines: Sequence[str]) -> None:
        """`lines`: without their endings."""
        self._lines = lines
        self._starts: list[State] = [START]
        self._reading = threading.Lock()

    def of(self, lines: Iterable[int], *, cancel: threading.Event | None = None) -> dict[int, Spans]:
        """The spans of some lines (numbered from 1) and of those in the same blocks, by line. Raises Cancelled."""
        blocks = sorted({(line - 1) // BLOCK for line in lines if 0 < line <= len(self._lines)})
        found: dict[int, Spans] = {}
        for block in blocks:
            found.update(enumerate(self._block(block, cancel), block * BLOCK + 1))
        return found

    def _block(self, block: int, cancel: threading.Event | None) -> Sequence[Spans]:
        with self._reading:
            while len(self._starts) <= block:
                self._read(len(self._starts) - 1, cancel)
            return self._read(block, cancel)

    def _read(self, block: int, cancel: threading.Event | None) -> Sequence[Spans]:
        if cancel is not None and cancel.is_set():
            raise Cancelled("Colouring was cancelled.")
        lines = self._lines[block * BLOCK : (block + 1) * BLOCK]
        spans, after = highlight_lines(lines, self._starts[block])
        if block + 1 == len(self._starts):
            self._starts.append(after)
        return spans
