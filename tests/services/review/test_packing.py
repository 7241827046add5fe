"""A change as one text for a model: within its budget, and nothing left out without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import FileChange, Hunk
from services.model.review import Finding, Severity
from services.review.packing import PackPiece, finding_piece, packed
from services.source.diffs.hunks import hunks_of

LEAST = 200
"""Tokens that heading and end take, whatever is between them."""

sizes = st.integers(1, 60)
pieces = st.builds(
    PackPiece,
    st.sampled_from(["Caller A", "Caller B", "Test C"]),
    sizes.map("x ".__mul__),
    st.sampled_from(["", "csharp"]),
)
counters = st.sampled_from([len, lambda text: len(text.split()), lambda text: -(-len(text) // 4)])


def changed(path: str, lines: int) -> tuple[FileChange, tuple[Hunk, ...]]:
    return FileChange(path=path, status="modified"), hunks_of(["a\n"], ["b\n"] * lines)


@given(st.lists(sizes, max_size=5), st.lists(pieces, max_size=70), st.integers(LEAST, 3_000), counters)
def test_the_text_is_within_its_budget_and_says_what_is_not_in_it(
    files: list[int], around: list[PackPiece], budget: int, count: Callable[[str], int]
) -> None:
    changes = [changed(f"F{n}.cs", lines) for n, lines in enumerate(files)]
    pack = packed("Shop", changes, around, budget=budget, count=count, instructions="Do.\n")
    assert pack.tokens == count(pack.text) <= budget
    assert len(pack.included) + len(pack.left_out) >= min(len(files) + len(around), 50)
    for name in pack.included:
        assert name in pack.text
    for change, _ in changes:
        assert (change.path in pack.included) is (f"File: {change.path}\n" in pack.text)
    assert ("## Left out, for want of room" in pack.text) is bool(pack.left_out)
    assert pack.text.endswith("\n")


def test_what_fits_stands_whole_and_in_order() -> None:
    pack = packed(
        "Shop", [changed("A.cs", 1)], [PackPiece("Caller", "Call();", "csharp"), PackPiece("Note", "On A.", "")],
        budget=10_000, count=len, instructions="Do.\n",
    )  # fmt: skip
    assert pack.text == (
        "# Change: Shop\n\nDo.\n\n## Diff\n\n"
        "```diff\nFile: A.cs\n@@ -1,1 +1,1 @@\nDELETED (was line 1): - a\nNEW_LINE_1: + b\n```\n\n"
        "## What is around it\n\n### Caller\n\n```csharp\nCall();\n```\n\n### Note\n\nOn A.\n"
    )
    assert (pack.included, pack.left_out) == (("A.cs", "Caller", "Note"), ())


def test_a_small_piece_is_taken_behind_a_large_one_that_does_not_fit() -> None:
    around = [PackPiece("Large", "x" * 5_000), PackPiece("Small", "y")]
    pack = packed("Shop", [], around, budget=600, count=len, instructions="Do.\n")
    assert pack.included == ("Small",)
    assert pack.text.count("## What is around it") == 1
    assert (
        f"- Large ({len('## What is around it') + 2 + len('### Large') + 2 + 5_000 + 1 + 1} tokens)"
        in pack.text
    )


def test_once_much_did_not_fit_no_more_is_looked_for() -> None:
    looked: list[int] = []

    def around() -> Iterator[PackPiece]:
        for n in range(1_000):
            looked.append(n)
            yield PackPiece(f"P{n}", "x" * 5_000)

    pack = packed("Shop", [], around(), budget=600, count=len, instructions="Do.\n")
    assert len(looked) < 60
    assert pack.left_out[-1] == "what else is around the change"
    assert "more" in pack.text


@pytest.mark.parametrize("code", ["a\n```\nb", "````", "no fence"])
def test_code_cannot_end_the_fence_it_stands_in(code: str) -> None:
    pack = packed("Shop", [], [PackPiece("P", code, "csharp")], budget=1_000, count=len, instructions="Do.\n")
    mark = pack.text.partition("csharp")[0].rpartition("\n")[2]
    assert f"\n{mark}csharp\n{code}\n{mark}\n" in pack.text
    assert mark not in code


def test_findings_are_told_with_their_places() -> None:
    found = [
        Finding(kind="api", severity=Severity.BLOCKER, file="A.cs", line=3, text="It is gone."),
        Finding(kind="secret", severity=Severity.WARNING, file="B.cs", text="A key."),
    ]
    [piece] = finding_piece(found)
    assert piece.text == "- A.cs:3 [api] It is gone.\n- B.cs:? [secret] A key."
    assert list(finding_piece([])) == []
