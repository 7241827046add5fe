"""Operations on single comments of a review: listed, changed, deleted, their suggestions proposed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import CodeCortexError, ReadOnly, RemoteError, UsageError
from services.model import Proposal
from services.model.review import CommentList, CommentState, ReviewAnswer, ReviewComment, Severity
from services.operations.needs import Need
from services.operations.operation import CURATES, Effect, Faces, Param, Right, always, by_name, declare
from services.operations.review.changes import CHANGE, FEATURE, Change
from services.operations.review.reviews import COMMENT_ID, SEVERITIES
from services.source.journal.actor import actor
from services.source.text.edit import bare_lines

if TYPE_CHECKING:
    from services.bench import Bench

_PROPOSES = Effect(read_only=False, right=Right.LOCK)
"""What is proposed is decided by a person; agents may propose where the settings let them write at all."""
_WRITES = "setObjectSourceV2"
STATES = tuple(each.value for each in CommentState)


@declare(
    "ListComments",
    Faces("list_comments", "comments", "comments"),
    index=Need.NOTHING,
    errors=(RemoteError,),
    feature=FEATURE,
)
def list_comments(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    file: Annotated[str, Param("On this file alone, by its path or the end of it.", flag="--file")] = "",
    state: Annotated[str | None, Param("In this state alone.", flag="--state", choices=STATES)] = None,
    severity: Annotated[
        str | None, Param("Of this severity alone.", flag="--severity", choices=SEVERITIES)
    ] = None,
) -> CommentList:
    """List the comments of the review of a change, where their lines are now."""
    review = bench.review.review(change).review
    comments = tuple(
        each
        for each in review.comments
        if (not file or f"/{each.file}".endswith(f"/{file.removeprefix('./')}"))
        and state in (None, each.state)
        and severity in (None, each.severity)
    )
    return CommentList(review=review.id, comments=comments, total=len(review.comments))


@declare(
    "EditComment",
    Faces("edit_comment", "edit-comment"),
    effect=CURATES,
    index=Need.NOTHING,
    errors=(ReadOnly,),
    feature=FEATURE,
)
def edit_comment(
    bench: Bench,
    comment: Annotated[str, COMMENT_ID],
    *,
    text: Annotated[
        str | None, Param("Other words for it.", flag="--text", longest=20_000, is_text=always)
    ] = None,
    severity: Annotated[
        str | None, Param("How much it matters.", flag="--severity", choices=SEVERITIES)
    ] = None,
    category: Annotated[str | None, Param("A word for its kind.", flag="--category", is_text=always)] = None,
    suggestion: Annotated[
        str | None, Param("Lines to put in the place of those.", flag="--suggestion", is_text=always)
    ] = None,
    change: Change = "",
) -> ReviewAnswer:
    """Change a comment that is not published yet; what is left out stays. An agent can change its own."""
    if text is not None and not text.strip():
        raise UsageError("A comment says something. DeleteComment takes it away.")
    return bench.review.edit(
        change, comment, text=text, severity=Severity(severity) if severity else None, category=category,
        suggestion=suggestion,
    )  # fmt: skip


@declare(
    "DeleteComment",
    Faces("delete_comment", "delete-comment"),
    effect=CURATES,
    index=Need.NOTHING,
    errors=(ReadOnly,),
    feature=FEATURE,
)
def delete_comment(bench: Bench, comment: Annotated[str, COMMENT_ID], change: Change = "") -> ReviewAnswer:
    """Take a comment that is not published yet out of the review. An agent can delete its own."""
    return bench.review.delete(change, comment)


@declare(
    "ProposeSuggestion",
    Faces("propose_suggestion", "propose-suggestion"),
    effect=_PROPOSES,
    errors=(ReadOnly,),
    feature=FEATURE,
)
def propose_suggestion(bench: Bench, comment: Annotated[str, COMMENT_ID], change: Change = "") -> Proposal:
    """Make a proposal of a comment's suggested lines, to be applied, changed or refused like any other.

    The lines that the comment quotes have to stand in the file as it is on disk.
    """
    return propose(bench, comment, change)


def propose(bench: Bench, comment: str, change: str) -> Proposal:
    """The proposal of a comment's suggested lines. Raises UsageError where it has none, or they fit nowhere."""
    found = bench.review.comment(change, comment)
    if found.suggestion is None or not found.file or not found.quoted:
        raise UsageError(f"Comment {comment} suggests no lines in the place of others.", comment=comment)
    proposal = bench.proposals.add(_proposal(bench, found, found.suggestion))
    bench.review.proposed(change, comment, proposal.id)
    return proposal


def _proposal(bench: Bench, comment: ReviewComment, suggestion: str) -> Proposal:
    """The write of the suggestion, rehearsed: what would fail now fails now."""
    first, last = _on_disk(bench, comment)
    read = bench.sources.read(comment.file, start=first, end=last)
    lock = bench.writing.lock(comment.file, purpose="rehearse a suggestion")
    arguments = {
        "object": comment.file, "token": read.token, "startLine": first, "endLine": last, "content": suggestion,
        "lockHandle": lock.lock_handle,
    }  # fmt: skip
    write = by_name(_WRITES)
    assert write is not None
    try:
        rehearsed = write.run(bench, arguments | {"dryRun": True})
    finally:
        bench.writing.unlock(comment.file, lock.lock_handle or "")
    by = actor()
    purpose = f"review comment {comment.id}: {comment.text}"[:300]
    return Proposal(
        id="", operation=_WRITES, arguments=arguments, object=comment.file, diff=rehearsed.diff,
        agent=comment.author or by.user, session=by.session, purpose=purpose, created_at=0,
    )  # fmt: skip


def _on_disk(bench: Bench, comment: ReviewComment) -> tuple[int, int]:
    """First and last line of what a comment quotes, in the file as it is on disk: the nearest to its line."""
    block = comment.quoted.split("\n")
    try:
        text = bench.reader.content(comment.file)[1]
        lines = bare_lines(text)
    except CodeCortexError:
        lines = []
    here = [at + 1 for at in range(len(lines) - len(block) + 1) if lines[at : at + len(block)] == block]
    if not here:
        message = (
            f"The lines that comment {comment.id} is about do not stand in {comment.file} as it is on disk."
        )
        raise UsageError(message, comment=comment.id, file=comment.file)
    first = min(here, key=lambda at: abs(at - (comment.line or at)))
    return first, first + len(block) - 1
