"""How often numbers go with others: the same as counted one by one, whatever is added, forked and laid into arrays."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.decoding import decode_msgpack
from services.index.graph import sums
from services.index.graph.by_file import FileEdges
from services.index.graph.sums import Counts, StoredCounts, StoredSums, Sums, pairs_counted

NUMBERS = st.integers(0, 6) | st.just(2**31 - 1)
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(1, 3)), max_size=12)
Rows = list[tuple[int, int, int]]


def counts_of(rows: Rows) -> Counts:
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return Counts(pairs_counted(*columns))


def counted(rows: Rows) -> dict[int, Counter[int]]:
    found: dict[int, Counter[int]] = {}
    for one, other, count in rows:
        found.setdefault(one, Counter())[other] += count
    return found


def told(counts: Counts) -> dict[int, Counter[int]]:
    assert len(counts) == len(list(counts))
    assert dict(zip(counts, counts.sizes(counts), strict=True)) == {a: len(b) for a, b in counts.items()}
    return dict(counts)


@given(ROWS, ROWS, st.integers(0, 3))
def test_counts_are_those_of_all_pairs(first: Rows, then: Rows, few: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sums, "_FEW", few)
        counts = counts_of(first)
        assert told(counts) == counted(first)
        after = counts.fork()
        for row in then:
            after.add(*row)
            after = after.settled()
        assert told(after) == counted([*first, *then])
        assert told(counts) == counted(first)
        for one, other, count in then:
            after.add(one, other, -count)
        assert told(after) == counted(first)


def test_the_others_of_a_number_stay_in_the_order_in_which_they_came() -> None:
    counts = counts_of([(1, 9, 1), (2, 5, 1), (1, 3, 1), (1, 7, 2), (1, 9, 1)])
    assert list(counts[1].items()) == [(9, 2), (3, 1), (7, 2)]


def test_a_number_that_goes_with_none_is_not_there() -> None:
    counts = counts_of([(1, 2, 1)]).fork()
    counts.add(1, 2, -1)
    assert (list(counts), len(counts), counts.sizes([1, 2]), counts.get(1)) == ([], 0, [0, 0], None)
    assert counts_of([]).sizes([1]) == [0]


def test_damaged_counts_are_refused() -> None:
    whole = counts_of([(1, 2, 1), (3, 4, 1)]).frozen()
    for part in ("numbers", "starts", "others", "counts"):
        for cut in (1, 4):
            with pytest.raises(msgspec.ValidationError):
                Counts(replace(whole, **{part: getattr(whole, part)[:-cut]}))
    with pytest.raises(msgspec.ValidationError):
        Counts(StoredCounts())


NAMES = st.sampled_from(["System.String", "System.Int32", "Other.Ünit"])
EDGES = st.builds(
    lambda inside, outside: FileEdges(tuple(inside), tuple(outside), (), ()),
    ROWS,
    st.lists(st.tuples(NUMBERS, NAMES, st.integers(1, 3)), max_size=6),
)


@given(st.lists(EDGES, max_size=4), st.lists(EDGES, max_size=4))
def test_edges_of_files_are_summed_both_ways(first: list[FileEdges], then: list[FileEdges]) -> None:
    made = Sums.of(first).fork()
    for edges in then:
        made.add(edges)
    every = [*first, *then]
    inside = [edge for edges in every for edge in edges.inside]
    assert dict(made.forward) == counted(inside)
    assert dict(made.reverse) == counted([(b, a, n) for a, b, n in inside])
    outside: dict[int, Counter[str]] = {}
    for source, name, count in (edge for edges in every for edge in edges.outside):
        outside.setdefault(source, Counter())[name] += count
    assert all(made.outside(source) == names for source, names in outside.items())
    again = Sums(decode_msgpack(StoredSums, msgspec.msgpack.encode(made.frozen())))
    assert (told(again.forward), told(again.reverse)) == (dict(made.forward), dict(made.reverse))
    assert all(again.outside(source) == names for source, names in outside.items())
    for edges in every:
        made.add(edges, sign=-1)
    assert (len(made.forward), len(made.reverse), made.outside(0)) == (0, 0, Counter())
