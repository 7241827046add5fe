"""Markdown of reviews: for people, and for the comments on servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from services.model import FileChange
from services.model.review import CommentState, Review, ReviewComment, Severity
from services.review.opened import ShownLines
from services.review.sources.source import RemoteRef

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


def mark_of(id_: str, kind: str) -> str:
    """Return the marker at the end of a comment, hidden where the server's markup allows it."""
    return f"{{{id_}}}" if kind == "phabricator" else f"<!-- codecortex {id_} -->"


def body_of(comment: ReviewComment, kind: str) -> str:
    """A comment as text, with its mark. `kind`: of the server, whose way to suggest lines it takes."""
    category = f" ({comment.category})" if comment.category else ""
    text = f"**{SIGNS[comment.severity]}**{category}" + (f": {comment.text}" if comment.text else "")
    if comment.suggestion is not None:
        text += f"\n\n{_suggested(comment, kind)}"
    return f"{text}\n\n{mark_of(comment.id, kind)}"


def _suggested(comment: ReviewComment, kind: str) -> str:
    suggestion = comment.suggestion or ""
    mark = fence(suggestion)
    if kind == "phabricator":
        return f"Suggested:\n```\n{suggestion}\n```"
    more = (comment.end_line or comment.line or 0) - (comment.line or 0)
    # GitLab counts from the line that a comment stands at: the last of its range.
    head = f"suggestion:-{more}+0" if kind == "gitlab" else "suggestion"
    return f"{mark}{head}\n{suggestion}\n{mark}"


def for_github(comment: ReviewComment, body: str) -> dict[str, Any]:
    """A comment of a review."""
    told: dict[str, Any] = {"path": comment.file, "body": body, "side": "RIGHT"}
    if comment.end_line and comment.line and comment.end_line > comment.line:
        return told | {"start_line": comment.line, "start_side": "RIGHT", "line": comment.end_line}
    return told | {"line": comment.line}


def for_gitlab(
    comment: ReviewComment, body: str, ref: RemoteRef, at: tuple[FileChange, ShownLines] | None
) -> dict[str, Any]:
    """A discussion at a line; a note where it has none. A line that is on both sides is named by both its numbers."""
    if comment.line is None or at is None:
        return {"body": body}
    change, shown = at
    line = comment.end_line or comment.line
    old = shown.new[line].old if line in shown.new else None
    position: dict[str, Any] = {
        "position_type": "text", "base_sha": ref.base, "start_sha": ref.start, "head_sha": ref.head,
        "old_path": change.old_path or change.path, "new_path": change.path, "new_line": line,
    }  # fmt: skip
    return {"body": body, "position": position | ({"old_line": old} if old else {})}


def for_phabricator(comment: ReviewComment, body: str) -> dict[str, Any]:
    """An inline comment. `lineLength`: how many lines follow the first."""
    line = comment.line or 1
    return {
        "filePath": comment.file, "isNewFile": True, "lineNumber": line,
        "lineLength": (comment.end_line or line) - line, "content": body,
    }  # fmt: skip
