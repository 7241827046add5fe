"""Scores follow fzf's rules; the expected figures are worked out by hand from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.search.alignment import _highest_so_far, align, pieces
from services.index.search.evidence import align_all
from services.index.search.match.alphabet import fold
from services.index.search.match.query import parse
from services.index.search.match.texts import Texts
from tests.services.index.search.support import names

FIRST = np.array([0])


def laid(text, query):
    return align(Texts.build([text]).characters(np.array([0])), [(parse(query).terms[0], 1)])


@pytest.mark.parametrize(
    ("text", "query", "score", "matched"),
    [
        ("SerializeObject", "ser", 3 * 26 + 10, (0, 1, 2)),
        ("SerializeObject", "so", 36 - 10 + 23, (0, 9)),
        ("GetObject", "obj", 3 * 23 + 7, (3, 4, 5)),
        ("get_object", "obj", 3 * 24 + 8, (4, 5, 6)),
        ("XMLParser", "par", 3 * 23 + 7, (3, 4, 5)),
        ("xaab", "ab", 16 + 20, (2, 3)),
        ("Json", "JSON", 16 * 4 + 10 * 5 + 8 - 3 * 8, (0, 1, 2, 3)),
        ("abc", "acb", -1, ()),
        ("a", "ab", -1, ()),
    ],
)
def test_a_term_earns_what_the_rules_say(text, query, score, matched):
    found = laid(text, query)
    assert (int(found.scores[0]), found.positions(FIRST)[0]) == (score, matched)


@given(names, st.data())
def test_every_subsequence_is_found_and_spelled(name, data):
    kept = data.draw(st.lists(st.integers(0, len(name) - 1), min_size=1, max_size=8, unique=True).map(sorted))
    term = fold("".join(name[place] for place in kept))
    found = laid(name, term)
    assert found.scores[0] >= 0
    (matched,) = found.positions(FIRST)
    assert "".join(fold(name)[place] for place in matched) == term
    assert list(matched) == sorted(set(matched))


few = st.text(st.sampled_from("abABc_./1"), min_size=1, max_size=14)


@given(
    st.lists(names, min_size=1, max_size=8, unique=True) | st.lists(few, min_size=1, max_size=8), st.data()
)
def test_a_term_in_one_piece_scores_as_the_recurrence_does(texts, data):
    column, at = Texts.build(texts), np.arange(len(texts))
    text = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(text) - 1))
    typed = text[start : start + data.draw(st.integers(1, 6))]
    terms = parse(typed if data.draw(st.booleans()) else typed.lower()).terms
    for term in terms:
        found = align(column.characters(at), [(term, len(at))])
        (whole,) = align_all([(column.characters(at), term)])
        assert whole.scores.tolist() == found.scores.tolist()
        assert whole.positions(at) == found.positions(at)


@pytest.mark.parametrize(
    ("text", "query", "start"),
    [("GetObject", "object", 3), ("GetObject", "getobj", 0), ("xobject_Object", "Object", 8),
     ("GetObject", "bject", 4), ("getobject", "Object", None), ("ObjectObject", "object", 0),
     ("GetObject", "go", None), ("get_getObject", "object", 7), ("oddObject_object", "object", None)],
)  # fmt: skip
def test_a_piece_at_the_best_place_is_found_without_laying_it_out(text, query, start):
    found = pieces(Texts.build([text]).characters(np.array([0])), parse(query).terms[0])
    assert (int(found.starts[0]) if found.scores[0] >= 0 else None) == start


@given(st.lists(names | names.map(lambda name: name * 9), min_size=1, max_size=8, unique=True), st.data())
def test_terms_laid_together_earn_what_each_earns_alone(texts, data):
    column = Texts.build(texts)
    words = st.sampled_from(["json", "JSON", "so", "Get", "x", "serializeobject", "9_x"])
    parts = []
    for word in data.draw(st.lists(words, min_size=1, max_size=4)):
        ids = np.array(sorted(data.draw(st.sets(st.integers(0, len(texts) - 1)))), np.int64)
        parts.append((column.characters(ids), parse(word).terms[0]))
    for laid, (characters, term) in zip(align_all(parts), parts, strict=True):
        at = np.arange(len(characters[0]))
        alone = align(characters, [(term, len(at))])
        assert laid.scores.tolist() == alone.scores.tolist()
        if term.humps:
            assert laid.positions(at) == alone.positions(at)


@given(st.lists(st.lists(st.integers(-500, 500), min_size=3, max_size=3), min_size=1, max_size=40))
def test_the_running_maximum_is_that_of_numpy(lines):
    values = np.array(lines, np.int16)
    assert _highest_so_far(values).tolist() == np.maximum.accumulate(values, axis=0).tolist()
