"""The one stretch in which two texts differ, by bytes and by lines."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.source.text.differ import changed_lines, shared_bytes
from services.workspace.text import Text, decode

BLOCK = 1 << 13
BYTES = st.binary(max_size=12) | st.lists(st.sampled_from([b"a", b"b", b"\n"]), max_size=12).map(b"".join)
LINES = st.lists(st.sampled_from(["a", "b", "", "\r", "é"]), max_size=8).map("\n".join)


def text(content: str) -> Text:
    return decode(content.encode())


@given(BYTES, BYTES)
def test_shared_bytes_are_the_most_at_the_start_and_then_the_most_at_the_end(
    one: bytes, other: bytes
) -> None:
    head, tail = shared_bytes(one, other)
    most = min(len(one), len(other))
    assert one[:head] == other[:head]
    assert head == most or one[head] != other[head]
    assert one[len(one) - tail :] == other[len(other) - tail :]
    assert tail == most - head or one[len(one) - tail - 1] != other[len(other) - tail - 1]


@pytest.mark.parametrize("at", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK - 1])
@pytest.mark.parametrize("byte", [b"\x01", b"\x80", b"\xff"])
def test_a_difference_is_found_on_either_side_of_a_block(at: int, byte: bytes) -> None:
    one = bytes(3 * BLOCK)
    other = one[:at] + byte + one[at + 1 :]
    assert shared_bytes(one, other) == (at, len(one) - at - 1)
    assert shared_bytes(one, one[:at]) == (at, 0)
    assert shared_bytes(one, one) == (len(one), 0)


@given(LINES, LINES)
@example("a\nb\n", "a\nb")
@example("a", "")
@example("a\na\n", "a\n")
def test_outside_the_stretch_both_have_the_same_lines(before: str, after: str) -> None:
    one, other = text(before), text(after)
    (first, last), (start, end) = changed_lines(one, other)
    assert first == start >= 1
    assert first - 1 <= last <= one.line_count
    assert first - 1 <= end <= other.line_count
    assert pieces(one, 1, first - 1) == pieces(other, 1, start - 1)
    assert pieces(one, last + 1, one.line_count) == pieces(other, end + 1, other.line_count)


@given(LINES)
def test_nothing_differs_from_itself(content: str) -> None:
    same = text(content)
    (first, last), (start, end) = changed_lines(same, same)
    assert (first, last) == (start, end)
    assert pieces(same, first, last) == pieces(same, start, end)


def pieces(of: Text, first: int, last: int) -> bytes:
    """The bytes of lines with their endings."""
    if last < first:
        return b""
    begin, end = of.offsets[first - 1], of.offsets[last] if last < len(of.offsets) else len(of.data)
    return of.data[begin:end]


def test_a_line_amid_others_is_told_alone() -> None:
    assert changed_lines(text("a\nb\nc\n"), text("a\nx\nc\n")) == ((2, 2), (2, 2))
    assert changed_lines(text("a\nc\n"), text("a\nb\nc\n")) == ((2, 1), (2, 2))
    assert changed_lines(text("a\nb\nc\n"), text("a\nc\n")) == ((2, 2), (2, 1))


def test_all_of_a_new_file_is_new() -> None:
    assert changed_lines(None, text("a\nb\n")) == ((1, 0), (1, 2))
