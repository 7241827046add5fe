"""Test runs as operations: which tests there are, and what came of running them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec

from services.errors import CodeCortexError, CommandRefused, UsageError
from services.model import Value
from services.operations.needs import to_run_tests
from services.operations.operation import RUNS, Faces, Param, Work, always, declare
from services.source.journal.actor import actor
from services.testing.values import TestFailure, TestPlace
from services.workspace import json_files

if TYPE_CHECKING:
    from services.bench import Bench
    from services.testing.test_files import RunnerTarget
    from services.testing.values import TestReport

FEATURE = "review.agent_tools"
"""The setting that agents are offered these tools by."""
_SMALL = 1_000_000
_LAST = "tests/last.json"
_FRAMEWORKS = ("xunit", "nunit", "mstest", "tunit", "fixie", "specflow", "reqnroll", "expecto")


class TestFramework(Value, kw_only=True, frozen=True):
    """Test project. `frameworks`: the packages that determine how its tests are written; `runner`: dotnet, pytest,
    vitest or jest; `command`: the line that runs its tests."""

    project: str
    path: str
    frameworks: tuple[str, ...]
    runner: str = ""
    command: str = ""


class TestFrameworks(Value, kw_only=True, frozen=True):
    """The test projects of the workspace."""

    projects: tuple[TestFramework, ...]


class TestRunAnswer(Value, kw_only=True, frozen=True):
    """Result of a test run. `success`: tests ran and all passed; `diff`: what was, or would be, run, where, and how it
    is isolated; `source`: trx, junit, json or console, which the counts were read from; `complete`: the runner ended by
    itself; `text`: the printed text; `exit` is None where nothing was run."""

    success: bool
    command: str
    diff: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[TestFailure, ...] = ()
    source: str = ""
    complete: bool = True
    notes: tuple[str, ...] = ()
    text: str = ""
    exit: int | None = None
    seconds: float = 0.0
    isolation: str = ""


@declare("DetectTestFramework", Faces("detect-test-framework", "test-projects", "projects"), feature=FEATURE)
def detect_test_framework(bench: Bench) -> TestFrameworks:
    """List the test projects with their frameworks, and the command that runs each."""
    return TestFrameworks(
        projects=tuple(
            TestFramework(
                project=each.name,
                path=each.path,
                frameworks=each.frameworks,
                runner=each.runner,
                command=each.command(),
            )
            for each in test_targets(bench)
        )
    )


@declare(
    "RunTests",
    Faces("run-tests", "run-tests"),
    effect=RUNS,
    index=to_run_tests,
    errors=(CommandRefused,),
    feature=FEATURE,
)
def run_tests(
    bench: Bench,
    command: Annotated[
        str,
        Param(
            "A whole command instead: `dotnet test PROJECT`, pytest, vitest or jest.",
            flag="--command",
            longest=20_000,
            is_text=always,
        ),
    ] = "",
    filter: Annotated[  # noqa: A002 (the name of the protocol)
        str, Param("Only tests whose names hold this.", words=True, longest=2_000, is_text=always)
    ] = "",
    project: Annotated[str, Param("Test project, where there are several.", flag="--project")] = "",
    dry_run: Annotated[bool, Param("Say what would be run, and run nothing.", flag="--dry-run")] = False,
    *,
    work: Work,
) -> TestRunAnswer:
    """Run tests, limited and journalled, and tell what passed and failed, each failure with its places.

    The runner is found by the test projects (see test-projects). Agents run tests as `agents.tests` has it.
    """
    from services.testing.test_files import chosen

    if not command:
        solutions = [each for each in bench.places.paths() if each.endswith((".sln", ".slnx"))]
        command = chosen(test_targets(bench), project, solutions).command(filter)
    elif filter or project:
        raise UsageError("A whole command takes neither a filter nor a project: put them into it.")
    plan = bench.asking.commands.plan(command)
    if not plan.tests:
        raise UsageError(f"{command!r} runs no tests. Write `dotnet test PROJECT`, or take run-command.")
    if dry_run:
        return TestRunAnswer(success=True, command=plan.command, diff=plan.text, isolation=plan.isolation)
    return _run(bench, command, plan.text, work)


def _run(bench: Bench, command: str, diff: str, work: Work) -> TestRunAnswer:
    from services.testing.reports import in_workspace, read_reports

    outcome = bench.asking.commands.run(command, by=str(actor()), results=True, cancel=work.cancel)
    report = in_workspace(read_reports(outcome.results, outcome.output), _path_of(bench))
    ended = outcome.why == "exited"
    notes = report.notes if ended else (*report.notes, f"The runner was stopped: {outcome.why}.")
    complete = report.complete and ended
    answer = TestRunAnswer(
        success=complete and report.is_green and outcome.exit == 0,
        command=outcome.command,
        diff=diff,
        passed=report.passed,
        failed=report.failed,
        skipped=report.skipped,
        failures=_shown(bench, report),
        source=report.source,
        complete=complete,
        notes=notes,
        text=bench.asking.mask(outcome.text),
        exit=outcome.exit,
        seconds=outcome.seconds,
        isolation=outcome.isolation,
    )
    with suppress(CodeCortexError):  # the run counts, not what is kept of it
        bench.state.write(_LAST, json_files.encode(msgspec.structs.replace(answer, text="")))
    return answer


def last_run(bench: Bench) -> TestRunAnswer | None:
    """The last test run in the workspace, by whichever door, without its printed text; None where none is known."""
    data = bench.state.read(_LAST)
    try:
        return json_files.decode(data, TestRunAnswer) if data is not None else None
    except ValueError:
        return None


def _shown(bench: Bench, report: TestReport) -> tuple[TestFailure, ...]:
    """Failures as models may read them, those without a place at the method that they name."""
    mask = bench.asking.mask
    return tuple(
        msgspec.structs.replace(
            each,
            message=mask(each.message),
            stack=mask(each.stack),
            places=each.places or _of_method(bench, each),
        )
        for each in report.failures
    )


def _of_method(bench: Bench, failure: TestFailure) -> tuple[TestPlace, ...]:
    text = failure.stack or (f"   at {failure.method}()" if failure.method else "")
    found = [each.symbol for each in bench.context.places(text) if each.symbol is not None] if text else []
    return tuple(TestPlace(file=each.file, line=each.start_line) for each in found[:1])


def _path_of(bench: Bench) -> Callable[[str], str | None]:
    """Paths that a runner wrote, from the root: those of files of the workspace, not of packages. What was built
    elsewhere (in a container) is found by its end."""
    root = os.path.realpath(bench.root)
    known = frozenset(bench.places.paths())

    def found(written: str) -> str | None:
        path = written.replace("\\", "/").removeprefix(f"{root}/")
        parts = [part for part in path.split("/") if part not in ("", ".")]
        ends = ("/".join(parts[at:]) for at in range(max(len(parts) - 1, 1)))
        return next((end for end in ends if end in known), None)

    return found


def test_targets(bench: Bench) -> list[RunnerTarget]:
    """The test projects of the workspace, .NET's first."""
    from services.index.symbols.test_names import names_tests
    from services.testing.test_files import DOTNET, RunnerTarget, script_targets

    found = list[RunnerTarget]()
    facade = bench.index.facade
    for at, project in enumerate(facade.projects()):
        info = facade.info(at)
        packages = info.packages if info is not None else ()
        named = sorted({each.name for each in packages if each.name.casefold().startswith(_FRAMEWORKS)})
        # Loose files make a project too, which nothing runs.
        if project.path.endswith("proj") and (named or names_tests(project.name)):
            found.append(RunnerTarget(project.name, project.path, DOTNET, tuple(named)))
    return [*found, *script_targets(bench.places.paths(), lambda path: small_text(bench, path))]


def small_text(bench: Bench, path: str) -> str | None:
    """The text of a small file; None where it cannot be read."""
    from services.workspace.text import decode

    try:
        return decode(bench.files.read(path, limit=_SMALL)[0]).content
    except CodeCortexError:
        return None
