"""Results of test runs, the same through every interface."""

from __future__ import annotations

import re

from services.model.base import Value

HANG = re.compile(r"inactivity time|hang ?dump", re.IGNORECASE)
"""Text of a runner that ended tests which no longer ran."""


class TestPlace(Value, kw_only=True, frozen=True):
    """A line of a file of the workspace that a failure names. `line` is 1-based, 0 where it is not known."""

    file: str
    line: int = 0


class TestFailure(Value, kw_only=True, frozen=True):
    """Test that failed, or an obstacle to running tests. `kind`: failed, build (an error of the compiler), crash or
    hang; `method`: its full name in source (`Calc.Tests.MoneyTests.Shares`), where the runner reports it; `places`:
    lines of the workspace, innermost first; `seconds`: how long it ran."""

    name: str
    kind: str = "failed"
    message: str = ""
    stack: str = ""
    method: str = ""
    places: tuple[TestPlace, ...] = ()
    seconds: float = 0.0


class TestReport(Value, kw_only=True, frozen=True):
    """Counts of a test run, and its failures. `source`: what the counts were read from: trx, junit, json, console, or
    empty where there were none; `complete`: the runner ended by itself, and told every result; `notes`: what a reader
    of the counts must know (no test matched, results that were cut)."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[TestFailure, ...] = ()
    source: str = ""
    complete: bool = True
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Results in all; rows of a parameterized test count one by one."""
        return self.passed + self.failed + self.skipped

    @property
    def is_green(self) -> bool:
        """Whether tests ran, all that ran passed, and nothing was lost on the way."""
        return self.complete and self.passed > 0 and not self.failures and not self.failed

    @property
    def sentence(self) -> str:
        """The counts in words."""
        counts = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        return counts if self.complete else f"{counts}; the run did not end by itself"
