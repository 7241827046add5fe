"""Proposals without some of their hunks."""

from __future__ import annotations

import pytest

from services.bench.edits.proposals import without_hunks
from services.model import Proposal
from services.source.text.differ import unified_diff

OLD = [f"line {number}\n" for number in range(1, 41)]


def _proposal(new: list[str], *, start: int = 1, end: int | None = None) -> Proposal:
    """Lines `start` to `end` of the file become those of `new` between what is before and behind them."""
    end = end or len(OLD)
    whole = [*OLD[: start - 1], *new, *OLD[end:]]
    return Proposal(
        id="P_00000001",
        operation="setObjectSourceV2",
        arguments={"object": "A.cs", "startLine": start, "endLine": end, "content": "".join(new)},
        object="A.cs",
        diff=unified_diff("A.cs", OLD, whole),
        agent="claude",
        created_at=0,
    )


def _changed() -> list[str]:
    """Line 5 doubled, line 20 changed, line 35 gone."""
    return [*OLD[:5], "more\n", *OLD[5:19], "other\n", *OLD[20:34], *OLD[35:]]


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        (set(), _changed()),
        ({0}, [*OLD[:19], "other\n", *OLD[20:34], *OLD[35:]]),
        ({1}, [*OLD[:5], "more\n", *OLD[5:34], *OLD[35:]]),
        ({0, 2}, [*OLD[:19], "other\n", *OLD[20:]]),
        ({0, 1, 2}, OLD),
    ],
)
def test_hunks_that_are_left_out_are_as_they_were(left_out: set[int], expected: list[str]) -> None:
    assert without_hunks(_proposal(_changed()), left_out) == "".join(expected)


def test_of_a_range_the_lines_are_counted_from_its_first() -> None:
    new = [*OLD[9:12], "more\n", *OLD[12:28], "other\n", *OLD[29:30]]
    proposal = _proposal(new, start=10, end=30)
    assert without_hunks(proposal, {0}) == "".join([*OLD[9:28], "other\n", *OLD[29:30]])
    assert without_hunks(proposal, {1}) == "".join([*OLD[9:12], "more\n", *OLD[12:30]])


def test_what_writes_no_lines_of_one_file_is_taken_whole() -> None:
    proposal = Proposal(
        id="P_00000001", operation="RenameSymbol", arguments={"symbol": "A"}, object="A", diff="", agent="a",
        created_at=0,
    )  # fmt: skip
    assert without_hunks(proposal, {0}) is None
