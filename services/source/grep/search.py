"""Grep over one text or over every file of the workspace, file by file."""

from __future__ import annotations

import itertools
import os
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from services.model import GrepFile, Progress
from services.source.grep.lines import Hit, Lines, cancelling, matches_of
from services.source.grep.pattern import Pattern
from services.source.grep.searched import is_binary, is_utf16, searchable
from services.workspace.root import Root
from services.workspace.sweep import glob_filter, sweep

LARGEST_FILE = 100_000_000
"""Bytes. What is larger is left out."""

MOST_CONTEXT = 1_000
_REPORT_EVERY = 0.1

Report = Callable[[Progress], None]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to answer. `context`: lines on either side; `most`: matches in all."""

    pattern: Pattern
    context: int = 0
    most: int = 100


@dataclass(slots=True)
class Tally:
    """What a grep of the workspace went through, so far. `truncated`: it stopped at as many matches as were wanted."""

    searched: int = 0
    binary: int = 0
    long_lines: int = 0
    lines: int = 0
    matches: int = 0
    truncated: bool = False


def grep_text(
    path: str,
    data: bytes,
    wanted: Wanted,
    *,
    ranges: Sequence[Range] | None = None,
    cancel: threading.Event | None = None,
    tally: Tally | None = None,
) -> GrepFile:
    """Matching lines of a file's bytes. `ranges`: (first, last) lines that count, sorted and apart; None: all.

    The bytes must not be binary. Raises Cancelled."""
    lines = Lines(wanted.pattern, searchable(data), cancelling(cancel))
    inside = lines.hits() if ranges is None else _within(lines.hits(), ranges)
    hits = list(itertools.islice(inside, wanted.most + 1))
    matches = tuple(matches_of(lines, hits[: wanted.most], wanted.pattern, path=path, context=wanted.context))
    if tally is not None:
        tally.long_lines += lines.long_lines
    return GrepFile(
        file=path,
        matches=matches,
        match_count=len(matches),
        line_count=lines.count if matches else 0,
        truncated=len(hits) > wanted.most,
    )


def grep_files(
    root: Root,
    wanted: Wanted,
    *,
    globs: str = "",
    tally: Tally,
    report: Report | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[GrepFile]:
    """Each file of the workspace that has matches, as it is found; `tally` counts along. Ends after `wanted.most`
    matches. Raises Cancelled."""
    progress = _Progress(report)
    files = sweep(root, wanted=glob_filter(globs), limit=LARGEST_FILE, cancel=cancel)
    for path, data in files:
        tally.searched += 1
        progress.tell(tally.searched)
        if is_binary(data):
            tally.binary += 1
            tally.searched -= 1
        elif wanted.pattern.may_match(data) or is_utf16(data):
            left = Wanted(wanted.pattern, wanted.context, wanted.most - tally.matches)
            found = grep_text(os.fsdecode(path), data, left, cancel=cancel, tally=tally)
            if found.truncated:
                tally.truncated = True
            if found.matches:
                tally.matches += found.match_count
                tally.lines += found.line_count
                yield found
            if tally.truncated:
                return


class _Progress:
    """Tells how far it is, at most every tenth of a second."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._began = self._last = time.monotonic()

    def tell(self, done: int) -> None:
        if self._report is None or done % 16:
            return
        now = time.monotonic()
        if now - self._last >= _REPORT_EVERY:
            self._last = now
            self._report(Progress(phase="Searching", done=done, total=None, elapsed=now - self._began))


def _within(hits: Iterator[Hit], ranges: Sequence[Range]) -> Iterator[Hit]:
    """Hits in one of the ranges."""
    starts = [start for start, _ in ranges]
    for hit in hits:
        at = bisect_right(starts, hit.number) - 1
        if at >= 0 and hit.number <= ranges[at][1]:
            yield hit
