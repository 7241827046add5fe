"""Test results in XML: TRX, as VSTest and Microsoft.Testing.Platform write it, and JUnit, as pytest and most others do.

Rows of a theory are results of their own. The display name of a test may be no method: `TestMethod` of a TRX has the
method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.msbuild.project.xmltree import XmlElement
from services.testing.values import HANG, TestFailure, TestPlace, TestReport

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
