"""Comments as the servers of reviews take them. Each ends with a mark, by which what is there is known again."""

from __future__ import annotations

from typing import Any

from services.model import FileChange
from services.model.review import ReviewComment
from services.review.placing import ShownLines
from services.review.records.markdown import SIGNS, fence
from services.review.sources.source import RemoteRef


def mark_of(id_: str, kind: str) -> str:
    """What stands at the end of a comment: hidden where the server's markup can hide it."""
    return f"{{{id_}}}" if kind == "phabricator" else f"<!-- codecortex {id_} -->"


def body_of(comment: ReviewComment, kind: str) -> str:
    """A comment as text, with its mark. `kind`: of the server, whose way to suggest lines it takes."""
    category = f" ({comment.category})" if comment.category else ""
    text = f"**{SIGNS[comment.severity]}**{category}: {comment.text}"
    if comment.suggestion is not None:
        text += f"\n\n{_suggested(comment, kind)}"
    return f"{text}\n\n{mark_of(comment.id, kind)}"


def _suggested(comment: ReviewComment, kind: str) -> str:
    suggestion = comment.suggestion or ""
    mark = fence(suggestion)
    if kind == "phabricator":
        return f"Suggested:\n```\n{suggestion}\n```"
    more = (comment.end_line or comment.line or 0) - (comment.line or 0)
    head = f"suggestion:-0+{more}" if kind == "gitlab" else "suggestion"
    return f"{mark}{head}\n{suggestion}\n{mark}"


def for_github(comment: ReviewComment, body: str) -> dict[str, Any]:
    """A comment of a review."""
    told: dict[str, Any] = {"path": comment.file, "body": body, "side": "RIGHT"}
    if comment.end_line:
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
