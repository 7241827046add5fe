"""Output of `dotnet test` where no results file has it: compiler errors, aborted runs, and counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from services.testing.values import HANG, TestFailure, TestPlace, TestReport

_COMPILER = re.compile(
    r"^[ \t]*(?P<file>[^\r\n(]{1,400})\((?P<line>\d{1,9})(?:,\d{1,9}){0,3}\): error (?P<code>[A-Z]{2,8}\d{1,6}): "
    r"(?P<message>[^\r\n]{1,2000}?)(?: \[[^\r\n\[\]]{1,400}\])?[ \t]*\r?$",
    re.MULTILINE,
)
_COUNTS = re.compile(
    r"^[ \t]*(?P<kind>Passed|Failed|Skipped|succeeded|failed|skipped): (?P<count>\d{1,9})\b", re.MULTILINE
)
_LINE = re.compile(
    r"Failed:[ ]+(?P<failed>\d{1,9}), Passed:[ ]+(?P<passed>\d{1,9}), Skipped:[ ]+(?P<skipped>\d{1,9})"
)
_RUNNING = re.compile(
    r"^The tests? running when the crash occurred:[ \t]*\r?\n(?P<names>(?:[^\r\n]+\r?\n?){1,50})",
    re.MULTILINE,
)
_ABORTED = re.compile(
    r"^(?:The active test run was aborted\.[^\r\n]{0,500}|Test Run Aborted\.)", re.MULTILINE
)
_NO_MATCH = re.compile(r"^No test matches the given testcase filter|^Zero tests ran", re.MULTILINE)


def read_console(text: str) -> TestReport:
    """The report of printed text. Its counts are those of the runner's own summary."""
    counts = _counts(text)
    builds, aborted = tuple(_builds(text)), tuple(_aborts(text))
    notes = ("No test ran: none matched.",) if _NO_MATCH.search(text) else ()
    told = sum(counts.values()) > 0
    return TestReport(
        passed=counts["passed"],
        failed=counts["failed"],
        skipped=counts["skipped"],
        failures=(*builds, *aborted),
        source="console" if told or builds or aborted or notes else "",
        complete=not builds and not aborted,
        notes=notes,
    )


def with_console(report: TestReport, text: str) -> TestReport:
    """Add facts of the console alone to a report of files: errors of the compiler, the tests that ran when the run
    was aborted, and which tests without a result were inconclusive (a TRX calls them skipped, JUnit passed)."""
    printed = read_console(text)
    inconclusive = report.total - printed.total
    if inconclusive > 0 and printed.total and printed.failed == report.failed:
        report = msgspec.structs.replace(
            report,
            passed=printed.passed,
            skipped=printed.skipped,
            notes=(*report.notes, f"{inconclusive} were inconclusive."),
        )
    named = [each for each in printed.failures if each.kind != "build"]
    aborted = [each for each in report.failures if each.kind in ("crash", "hang")]
    kept = [each for each in report.failures if each.kind not in ("crash", "hang")]
    if aborted and named:
        aborted = [msgspec.structs.replace(each, stack=each.stack or aborted[0].stack) for each in named]
    builds = [each for each in printed.failures if each.kind == "build"]
    return msgspec.structs.replace(
        report,
        failures=(*builds, *kept, *(aborted or named)),
        complete=report.complete and printed.complete,
    )


def _counts(text: str) -> dict[str, int]:
    found: dict[str, int] = {"passed": 0, "failed": 0, "skipped": 0}
    lines = [*_LINE.finditer(text)]
    for match in lines:  # one a test project
        for kind in found:
            found[kind] += int(match[kind])
    if not lines:
        for match in _COUNTS.finditer(text):
            kind = match["kind"].casefold().replace("succeeded", "passed")
            found[kind] += int(match["count"])
    return found


def _builds(text: str) -> Iterator[TestFailure]:
    seen = set[tuple[str, str, str]]()
    for match in _COMPILER.finditer(text):
        at = (match["file"], match["line"], match["message"])
        if at not in seen:  # the summary of a build repeats its errors
            seen.add(at)
            yield TestFailure(
                name=match["code"],
                kind="build",
                message=match["message"],
                places=(TestPlace(file=match["file"], line=int(match["line"])),),
            )


def _aborts(text: str) -> Iterator[TestFailure]:
    reason = _ABORTED.search(text)
    if reason is None:
        return
    kind = "hang" if HANG.search(text) else "crash"
    running = _RUNNING.search(text)
    names = [each.strip() for each in running["names"].splitlines() if each.strip()] if running else []
    for name in names or ["The test run was aborted"]:
        yield TestFailure(name=name, kind=kind, message=reason[0], method=name if running else "")
