"""Operations on reviews: comments, marks, what is found without a model, packs, publishing (SPEC section 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from services.errors import AmbiguousSymbol, NoModel, ReadOnly, RemoteError, SymbolNotFound
from services.model.review import (
    CommentsAnswer,
    CommentState,
    DiffPack,
    Interdiff,
    Publication,
    ReachingTest,
    ReviewAnswer,
    ReviewComment,
    Severity,
    TestsAnswer,
)
from services.operations.needs import Need, to_analyze
from services.operations.operation import CURATES, DECIDES, PUBLISHES, Faces, Param, Work, always, declare
from services.operations.review.changes import CHANGE, FEATURE, Change
from services.operations.symbols import Path
from services.ops.jobs import Op

if TYPE_CHECKING:
    from services.bench import Bench

_FILE = Param("A file of the change, by its path or the end of it; nothing for the change as a whole.")
COMMENT_ID = Param("Id of a comment, as the review lists it.")
SEVERITIES = tuple(each.value for each in Severity)


@declare(
    "Review", Faces("review", "review", "findings"), index=to_analyze, errors=(RemoteError,), feature=FEATURE
)
def review(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    analyze: Annotated[bool, Param("With what is found without a model.", flag="--analyze")] = False,
    *,
    work: Work,
) -> ReviewAnswer:
    """Show the review of a change: comments where their lines are now, marks, progress, the next hunk to look at.

    `analyze` adds what is found without a model, each with its places: changes of the public API and what of them
    breaks, callers that did not change with it, tests that reach what changed, likely secrets, conflict markers, and
    what was left over.
    """
    return bench.review.review(change, analyze=analyze, cancel=work.cancel)


def reaching(tests: Mapping[str, tuple[str, ...]]) -> tuple[ReachingTest, ...]:
    """The tests of a matrix, the nearest first."""
    rows = sorted(tests.items(), key=lambda each: (len(each[1]), each[0]))
    return tuple(ReachingTest(path=test, calls=len(way), way=way) for test, way in rows)


@declare("FindTests", Faces(None, "tests", "tests"), errors=(SymbolNotFound, AmbiguousSymbol))
def find_tests(bench: Bench, path: Path, *, work: Work) -> TestsAnswer:
    """Find the tests that reach a type or member, by calling it or what calls it."""
    from services.review.analysis.matrix import TestMatrix
    from services.review.analysis.symbols import Code

    found, index = bench.lookup.found(path), bench.index.facade
    bench.index.relate(cancel=work.cancel)
    members = (
        [each for each in found.whole.members if not each.implicit]
        if found.member is None
        else [found.member]
    )
    refs = [index.describer.refs.member_ref(found.whole, each) for each in members]
    reached: dict[str, tuple[str, ...]] = {}
    whole = True
    for reach in TestMatrix(Code(index, (), cancel=work.cancel)).of(refs):
        whole = whole and reach.whole
        for test, way in reach.tests.items():
            reached[test] = min(way, reached.get(test, way), key=len)
    return TestsAnswer(
        resolved=bench.lookup.resolve(path).resolved,
        tests=reaching(reached),
        whole=whole,
    )


@declare(
    "AddComment",
    Faces("add_comment", "comment"),
    effect=CURATES,
    index=Need.NOTHING,
    errors=(ReadOnly,),
    feature=FEATURE,
)
def add_comment(
    bench: Bench,
    text: Annotated[str, Param("What is to be said.", longest=20_000, is_text=always)],
    *,
    file: Annotated[str, _FILE._replace(flag="--file")] = "",
    line: Annotated[int | None, Param("Line of the new side.", flag="--line", least=1)] = None,
    end_line: Annotated[int | None, Param("Last line, of several.", flag="--end-line", least=1)] = None,
    severity: Annotated[
        str, Param("How much it matters.", flag="--severity", choices=SEVERITIES)
    ] = "suggestion",
    category: Annotated[str, Param("A word for its kind.", flag="--category", is_text=always)] = "",
    quoted: Annotated[
        str, Param("The code that is meant, by which the line is checked.", flag="--quoted", is_text=always)
    ] = "",
    suggestion: Annotated[
        str | None, Param("Lines to put in the place of those.", flag="--suggestion", is_text=always)
    ] = None,
    change: Change = "",
) -> CommentsAnswer:
    """Add a comment to the review of a change.

    The line has to be one of the new side that the change shows (`NEW_LINE_n` of its numbered diff); where the quoted
    code stands at exactly one other such line, it is put there.
    """
    made = ReviewComment(
        file=file, line=line, end_line=end_line, severity=Severity(severity), category=category, text=text,
        quoted=quoted, suggestion=suggestion,
    )  # fmt: skip
    return bench.review.add(change, made)


@declare(
    "PasteComments",
    Faces("paste_comments", "paste-comments", "taken"),
    effect=CURATES,
    index=Need.NOTHING,
    errors=(ReadOnly,),
    feature=FEATURE,
)
def paste_comments(
    bench: Bench,
    text: Annotated[
        str,
        Param(
            "What a model answered to a diff pack; `-`: from stdin.",
            longest=2_000_000,
            piped=True,
            awaited=True,
            is_text=always,
        ),
    ],
    change: Change = "",
    model: Annotated[str, Param("Name of the model.", flag="--model", is_text=always)] = "",
) -> CommentsAnswer:
    """Take the comments that a model answered, each checked against the lines that it quotes.

    Those whose line is wrong are put where what they quote stands; those that belong to no line are dropped, and kept
    with the reason.
    """
    return bench.review.paste(change, text, model=model)


@declare("DecideComment", Faces(None, "decide-comment"), effect=DECIDES, index=Need.NOTHING, feature=FEATURE)
def decide_comment(
    bench: Bench,
    comment: Annotated[str, COMMENT_ID],
    state: Annotated[str, Param("What becomes of it.", choices=("accepted", "refused", "draft"))],
    text: Annotated[str | None, Param("Other words for it.", flag="--text", is_text=always)] = None,
    change: Change = "",
) -> ReviewAnswer:
    """Accept or refuse a comment, in other words if need be. Those that are accepted are published."""
    decided = CommentState.EDITED if text is not None and state == "accepted" else CommentState(state)
    return bench.review.decide(change, comment, decided, text=text)


@declare("MarkReviewed", Faces(None, "reviewed"), effect=DECIDES, index=Need.NOTHING, feature=FEATURE)
def mark_reviewed(
    bench: Bench,
    file: Annotated[str, _FILE],
    line: Annotated[
        int | None, Param("A line of the hunk; the whole file without.", flag="--line", least=1)
    ] = None,
    undo: Annotated[bool, Param("Take the mark away.", flag="--undo")] = False,
    change: Change = "",
) -> ReviewAnswer:
    """Mark a file, or one hunk of it, as looked at. The mark falls where the hunk changes."""
    return bench.review.mark(change, file, line, reviewed=not undo)


@declare(
    "SummarizeReview",
    Faces("summarize_review", "summarize-review"),
    effect=CURATES,
    index=Need.NOTHING,
    feature=FEATURE,
)
def summarize_review(
    bench: Bench,
    text: Annotated[str, Param("The words on the whole.", longest=20_000, is_text=always)],
    change: Change = "",
) -> ReviewAnswer:
    """Write the summary of a review."""
    return bench.review.summarize(change, text)


@declare(
    "GetInterdiff",
    Faces("get_interdiff", "interdiff", "files"),
    index=Need.NOTHING,
    errors=(RemoteError,),
    feature=FEATURE,
)
def get_interdiff(
    bench: Bench, change: Annotated[str, CHANGE._replace(flag=None, short=None)] = ""
) -> Interdiff:
    """List what changed of a change since it was last looked at: since a hunk of it was last marked."""
    return bench.review.since(change)


@declare("PackDiff", Faces("pack_diff", "pack-diff"), errors=(RemoteError,), feature=FEATURE)
def pack_diff(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    budget: Annotated[
        int | None, Param("Tokens; the window's where it is left out.", flag="--budget", least=200)
    ] = None,
    *,
    work: Work,
) -> DiffPack:
    """Make one text of a change with what it needs, for a model to review: what it answers is pasted back.

    The numbered diff, the members around what changed, who uses them, the tests that reach them, within a budget;
    likely secrets are masked.
    """
    return bench.review.pack(change, budget=budget or bench.settings.window.budget, cancel=work.cancel)


@declare(
    "RunReviewAgent",
    Faces("run_review_agent", "review-agent"),
    effect=PUBLISHES,
    errors=(RemoteError, NoModel, ReadOnly),
    feature=FEATURE,
)
def run_review_agent(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    by_model: Annotated[bool, Param("Have the model that is set up comment too.", flag="--by-model")] = False,
    publish: Annotated[
        bool, Param("Accept the comments, and send them to the server of the change.", flag="--publish")
    ] = False,
    wait: Annotated[bool, Param("Do it here and now.", flag="--wait")] = False,
) -> Op:
    """Review a change as an operation that lasts: fetch, analyze, comment, and publish where wanted.

    Without a model the comments are those blockers and warnings that are found without one. A run that was broken off
    goes on at the step where it was; nothing is asked or sent twice.
    """
    from services.review.agent import ReviewTask

    budget = bench.settings.window.budget
    op = bench.review_agent.start(
        ReviewTask(change=change, by_model=by_model, publish=publish, budget=budget)
    )
    return bench.ops.run(op.op_id) if wait else op


@declare(
    "PublishReview",
    Faces("publish_review", "publish-review"),
    effect=PUBLISHES,
    index=to_analyze,
    errors=(RemoteError,),
    feature=FEATURE,
)
def publish_review(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    to: Annotated[
        str,
        Param(
            "Where to: the server that holds the change, or text.",
            flag="--to",
            choices=("server", "markdown", "sarif"),
        ),
    ] = "server",
    send: Annotated[
        bool, Param("Send it; without, only what would be sent is shown.", flag="--send")
    ] = False,
    *,
    work: Work,
) -> Publication:
    """Hand on the comments that were accepted: to GitHub, GitLab or Phabricator, as Markdown, or as SARIF 2.1.

    Without `send` nothing leaves the machine. What broke off is finished by the next call, and nothing is sent twice.
    """
    return bench.review.publish(change, to, preview=not send, cancel=work.cancel)
