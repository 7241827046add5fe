"""Answers about changes and reviews."""

from __future__ import annotations

from services.model.base import Value
from services.model.review.comments import DroppedComment, Review, ReviewComment, ReviewProgress, Severity
from services.model.symbols import Resolved


class Finding(Value, kw_only=True, frozen=True):
    """Something that was found without a model. `kind`: broken (who does not fit what changed any more), api, callers,
    tests, secret, conflict or debris; `places`: further ones, as `path:line`; `label`: always static, so that nobody
    takes it for an opinion."""

    kind: str
    severity: Severity
    file: str
    line: int | None = None
    text: str
    code: str = ""
    symbol: str = ""
    places: tuple[str, ...] = ()
    label: str = "static"


class ReviewAnswer(Value, kw_only=True, frozen=True):
    """Review with its progress, and findings made without a model where requested; `not_looked_up`: why findings
    that need an index are missing, where they are."""

    review: Review
    progress: ReviewProgress
    counts: dict[str, int]
    findings: tuple[Finding, ...] = ()
    not_looked_up: str = ""


class Standing(Value, kw_only=True, frozen=True):
    """Progress of a reviewer. `files`: paths that were reviewed completely; `looked`: digests of the hunks at the
    last look, None where there was none."""

    review: Review
    files: frozenset[str] = frozenset()
    looked: frozenset[str] | None = None


class InterdiffFile(Value, kw_only=True, frozen=True):
    """Interdiff of one file. `status`: new, gone, changed or same; `lines`: of the new side
    as numbered, those that are not as they were at the last look with their sign."""

    path: str
    status: str
    hunks_new: int = 0
    hunks_same: int = 0
    lines: tuple[str, ...] = ()


class Interdiff(Value, kw_only=True, frozen=True):
    """Interdiff of a change set since it was last looked at. `looked_at`: when that was, ms; 0 for never."""

    looked_at: int
    files: tuple[InterdiffFile, ...]


class CommentsAnswer(Value, kw_only=True, frozen=True):
    """Comments that were taken, and those that were dropped, with the reasons."""

    review: str
    taken: tuple[ReviewComment, ...]
    dropped: tuple[DroppedComment, ...] = ()
    total: int = 0


class CommentList(Value, kw_only=True, frozen=True):
    """Comments of a review, at their current lines. `total`: how many match, before the page was cut."""

    review: str
    comments: tuple[ReviewComment, ...]
    total: int


class ReachingTest(Value, kw_only=True, frozen=True):
    """A test that reaches a symbol. `calls`: how many members are called on the way between."""

    path: str
    calls: int


class TestsAnswer(Value, kw_only=True, frozen=True):
    """Tests that reach a symbol, the nearest first. `whole`: whether all that leads to it was looked at."""

    resolved: Resolved | None
    tests: tuple[ReachingTest, ...]
    whole: bool = True


class Publication(Value, kw_only=True, frozen=True):
    """Publication of a review. `target`: phabricator, github, gitlab, markdown or sarif; `text`: as it is sent;
    `published`: ids of comments that are there now; `pending`: of those that are not; `address`: where to look."""

    target: str
    text: str
    published: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    address: str = ""
    preview: bool = True


class DiffPack(Value, kw_only=True, frozen=True):
    """A change with what it needs, as one text for a model. `left_out`: what did not fit, with its size in tokens."""

    text: str
    tokens: int
    budget: int
    approximate: bool = False
    included: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class NumberedAnswer(Value, kw_only=True, frozen=True):
    """A change set as its numbered diff."""

    title: str
    text: str
    files: int
    added: int
    deleted: int
    new_side: str


class DiffFile(Value, kw_only=True, frozen=True):
    """A file of a change set with its hunks as lines of a unified diff."""

    path: str
    status: str
    old_path: str | None = None
    added: int | None = None
    deleted: int | None = None
    binary: bool = False
    note: str = ""
    diff: str = ""


class ChangesAnswer(Value, kw_only=True, frozen=True):
    """The files of a change set."""

    title: str
    old: str
    new: str
    new_side: str
    signature: str
    files: tuple[DiffFile, ...]
    added: int
    deleted: int


class CommitsAnswer(Value, kw_only=True, frozen=True):
    """Commits, the last one first."""

    commits: tuple[CommitRow, ...]


class CommitRow(Value, kw_only=True, frozen=True):
    """A commit as a row. `at`: ms since 1970."""

    id: str
    short: str
    author: str
    at: int
    subject: str
    refs: str = ""
