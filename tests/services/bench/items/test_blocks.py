"""Lines known again by their hash, wherever they stand now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.bench.items.identity import block_at, hash_of, split_lines

LINES = st.lists(st.sampled_from(["", "{", "}", "  return;", "int a;", "int b;"]), min_size=1, max_size=14)


@given(LINES, LINES, LINES, st.integers(0, 40))
def test_a_block_is_found_wherever_it_moved(
    before: list[str], block: list[str], behind: list[str], near: int
) -> None:
    lines = [*before, *block, *behind]
    at = block_at(lines, hash_of(block), len(block), near=near)
    assert at is not None
    assert lines[at : at + len(block)] == block


@given(LINES, LINES, st.integers(0, 30))
def test_of_several_the_nearest_is_meant(before: list[str], block: list[str], near: int) -> None:
    lines = [*before, *block, *before, *block]
    places = [at for at in range(len(lines)) if lines[at : at + len(block)] == block]
    found = block_at(lines, hash_of(block), len(block), near=near)
    last = len(lines) - len(block)
    assert found is not None
    assert abs(found - min(near, last)) == min(abs(at - min(near, last)) for at in places)


@given(LINES, LINES)
def test_a_block_with_another_line_is_not_the_same(before: list[str], block: list[str]) -> None:
    other = [*block[:-1], block[-1] + "// edited"]
    assert block_at([*before, *other], hash_of(block), len(block), near=0) in (
        None,
        *(at for at in range(len(before)) if [*before, *other][at : at + len(block)] == block),
    )
    assert hash_of(other) != hash_of(block)


def test_where_there_are_fewer_lines_than_there_were_nothing_is_found() -> None:
    assert block_at(["a"], hash_of(["a", "b"]), 2, near=0) is None


@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=5)), st.sampled_from(["\n", "\r\n"])
)
def test_only_a_line_feed_ends_a_line(lines: list[str], end: str) -> None:
    assert split_lines("".join(line + end for line in lines)) == lines
