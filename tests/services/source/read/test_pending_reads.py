"""Lines read for an answer count when the answer is delivered, and only as far as both go."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.source.read.known_lines import PendingReads, under_way, withheld

STRETCH = st.tuples(st.sampled_from("ab"), st.integers(1, 9), st.integers(1, 9)).filter(
    lambda each: each[1] <= each[2]
)


@given(st.lists(STRETCH, max_size=4), st.lists(STRETCH, max_size=4))
def test_what_counts_was_read_and_delivered(
    read: list[tuple[str, int, int]], delivered: list[tuple[str, int, int]]
) -> None:
    counted: set[tuple[str, int]] = set()
    reading = PendingReads()
    for path, first, last in read:
        reading.add(
            path,
            (first, last),
            lambda start, end, path=path: counted.update((path, n) for n in range(start, end + 1)),
        )
    assert counted == set()
    for path, first, last in delivered:
        reading.delivered(path, first, last)
    assert counted == lines(read) & lines(delivered)


def lines(stretches: list[tuple[str, int, int]]) -> set[tuple[str, int]]:
    return {(path, line) for path, first, last in stretches for line in range(first, last + 1)}


def test_nothing_is_told_of_stretches_that_do_not_meet() -> None:
    reading, told = PendingReads(), []
    reading.add("a", (3, 5), lambda *each: told.append(each))
    reading.delivered("a", 1, 2)
    reading.delivered("a", 6, 9)
    assert told == []
    reading.delivered("a", 5, 9)
    assert told == [(5, 5)]


def test_withholding_ends_with_its_block_also_inside_another() -> None:
    assert under_way() is None
    with withheld() as outer:
        assert under_way() is outer
        with withheld() as inner:
            assert under_way() is inner
        assert under_way() is outer
        with pytest.raises(KeyError), withheld():
            raise KeyError
        assert under_way() is outer
    assert under_way() is None


def test_other_threads_read_on_their_own() -> None:
    found: list[PendingReads | None] = []
    with withheld():
        thread = threading.Thread(target=lambda: found.append(under_way()))
        thread.start()
        thread.join()
    assert found == [None]
