"""Diffs of two texts, which people decide by: each says what has changed, all of it and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.source.text.differ import diff_of
from services.source.text.patch import apply_patch, parse_patch
from services.workspace.text import decode

BOM = b"\xef\xbb\xbf"
LINES = st.lists(st.sampled_from(["a", "ab", "b", ""]), max_size=6).map("\n".join)


@pytest.mark.parametrize("bom", [b"", BOM], ids=["", "BOM"])
def test_a_line_put_before_the_first_one_takes_the_place_of_none(bom: bytes) -> None:
    before, after = (decode(bom + data) for data in (b"one\ntwo\n", b"zero\none\ntwo\n"))
    assert diff_of("F.cs", before, after).splitlines()[2:] == ["@@ -1,2 +1,3 @@", "+zero", " one", " two"]


@pytest.mark.parametrize("bom", [b"", BOM], ids=["", "BOM"])
def test_the_first_line_taken_away_leaves_the_second_one(bom: bytes) -> None:
    before, after = (decode(bom + data) for data in (b"one\ntwo\n", b"two\n"))
    assert diff_of("F.cs", before, after).splitlines()[2:] == ["@@ -1,2 +1 @@", "-one", " two"]


def test_characters_put_before_a_line_change_that_line_alone() -> None:
    lines = [f"line {number}\n" for number in range(1, 21)]
    texts = [decode("".join(each).encode()) for each in (lines, [*lines[:9], "// " + lines[9], *lines[10:]])]
    changed = [line for line in diff_of("F.cs", *texts).splitlines()[3:] if not line.startswith(" ")]
    assert changed == ["-line 10", "+// line 10"]


@given(LINES, LINES, st.sampled_from([b"", BOM]))
def test_a_diff_makes_the_one_text_of_the_other(one: str, other: str, bom: bytes) -> None:
    before, after = decode(bom + one.encode()), decode(bom + other.encode())
    diff = diff_of("F.cs", before, after)
    if one == other:
        assert diff == ""
    else:
        (patch,) = parse_patch(diff)
        assert apply_patch(before, patch) == after.data
