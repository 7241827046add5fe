"""Chains along humps, as machine words find them and as they are defined, a character at a time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.index.search.filter.segment import ChainHeads, Tails
from services.index.search.match import alphabet
from services.index.search.match.texts import LONGEST, Texts

NAMES = st.lists(
    st.from_regex(r"\A[A-C_]?[a-c]{0,3}([A-C][a-c]{0,2}|[0-2]|\.){0,5}\Z"), min_size=1, max_size=6
)
TERMS = st.text("abc0", min_size=1, max_size=6)


def humps_of(text: str) -> set[int]:
    """Where words begin, one class at a time."""
    classes = np.array([alphabet.class_of(char) for char in text], np.uint8)
    if not len(classes):
        return set()
    padded = np.concatenate(([alphabet.START], classes, [alphabet.START])).astype(np.uint8)
    bonuses = alphabet.bonuses(padded)[1:-1]
    return {at for at, bonus in enumerate(bonuses) if bonus > 0 and classes[at] > alphabet.DELIMITER}


def chained(text: str, term: str, begins: Iterable[int]) -> bool:
    """Whether all of a term chains along a text: each character behind the one before, or at a later hump."""
    folded, humps = alphabet.fold(text), humps_of(text)
    last = {at for at in begins if at < len(text) and folded[at] == term[0]}
    for char in term[1:]:
        last = {
            at
            for at in range(len(text))
            if folded[at] == char
            and any(at == before + 1 or (at in humps and at > before) for before in last)
        }
    return bool(last)


def is_head(text: str, term: str) -> bool:
    return chained(text, term, humps_of(text))


@given(NAMES, TERMS, st.integers(1, 3))
@example(["JsonConvert", "Json2Convert"], "jc", 1)
@example(["a" * 40 + "B", "aB"], "ab", 1)
def test_beginnings_of_a_term_chain_along_humps(names: list[str], term: str, shortest: int) -> None:
    names = list(dict.fromkeys(names))
    found = ChainHeads(Texts.build(names)).lengths(term, shortest=shortest)
    lengths = range(shortest, len(term) + 1)
    wanted = [max((n for n in lengths if is_head(name, term[:n])), default=0) for name in names]
    assert found.tolist() == wanted


@given(NAMES, NAMES, TERMS, st.integers(1, 3))
@example(["JsonConvert"], ["SerializeObject"], "jcso", 1)
def test_ends_of_a_term_chain_from_the_first_character_on(
    containers: list[str], names: list[str], term: str, shortest: int
) -> None:
    containers, names = list(dict.fromkeys(containers)), list(dict.fromkeys(names))
    heads = ChainHeads(Texts.build(containers))
    found = Tails(Texts.build(names), heads).lengths(term, shortest=shortest)
    starts = [
        start
        for start in range(1, len(term))
        if len(term) - start >= shortest and any(is_head(each, term[:start]) for each in containers)
    ]
    wanted = [
        max((len(term) - start for start in starts if chained(name, term[start:], [0])), default=0)
        for name in names
    ]
    assert found.tolist() == wanted


@given(NAMES, TERMS)
def test_whether_a_text_begins_so_is_told_of_any(names: list[str], term: str) -> None:
    names = list(dict.fromkeys(names))
    assert ChainHeads(Texts.build(names)).any(term) == any(is_head(name, term) for name in names)


def test_a_term_is_asked_again_after_others_and_answered_the_same() -> None:
    heads = ChainHeads(Texts.build(["AlphaBeta", "Gamma"]))
    first = heads.lengths("ab", shortest=1).tolist()
    for other in (f"{one}{two}" for one in "abcdefghijklmnop" for two in "abcdefghijklmnop"):
        heads.lengths(other, shortest=1)
    assert heads.lengths("ab", shortest=1).tolist() == first == [2, 0]


@pytest.mark.parametrize("longest", LONGEST)
def test_the_last_character_that_is_mapped_is_found(longest: int) -> None:
    name = "a" * (longest - 1) + "Z"
    assert ChainHeads(Texts.build([name, "b"])).lengths("az", shortest=1).tolist() == [2, 0]
    assert ChainHeads(Texts.build([name, "b"])).lengths("azz", shortest=1).tolist() == [2, 0]


@given(st.lists(st.text(alphabet="abAB0_.+é", max_size=70), unique=True, min_size=1, max_size=5))
def test_letter_maps_have_a_bit_for_every_character(texts: list[str]) -> None:
    for maps in Texts.build(texts).used:
        for row, id_ in enumerate(maps.ids.tolist()):
            text = texts[id_][: int(maps.lengths[row])]
            folded = alphabet.fold(text)
            wide = maps.letters.dtype.itemsize * 8
            for code in range(alphabet.CODES):
                places = {at for at, char in enumerate(folded) if alphabet.code_of(char) == code}
                assert bits(maps.letters[code][:, row], wide) == places
                assert bool(int(maps.present[row]) >> code & 1) == bool(places)
            assert bits(maps.humps[:, row], wide) == humps_of(text)


def bits(words: np.ndarray, wide: int) -> set[int]:
    return {
        wide * number + bit
        for number, word in enumerate(words.tolist())
        for bit in range(wide)
        if word >> bit & 1
    }
