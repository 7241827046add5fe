"""The report of a test run, from the files that its runner wrote and from what it printed.

Both come from code of the project: sizes and depths are bounded, and a file that cannot be read is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

import msgspec

from services.context.frames import frames
from services.decoding import Limit, decode
from services.model.base import Value
from services.msbuild.xmltree import XmlElement, XmlError, parse
from services.testing.console import read_console, with_console
from services.testing.values import HANG, TestFailure, TestPlace, TestReport

_COLOR = re.compile(r"\x1b\[[0-9;]{0,20}m")


class JestLocation(Value, kw_only=True, frozen=True, forbid_unknown_fields=False):
    """Location of a test's declaration."""

    line: int = 0


class JestAssertion(Value, kw_only=True, frozen=True, forbid_unknown_fields=False, rename="camel"):
    """The result of one test. `duration` in ms."""

    full_name: str = ""
    title: str = ""
    status: str = ""
    failure_messages: tuple[str, ...] | None = ()
    location: JestLocation | None = None
    duration: float | None = None


class JestFile(Value, kw_only=True, frozen=True, forbid_unknown_fields=False, rename="camel"):
    """A test file. `message`: why it could not be run, where its status is failed without a failed test."""

    name: str = ""
    status: str = ""
    message: str = ""
    assertion_results: tuple[JestAssertion, ...] = ()


class JestReport(Value, kw_only=True, frozen=True, forbid_unknown_fields=False, rename="camel"):
    """A whole report."""

    test_results: tuple[JestFile, ...]


def read_jest(report: JestReport) -> TestReport:
    """The report of a run."""
    every = [(file, each) for file in report.test_results for each in file.assertion_results]
    failures = [_jest_failure(file, each) for file, each in every if each.status == "failed"]
    broken = [
        TestFailure(
            name=file.name,
            kind="build",
            message=_plain(file.message).strip().split("\n")[0],
            stack=_plain(file.message),
            places=(TestPlace(file=file.name),),
        )
        for file in report.test_results
        if file.status == "failed" and not any(each.status == "failed" for each in file.assertion_results)
    ]
    passed = sum(each.status == "passed" for _, each in every)
    return TestReport(
        passed=passed,
        failed=len(failures),
        skipped=len(every) - passed - len(failures),
        failures=(*failures, *broken),
        source="json",
        notes=() if every or broken else ("No test ran: none matched.",),
    )


def _jest_failure(file: JestFile, each: JestAssertion) -> TestFailure:
    text = _plain("\n".join(each.failure_messages or ()))
    declared = TestPlace(file=file.name, line=each.location.line if each.location else 0)
    message, _, stack = text.partition("\n    at ")
    return TestFailure(
        name=each.full_name or each.title,
        message=message.strip(),
        stack=f"    at {stack}" if stack else "",
        method=each.full_name or each.title,
        places=(declared,),
        seconds=(each.duration or 0.0) / 1000,
    )


def _plain(text: str) -> str:
    return _COLOR.sub("", text)


_FAILED = frozenset({"failed", "error", "timeout", "aborted"})
_SKIPPED = frozenset({"notexecuted", "inconclusive", "notrunnable", "disconnected", "pending", "inprogress"})
_DURATION = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")
_ARGUMENTS = re.compile(r"\(.*", re.DOTALL)
_CASE_ARGUMENTS = re.compile(r"[\[(].*", re.DOTALL)


def read_trx(root: XmlElement) -> TestReport:
    """The report of a TRX file's root element."""
    methods = dict(_methods(root))
    passed, skipped = 0, 0
    failures = list[TestFailure]()
    for result in root.below("UnitTestResult"):
        if _child(result, "InnerResults") is not None:
            continue  # its rows are results of their own
        outcome = result.attribute("outcome").casefold()
        if outcome in _FAILED:
            failures.append(_failure(result, methods))
        elif outcome in _SKIPPED:
            skipped += 1
        else:
            passed += 1
    failed = len(failures)
    aborted = tuple(_aborted(root))
    return TestReport(
        passed=passed,
        failed=failed,
        skipped=skipped,
        failures=(*failures, *aborted),
        source="trx",
        complete=not aborted,
        notes=() if passed or failed or skipped or aborted else ("No test ran: none matched.",),
    )


