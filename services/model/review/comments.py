"""Reviews: comments on a change set, marks of what was looked at, and what is found without a model."""

from __future__ import annotations

from enum import StrEnum

from services.model.base import Value


class Severity(StrEnum):
    """How much a comment matters. A question is for the author to answer."""

    BLOCKER = "blocker"
    WARNING = "warning"
    SUGGESTION = "suggestion"
    PRAISE = "praise"
    QUESTION = "question"


class CommentState(StrEnum):
    """State of a comment."""

    DRAFT = "draft"
    ACCEPTED = "accepted"
    EDITED = "edited"
    REFUSED = "refused"
    PUBLISHED = "published"


class ReviewComment(Value, kw_only=True, frozen=True):
    """A comment on lines of the new side, or on a file (`line` None), or on the whole (no `file`).

    `suggestion`: lines to put in the place of its own; None for none, empty to delete them; `quoted`: the lines as they
    were when it was written, by which it is found again; `author_kind`: person, agent, model or static; `note`: why it
    was placed elsewhere than it said; `outdated`: its lines are not on the new side any more; `remote`: its id or
    address where it was published; `proposal`: id of the proposal that its suggestion has become; `at`: ms since
    1970."""

    id: str = ""
    file: str = ""
    line: int | None = None
    end_line: int | None = None
    severity: Severity = Severity.SUGGESTION
    category: str = ""
    text: str = ""
    suggestion: str | None = None
    quoted: str = ""
    author: str = ""
    author_kind: str = "person"
    state: CommentState = CommentState.DRAFT
    note: str = ""
    outdated: bool = False
    remote: str = ""
    proposal: str = ""
    at: int = 0


class DroppedComment(Value, kw_only=True, frozen=True):
    """Comment that matches no line, with the reason; it is stored, so that nothing is lost silently."""

    comment: ReviewComment
    reason: str


class HunkMark(Value, kw_only=True, frozen=True):
    """A hunk that was looked at. `digest`: of its lines, so that a mark falls where they change; `by`: who looked."""

    file: str
    digest: str
    by: str = ""
    at: int = 0


class Review(Value, kw_only=True, frozen=True):
    """A review of a change set. `change`: what leads to the change set again; `signature`: of the change set that it
    was last brought up to date with; `summary`: for the whole, by a person or a model."""

    id: str
    change: str
    title: str = ""
    signature: str = ""
    summary: str = ""
    comments: tuple[ReviewComment, ...] = ()
    dropped: tuple[DroppedComment, ...] = ()
    marks: tuple[HunkMark, ...] = ()
    created_at: int = 0
    updated_at: int = 0


class ReviewProgress(Value, kw_only=True, frozen=True):
    """How far a review is. `next_file`, `next_line`: the first hunk that was not looked at, None where all were."""

    hunks: int
    reviewed: int
    files: int
    files_reviewed: int
    next_file: str | None = None
    next_line: int | None = None
