"""Many places are selected as few are: only quicker."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.index.search import Symbols
from services.index.search.filter.view import FilterView
from services.index.search.match.sorted_arrays import Listed, Marked, selected
from tests.services.index.search.support import rows


@given(rows, st.data())
def test_marked_places_answer_as_listed_ones_do(symbols, data):
    built = Symbols.build(symbols)
    bools = st.lists(st.booleans(), min_size=len(built), max_size=len(built))
    marks = np.array(data.draw(bools), np.bool_)
    view = FilterView(built, data.draw(st.none() | bools.map(np.array)))
    marked, listed = Marked(marks), Listed(np.flatnonzero(marks))
    asked = np.arange(len(built))
    assert len(marked) == len(listed)
    assert marked.all().tolist() == listed.all().tolist()
    assert marked.has(asked).tolist() == listed.has(asked).tolist() == marks.tolist()
    assert marked.left(view).all().tolist() == listed.left(view).all().tolist()
    assert selected(marks).all().tolist() == listed.all().tolist()


@given(rows, st.integers(1, 8), st.integers(0, 2), st.data())
def test_the_foremost_are_all_that_can_be_among_the_best(symbols, count, slack, data):
    built = Symbols.build(symbols)
    levels = st.lists(st.integers(0, 9), min_size=len(built.names), max_size=len(built.names))
    by_name = np.array(data.draw(levels), np.uint8)
    marks = np.array(data.draw(st.lists(st.booleans(), min_size=len(built), max_size=len(built))), np.bool_)
    of_places = by_name[built.name_id]
    best = sorted(of_places[marks].tolist(), reverse=True)[:count]
    wanted = np.flatnonzero(marks & (of_places >= best[-1] - slack)) if len(best) == count else None
    found = Marked(marks).foremost(built, by_name, count, slack=slack)
    assert np.array_equal(found, np.sort(found))
    assert found.tolist() == np.flatnonzero(marks).tolist() if wanted is None else set(wanted) <= set(found)
