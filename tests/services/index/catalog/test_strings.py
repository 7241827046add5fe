"""Strings kept once: an index stands for the same text ever after, also across freezing."""

from __future__ import annotations

from array import array

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from services.index.catalog.entries import Phrases, Strings

TEXTS = st.lists(st.text(max_size=6), max_size=12)
ANY = st.lists(st.text(st.characters(codec=None), max_size=6), max_size=12)


@given(TEXTS, TEXTS)
def test_a_string_has_one_index_whenever_it_comes(first: list[str], later: list[str]) -> None:
    strings = Strings()
    one, two = strings.ids(first), strings.ids(later)
    assert [strings.values[at] for at in (*one, *two)] == [*first, *later]
    assert strings.values == list(dict.fromkeys([*first, *later]))
    assert [strings.add(text) for text in first] == one


@given(TEXTS, TEXTS)
def test_frozen_strings_keep_their_indexes_and_take_more(kept: list[str], later: list[str]) -> None:
    strings = Strings()
    strings.ids(kept)
    whole = msgspec.msgpack.encode({"strings": strings.frozen()})
    again = Strings(msgspec.msgpack.decode(whole, type=dict[str, msgspec.Raw])["strings"])
    assert again.values == strings.values
    assert again.ids(later) == strings.ids(later)
    assert again.values == strings.values


@given(ANY, ANY)
def test_phrases_are_read_back_one_by_one_lone_surrogates_too(first: list[str], later: list[str]) -> None:
    phrases = Phrases()
    ids = [*phrases.ids(first), *phrases.ids(later)]
    assert [phrases.text(at) for at in ids] == [*first, *later]
    assert len(phrases.ends) == len({*first, *later})


@given(ANY, ANY)
def test_a_kept_blob_is_read_where_it_lies_and_copied_only_to_grow(kept: list[str], later: list[str]) -> None:
    phrases = Phrases()
    phrases.ids(kept)
    blob = bytes(phrases.blob)
    again = Phrases(memoryview(blob), array("I", phrases.ends))
    assert again.ids(kept) == phrases.ids(kept)
    assert again.blob is not blob
    assert [again.text(at) for at in again.ids(later)] == later
    assert blob == bytes(again.blob)[: len(blob)]