def _methods(root: XmlElement) -> Iterator[tuple[str, str]]:
    """The full name of each test's method, by the id of the test."""
    for test in root.below("UnitTest"):
        method = _child(test, "TestMethod")
        if method is not None:
            owner = _ARGUMENTS.sub("", method.attribute("className")).replace("+", ".")
            name = _ARGUMENTS.sub("", method.attribute("name")).rstrip()
            # xunit v3 and some adapters repeat the class in the name.
            yield test.attribute("id"), name if name.startswith(f"{owner}.") else f"{owner}.{name}"


def _failure(result: XmlElement, methods: dict[str, str]) -> TestFailure:
    info = next(result.below("ErrorInfo"), None)
    message = _text_of(info, "Message")
    return TestFailure(
        name=result.attribute("testName"),
        message=message,
        stack=_text_of(info, "StackTrace"),
        method=methods.get(result.attribute("testId"), ""),
        seconds=_seconds(result.attribute("duration")),
    )


def _aborted(root: XmlElement) -> Iterator[TestFailure]:
    """Yield the reason why a run was aborted. Only the console names the test that ran then."""
    texts = [each.text.strip() for run in root.below("RunInfo") for each in run.below("Text")]
    for text in texts:
        if text.startswith("The active test run was aborted"):
            hung = any(map(HANG.search, texts))
            yield TestFailure(
                name="The test run was aborted",
                kind="hang" if hung else "crash",
                message=text.split("\n")[0],
                stack="\n".join(text.split("\n")[1:]),
            )


def _seconds(duration: str) -> float:
    found = _DURATION.fullmatch(duration)
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]) if found else 0.0


def _text_of(parent: XmlElement | None, name: str) -> str:
    found = _child(parent, name) if parent is not None else None
    return found.text.strip("\r\n") if found is not None else ""


def _child(parent: XmlElement, name: str) -> XmlElement | None:
    return next((each for each in parent.children if each.name == name), None)


def read_junit(root: XmlElement) -> TestReport:
    """The report of a JUnit file's root element, a suite or several."""
    passed, skipped = 0, 0
    failures = list[TestFailure]()
    cases = [*_cases(root)]
    for case in cases:
        kinds = {each.name: each for each in case.children}
        wrong = kinds.get("failure") or kinds.get("error")
        if wrong is not None:
            failures.append(_junit_failure(case, wrong))
        elif "skipped" in kinds:
            skipped += 1
        else:
            passed += 1
    return TestReport(
        passed=passed,
        failed=len(failures),
        skipped=skipped,
        failures=tuple(failures),
        source="junit",
        notes=() if cases else ("No test ran: none matched.",),
    )


def _junit_failure(case: XmlElement, wrong: XmlElement) -> TestFailure:
    owner, name = case.attribute("classname"), case.attribute("name")
    file, line = case.attribute("file"), case.attribute("line")
    # pytest counts the line of the test from 0, and tells it in the older family alone.
    declared = (TestPlace(file=file, line=int(line) + 1 if line.isdigit() else 0),) if file else ()
    bare = _CASE_ARGUMENTS.sub("", name).rstrip()
    return TestFailure(
        name=f"{owner}.{name}" if owner and not name.startswith(f"{owner}.") else name,
        message=wrong.attribute("message") or wrong.text.strip().split("\n")[0],
        stack=wrong.text.strip("\r\n"),
        method=f"{_CASE_ARGUMENTS.sub('', owner)}.{bare}".replace("+", ".") if owner else bare,
        places=declared,
        seconds=_junit_seconds(case.attribute("time")),
    )


def _junit_seconds(text: str) -> float:
    try:
        return max(float(text), 0.0)
    except ValueError:
        return 0.0


def _cases(element: XmlElement) -> Iterator[XmlElement]:
    for each in element.children:
        if each.name == "testcase":
            yield each
        elif each.name == "testsuite":
            yield from _cases(each)


