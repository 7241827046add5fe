"""Reviews: comments on a change set, marks, what is found without a model, and what is answered about them."""

from services.model.review.answers import (
    ChangesAnswer,
    CommentsAnswer,
    CommitRow,
    CommitsAnswer,
    DiffFile,
    DiffPack,
    Finding,
    Interdiff,
    InterdiffFile,
    NumberedAnswer,
    Publication,
    ReviewAnswer,
    Standing,
)
from services.model.review.comments import (
    CommentState,
    DroppedComment,
    HunkMark,
    Review,
    ReviewComment,
    ReviewProgress,
    Severity,
)

__all__ = [
    "ChangesAnswer",
    "CommentState",
    "CommentsAnswer",
    "CommitRow",
    "CommitsAnswer",
    "DiffFile",
    "DiffPack",
    "DroppedComment",
    "Finding",
    "HunkMark",
    "Interdiff",
    "InterdiffFile",
    "NumberedAnswer",
    "Publication",
    "Review",
    "ReviewAnswer",
    "ReviewComment",
    "ReviewProgress",
    "Severity",
    "Standing",
]
