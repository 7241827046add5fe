"""Texts nearly like a term, found by parts of it: as many as when every text is read to its end."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from services.index.search.alphabet import fold
from services.index.search.matcher import Matcher
from services.index.search.texts import Texts
from services.index.search.typos import Nears
from tests.services.index.search.support import names

columns = st.lists(names | st.text("abJ_.", max_size=80), min_size=1, max_size=12, unique=True)


@st.composite
def mistyped(draw, column):
    """A beginning of one of the texts with an edit or two."""
    term = fold(draw(st.sampled_from(column)))[: draw(st.integers(4, 12))]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(term)))
        kept = draw(st.integers(0, 2))  # characters that the edit takes away
        term = term[:at] + draw(st.sampled_from(["", "a", "b", term[at : at + 2][::-1]])) + term[at + kept :]
    return term


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_no_near_text_is_missed_by_looking_for_parts(data):
    column = data.draw(columns)
    term = data.draw(mistyped(column))
    for maps in Texts.build(column).maps:
        if len(term) >= 4:
            everywhere = np.arange(len(maps.ids))
            assert Nears(maps).rows(term).tolist() == Nears(maps).rows(term, everywhere).tolist()


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_asked_about_some_texts_the_answer_for_them_is_the_same(data):
    column = data.draw(columns)
    term = data.draw(mistyped(column)) or "a"
    texts = Texts.build(column)
    some = np.array(sorted(data.draw(st.sets(st.sampled_from(range(len(column)))))), np.int64)
    whole = Matcher(texts).closeness(term, with_typos=True)
    part = Matcher(texts).closeness(term, with_typos=True, among=some)
    if len(term) > 1:
        assert part[some].tolist() == whole[some].tolist()
        assert np.count_nonzero(np.delete(part, some)) == 0


def edited(term):
    """The term with each swap of neighbours, and with each character replaced."""
    swapped = [term[:at] + term[at + 1] + term[at] + term[at + 2 :] for at in range(len(term) - 1)]
    return swapped + [f"{term[:at]}x{term[at + 1 :]}" for at in range(len(term))]


def test_wherever_the_edits_are_the_text_is_found():
    maps = Texts.build(["SerializeObject"]).maps[0]
    once, twice = edited("seria"), [two for one in edited("serialize") for two in edited(one)]
    assert all(len(Nears(maps).rows(term)) == 1 for term in once)
    nears = Nears(maps)
    everywhere = np.arange(1)
    missed = [term for term in twice if len(nears.rows(term)) < len(nears.rows(term, everywhere))]
    assert not missed
