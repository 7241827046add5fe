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
from services.msbuild.project.xmltree import XmlError, parse
from services.testing.console import read_console, with_console
from services.testing.jest_json import JestReport, read_jest
from services.testing.values import TestFailure, TestPlace, TestReport
from services.testing.xml_results import read_junit, read_trx

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
