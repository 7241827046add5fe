"""Search that excludes secret pieces of a text: a hidden piece matches nothing, so that no pattern can find out its
content.

Each hidden piece is searched as one noncharacter of Unicode that neither the pattern nor the text has. A placeholder
would be unsafe: a pattern that combines it with a guess (`\\[\\[secret|guess`) is searched only in files that contain
either."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

import msgspec

from services.model import GrepMatch

Piece = tuple[int, int, str]
"""Start and end of a hidden piece in bytes of UTF-8, and its replacement in results."""
Hide = Callable[[bytes, str], Sequence[Piece]]
"""The hidden pieces of a file's text, in their order and apart, by the text and its path."""

_NONCHARACTERS = [chr(code) for code in range(0xFDD0, 0xFDF0)]


class Hidden:
    """A text whose hidden pieces are taken out. `data`: what is searched instead of it, with as many lines."""

    def __init__(self, data: bytes, pieces: Sequence[Piece], pattern: str) -> None:
        self._mark = next(
            each for each in _NONCHARACTERS if each not in pattern and each.encode() not in data
        )
        self._told: list[str] = []
        self._lines: list[int] = []
        self.data = b"".join(self._parts(data, pieces))

    def _parts(self, data: bytes, pieces: Sequence[Piece]) -> Iterator[bytes]:
        done, line = 0, 1
        for start, end, told in pieces:
            line += data.count(b"\n", done, start)
            self._told.append(told)
            self._lines.append(line)
            yield data[done:start] + self._mark.encode() + b"\n" * data.count(b"\n", start, end)
            line += data.count(b"\n", start, end)
            done = end
        yield data[done:]

    def told(self, match: GrepMatch) -> GrepMatch:
        """Return a match with replacements for hidden pieces. Spans after one are dropped: they would reveal its
        length."""
        first, number = match.content.find(self._mark), match.line_number
        before, after = match.context_before, match.context_after
        return msgspec.structs.replace(
            match,
            content=self._line(number, match.content),
            context_before=tuple(self._line(number - len(before) + n, text) for n, text in enumerate(before)),
            context_after=tuple(self._line(number + 1 + n, text) for n, text in enumerate(after)),
            spans=match.spans if first < 0 else tuple(span for span in match.spans if span[1] <= first),
        )

    def _line(self, number: int, text: str) -> str:
        at = bisect_left(self._lines, number)
        while self._mark in text:
            text = text.replace(self._mark, self._told[at], 1)
            at += 1
        return text
