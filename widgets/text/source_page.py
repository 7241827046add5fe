"""Lines of a file as a view takes them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from services.model import Span

Spans = Sequence[Sequence[Span]]
"""The coloured stretches of some lines, one entry a line."""


class SourcePage(Struct, frozen=True):
    """Lines of a file, without their endings; `first_line` is the number of the first one.

    `spans` are theirs; they may be fewer than the lines, and may come later (`SourceView.colour`). `width`: the cells
    of the longest line (`line_view.widest`), where they have been counted.
    """

    first_line: int
    lines: Sequence[str]
    spans: Spans = ()
    width: int | None = None