MOST_BYTES = 64 << 20
"""Of one results file: some 60 000 results."""
_MOST_ELEMENTS = 2_000_000
_MOST_FAILURES = 1_000
_LONGEST = 20_000
_PLACES = re.compile(
    r"(?:^|[\s(\"'])(?P<path>(?:file://)?(?:[A-Za-z]:)?[^\s:()\"'<>|]{1,300}\.(?:py|[cm]?[jt]sx?|cs|vue|svelte)):(?P<line>\d{1,7})\b",
    re.MULTILINE,
)


def read_reports(files: Mapping[str, bytes], printed: str) -> TestReport:
    """The report of a run. `files`: contents by name; `printed`: standard output and error. Places are as the runner
    wrote them; `in_workspace` makes them paths of the workspace."""
    reports, unread = list[TestReport](), list[str]()
    for name, content in sorted(files.items()):
        try:
            reports.append(_read(name, content))
        except (XmlError, msgspec.DecodeError) as error:
            unread.append(f"{PurePosixPath(name).name} cannot be read: {error}.")
    report = with_console(_joined(reports), printed) if reports else read_console(printed)
    if unread:
        report = msgspec.structs.replace(report, complete=False, notes=(*report.notes, *unread))
    return _bounded(report)


def in_workspace(report: TestReport, path_of: Callable[[str], str | None]) -> TestReport:
    """A report whose places are files of the workspace: those that are declared and those that stacks name, innermost
    first. `path_of`: the path from the root of a path as it was written, None where it is of something else."""
    failures = (
        msgspec.structs.replace(each, places=tuple(_places(each, path_of))) for each in report.failures
    )
    return msgspec.structs.replace(report, failures=tuple(failures))


def _read(name: str, content: bytes) -> TestReport:
    if name.casefold().endswith(".json"):
        return read_jest(decode(JestReport, content, Limit(MOST_BYTES, 50, 4_000_000)))
    root = parse(content, most_bytes=MOST_BYTES, most_elements=_MOST_ELEMENTS)
    if root.name == "TestRun":
        return read_trx(root)
    if root.name in ("testsuites", "testsuite"):
        return read_junit(root)
    raise XmlError(f"<{root.name}> is neither TRX nor JUnit")


def _joined(reports: list[TestReport]) -> TestReport:
    notes = dict.fromkeys(note for each in reports for note in each.notes)
    ran = any(each.total for each in reports)
    return TestReport(
        passed=sum(each.passed for each in reports),
        failed=sum(each.failed for each in reports),
        skipped=sum(each.skipped for each in reports),
        failures=tuple(failure for each in reports for failure in each.failures),
        source=reports[0].source,
        complete=all(each.complete for each in reports),
        # One project of several without a match is no news.
        notes=() if ran else tuple(notes),
    )


def _bounded(report: TestReport) -> TestReport:
    failures = tuple(
        msgspec.structs.replace(each, message=_cut(each.message), stack=_cut(each.stack))
        for each in report.failures[:_MOST_FAILURES]
    )
    more = len(report.failures) - len(failures)
    notes = (*report.notes, f"{more} more failures are not listed.") if more else report.notes
    return msgspec.structs.replace(report, failures=failures, notes=notes)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _places(failure: TestFailure, path_of: Callable[[str], str | None]) -> Iterator[TestPlace]:
    seen = set[tuple[str, int]]()
    files = set[str]()
    for written, line in (*_in_stack(failure), *((each.file, each.line) for each in failure.places)):
        path = path_of(written.removeprefix("file://"))
        # The line of the declaration is of no use where the stack names a line of the same file.
        if path is not None and (path, line) not in seen and (line or path not in files):
            seen.add((path, line))
            files.add(path)
            yield TestPlace(file=path, line=line)


def _in_stack(failure: TestFailure) -> Iterable[tuple[str, int]]:
    """Lines that the stack names. Python prints the innermost frame last, the others first."""
    dotnet = [(each.path, each.line) for each in frames(failure.stack) if each.path]
    if dotnet:
        return dotnet
    found = [(match["path"], int(match["line"])) for match in _PLACES.finditer(failure.stack)]
    return [*reversed(found)] if any(path.endswith(".py") for path, _ in found) else found
