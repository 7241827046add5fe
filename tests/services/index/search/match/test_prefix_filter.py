"""The automata on the letter maps against plain string operations."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.index.search.match.alphabet import fold
from services.index.search.match.matcher import Matcher, nearest
from services.index.search.match.prefix_filter import Closeness, after, down, up
from services.index.search.match.texts import Texts
from tests.services.index.search.support import names

texts = st.lists(names | st.text("abJ_.é", max_size=80), min_size=1, max_size=12, unique=True)
terms = st.text("abjson_é", min_size=1, max_size=5) | names.map(lambda name: fold(name)[:9])
wide = st.integers(0, 2**256 - 1)


def words(value):
    return np.array([[value >> (64 * word) & (2**64 - 1)] for word in range(4)], np.uint64)


def value(found):
    return sum(int(word) << (64 * index) for index, word in enumerate(found[:, 0]))


@given(texts, terms)
def test_closeness_is_what_plain_strings_say(column, term):
    found = Matcher(Texts.build(column)).closeness(term)
    for text, level in zip(column, found.tolist(), strict=True):
        folded = fold(text)[:255]
        assert (level > 0) == bool(re.search(".*".join(map(re.escape, term)), folded, re.DOTALL))
        if term.isascii():
            assert (level >= Closeness.PREFIX) == folded.startswith(term)
            assert (level == Closeness.EXACT) == (folded == term)
            assert level >= Closeness.SUBSTRING or term not in folded


@given(texts, terms)
def test_what_is_close_is_all_but_scattered_characters(column, term):
    matcher = Matcher(Texts.build(column))
    whole = matcher.closeness(term)
    assert (matcher.close(term) == whole * (whole > Closeness.TYPO)).all()


@given(texts, terms)
def test_a_term_typed_letter_by_letter_is_as_close_as_one_that_comes_at_once(column, term):
    typed = Matcher(Texts.build(column))
    for end in range(1, len(term) + 1):
        at_once = Matcher(Texts.build(column))
        assert (typed.closeness(term[:end]) == at_once.closeness(term[:end])).all()
        assert (typed.close(term[:end]) == at_once.close(term[:end])).all()


@given(texts, terms)
def test_near_matches_are_those_that_can_be_measured(column, term):
    build = Texts.build(column)
    found = Matcher(build).closeness(term, with_typos=True)
    ids = np.flatnonzero(found == Closeness.TYPO)
    assert all(near is not None for near in nearest(build, ids, term))


@given(wide, st.integers(0, 255))
def test_words_move_as_one_number(bits, places):
    assert value(up(words(bits))) == (bits << 1) % 2**256
    assert value(down(words(bits), places)) == bits >> places


@given(wide)
def test_after_is_all_above_the_lowest_bit(bits):
    lowest = (bits & -bits).bit_length()
    assert value(after(words(bits))) == (0 if not bits else (2**256 - 1) >> lowest << lowest)
