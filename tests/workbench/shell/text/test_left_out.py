"""An answer that is not all there is says so, and one that is empty says why."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from services.model import GraphAnswer
from services.operations.source import GrepResult
from workbench.shell.text.left_out import left_out, nothing_found


def grep(pattern: str = "a", *, count: int = 0, cut: bool = False, late: bool = False) -> GrepResult:
    return GrepResult(
        pattern=pattern,
        matches=(),
        match_count=count,
        line_count=9,
        truncated=cut,
        timed_out=late,
        searched=3,
    )


def test_a_search_that_was_cut_says_by_what() -> None:
    assert left_out(grep()) == ""
    assert left_out(grep(count=5, cut=True)) == "5 matching lines are not all: --max N answers more.\n"
    assert "the time was up" in left_out(grep(cut=True, late=True))
    assert left_out(object()) == ""


def test_a_picture_that_may_lack_arrows_says_so() -> None:
    drawn = GraphAnswer(nodes=(), edges=(), format="dot")
    assert left_out(drawn) == ""
    assert left_out(replace(drawn, unread=2)) == "2 files are still being read: arrows may be missing.\n"


@pytest.mark.parametrize(
    ("pattern", "hints"), [("a.b", False), ("a.*b", True), ("a|b", True), ("a[0]", True)]
)
def test_a_pattern_that_may_be_meant_as_an_expression_is_answered_with_how(pattern: str, hints: bool) -> None:
    told = nothing_found(grep(pattern))
    assert told.startswith(f"Nothing matches {pattern!r} in 3 files.")
    assert ("-E" in told) is hints
    assert nothing_found(object()) == ""
