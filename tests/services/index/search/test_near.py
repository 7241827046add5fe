"""Texts nearly like a term, found by the tree of their words: as many as when every text is measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.search.match.alphabet import OTHER, code_of, fold
from services.index.search.match.matcher import Matcher, near_ids, nearest
from services.index.search.match.texts import Texts
from tests.services.index.search.support import names

columns = st.lists(names | st.text("abJ_.ü", max_size=80), min_size=1, max_size=12, unique=True)


@st.composite
def mistyped(draw, column, longest=12):
    """A part of one of the texts with an edit or two."""
    text = fold(draw(st.sampled_from(column)))
    begin = draw(st.integers(0, max(0, len(text) - 4)))
    term = text[begin : begin + draw(st.integers(4, longest))]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(term)))
        kept = draw(st.integers(0, 2))  # characters that the edit takes away
        term = term[:at] + draw(st.sampled_from(["", "a", "b", term[at : at + 2][::-1]])) + term[at + kept :]
    return term


def measured(texts: Texts, term: str) -> list[int]:
    """The slow way: every text is measured at every hump."""
    found = nearest(texts, np.arange(len(texts)), term)
    return [at for at, near in enumerate(found) if near is not None]


@given(st.data())
def test_no_near_text_is_missed_and_none_is_made_up(data):
    column = data.draw(columns)
    term = data.draw(mistyped(column, longest=data.draw(st.sampled_from([12, 30, 80]))))
    texts = Texts.build(column)
    if len(term) >= 4:
        found = near_ids(texts, term).tolist()
        assert set(measured(texts, term)) <= set(found)
        if all(code_of(char) != OTHER for char in term):
            assert found == measured(texts, term)


@given(st.data())
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
    texts = Texts.build(["SerializeObject"])
    once, twice = edited("seria"), [two for one in edited("serialize") for two in edited(one)]
    assert all(len(near_ids(texts, term)) == 1 for term in once)
    assert [term for term in twice if near_ids(texts, term).tolist() != measured(texts, term)] == []


@pytest.mark.parametrize(
    ("text", "term", "is_near"),
    [
        ("SerializeObjectGraphOfEverything", "serializeobjectgraphofevreythin", True),
        ("SerializeObjectGraphOfEverything", "serializeobjectgraphofabcdthin", False),
        ("My.GrößenOrdnungsWerteÄnderung.Of", "größenordnungswerteänderungxof", True),
        ("x" * 70 + "Tail", "x" * 69 + "ytail", True),
        ("x" * 70 + "Tail", "x" * 69 + "ytalxx", False),
        ("x" * 250 + "_ZebraCrossing", "zebracrosing", False),
    ],
)
def test_terms_longer_than_the_tree_is_deep_are_read_to_their_end(text, term, is_near):
    texts = Texts.build(["Another", text])
    assert near_ids(texts, term).tolist() == measured(texts, term) == ([1] if is_near else [])


def test_a_text_that_has_the_term_as_it_is_is_nearest_with_no_edit():
    texts = Texts.build(["GetValueOfValue"])
    (near,) = nearest(texts, np.arange(1), "value")
    assert near is not None
    assert (near.errors, near.start, near.end) == (0, 3, 8)
