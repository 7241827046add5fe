"""Comments that follow their lines through new versions of a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from services.model import DiffLine
from services.model.review import ReviewComment

Shown = Mapping[int, DiffLine]


def followed(
    comment: ReviewComment, shown: Shown, whole: Callable[[], Sequence[str] | None] = lambda: None
) -> ReviewComment:
    """The comment where its lines are now: nearest to where they were. `shown`: lines of the new side that the change
    shows; `whole`: all of that side, where it can be read. One whose lines are nowhere keeps its number, outdated."""
    if comment.line is None or not comment.quoted:
        return comment
    block = comment.quoted.split("\n")
    here = [number for number in shown if _stands(shown, number, block)]
    if not here:
        lines = whole() or ()
        here = [
            at + 1 for at in range(len(lines) - len(block) + 1) if list(lines[at : at + len(block)]) == block
        ]
    if not here:
        return msgspec.structs.replace(comment, outdated=True)
    line = min(here, key=lambda number: (abs(number - (comment.line or 0)), number))
    end = line + len(block) - 1 if len(block) > 1 else None
    return msgspec.structs.replace(comment, line=line, end_line=end, outdated=False)


def _stands(shown: Shown, number: int, block: Sequence[str]) -> bool:
    return all(
        (line := shown.get(number + ahead)) is not None and line.text == text
        for ahead, text in enumerate(block)
    )
