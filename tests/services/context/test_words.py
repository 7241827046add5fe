"""Identifiers as words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.context import words


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("PlaybackProgressInfo", ["Playback", "Progress", "Info"]),
        ("JsonHTTPReader2", ["Json", "HTTP", "Reader2"]),
        ("_lockHandle", ["lock", "Handle"]),
        ("MAX_SIZE", ["MAX", "SIZE"]),
        ("取消订单", ["取消订单"]),
    ],
)
def test_identifiers_are_split_by_humps(identifier: str, parts: list[str]) -> None:
    assert words.humps(identifier) == parts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("caches", "cache"),
        ("caching", "cached"),
        ("policies", "policy"),
        ("validators", "validation"),
        ("class", "class"),
    ],
)
def test_forms_of_a_word_are_one(one: str, other: str) -> None:
    assert words.stem(one) == words.stem(other)


def test_words_of_other_meaning_stay_apart() -> None:
    assert len({words.stem(word) for word in ("status", "state", "address", "add", "order", "old")}) == 6


def test_what_is_asked_counts_whole_names_and_leaves_out_what_tells_nothing() -> None:
    asked = words.asked("Fix the PlaybackProgressInfo, please return it")
    assert asked[words.whole("PlaybackProgressInfo")] == asked["playback"] == 1
    assert "the" not in asked
    assert "return" not in asked
    assert asked["fix"] < 1


def test_a_keyword_is_a_word_of_prose_that_weighs_less_than_others() -> None:
    assert words.asked("a file lock", prose=True)["lock"] < 1
    assert words.asked("lock (this)") == {}
    assert words.asked("StringBuilder")["string"] == 1, "a part of a name is no keyword"
    assert words.terms("lock", prose=True) == words.terms("Lock")
    assert words.terms("lock") == ()


def test_words_said_again_weigh_more() -> None:
    assert words.asked("retry retry")["retry"] > words.asked("retry")["retry"]


@given(st.text(max_size=200))
def test_any_text_has_words(text: str) -> None:
    asked = words.asked(text)
    assert all(weight > 0 for weight in asked.values())
    assert all(0 <= words.number(word) < 2**32 for word in asked)
