"""The tools of a review server under the names that its clients know (002): thin doors to the other operations.

They are offered to agents where `review.agent_tools` is on, so that the list of tools stays short for all others.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from services.errors import (
    AmbiguousSymbol,
    CodeCortexError,
    CommandRefused,
    LineOutOfRange,
    ModelKeyError,
    NoModel,
    PathRefused,
    ReadOnly,
    RemoteError,
    SymbolNotFound,
    UsageError,
    WorkspaceError,
)
from services.model import SourceRange
from services.model.review import (
    FeatureList,
    FileText,
    FindingsAnswer,
    MergeRequest,
    NoticeAnswer,
    NumberedAnswer,
    PathAnswer,
    Publication,
    ReviewAnswer,
)
from services.operations.models.commands import RunAnswer, run_command
from services.operations.needs import Need
from services.operations.operation import (
    CURATES,
    PUBLISHES,
    RUNS,
    Faces,
    Param,
    Work,
    always,
    declare,
)
from services.operations.review.changes import CHANGE

if TYPE_CHECKING:
    from services.bench import Bench
    from services.review.api.compare import ApiChange
    from services.review.opened import OpenedChange
    from services.workspace.files.root import Root

FEATURE = "review.agent_tools"
"""The setting that agents are offered these tools by."""
_PATH = Param("A file, by its path from the workspace's root.")
_COMMAND = Param(
    "One program with its arguments, as a shell quotes them.", longest=20_000, is_text=always, words=True
)


@declare(
    "FetchDiffFromPhabricator",
    Faces("fetch-diff-from-phabricator", None),
    index=Need.NOTHING,
    errors=(RemoteError,),
    feature=FEATURE,
)
def fetch_diff_from_phabricator(
    bench: Bench, revision_id: Annotated[str, Param("Id of the revision, as D123 or 123.", is_text=always)]
) -> NumberedAnswer:
    """Fetch the last diff of a Phabricator or Phorge revision, numbered as comments name its lines."""
    number = revision_id.strip().upper().removeprefix("D")
    if not number.isdigit():
        raise UsageError(f"{revision_id!r} is no revision. Write D123.")
    return bench.review.numbered(f"D{number}")


@declare("FetchCommitChanges", Faces("fetch-commit-changes", None), index=Need.NOTHING, feature=FEATURE)
def fetch_commit_changes(
    bench: Bench, commit: Annotated[str, Param("A commit, a range, or `staged`.", is_text=always)] = "HEAD"
) -> NumberedAnswer:
    """Fetch what a commit, or a range of them, changes, numbered as comments name its lines."""
    return bench.review.numbered(commit)


@declare(
    "FetchFileContent",
    Faces("fetch-file-content", None),
    index=Need.NOTHING,
    errors=(PathRefused,),
    feature=FEATURE,
)
def fetch_file_content(
    bench: Bench,
    path: Annotated[str, _PATH],
    commit: Annotated[str, Param("A commit; HEAD where it is left out.", is_text=always)] = "HEAD",
) -> FileText:
    """Fetch a file as it is in a commit."""
    from services.workspace.text import decode

    text = decode(bench.changes.committed(commit, path))
    return FileText(
        path=path, commit=commit, content=bench.asking.mask(text.content), line_count=text.line_count
    )


@declare(
    "ReadSourceFile",
    Faces("read-source-file", None),
    errors=(PathRefused, LineOutOfRange, SymbolNotFound, AmbiguousSymbol),
    feature=FEATURE,
)
def read_source_file(
    bench: Bench,
    path: Annotated[str, _PATH],
    start_line: Annotated[int | None, Param("First line; 1 where it is left out.", least=1)] = None,
    end_line: Annotated[int | None, Param("Last line; the last where it is left out.", least=1)] = None,
) -> SourceRange:
    """Read lines of a source file as it is on disk."""
    return bench.sources.read(path, start=start_line, end=end_line)


@declare(
    "ResolvePath", Faces("resolve-path", None), index=Need.NOTHING, errors=(PathRefused,), feature=FEATURE
)
def resolve_path(bench: Bench, path: Annotated[str, _PATH]) -> PathAnswer:
    """Show the form of a path from the workspace's root, and what is there."""
    from services.workspace.files.root import Root

    with Root.open(bench.root) as root:
        found = root.normalise(path)
        return PathAnswer(path=found, is_file=_is_file(root, found), is_folder=_is_folder(root, found))


def _is_file(root: Root, path: str) -> bool:
    try:
        root.stat(path)
    except WorkspaceError:
        return False
    return True


def _is_folder(root: Root, path: str) -> bool:
    try:
        os.close(root.open_folder(path))
    except OSError:
        return False
    return True


@declare("AnalyzeCodeQuality", Faces("analyze-code-quality", None), errors=(RemoteError,), feature=FEATURE)
def analyze_code_quality(bench: Bench, change: Annotated[str, CHANGE] = "", *, work: Work) -> FindingsAnswer:
    """Find what can be found of a change without a model: breaks of the public API, callers that did not follow, likely
    secrets, conflict markers, debris."""
    opened = bench.review.open(change, cancel=work.cancel)
    found, why = bench.review.analyzed(opened, cancel=work.cancel)
    chosen = tuple(each for each in found if each.kind != "tests")
    return FindingsAnswer(title=opened.title, findings=chosen, not_looked_up=why)


