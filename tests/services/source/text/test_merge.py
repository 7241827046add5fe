"""Line differences, unified diffs and three-way merges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.source.text.differ import matching_blocks, merge, unified_diff
from services.source.text.patch import apply_patch, parse_patch
from services.workspace.text import decode

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\r\n", "\n"]), max_size=12)


@given(LINES, LINES)
def test_blocks_are_equal_ordered_and_end_with_an_empty_one(one: list[str], other: list[str]) -> None:
    blocks = matching_blocks(one, other)
    assert blocks[-1] == (len(one), len(other), 0)
    a = b = 0
    for block in blocks:
        assert a <= block.a
        assert b <= block.b
        assert one[block.a : block.a + block.size] == other[block.b : block.b + block.size]
        a, b = block.a + block.size, block.b + block.size


@given(LINES, LINES, st.booleans(), st.booleans())
def test_a_diff_applied_gives_the_other_text(
    one: list[str], other: list[str], open_one: bool, open_other: bool
) -> None:
    old, new = "".join(one) + "x" * open_one, "".join(other) + "y" * open_other
    texts = decode(old.encode()), decode(new.encode())
    diff = unified_diff("f.cs", list(texts[0].lines()), list(texts[1].lines()))
    if not diff:
        assert old == new
        return
    (patch,) = parse_patch(diff)
    after = apply_patch(texts[0], patch).decode()
    assert after.replace("\r\n", "\n") == new.replace("\r\n", "\n")


def test_changes_of_different_lines_go_together() -> None:
    merged = merge(["a\n", "b\n", "c\n"], ["A\n", "b\n", "c\n"], ["a\n", "b\n", "C\n"])
    assert (merged.lines, merged.conflicts) == (("A\n", "b\n", "C\n"), ())


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    assert merge(["a\n"], ["x\n"], ["x\n"]).conflicts == ()


def test_different_changes_of_a_line_are_told_whole() -> None:
    (conflict,) = merge(["a\n", "b\n"], ["a\n", "x\n"], ["a\n", "y\n"]).conflicts
    assert (conflict.start, conflict.base, conflict.mine, conflict.theirs) == (
        2,
        ("b\n",),
        ("x\n",),
        ("y\n",),
    )


def test_a_change_of_endings_by_one_side_is_no_conflict_with_a_change_of_lines() -> None:
    merged = merge(["a\n", "b\n"], ["a\n", "x\n"], ["a\r\n", "b\r\n"])
    assert merged.conflicts == ()
    assert merged.lines == ("a\r\n", "x\n")


@given(LINES, LINES)
def test_a_side_that_changed_nothing_yields(base: list[str], side: list[str]) -> None:
    assert merge(base, base, side).lines == tuple(side)
    assert merge(base, side, base).conflicts == ()
    bare = [line.strip("\r\n") for line in merge(base, side, base).lines]
    assert bare == [line.strip("\r\n") for line in side]


def test_a_hundred_thousand_lines_are_compared_at_once() -> None:
    lines = [f"{number % 977}\n" for number in range(100_000)]
    other = [*lines[:50_000], "new\n", *lines[50_001:]]
    assert [tuple(block) for block in matching_blocks(lines, other)] == [
        (0, 0, 50_000),
        (50_001, 50_001, 49_999),
        (100_000, 100_000, 0),
    ]
