"""Values of reviews: comments, states, findings, publications, and the answers of the review server's tools (002)."""

from __future__ import annotations

from enum import StrEnum

from services.model.base import Value
from services.model.symbols import Resolved


class FindingsAnswer(Value, kw_only=True, frozen=True):
    """Findings of a change. `label`: always static; `not_looked_up`: why the code was not analysed, if so."""

    title: str
    findings: tuple[Finding, ...]
    label: str = "static"
    not_looked_up: str = ""


class FileText(Value, kw_only=True, frozen=True):
    """A file in a commit."""

    path: str
    commit: str
    content: str
    line_count: int


class PathAnswer(Value, kw_only=True, frozen=True):
    """Normalised path within the workspace, and whether a file or a folder is there."""

    path: str
    is_file: bool
    is_folder: bool


class FeatureList(Value, kw_only=True, frozen=True):
    """Features of a change as documented: subjects of its commits, and changes of its public API."""

    title: str
    commits: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    label: str = "static"


class TestCases(Value, kw_only=True, frozen=True):
    """Members of a change that no test reaches, and the prompt that requests tests of them; `projects`: where tests
    may be written; `text`: the model's answer, where there is one."""

    untested: tuple[str, ...]
    prompt: str
    projects: tuple[str, ...] = ()
    text: str = ""


class MergeRequest(Value, kw_only=True, frozen=True):
    """A request on a server. `created`: whether this call made it; `preview`: whether nothing was sent."""

    project: str
    title: str
    source: str
    target: str
    address: str = ""
    created: bool = False
    preview: bool = False


class NoticeAnswer(Value, kw_only=True, frozen=True):
    """A notice that was taken. `status`: of HTTP."""

    status: int


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
    was placed elsewhere than it said; `outdated`: its lines are not on the new side any more; `resolved`: what it is
    about is gone since it was published; `remote`: its id or address where it was published, or `resolved`; `proposal`:
    id of the proposal that its suggestion has become; `at`: ms since 1970."""

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
    resolved: bool = False
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
    """A test that reaches a symbol. `calls`: how many members are called on the way between; `way`: these members, the
    one that the test calls first."""

    path: str
    calls: int
    way: tuple[str, ...] = ()


class MatrixRow(Value, kw_only=True, frozen=True):
    """A changed member, or a changed file of a language without symbols, with the tests that reach it. `how`: by
    `usages`, or by `names`: test files in which the file's module is named; `whole`: whether all that leads to it was
    looked at, without which no tests says nothing."""

    member: str
    file: str
    line: int = 1
    tests: tuple[ReachingTest, ...] = ()
    how: str = "usages"
    whole: bool = True


class TestMatrixAnswer(Value, kw_only=True, frozen=True):
    """The test matrix of a change. `not_looked_up`: why members are missing, if so."""

    title: str
    rows: tuple[MatrixRow, ...]
    label: str = "static"
    not_looked_up: str = ""

    @property
    def untested(self) -> tuple[MatrixRow, ...]:
        """The rows of what no test reaches."""
        return tuple(each for each in self.rows if not each.tests)


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
