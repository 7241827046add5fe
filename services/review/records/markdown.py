"""Markdown rendering of a review for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from services.model.review import CommentState, Review, ReviewComment, Severity

SIGNS = {
    Severity.BLOCKER: "Blocker",
    Severity.WARNING: "Warning",
    Severity.SUGGESTION: "Suggestion",
    Severity.PRAISE: "Praise",
    Severity.QUESTION: "Question",
}


def review_markdown(review: Review, *, states: Iterable[CommentState] | None = None) -> str:
    """Return the review by file and line. `states`: of comments to include; all by default."""
    wanted = frozenset(states) if states is not None else frozenset(CommentState)
    comments = sorted(
        (each for each in review.comments if each.state in wanted),
        key=lambda each: (each.file, each.line or 0, each.at),
    )
    lines = [f"# Review: {review.title or review.change}", ""]
    if review.summary:
        lines += [review.summary, ""]
    lines += [counted(comments), ""]
    file = None
    for comment in comments:
        if comment.file != file:
            file = comment.file
            lines += [f"## {file or 'The change as a whole'}", ""]
        lines += [*_comment(comment), ""]
    dropped = [
        f"- {each.comment.file}:{each.comment.line or '?'}: {each.reason} {each.comment.text}"
        for each in review.dropped
    ]
    if dropped and states is None:
        lines += ["## Dropped", "", *dropped, ""]
    return "\n".join(lines)


def counted(comments: Iterable[ReviewComment]) -> str:
    """`2 blockers, 1 question`; of nothing, that there is none."""
    counts = Counter(each.severity for each in comments)
    told = [f"{counts[each]} {each.value}{'s' * (counts[each] > 1)}" for each in Severity if counts[each]]
    return ", ".join(told) or "No comments."


def _comment(comment: ReviewComment) -> Iterator[str]:
    told = [f"**{SIGNS[comment.severity]}**", place_of(comment), comment.category]
    yield (
        " · ".join(each for each in told if each)
        + f" ({comment.author or comment.author_kind}, {comment.state})"
    )
    if comment.outdated:
        yield "*Its lines are not in the change any more.*"
    if comment.text:
        yield from ("", comment.text)
    if comment.suggestion is not None:
        mark = fence(comment.suggestion)
        yield from ("", f"{mark}suggestion", comment.suggestion, mark)


def said_below(comment: ReviewComment) -> list[str]:
    """A comment as lines below its own, those that it suggests as a diff has what is added."""
    author = comment.author or comment.author_kind
    said = f"{comment.severity}, {comment.state} · {author}: {comment.text}".split("\n")
    if comment.suggestion is None:
        return said
    suggested = [f"+ {line}" for line in comment.suggestion.split("\n")]
    return [*said, *(suggested if comment.suggestion else ["suggested: nothing"])]


def place_of(comment: ReviewComment) -> str:
    """`line 12` or `lines 12-14`; empty without one."""
    if comment.line is None:
        return ""
    return f"lines {comment.line}-{comment.end_line}" if comment.end_line else f"line {comment.line}"


def fence(text: str) -> str:
    """A fence that does not occur in a text."""
    mark = "```"
    while mark in text:
        mark += "`"
    return mark