@declare("AnalyzeFeatureList", Faces("analyze-feature-list", None), errors=(RemoteError,), feature=FEATURE)
def analyze_feature_list(bench: Bench, change: Annotated[str, CHANGE] = "", *, work: Work) -> FeatureList:
    """List the features of a change: the subjects of its commits, and its public API."""
    opened = bench.review.open(change, cancel=work.cancel)
    api = bench.review.api(opened, cancel=work.cancel)
    return FeatureList(
        title=opened.title,
        commits=_subjects(bench, opened),
        added=_signatures(api.added),
        changed=_signatures(api.changed),
        removed=_signatures(api.removed),
    )


@declare(
    "GenerateReviewComments",
    Faces("generate-review-comments", None),
    effect=CURATES,
    errors=(RemoteError, NoModel, ReadOnly),
    feature=FEATURE,
)
def generate_review_comments(
    bench: Bench,
    change: Annotated[str, CHANGE] = "",
    by_model: Annotated[bool, Param("Have the model that is set up comment too.")] = False,
) -> ReviewAnswer:
    """Put comments into the review of a change: of what is found without a model, and of the model where wanted."""
    from services.review.agent import ReviewTask

    task = ReviewTask(change=change, by_model=by_model, budget=bench.settings.window.budget)
    done = bench.ops.run(bench.review_agent.start(task).op_id)
    if done.error is not None:
        raise UsageError(str(done.error.get("message", "The review was not finished.")))
    return bench.review.review(change)


@declare(
    "RunCommandTool",
    Faces("run-command", None),
    effect=RUNS,
    index=Need.NOTHING,
    errors=(CommandRefused,),
    feature=FEATURE,
)
def run_command_tool(
    bench: Bench,
    command: Annotated[str, _COMMAND._replace(words=False)],
    dry_run: Annotated[bool, Param("Say what would be run, and run nothing.")] = False,
    *,
    work: Work,
) -> RunAnswer:
    """Run one program of a list without a shell: isolated, limited, journalled, as the settings let agents."""
    return run_command.function(bench, command=command, dry_run=dry_run, work=work)


@declare(
    "PublishComments",
    Faces("publish-comments", None),
    effect=PUBLISHES,
    index=Need.NOTHING,
    errors=(RemoteError,),
    feature=FEATURE,
)
def publish_comments(
    bench: Bench,
    change: Annotated[str, CHANGE],
    send: Annotated[bool, Param("Send them; without, only what would be sent is shown.")] = False,
    *,
    work: Work,
) -> Publication:
    """Send the accepted comments of a review to the server of the change; nothing is sent twice."""
    return bench.review.publish(change, "server", preview=not send, cancel=work.cancel)


@declare(
    "CreateMergeRequest",
    Faces("create-merge-request", None),
    effect=PUBLISHES,
    index=Need.NOTHING,
    errors=(RemoteError,),
    feature=FEATURE,
)
def create_merge_request(
    bench: Bench,
    project: Annotated[str, Param("`github:owner/name` or `gitlab:group/name`.", is_text=always)],
    *,
    source: Annotated[str, Param("Branch with the change, as it is on the server.", is_text=always)],
    title: Annotated[str, Param("What it is called.", longest=400, is_text=always)],
    target: Annotated[str, Param("Branch that it is for.", is_text=always)] = "main",
    description: Annotated[str, Param("What it is about.", longest=60_000, is_text=always)] = "",
    files: Annotated[
        tuple[str, ...], Param("Files written by write-test-file, to push to the branch as one commit.")
    ] = (),
    base: Annotated[str, Param("Commit that this one is put on; HEAD.", is_text=always)] = "HEAD",
    send: Annotated[bool, Param("Send it; without, only what would be sent is shown.")] = False,
) -> MergeRequest:
    """Open a merge request on GitHub or GitLab. One that is open for the branch already is answered, not doubled.

    With files, the branch is made of them and pushed; index, work tree and local branches stay as they are.
    """
    told = MergeRequest(project=project, title=title, source=source, target=target, preview=not send)
    content = _own_tests(bench, files)
    if not send:
        return told
    return bench.review.request(told, bench.asking.mask(description), base=base, files=content)


def _own_tests(bench: Bench, files: Sequence[str]) -> dict[str, bytes]:
    """The content of test files that this program wrote. Raises UsageError for any other, FileMissing."""
    from services.testing.test_files import WrittenTests

    record = WrittenTests(bench.state)
    found = {path: bench.files.read(path, limit=4_000_000)[0] for path in map(bench.files.normalise, files)}
    for path, content in found.items():
        record.require_own(path, content)
    return found


@declare("Notify", Faces(None, None), effect=PUBLISHES, index=Need.NOTHING, errors=(RemoteError,))
def notify(
    bench: Bench,
    key: Annotated[str, Param("Name by which its receiver knows it again.", longest=400, is_text=always)],
    text: Annotated[str, Param("What is told, as JSON.", longest=60_000, is_text=always)],
) -> NoticeAnswer:
    """Tell the address of the settings (`workflow.notify`) how a workflow ended."""
    from services.agents.agents import send_notice
    from services.llm.profiles import key_of

    settings = bench.settings.workflow
    try:
        secret = key_of(settings.notify_secret)
    except ModelKeyError:
        secret = ""
    return NoticeAnswer(status=send_notice(settings.notify, secret, key, bench.asking.mask(text)))


def _signatures(changes: Sequence[ApiChange]) -> tuple[str, ...]:
    symbols = (each.after or each.before for each in changes)
    return tuple(symbol.signature for symbol in symbols if symbol is not None)


def _subjects(bench: Bench, opened: OpenedChange) -> tuple[str, ...]:
    """The subjects of the commits of a range, the last first; the title of what is on a server."""
    if opened.source.remote is not None:
        return (opened.source.remote.title,)
    try:
        return tuple(each.subject for each in bench.changes.between(opened.set.old, opened.set.new))
    except CodeCortexError:
        return ()
