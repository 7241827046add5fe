"""Text with stretches replaced, whose offsets lead back to the text before."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """Replacement of the `size` bytes at `at` by `text`."""

    at: int
    size: int
    text: bytes


class Spliced:
    """Text with `splices` applied. Several at one place apply in the order in which they are given."""

    def __init__(self, text: bytes, splices: Iterable[Splice]) -> None:
        self.text = text
        self._starts = [0]  # where a stretch begins, in the new text
        self._origins = [0]  # and in the old one, which an inserted stretch has none of its own
        self._own = [True]
        ordered = sorted(splices, key=lambda each: each.at)
        if ordered:
            self._apply(ordered)

    def _apply(self, splices: list[Splice]) -> None:
        parts: list[bytes] = []
        done = size = 0
        for at, gone, new in splices:
            parts += (self.text[done:at], new)
            size += max(0, at - done)
            done = max(done, at + gone)
            if len(new) != gone:
                self._begin(size, at, own=False)
                self._begin(size + len(new), done, own=True)
            size += len(new)
        self.text = b"".join((*parts, self.text[done:]))

    def _begin(self, start: int, origin: int, *, own: bool) -> None:
        self._starts.append(start)
        self._origins.append(origin)
        self._own.append(own)

    def origin(self, offset: int) -> int:
        """The offset in the old text of an `offset` in the new one."""
        at = bisect_right(self._starts, offset) - 1
        return self._origins[at] + (offset - self._starts[at] if self._own[at] else 0)

    def ending(self, offset: int) -> int:
        """The offset in the old text of the end of what ends at `offset` in the new one."""
        at = bisect_right(self._starts, offset - 1) - 1
        return self._origins[at] + (offset - self._starts[at] if self._own[at] else 0)
