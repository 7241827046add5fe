"""Changes, diffs and reviews as text for a person at a shell."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from services.model.review import (
    ChangesAnswer,
    CommentList,
    CommentsAnswer,
    CommitRow,
    CommitsAnswer,
    DiffFile,
    DiffPack,
    DroppedComment,
    Finding,
    Interdiff,
    InterdiffFile,
    MatrixRow,
    NumberedAnswer,
    Publication,
    ReviewAnswer,
    ReviewComment,
    TestCases,
    TestMatrixAnswer,
    TestsAnswer,
)
from widgets.format.display import visible
from workbench.shell.text.render import Look, counted, render


@render.register
def _(result: ChangesAnswer, look: Look) -> str:
    if any(file.diff for file in result.files):
        return "".join(f"{look.source(file.diff)}\n" for file in result.files)
    size = f"{counted(len(result.files), 'file')} +{result.added} -{result.deleted}"
    return f"{look.bold(visible(result.title))}  {size}\n" + "".join(
        render(file, look) for file in result.files
    )


@render.register
def _(result: DiffFile, look: Look) -> str:
    if result.diff:
        return f"{look.source(result.diff)}\n"
    lines = "" if result.added is None else f"+{result.added} -{result.deleted}"
    moved = f" from {visible(result.old_path)}" if result.old_path else ""
    said = "binary" if result.binary else visible(result.note)
    return f"{result.status:10} {visible(result.path)}{moved}  {look.dim(f'{lines} {said}'.strip())}\n"


@render.register
def _(result: NumberedAnswer, look: Look) -> str:
    return look.source(result.text)


@render.register
def _(result: CommitsAnswer, look: Look) -> str:
    return "".join(render(commit, look) for commit in result.commits) or look.dim("There are no commits.\n")


@render.register
def _(result: CommitRow, look: Look) -> str:
    when = datetime.fromtimestamp(result.at / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
    refs = f" ({visible(result.refs)})" if result.refs else ""
    return f"{look.bold(result.short)}  {when}  {visible(result.subject)}{refs}  {look.dim(visible(result.author))}\n"


@render.register
def _(result: ReviewAnswer, look: Look) -> str:
    review, progress = result.review, result.progress
    lines = [f"{look.bold(visible(review.title or review.change))}  {review.id}"]
    lines.append(
        f"{progress.reviewed} of {counted(progress.hunks, 'hunk')} reviewed, "
        f"{progress.files_reviewed} of {counted(progress.files, 'file')}"
    )
    if progress.next_file is not None:
        lines.append(f"next: {visible(progress.next_file)}:{progress.next_line or 1}")
    if review.summary:
        lines += ["", look.source(review.summary)]
    if result.not_looked_up:
        lines += ["", look.bold(f"The code was not looked up: {visible(result.not_looked_up)}")]
    text = "\n".join(lines) + "\n"
    text += "".join(render(comment, look) for comment in review.comments)
    if review.dropped:
        text += look.dim(
            f"{counted(len(review.dropped), 'comment')} dropped: see its file, reviews/{review.id}.md\n"
        )
    return text + "".join(render(finding, look) for finding in result.findings)


@render.register
def _(result: ReviewComment, look: Look) -> str:
    place = f"{visible(result.file)}:{result.line}" if result.line else visible(result.file) or "on the whole"
    flags = " (its lines are gone)" if result.outdated else ""
    head = f"{look.bold(result.id)}  {place}  {result.severity}, {result.state}{flags}  "
    note = f"\n    {look.dim(visible(result.note))}" if result.note else ""
    return (
        f"{head}{look.dim(visible(result.author or result.author_kind))}\n    {visible(result.text)}{note}\n"
    )


@render.register
def _(result: DroppedComment, look: Look) -> str:
    place = f"{visible(result.comment.file)}:{result.comment.line or '?'}"
    return f"dropped  {place}  {visible(result.comment.text)}\n    {look.dim(visible(result.reason))}\n"


@render.register
def _(result: CommentsAnswer, look: Look) -> str:
    text = "".join(render(each, look) for each in (*result.taken, *result.dropped))
    return f"{text}{counted(len(result.taken), 'comment')} taken, {len(result.dropped)} dropped.\n"


@render.register
def _(result: CommentList, look: Look) -> str:
    text = "".join(render(each, look) for each in result.comments)
    return text or look.dim("There are no such comments.\n" if result.total else "There are no comments.\n")


@render.register
def _(result: TestsAnswer, look: Look) -> str:
    rows = "".join(f"{each.calls:4}  {visible(each.path)}\n" for each in result.tests)
    return rows if result.whole else rows + look.dim("Not all that leads there was looked at.\n")


@render.register
def _(result: TestMatrixAnswer, look: Look) -> str:
    rows = "".join(render(each, look) for each in result.rows) or look.dim(
        "Nothing that tests could reach.\n"
    )
    return rows + (look.dim(f"{visible(result.not_looked_up)}\n") if result.not_looked_up else "")


@render.register
def _(result: MatrixRow, look: Look) -> str:
    unknown = "no test was found, and not all that leads there was looked at"
    none = "" if result.tests else look.dim(f"  {'no test' if result.whole else unknown}")
    head = f"{look.bold(visible(result.member))}  {visible(result.file)}:{result.line}{none}\n"
    ways = ((each, "".join(f" → {visible(name)}" for name in each.way)) for each in result.tests)
    return head + "".join(f"{test.calls:4}  {visible(test.path)}{look.dim(way)}\n" for test, way in ways)


@render.register
def _(result: TestCases, look: Look) -> str:
    return f"{look.source(result.text or result.prompt)}\n"


@render.register
def _(result: Finding, look: Look) -> str:
    place = f"{visible(result.file)}:{result.line}" if result.line else visible(result.file)
    more = "".join(f"    {visible(each)}\n" for each in result.places)
    return f"{result.severity:10} {place}  [{result.kind}] {visible(result.text)}\n{look.dim(more) if more else ''}"


@render.register
def _(result: Interdiff, look: Look) -> str:
    if not result.looked_at:
        return look.dim("Nothing of it was marked as reviewed yet: all of it is new.\n")
    return "".join(render(file, look) for file in result.files)


@render.register
def _(result: InterdiffFile, look: Look) -> str:
    return f"{result.status:8} {visible(result.path)}\n" + "".join(_lines(result, look))


def _lines(file: InterdiffFile, look: Look) -> Iterator[str]:
    return (f"  {look.source(line)}\n" for line in file.lines)


@render.register
def _(result: DiffPack, look: Look) -> str:
    return look.source(result.text)


@render.register
def _(result: Publication, look: Look) -> str:
    if result.target in ("markdown", "sarif"):
        return look.source(result.text if result.text.endswith("\n") else f"{result.text}\n")
    done = f"{counted(len(result.published), 'comment')} published: {visible(result.address)}\n"
    shown = f"{look.source(result.text)}\n\n{look.dim('Nothing was sent: this is what --send sends.')}\n"
    return shown if result.preview else done
