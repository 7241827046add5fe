"""Choosing few among many."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.index.search.match.sorted_arrays import best, distinct, leading

levels = st.lists(st.integers(0, 9), max_size=30)


@given(levels, st.integers(1, 12), st.sampled_from([np.uint8, np.uint16]))
def test_leading_levels_are_the_highest_and_all_equal_to_the_last(given_levels, count, kind):
    found = leading(np.array(given_levels, kind), count).tolist()
    chosen = sorted((level for level in given_levels if level), reverse=True)[:count]
    assert found == [at for at, level in enumerate(given_levels) if chosen and level >= chosen[-1]]


@given(st.lists(st.integers(-3, 9), max_size=30))
def test_distinct_values_ascend_and_each_value_knows_which_of_them_it_is(given_values):
    values, inverse = distinct(np.array(given_values, np.int32))
    assert values.tolist() == sorted(set(given_values))
    assert values[inverse].tolist() == given_values


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 12))
def test_the_best_are_those_of_the_highest_scores_and_of_equal_ones_the_first(scores, count):
    values = np.arange(len(scores), dtype=np.int64) * 2
    found = best(values, np.array(scores, np.int32), count)
    chosen = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:count]
    assert found.values.tolist() == [2 * at for at in sorted(chosen)]
    assert found.worth.tolist() == [scores[at] for at in sorted(chosen)]
