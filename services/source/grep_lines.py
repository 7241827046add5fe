"""Matching lines of one text, in order, with their context."""

from __future__ import annotations

import codecs
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from services.errors import Cancelled, NotText
from services.model import GrepMatch
from services.source.grep_pattern import SearchPattern
from services.workspace.text import BINARY_PROBE, decode

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_utf16(data: bytes) -> bool:
    """Whether the file has to be decoded before any text can be found in it."""
    return data.startswith(_UTF16)


def is_binary(data: bytes) -> bool:
    """Whether the file is not text (SAFETY, Bytes)."""
    if data.find(b"\0", 0, BINARY_PROBE) < 0:
        return False
    try:
        decode(data)
    except NotText:
        return True
    return False


def searchable(data: bytes, encoding: str | None = None) -> bytes:
    """The text of a file that is not binary, as UTF-8; bytes that cannot be decoded are replacement characters.
    `encoding`: declared for files that are not Unicode."""
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.isascii():
        return data
    if not is_utf16(data):
        try:
            data.decode()
        except UnicodeDecodeError:
            return decode(data, encoding=encoding).content.encode("utf-8", "replace")
        return data
    # A lone surrogate is no character of UTF-8; it is shown as replaced, as a reader would show it.
    return decode(data).content.encode("utf-8", "replace")


LONGEST_LINE = 65_536
"""Bytes. What is longer was written by a program for a program; it is not searched, and counted."""

Check = Callable[[], None]
_CR = 0x0D


LineHit = tuple[int, int, int]
"""Matching line: its number from 1, and its bounds, without its ending."""


class LineFinder:
    """Finds lines in the bytes of one text (`searchable`). `long_lines`: how many it met that were too long."""

    def __init__(self, pattern: SearchPattern, data: bytes, check: Check) -> None:
        self._pattern = pattern
        self._check = check
        # Only then can a pattern distinguish `\r\n` from `\n`; line numbers do not change.
        self._folded = pattern.sees_ends and b"\r\n" in data
        self._data = data.replace(b"\r\n", b"\n") if self._folded else data
        self.long_lines = 0
        self._counted = 0, 0

    @property
    def data(self) -> bytes:
        """The bytes that the offsets of hits count in."""
        return self._data

    @property
    def count(self) -> int:
        """How many lines the text has; what follows the last LF counts if there is something."""
        lines, at = self._counted
        rest = self._data.count(b"\n", at)
        return lines + rest + (at < len(self._data) and not self._data.endswith(b"\n"))

    def hits(self) -> Iterator[LineHit]:
        """Matching lines, in order. Raises what the check raises."""
        if self._pattern.plain and len(self._data) <= self._pattern.window:
            yield from self._plain_hits(self._pattern.plain)
            return
        number, at = 1, 0
        for start, matched in self._candidates():
            number += self._data.count(b"\n", at, start)
            at = start
            end = self._line_end(start)
            if end - start > LONGEST_LINE:
                self.long_lines += 1
            elif 0 <= matched <= end or self._pattern.matches(self._data[start:end]):
                yield number, start, end

    def _plain_hits(self, text: bytes) -> Iterator[LineHit]:
        """As `hits`, of a text that is searched at once: in one loop, as many lines may have it."""
        self._check()
        data, size, whole = self._data, len(text), len(self._data)
        number, at, found = 1, 0, self._data.find(text)
        while found >= 0:
            start = data.rfind(b"\n", at, found) + 1 or at
            number += data.count(b"\n", at, start)
            at = data.find(b"\n", found + size) + 1
            end = at - 1 if at else whole
            if at and end > start and data[end - 1] == _CR:
                end -= 1
            if end - start > LONGEST_LINE:
                self.long_lines += 1
            elif found + size <= end or text in data[start:end]:
                yield number, start, end
            at = at or whole
            number += 1
            found = data.find(text, at)
        self._counted = number - 1, at

    def text(self, start: int, end: int) -> str:
        """A line from its start to the start of the next, without its ending; no more than what may be searched."""
        end = self._line_end(start) if self._data.endswith(b"\n", start, end) else end
        return self._data[start : min(end, start + LONGEST_LINE)].decode("utf-8", "ignore")

    def _candidates(self) -> Iterator[tuple[int, int]]:
        """Starts of lines that may match, in order, each with the end of a match that is one wherever it lies within
        its line; -1 where that has to be seen from the line alone."""
        return self._every_line() if self._pattern.by_line else self._found_lines()

    def _found_lines(self) -> Iterator[tuple[int, int]]:
        data, start = self._data, 0
        while start < len(data):
            self._check()
            end = self._window_end(start)
            while start < end and (found := self._pattern.find(data, start, end)) is not None:
                line = data.rfind(b"\n", start, found[0]) + 1 or start
                if line >= len(data):
                    return
                yield line, -1 if self._pattern.sees_ends else found[1]
                start = data.find(b"\n", found[0]) + 1 or len(data)
            if end <= start < len(data) and self._is_long(start):
                self.long_lines += 1
                end = data.find(b"\n", start) + 1 or len(data)
            start = max(start, end)

    def _window_end(self, start: int) -> int:
        """The end of a line at about the length of a window from `start`; short of a line that is too long."""
        data = self._data
        end = start + self._pattern.window
        if end >= len(data):
            return len(data)
        return data.find(b"\n", end, end + LONGEST_LINE) + 1 or data.rfind(b"\n", start, end) + 1 or start

    def _is_long(self, start: int) -> bool:
        return (
            self._data.find(b"\n", start, start + LONGEST_LINE + 2) < 0
            and len(self._data) - start > LONGEST_LINE
        )

    def _every_line(self) -> Iterator[tuple[int, int]]:
        start = 0
        while start < len(self._data):
            self._check()
            yield start, -1
            start = self._data.find(b"\n", start) + 1 or len(self._data)

    def _line_end(self, start: int) -> int:
        """Return the end of the line's own text: before LF or CR LF."""
        end = self._data.find(b"\n", start)
        if end < 0:
            return len(self._data)
        return end - 1 if not self._folded and end > start and self._data[end - 1] == _CR else end


