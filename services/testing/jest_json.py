"""The JSON that jest defined and vitest writes too: files with their assertions."""

from __future__ import annotations

import re

from services.model.base import Value
from services.testing.values import TestFailure, TestPlace, TestReport

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
    failures = [_failure(file, each) for file, each in every if each.status == "failed"]
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


def _failure(file: JestFile, each: JestAssertion) -> TestFailure:
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
