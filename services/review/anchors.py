"""Anchors of comments: their location in a change, followed through its new versions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import msgspec

from services.errors import UsageError
from services.model import DiffLine
from services.model.review import CommentState, DroppedComment, Finding, Review, ReviewComment
from services.review.look import shown_lines
from services.review.opened import OpenedChange
from services.review.store import new_comment_id

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


def followed_in(opened: OpenedChange, comment: ReviewComment) -> ReviewComment:
    """The comment where its lines are in a change as it is now; outdated where its file is not in it any more."""
    try:
        file = opened.file(comment.file)
    except UsageError:
        return msgspec.structs.replace(comment, outdated=bool(comment.file))
    shown = shown_lines(opened.hunks(file))
    return followed(comment, shown, lambda: opened.source.new_lines(file))


def placed_in(opened: OpenedChange, comment: ReviewComment) -> ReviewComment | DroppedComment:
    """A new comment with an id, at the line of the new side that it belongs to; or why it belongs to none."""
    made = msgspec.structs.replace(comment, id=new_comment_id(), at=time.time_ns() // 1_000_000)
    if not comment.file:
        return made
    try:
        file = opened.file(comment.file)
    except UsageError as error:
        return DroppedComment(comment=made, reason=error.message)
    made = msgspec.structs.replace(made, file=file.path)
    if comment.line is None and not comment.quoted:
        return made
    shown = opened.shown(file)
    by_person = comment.author_kind == "person" and not comment.quoted and comment.line in shown.new
    quoted = shown.new[comment.line or 0].text if by_person else comment.quoted
    if by_person and not quoted.strip():
        return msgspec.structs.replace(made, quoted="")
    place = shown.find_new_line_number(comment.line, quoted, end_line=comment.end_line)
    if place.line is None:
        return DroppedComment(comment=made, reason=place.reason)
    return msgspec.structs.replace(
        made, line=place.line, end_line=place.end_line, quoted=place.quoted, note=place.reason
    )


def of_finding(opened: OpenedChange, finding: Finding) -> ReviewComment:
    """Return a finding as a comment at its line, or on its file where the change does not show that line."""
    line = None
    with suppress(UsageError):
        shown = opened.shown(opened.file(finding.file)).new
        line = shown.get(finding.line) if finding.line is not None else None
    places = "".join(f"\n- {place}" for place in finding.places)
    return ReviewComment(
        file=finding.file, line=finding.line if line is not None and line.text.strip() else None,
        quoted=line.text if line is not None and line.text.strip() else "", severity=finding.severity,
        category=finding.kind, text=f"{finding.text}{places}", author="codecortex", author_kind="static",
    )  # fmt: skip


def said(comment: ReviewComment) -> tuple[str, int | None, str]:
    """Return the key by which two comments are duplicates: file, line and text."""
    return comment.file, comment.line, comment.text


def with_comments(
    review: Review, taken: Sequence[ReviewComment], dropped: Sequence[DroppedComment], summary: str
) -> Review:
    """Return the review with more comments; what was said already, of an earlier version too, is not said again. A
    finding whose published comment lost its lines brings that comment to its own."""
    comments = {each.id: each for each in review.comments}
    there = set(map(said, comments.values()))
    for each in taken:
        if said(each) in there or any(_repeats(old, each) for old in comments.values()):
            continue
        there.add(said(each))
        lost = next((old for old in comments.values() if _has_lost(old, each)), None)
        if lost is None:
            comments[each.id] = each
        else:
            where = {"line": each.line, "end_line": each.end_line, "quoted": each.quoted, "text": each.text}
            comments[lost.id] = msgspec.structs.replace(lost, **where, outdated=False)
    return msgspec.structs.replace(
        review,
        comments=tuple(comments.values()),
        dropped=(*review.dropped, *dropped),
        summary=summary or review.summary,
    )


def matching(review: Review, taken: Sequence[ReviewComment]) -> tuple[ReviewComment, ...]:
    """The comments of a review that say what these say, as `with_comments` took them in."""
    says = set(map(said, taken))
    return tuple(
        each for each in review.comments if said(each) in says or any(_repeats(each, new) for new in taken)
    )


_DECIDED = frozenset({CommentState.PUBLISHED, CommentState.REFUSED})
_NUMBER = re.compile(r"\d+")


def _repeats(old: ReviewComment, new: ReviewComment) -> bool:
    """Whether a comment was decided about in other words: an analysis names other numbers and places, a model writes
    each answer anew."""
    return old.line == new.line and not old.outdated and _is_about_same(old, new)


def _has_lost(old: ReviewComment, new: ReviewComment) -> bool:
    """Whether a finding is that of a comment whose lines are gone."""
    return old.outdated and old.author_kind == "static" and _is_about_same(old, new)


def _is_about_same(old: ReviewComment, new: ReviewComment) -> bool:
    if old.state not in _DECIDED or old.author_kind == "person":
        return False
    whose = [(each.file, each.category, each.author_kind) for each in (old, new)]
    return whose[0] == whose[1] and (old.author_kind == "model" or _gist(old.text) == _gist(new.text))


def _gist(text: str) -> str:
    return _NUMBER.sub("#", text.partition("\n")[0])
