"""Typing errors, as the automaton counts them, are those of the definition: optimal string alignment."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.index.search.match import alphabet
from services.index.search.match.texts import LONGEST_TERM, Automaton, Readers

WORDS = st.text("abc", max_size=8)
TERMS = st.text("abc", min_size=1, max_size=7)


def alignment(one: str, other: str) -> int:
    """The edits between two words: missing, extra and wrong characters, and neighbours swapped."""
    rows = [list(range(len(other) + 1))]
    for i, mine in enumerate(one, 1):
        row = [i]
        for j, theirs in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (mine != theirs))
            if i > 1 and j > 1 and (mine, one[i - 2]) == (other[j - 2], theirs):
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def codes(text: str) -> list[int]:
    return [alphabet.code_of(char) for char in text]


def read(term: str, errors: int, text: str, count: int = 1) -> Readers:
    readers = Automaton(codes(term), errors).begin(count)
    for code in codes(text):
        readers = readers.read(np.full(count, code, np.uint8))
    return readers


@given(TERMS, WORDS, st.integers(0, 3))
def test_a_term_is_read_where_so_many_edits_lead_to_the_text(term: str, text: str, errors: int) -> None:
    readers = read(term, errors, text)
    assert bool(readers.ended()[0]) == (alignment(term, text) <= errors)


@given(TERMS, WORDS, st.integers(0, 3))
def test_more_may_be_read_where_a_part_of_the_term_is_near(term: str, text: str, errors: int) -> None:
    parts = (term[:length] for length in range(len(term)))
    assert bool(read(term, errors, text).alive()[0]) == any(alignment(part, text) <= errors for part in parts)


@given(TERMS, st.lists(WORDS.filter(lambda text: len(text) == 4) | st.text("abc", min_size=4, max_size=4)))
def test_many_texts_are_read_at_once_as_one_by_one(term: str, texts: list[str]) -> None:
    readers = Automaton(codes(term), 2).begin(len(texts))
    for place in range(4):
        readers = readers.read(np.array([alphabet.code_of(text[place]) for text in texts], np.uint8))
    assert readers.ended().tolist() == [alignment(term, text) <= 2 for text in texts]


def test_texts_are_taken_more_than_once_and_go_on_from_where_they_are() -> None:
    both = Automaton(codes("abc"), 0).begin(2).read(np.array(codes("ax"), np.uint8))
    taken = both.take(np.array([0, 1, 0]))
    ended = taken.read(np.array(codes("bbb"), np.uint8)).read(np.array(codes("ccx"), np.uint8)).ended()
    assert ended.tolist() == [True, False, False]


def test_some_texts_go_back_to_another_moment() -> None:
    before = read("abc", 1, "ab", 2)
    after = before.read(np.array(codes("xx"), np.uint8)).read(np.array(codes("xx"), np.uint8))
    mixed = after.kept(np.array([True, False]), before)
    assert mixed.ended().tolist() == [True, False]  # one missing; two edits too many
    swapped = mixed.read(np.array(codes("cc"), np.uint8)).ended()
    assert swapped.tolist() == [True, False]


def test_a_swap_needs_the_character_before_even_after_going_back() -> None:
    before = read("abcd", 1, "ac", 1)
    there = np.array([True])
    back = before.read(np.array(codes("x"), np.uint8)).kept(there, before)
    ended = [back.read(np.array(codes("b"), np.uint8)).read(np.array(codes("d"), np.uint8)).ended()[0]]
    assert ended == [True]  # a, c and b swapped, d


def test_the_longest_term_is_read_to_its_last_character() -> None:
    term = "abc" * (LONGEST_TERM // 3)
    assert read(term, 1, term[:-1]).ended()[0]
    assert not read(term, 1, term[:-2]).ended()[0]
