"""Tools for tests of a change: the matrix, the prompt for what is missing, and the file that is written (002)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from services.errors import FileMissing, NoModel, PathRefused, ReadOnly, RemoteError, WorkspaceError
from services.model.review import MatrixRow, ReachingTest, TestCases, TestMatrixAnswer
from services.model.writes import WriteAnswer
from services.operations.models.testing import FEATURE, small_text, test_targets
from services.operations.operation import CHANGES, Faces, Param, Work, always, declare
from services.operations.review.changes import CHANGE
from services.operations.review.reviews import reaching

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.writes import ChangeAnswer
    from services.review.opened import OpenedChange
    from services.testing.test_files import RunnerTarget

_ASKS_FOR_TESTS = """\
Write tests for what is listed below, which no test reaches yet, in the test framework and the style of the tests that
are shown. Answer with whole new files, each in a fence, its path on the line above. Write into these test projects
alone, and over no file that is there:
"""
_MOST_BYTES = 1_000_000


@declare(
    "AnalyzeTestMatrix",
    Faces("analyze-test-matrix", "test-matrix", "rows"),
    errors=(RemoteError,),
    feature=FEATURE,
)
def analyze_test_matrix(
    bench: Bench, change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "", *, work: Work
) -> TestMatrixAnswer:
    """List the tests that reach each member of a change, and through which members; of other languages than C#, the
    test files that name each file of it."""
    opened = bench.review.open(change, cancel=work.cancel)
    why, rows = "", list[MatrixRow]()
    if any(file.is_code for file in opened.analyzed):
        try:
            rows = [
                MatrixRow(
                    member=each.member.path,
                    file=each.member.file,
                    line=each.member.start_line,
                    tests=reaching(each.tests),
                    whole=each.whole,
                )
                for each in bench.review.matrix(change, cancel=work.cancel)
            ]
        except WorkspaceError as error:
            why = error.message
    return TestMatrixAnswer(title=opened.title, rows=(*rows, *_script_rows(bench, opened)), not_looked_up=why)


def _script_rows(bench: Bench, opened: OpenedChange) -> Iterator[MatrixRow]:
    from services.testing.test_files import is_script, naming, target_of

    changed = [each.path for each in opened.set.files if is_script(each.path) and each.status != "deleted"]
    if not changed:
        return
    targets = test_targets(bench)
    tests = [each for each in sorted(bench.places.paths()) if is_script(each) and target_of(each, targets)]
    for path in changed:
        if target_of(path, targets) is None:
            found = naming(path, tests, lambda each: small_text(bench, each))
            reached = tuple(ReachingTest(path=each, calls=0) for each in found)
            yield MatrixRow(member=path, file=path, tests=reached, how="names")


@declare(
    "GenerateTestCases",
    Faces("generate-test-cases", "test-cases"),
    errors=(RemoteError, NoModel),
    feature=FEATURE,
)
def generate_test_cases(
    bench: Bench,
    change: Annotated[str, CHANGE._replace(flag=None, short=None)] = "",
    by_model: Annotated[bool, Param("Have the model that is set up write them.", flag="--by-model")] = False,
    *,
    work: Work,
) -> TestCases:
    """Make the prompt for tests of what no test reaches, to be copied into a chat; or have the model answer it.

    The answer is text: `paste` takes it as a change of files, an agent writes each with write-test-file.
    """
    untested = analyze_test_matrix.function(bench, change, work=work).untested
    named = tuple(f"{each.member} ({each.file}:{each.line})" for each in untested)
    projects = tuple(_described(each) for each in test_targets(bench))
    pack = bench.review.pack(
        change,
        budget=bench.settings.window.budget,
        instructions=_instructions(projects, named),
        cancel=work.cancel,
    )
    text = _asked(bench, pack.text, work) if by_model and untested else ""
    return TestCases(untested=named, prompt=pack.text, projects=projects, text=text)


def _described(target: RunnerTarget) -> str:
    return f"{target.path} ({', '.join(target.frameworks) or target.runner})"


def _instructions(projects: Sequence[str], untested: Sequence[str]) -> str:
    where = "".join(f"- {each}\n" for each in projects) or "- (there is no test project yet)\n"
    what = "".join(f"- {each}\n" for each in untested) or "- (each changed member is reached by a test)\n"
    return f"{_ASKS_FOR_TESTS}{where}\nNot reached by a test:\n{what}"


def _asked(bench: Bench, prompt: str, work: Work) -> str:
    from services.llm.client import gathered
    from services.llm.values import ChatMessage

    messages = [ChatMessage(role="user", content=prompt)]
    with work.yield_slot():
        return gathered(bench.asking.model().complete(messages, cancel=work.cancel)).content


@declare(
    "WriteTestFile",
    Faces("write-test-file", None),
    effect=CHANGES,
    errors=(PathRefused, ReadOnly),
    feature=FEATURE,
)
def write_test_file(
    bench: Bench,
    path: Annotated[str, Param("A test file, by its path from the workspace's root.")],
    content: Annotated[str, Param("The whole text.", is_text=always, longest=_MOST_BYTES)],
    dry_run: Annotated[bool, Param("Only answer the diff.")] = False,
) -> WriteAnswer:
    """Write a file of a test project, whole. A file anywhere else, and one that this tool did not write or that was
    changed since, is refused."""
    from services.source.write.file_edits import FileEdit
    from services.testing.test_files import WrittenTests, target_of, unknown_target
    from services.workspace.text import decode

    path = bench.files.normalise(path)
    targets = test_targets(bench)
    named = {each.path for each in targets}
    others = [each.path for each in bench.index.facade.projects() if each.path not in named]
    if target_of(path, targets, others) is None:
        raise unknown_target(path, targets)
    record = WrittenTests(bench.state)
    before = _there(bench, path)
    record.require_own(path, before)
    after = content.encode("utf-8", "surrogateescape")
    if not dry_run:
        record.note(path, before, after)
    edit = FileEdit(path, decode(before) if before is not None else None, after)
    done = bench.writing.write_edits([edit], rehearse=dry_run)
    bench.places.list_again()
    return _as_write(path, content, done)


def _there(bench: Bench, path: str) -> bytes | None:
    try:
        return bench.files.read(path, limit=_MOST_BYTES * 4)[0]
    except FileMissing:
        return None


def _as_write(path: str, content: str, done: ChangeAnswer) -> WriteAnswer:
    file = next(iter(done.files), None)
    lines = file.line_count if file is not None else content.count("\n")
    return WriteAnswer(
        object=path,
        file=path,
        updated=file is not None,
        line_count=lines,
        old_range=(1, lines if file is None else 0),
        new_range=(1, lines),
        timestamp=done.timestamp,
        token=(file.token if file is not None else "") or "",
        diff=file.diff if file is not None else "",
    )