def matches_of(
    lines: LineFinder, hits: Sequence[LineHit], pattern: SearchPattern, *, path: str, context: int
) -> Iterator[GrepMatch]:
    """Convert hits to values, with up to `context` lines on either side; no line is repeated."""
    data, floor = lines.data, 0
    for at, (number, start, end) in enumerate(hits):
        line = data[start:end]
        text = line.decode()
        before: tuple[str, ...] = ()
        after: tuple[str, ...] = ()
        if context:
            limit = hits[at + 1][1] if at + 1 < len(hits) else len(data)
            before = _before(lines, start, floor, context)
            after, floor = _after(lines, end, limit, context)
        yield GrepMatch(
            file=path,
            line_number=number,
            content=text,
            context_before=before,
            context_after=after,
            spans=pattern.spans(line, text),
        )


def _before(lines: LineFinder, start: int, floor: int, most: int) -> tuple[str, ...]:
    """Return the context lines before a hit that begins at `start`."""
    found: list[str] = []
    while len(found) < most and start > floor:
        previous = lines.data.rfind(b"\n", floor, start - 1) + 1 or floor
        found.append(lines.text(previous, start))
        start = previous
    return tuple(reversed(found))


def _after(lines: LineFinder, end: int, limit: int, most: int) -> tuple[tuple[str, ...], int]:
    """Return the context lines after a hit that ends at `end`, and their end."""
    data = lines.data
    found: list[str] = []
    at = data.find(b"\n", end) + 1 or len(data)
    while len(found) < most and at < limit:
        following = data.find(b"\n", at) + 1 or len(data)
        found.append(lines.text(at, following))
        at = following
    return tuple(found), at


class OutOfTimeError(Exception):
    """Error: the time limit of a search was reached; the matches so far are valid."""


def checking(cancel: threading.Event | None, deadline: float) -> Check:
    """A check that raises Cancelled once the event is set, and OutOfTimeError past the deadline (`time.monotonic`)."""

    def check() -> None:
        if cancel is not None and cancel.is_set():
            raise Cancelled("The search was cancelled.")
        if time.monotonic() >= deadline:
            raise OutOfTimeError

    return check
