"""Choosing few among many."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.index.search.match.sorted_arrays import distinct, leading

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
