"""Grep over one text or over every file of the workspace, file by file. A hidden piece of a text matches nothing."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from services.model import GrepFile, GrepMatch, Progress
from services.source.grep_lines import (
    LineFinder,
    LineHit,
    OutOfTimeError,
    checking,
    is_binary,
    is_utf16,
    matches_of,
    searchable,
)
from services.source.grep_pattern import SearchPattern
from services.workspace.files.root import LARGEST_FILE, Root
from services.workspace.scan.sweep import Ripgrep, glob_filter, sweep

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


MOST_CONTEXT = 1_000
_REPORT_EVERY = 0.1

Report = Callable[[Progress], None]
Range = tuple[int, int]


class GrepRequest(msgspec.Struct, frozen=True):
    """Request of a search. `context`: lines on either side; `most`: matches in all; `deadline`: of `time.monotonic`,
    when the search ends with the matches so far; `encoding`: declared for files that are not Unicode; `hide`: returns
    the pieces of a text that must be neither matched nor shown."""

    pattern: SearchPattern
    context: int = 0
    most: int = 100
    deadline: float = math.inf
    encoding: str | None = None
    hide: Hide | None = None


class GrepTotals(msgspec.Struct):
    """Totals of a running grep. `searched`: files that were there to be looked into; `binary`:
    files left out as no text although they hold what every match does; `truncated`: it stopped at as many matches as
    were wanted, or `timed_out`."""

    searched: int = 0
    binary: int = 0
    long_lines: int = 0
    lines: int = 0
    matches: int = 0
    truncated: bool = False
    timed_out: bool = False


def grep_text(
    path: str,
    data: bytes,
    wanted: GrepRequest,
    *,
    ranges: Sequence[Range] | None = None,
    cancel: threading.Event | None = None,
    tally: GrepTotals | None = None,
) -> GrepFile:
    """Matching lines of a file's bytes. `ranges`: (first, last) lines that count, sorted and apart; None: all.

    The bytes must not be binary. Raises Cancelled."""
    text = searchable(data, wanted.encoding)
    pieces = wanted.hide(text, path) if wanted.hide is not None else ()
    hidden = Hidden(text, pieces, wanted.pattern.text) if pieces else None
    lines = LineFinder(
        wanted.pattern, text if hidden is None else hidden.data, checking(cancel, wanted.deadline)
    )
    inside = lines.hits() if ranges is None else _within(lines.hits(), ranges)
    hits, timed_out = _as_many(inside, wanted.most + 1)
    found = matches_of(lines, hits[: wanted.most], wanted.pattern, path=path, context=wanted.context)
    matches = tuple(found if hidden is None else map(hidden.told, found))
    if tally is not None:
        tally.long_lines += lines.long_lines
        tally.timed_out |= timed_out
    return GrepFile(
        file=path,
        matches=matches,
        match_count=len(matches),
        line_count=lines.count if matches else 0,
        truncated=timed_out or len(hits) > wanted.most,
    )


def grep_files(
    root: Root,
    wanted: GrepRequest,
    *,
    globs: str = "",
    tally: GrepTotals,
    report: Report | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[GrepFile]:
    """Each file of the workspace that has matches, as it is found; `tally` counts along. Ends after `wanted.most`
    matches, or at the deadline. Raises Cancelled."""
    try:
        yield from _found_files(
            root, wanted, globs=globs, looked=_ProgressCounter(tally, report, wanted), cancel=cancel
        )
    except OutOfTimeError:
        tally.truncated = tally.timed_out = True


def _found_files(
    root: Root, wanted: GrepRequest, *, globs: str, looked: _ProgressCounter, cancel: threading.Event | None
) -> Iterator[GrepFile]:
    pattern, tally = wanted.pattern, looked.tally
    # Characters that are not ASCII have other bytes in other encodings: the file must be decoded first.
    blind = wanted.encoding is not None and not all(needle.isascii() for needle in pattern.needles)
    with _sieve(root, pattern, cancel, blind=blind) as sieve:
        files = sweep(
            root, wanted=glob_filter(globs), limit=LARGEST_FILE, sieve=sieve, looked=looked.add, cancel=cancel
        )
        for path, data in files:
            if not blind and not pattern.may_match(data) and not is_utf16(data):
                continue
            if is_binary(data):
                tally.binary += 1
                continue
            left = replace(wanted, most=wanted.most - tally.matches)
            found = grep_text(os.fsdecode(path), data, left, cancel=cancel, tally=tally)
            tally.truncated |= found.truncated
            if found.matches:
                tally.matches += found.match_count
                tally.lines += found.line_count
                yield found
            if tally.truncated:
                return


@contextlib.contextmanager
def _sieve(
    root: Root, pattern: SearchPattern, cancel: threading.Event | None, *, blind: bool
) -> Iterator[Ripgrep | None]:
    begin = None if blind or pattern.is_common else Ripgrep.begin
    sieve = begin and begin(
        root.place(), pattern.needles, ignore_case=pattern.case_insensitive, cancel=cancel
    )
    try:
        yield sieve
    finally:
        if sieve is not None:
            sieve.close()


class _ProgressCounter:
    """Progress counter of files, which reports at most every tenth of a second."""

    def __init__(self, tally: GrepTotals, report: Report | None, wanted: GrepRequest) -> None:
        self.tally = tally
        self._report = report
        self._check = checking(None, wanted.deadline)
        self._began = self._last = time.monotonic()

    def add(self, files: int) -> None:
        """So many more files were there to be searched. Raises OutOfTimeError."""
        self._check()
        self.tally.searched += files
        if self._report is None:
            return
        now = time.monotonic()
        if now - self._last >= _REPORT_EVERY:
            self._last = now
            elapsed = now - self._began
            self._report(Progress(phase="Searching", done=self.tally.searched, total=None, elapsed=elapsed))


def _as_many(hits: Iterator[LineHit], most: int) -> tuple[list[LineHit], bool]:
    """At most so many hits, and whether the time ran out on the way."""
    found: list[LineHit] = []
    try:
        found.extend(itertools.islice(hits, most))
    except OutOfTimeError:
        return found, True
    return found, False


def _within(hits: Iterator[LineHit], ranges: Sequence[Range]) -> Iterator[LineHit]:
    """Hits in one of the ranges."""
    starts = [start for start, _ in ranges]
    for hit in hits:
        at = bisect_right(starts, hit[0]) - 1
        if at >= 0 and hit[0] <= ranges[at][1]:
            yield hit
