"""Reports of real runs, recorded, and of what else a runner may leave behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.testing.reports import in_workspace, read_reports
from services.testing.values import TestReport

RECORDED = Path(__file__).with_name("recorded")


def path_of(written: str) -> str | None:
    return written.removeprefix("/src/") if written.startswith("/src/") else None


def report(*files: str, console: str = "") -> TestReport:
    contents = {name: (RECORDED / name).read_bytes() for name in files}
    printed = (RECORDED / console).read_text("utf-8") if console else ""
    return in_workspace(read_reports(contents, printed), path_of)


def counts(of: TestReport) -> tuple[int, int, int]:
    return of.passed, of.failed, of.skipped


@pytest.mark.parametrize(
    ("files", "console", "expected"),
    [
        (["xunit.trx"], "xunit.console.txt", (5, 5, 1)),
        (["xunit3.trx"], "", (5, 5, 1)),
        (["mstest.trx"], "", (2, 2, 1)),
        (["nunit.trx"], "nunit.console.txt", (4, 6, 2)),
        (["xunit.junit.xml"], "", (5, 5, 1)),
        (["nunit.junit.xml"], "nunit.console.txt", (4, 6, 2)),
        (["xunit.trx", "mstest.trx"], "", (7, 7, 2)),
        ([], "xunit.console.txt", (5, 5, 1)),
        ([], "nunit.console.txt", (4, 6, 2)),
    ],
)
def test_counts_are_those_of_the_runner(
    files: list[str], console: str, expected: tuple[int, int, int]
) -> None:
    found = report(*files, console=console)
    assert counts(found) == expected
    assert found.complete
    assert not found.is_green


def test_a_row_of_a_theory_names_its_method_and_the_lines_of_its_stack() -> None:
    rows = [
        each for each in report("xunit.trx").failures if each.name.startswith("Calc.Tests.MoneyTests.Shares(")
    ]
    assert {each.method for each in rows} == {"Calc.Tests.MoneyTests.Shares"}
    divided = next(each for each in rows if "DivideByZero" in each.message)
    assert [(each.file, each.line) for each in divided.places] == [
        ("Calc/Money.cs", 11),
        ("Calc.Tests.Xunit/MoneyTests.cs", 23),
    ]


def test_a_nested_class_and_a_fixture_are_named_as_source_has_them() -> None:
    methods = {each.method for each in report("nunit.trx").failures} | {
        each.method for each in report("xunit.trx").failures
    }
    assert "Calc.Tests.MoneyTests.Inner.In_a_nested_class" in methods
    assert "Calc.Tests.MoneyTests.Many" in methods  # MoneyTests("EUR") in the file


@pytest.mark.parametrize("files", [["crash.trx"], []])
def test_a_crash_is_no_complete_run(files: list[str]) -> None:
    found = report(*files, console="crash.console.txt")
    assert [each.kind for each in found.failures] == ["crash"]
    assert not found.complete


@pytest.mark.parametrize("files", [["hang.trx"], []])
def test_a_hang_names_the_test_that_ran(files: list[str]) -> None:
    (failure,) = report(*files, console="hang.console.txt").failures
    assert (failure.kind, failure.method) == ("hang", "Calc.Tests.HangTests.Never_ends")


@pytest.mark.parametrize("files", [["none.trx"], []])
def test_no_test_that_ran_is_not_green(files: list[str]) -> None:
    found = report(*files, console="none.console.txt")
    assert found.notes == ("No test ran: none matched.",)
    assert found.complete
    assert not found.is_green


def test_errors_of_the_compiler_have_places() -> None:
    found = report(console="compile-error.console.txt")
    assert [(each.name, each.kind, each.places[0].line) for each in found.failures] == [
        ("CS0103", "build", 1),
        ("CS0029", "build", 1),
    ]
    assert not found.complete


def test_a_file_that_cannot_be_read_is_told_and_the_run_is_not_complete() -> None:
    cut = (RECORDED / "xunit.trx").read_bytes()[:5_000]
    found = read_reports({"a.trx": cut, "b.xml": b"<html/>"}, "")
    assert not found.complete
    assert len(found.notes) == 2


def test_entities_and_depth_are_refused() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "b">]><testsuites><testsuite/></testsuites>'
    deep = b"<testsuites>" + b"<testsuite>" * 5_000 + b"</testsuite>" * 5_000 + b"</testsuites>"
    for content in (bomb, deep):
        assert not read_reports({"a.xml": content}, "").complete


JEST = {
    "testResults": [
        {
            "name": "/src/sum.test.ts",
            "status": "failed",
            "assertionResults": [
                {"fullName": "sum adds", "status": "passed", "duration": 2},
                {"fullName": "sum skips", "status": "skipped"},
                {
                    "fullName": "sum throws",
                    "status": "failed",
                    "failureMessages": [
                        "Error: \x1b[31mnegative\x1b[0m\n    at sum (/src/sum.ts:2:20)\n    at /src/sum.test.ts:6:30"
                    ],
                    "location": {"line": 6, "column": 3},
                },
            ],
        },
        {
            "name": "/src/broken.test.ts",
            "status": "failed",
            "message": "SyntaxError: x",
            "assertionResults": [],
        },
    ]
}


def test_the_json_of_jest_and_vitest() -> None:
    found = in_workspace(read_reports({"vitest.json": json.dumps(JEST).encode()}, ""), path_of)
    assert counts(found) == (1, 1, 1)
    thrown, broken = found.failures
    assert thrown.message == "Error: negative"
    assert [(each.file, each.line) for each in thrown.places] == [("sum.ts", 2), ("sum.test.ts", 6)]
    assert (broken.kind, broken.places[0].file) == ("build", "broken.test.ts")


@given(st.binary(max_size=300), st.sampled_from(["a.trx", "a.xml", "a.json"]), st.text(max_size=300))
def test_any_bytes_are_answered(content: bytes, name: str, printed: str) -> None:
    assert read_reports({name: content}, printed).total >= 0
