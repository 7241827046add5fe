"""Operations on change sets: their files, diffs, and commits (SPEC section 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import RemoteError
from services.model.review import ChangesAnswer, CommitRow, CommitsAnswer, DiffFile, NumberedAnswer
from services.operations.needs import Need
from services.operations.operation import Faces, Param, declare

if TYPE_CHECKING:
    from services.bench import Bench
    from services.review.opened import OpenedChange

FEATURE = "review.tools"
"""The setting that agents are offered these operations by."""
CHANGE = Param(
    "What changed: nothing for the working tree, `staged`, a commit, `A..B`, `A...B`, `patch:FILE`, the text of a "
    "diff, `clipboard`, `D123`, `github:owner/name#1`, `gitlab:group/name!1`, or the address of one of these; `-`: the "
    "text of a diff from stdin.",
    flag="--change",
    short="-c",
    piped=True,
    is_text=lambda _: True,
)
Change = Annotated[str, CHANGE]
FILES = Param(
    "Files of the change, by path or the end of one; all of them where none is named.",
    flag="--file",
    name="files",
)


@declare(
    "ListChanges",
    Faces("list_changes", "changes", "files"),
    index=Need.NOTHING,
    errors=(RemoteError,),
    feature=FEATURE,
)
def list_changes(
    bench: Bench, change: Annotated[str, CHANGE._replace(flag=None, short=None)] = ""
) -> ChangesAnswer:
    """List the files of a change set with their status and lines, without the lines themselves."""
    return _answer(bench.review.open(change), with_lines=False)


@declare(
    "GetDiff", Faces("get_diff", "diff", "files"), index=Need.NOTHING, errors=(RemoteError,), feature=FEATURE
)
def get_diff(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    files: Annotated[tuple[str, ...], FILES] = (),
) -> ChangesAnswer:
    """Show a change set as a unified diff, file by file."""
    return _answer(bench.review.open(change), with_lines=True, paths=files)


@declare(
    "GetNumberedDiff",
    Faces("get_numbered_diff", "numbered-diff"),
    index=Need.NOTHING,
    errors=(RemoteError,),
    feature=FEATURE,
)
def get_numbered_diff(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    files: Annotated[tuple[str, ...], FILES] = (),
) -> NumberedAnswer:
    """Show a change set with a number before each line of the new side, as comments name them.

    `NEW_LINE_13: + text` is an added line, `NEW_LINE_12: text` one that stayed, `DELETED (was line 14): - text` one
    that is gone: it has no number on the new side, and no comment belongs to it.
    """
    return bench.review.numbered(change, files)


@declare("ListCommits", Faces("list_commits", "log", "commits"), index=Need.NOTHING, feature=FEATURE)
def list_commits(
    bench: Bench,
    limit: Annotated[
        int, Param("Most commits to list.", flag="--limit", short="-n", least=1, most=1_000)
    ] = 20,
    skip: Annotated[int, Param("Commits to leave out before.", flag="--skip", least=0)] = 0,
) -> CommitsAnswer:
    """List the commits of the workspace's folder, the last one first."""
    rows = bench.changes.commits(most=limit, skip=skip)
    return CommitsAnswer(
        commits=tuple(
            CommitRow(
                id=each.id,
                short=each.short,
                author=each.author,
                at=each.at,
                subject=each.subject,
                refs=each.refs,
            )
            for each in rows
        )
    )


def _answer(opened: OpenedChange, *, with_lines: bool, paths: tuple[str, ...] = ()) -> ChangesAnswer:
    from services.review.packing import unified_lines

    chosen = [opened.file(path) for path in paths] if paths else opened.set.files
    files = tuple(
        DiffFile(
            path=change.path, old_path=change.old_path, status=change.status, added=change.added,
            deleted=change.deleted, binary=change.binary, note=change.note,
            diff="\n".join(unified_lines(change, opened.hunks(change))) if with_lines else "",
        )
        for change in chosen
    )  # fmt: skip
    return ChangesAnswer(
        title=opened.title, old=opened.set.old, new=opened.set.new, new_side=opened.source.new_side,
        signature=opened.set.signature, files=files, added=sum(each.added or 0 for each in files),
        deleted=sum(each.deleted or 0 for each in files),
    )  # fmt: skip
