"""The quality gate of the test workflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_NAMED = 10


class GateResult(NamedTuple):
    """Whether the gate is passed, and why, in sentences."""

    passed: bool
    reasons: tuple[str, ...]


def judged(
    written: Sequence[str],
    runs: Sequence[Mapping[str, Any]],
    *,
    coverage: float,
    reached: Mapping[str, bool],
    touched: Sequence[str],
) -> GateResult:
    """Judge a run of tests. It is passed where tests ran and all passed, where at least `coverage` (0 to 1) of the
    changed members are reached, and where no file that git knows was changed beside the written ones."""
    passed = sum(each["passed"] for each in runs)
    wrong = [each for each in runs if not each["success"]]
    green = bool(runs) and not wrong
    counts = ", ".join(f"{each['passed']} passed, {each['failed']} failed" for each in runs) or "no tests ran"
    notes = [note for each in wrong for note in each["notes"]]
    share = sum(reached.values()) / len(reached) if reached else 1.0
    missed = [name for name, is_reached in reached.items() if not is_reached]
    foreign = [each for each in touched if each not in written]
    reasons = [f"Tests: {counts}{'' if green else ' (not green)'}.", *notes]
    reasons.append(f"Reached: {share:.0%} of {len(reached)} changed members, at least {coverage:.0%} wanted.")
    if missed:
        reasons.append(f"Not reached: {', '.join(missed[:_NAMED])}.")
    if foreign:
        reasons.append(f"The run changed files that are no tests of its own: {', '.join(foreign[:_NAMED])}.")
    return GateResult(green and passed > 0 and share >= coverage and not foreign, tuple(reasons))
