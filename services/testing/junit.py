"""JUnit XML, as pytest, JunitXml.TestLogger and most other runners write it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.model.testing import TestFailure, TestPlace, TestReport
from services.msbuild.project.xmltree import Element

_ARGUMENTS = re.compile(r"[\[(].*", re.DOTALL)


def read_junit(root: Element) -> TestReport:
    """The report of a JUnit file's root element, a suite or several."""
    passed, skipped = 0, 0
    failures = list[TestFailure]()
    cases = [*_cases(root)]
    for case in cases:
        kinds = {each.name: each for each in case.children}
        wrong = kinds.get("failure") or kinds.get("error")
        if wrong is not None:
            failures.append(_failure(case, wrong))
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


def _failure(case: Element, wrong: Element) -> TestFailure:
    owner, name = case.attribute("classname"), case.attribute("name")
    file, line = case.attribute("file"), case.attribute("line")
    # pytest counts the line of the test from 0, and tells it in the older family alone.
    declared = (TestPlace(file=file, line=int(line) + 1 if line.isdigit() else 0),) if file else ()
    bare = _ARGUMENTS.sub("", name)
    return TestFailure(
        name=f"{owner}.{name}" if owner and not name.startswith(f"{owner}.") else name,
        message=wrong.attribute("message") or wrong.text.strip().split("\n")[0],
        stack=wrong.text.strip("\r\n"),
        method=f"{_ARGUMENTS.sub('', owner)}.{bare}".replace("+", ".") if owner else bare,
        places=declared,
        seconds=_seconds(case.attribute("time")),
    )


def _seconds(text: str) -> float:
    try:
        return max(float(text), 0.0)
    except ValueError:
        return 0.0


def _cases(element: Element) -> Iterator[Element]:
    for each in element.children:
        if each.name == "testcase":
            yield each
        elif each.name == "testsuite":
            yield from _cases(each)
