"""Prefetched diffs of neighbouring files: a step shows one at once.

A file on the disk is taken only while it is as it was when it was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from services.concurrency.latest import LRUCache
from services.model import FileChange, Span
from widgets.text.diff_rows import DiffRow, DiffRows, DiffShape
from workbench.code.opened import lines_of
from workbench.ui.jobs import Jobs

if TYPE_CHECKING:
    from services.bench import Bench
    from services.review.sources.source import CodeChangeSource
    from services.syntax.highlight import Colours

Spans = Mapping[int, Sequence[Span]]

_KEPT = 6
"""Files: the one that is shown, those on its sides, and some of the way back."""
_MOST_LINES = 4_000
"""Lines of a change that are compared and coloured in passing; a longer one would take the time that keys need."""
_COLOURED = 150
"""Rows at either end of a diff that get their colours ahead: whoever comes from the next file sees the last ones."""


class Asked(Struct, frozen=True):
    """File of a change set, and the layout of its diff. `signature`: of the change set."""

    scope: str
    signature: str
    change: FileChange
    context: int
    ignore_space: bool
    shape: DiffShape

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for what leads to the same rows: a width counts where lines are wrapped."""
        shape = self.shape
        laid = (shape.split, shape.wrap, shape.width if shape.wrap else 0)
        return self.scope, self.signature, self.change.path, self.context, self.ignore_space, *laid


class Coloured(Struct, frozen=True):
    """The colours of both sides of a file, and those that were worked out of lines of either."""

    sides: tuple[Colours, Colours]
    old: Spans = {}
    new: Spans = {}


class DiffAhead(Struct, frozen=True):
    """A diff that was read ahead; `colours` where its language has some; `stamp`: of what `source` read it from."""

    rows: DiffRows
    source: CodeChangeSource
    stamp: bytes
    colours: Coloured | None = None


class DiffsAhead:
    """Prefetcher of diffs, one after the other, as a job of `jobs`, with a cache of the last ones. Use it on the
    screen's thread."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._kept: LRUCache[tuple[object, ...], tuple[DiffAhead | None]] = LRUCache(_KEPT)

    def get(self, asked: Asked) -> DiffAhead | None:
        """Return a prefetched diff; None where there is none, or the file has changed."""
        (found,) = self._kept.find(asked.key) or (None,)
        if found is None or found.source.stamp(asked.change) == found.stamp:
            return found
        self._kept.drop(asked.key)
        return None

    def read(self, bench: Bench, wanted: Sequence[Asked]) -> None:
        """Read missing diffs in the order of `wanted`. A reading under way is finished all the same."""
        self._jobs.after("ahead", lambda: self._read(bench, wanted))

    def _read(self, bench: Bench, wanted: Sequence[Asked]) -> None:
        missing = [each for each in wanted if each.key not in self._kept and _is_small(each.change)]
        if not missing:
            return
        asked, rest = missing[0], missing[1:]

        def take(found: DiffAhead | None) -> None:
            self._kept.keep(asked.key, (found,))
            self._read(bench, rest)

        # Why a file cannot be read is said when it is looked at.
        self._jobs.run("ahead", lambda: read_diff(bench, asked), take, failed=lambda _: take(None))


def read_diff(bench: Bench, asked: Asked) -> DiffAhead | None:
    """The diff of a file with the colours of what is seen of it first; None where it may be another when it is looked
    at. Raises as the source of the change does."""
    opened, change = bench.review.shown(asked.scope), asked.change
    stamp = opened.source.stamp(change)
    if opened.set.signature != asked.signature:
        return None
    hunks = opened.source.hunks(change, context=asked.context, ignore_space=asked.ignore_space)
    rows = DiffRows(hunks, asked.shape)
    if not rows or not has_colours(change):
        return DiffAhead(rows, opened.source, stamp)
    sides = colours_of(bench, asked.scope, change)
    seen = list(_first_seen(rows))
    old = sides[0].of({row.old for row in seen if row.old})
    return DiffAhead(
        rows, opened.source, stamp, Coloured(sides, old, sides[1].of({row.new for row in seen if row.new}))
    )


def has_colours(change: FileChange) -> bool:
    """Whether a file is of a language that is coloured."""
    return change.path.lower().endswith(".cs")


def colours_of(bench: Bench, scope: str, change: FileChange) -> tuple[Colours, Colours]:
    """Return the colours of both sides of a file, by line on request. Raises as the source of the change does."""
    old, new = bench.review.shown(scope).source.texts(change)
    return bench.sources.colours(lines_of(old)), bench.sources.colours(lines_of(new))


def _first_seen(rows: DiffRows) -> Iterator[DiffRow]:
    """The rows at either end."""
    count = len(rows)
    return map(rows.at, chain(range(min(count, _COLOURED)), range(max(_COLOURED, count - _COLOURED), count)))


def _is_small(change: FileChange) -> bool:
    return (change.added or 0) + (change.deleted or 0) <= _MOST_LINES
