"""A search in files, without its pane: how a pattern is taken, what comes of it, and how that is said."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from services.model import GrepFile
from widgets.format.token_count import counted, grouped

if TYPE_CHECKING:
    from services.bench.queries.sources import Grep

MOST_MATCHES = 2_000
_TOLD_EVERY = 0.05
"""Seconds between two batches of results on the screen."""


class GrepOptions(Struct, frozen=True):
    """How a pattern is taken. `object`: what is searched alone, and what people call it; empty: the workspace."""

    regex: bool = True
    case: bool = False
    word: bool = False
    context: int = 0
    object: str = ""
    called: str = ""


class Outcome(Struct, frozen=True):
    """`matches`, in `files`; `searched`: files looked into."""

    matches: int
    files: int
    searched: int
    truncated: bool
    seconds: float

    @property
    def sentence(self) -> str:
        """`12 lines in 3 of 40 files · 5 ms`."""
        took = f"{self.seconds * 1000:.0f} ms"
        if not self.matches:
            return f"{counted(self.searched, 'file')} · {took}"
        first = "the first " if self.truncated else ""
        more = " · there are more: narrow the pattern" if self.truncated else ""
        files = f"{grouped(self.files)} of {counted(self.searched, 'file')}"
        return f"{first}{counted(self.matches, 'line')} in {files} · {took}{more}"


def grep_of(pattern: str, options: GrepOptions, globs: str) -> Grep:
    """What the services are asked for."""
    from services.bench.queries.sources import Grep

    return Grep(
        pattern=pattern,
        case_insensitive=not options.case,
        context=options.context,
        most=MOST_MATCHES,
        globs="" if options.object else globs,
        literal=not options.regex,
        word=options.word,
    )


def batches(files: Iterator[GrepFile]) -> Iterator[list[GrepFile]]:
    """What was found in each stretch of time; the first at once."""
    batch: list[GrepFile] = []
    told = 0.0
    for file in files:
        batch.append(file)
        if time.monotonic() - told > _TOLD_EVERY:
            yield batch
            batch, told = [], time.monotonic()
    if batch:
        yield batch
