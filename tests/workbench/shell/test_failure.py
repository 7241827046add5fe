"""What a failed command says to a person: everything its message speaks of, and nothing a terminal would act on."""

from __future__ import annotations

import pytest

from services.errors import AmbiguousSymbol, CodeCortexError, VersionConflict
from workbench.shell.failure import report


def said(error: CodeCortexError, capsys: pytest.CaptureFixture[str]) -> str:
    assert report(error, ["patch"]) == 1
    return capsys.readouterr().err


def test_symbols_of_one_path_are_told_apart_by_their_ids(capsys: pytest.CaptureFixture[str]) -> None:
    error = AmbiguousSymbol(
        "'A' may mean 2 symbols.",
        candidates=[
            {"path": "N.A", "typeId": "T_00000001"},
            {"path": "N.A.B()", "typeId": "T_00000002", "memberId": "M_00000002_00000003"},
        ],
    )
    assert said(error, capsys).splitlines()[1:] == [
        "Several symbols match:",
        "  N.A  T_00000001",
        "  N.A.B()  M_00000002_00000003  T_00000002",
    ]


def test_a_conflict_shows_the_token_and_the_rebased_diff(capsys: pytest.CaptureFixture[str]) -> None:
    error = VersionConflict(
        "Nothing was written.", currentToken="1_00", rebased="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+\x1b[2J\n"
    )
    assert said(error, capsys).splitlines() == [
        "error: Nothing was written.",
        "currentToken: 1_00",
        "rebased:",
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "-a",
        "+␛[2J",
    ]


def test_a_conflict_of_the_same_lines_shows_all_sides(capsys: pytest.CaptureFixture[str]) -> None:
    hunk = {"startLine": 7, "base": "a\n", "mine": "b\nc\n", "theirs": ""}
    lines = said(VersionConflict("Nothing was written.", hunks=[hunk]), capsys).splitlines()
    assert lines[1:] == ["line 7:", " base:", "  a", " mine:", "  b", "  c", " theirs:"]
