"""The words that most names have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.search import SearchSegment, SymbolRow, Symbols, SymbolSearch, Texts
from services.index.search.engine import dead_rows
from services.index.search.match import matcher
from services.index.search.match.matcher import Matcher, common_words
from tests.services.index.search.support import searching

NAMES = ["OrderBasket", "orderTotal", "_order", "BasketOf", "HTTPOrder", "Total", "x", "Über"]


def test_they_are_counted_whatever_their_case_and_the_most_common_come_first() -> None:
    assert common_words(Texts.build(NAMES), 3) == ["order", "basket", "total"]
    assert common_words(Texts.build([]), 3) == []


def test_looking_them_up_changes_no_answer() -> None:
    rows = [SymbolRow(name=name, container="Shop.Orders", kind="method", access="public") for name in NAMES]
    prepared = SymbolSearch([SearchSegment(Symbols.build(rows))])
    assert list(prepared.prepare())[:2] == ["order", "basket"]
    for query in ("order", "basket order", "ordr", "total x", "shop total"):
        assert prepared.search(query) == searching(rows).search(query)


def test_they_are_looked_up_once_whatever_dies_meanwhile() -> None:
    symbols = Symbols.build(
        [SymbolRow(name=n, container="Shop", kind="method", access="public") for n in NAMES]
    )
    search = SymbolSearch([SearchSegment(symbols)])
    assert len(list(search.prepare())) > 3
    search.replace([SearchSegment(symbols, dead_rows(len(NAMES), [0]))])
    assert list(search.prepare()) == []
    assert {hit.name for hit in search.search("order").hits} == {"_order", "orderTotal", "HTTPOrder"}


@given(
    st.lists(st.text(alphabet="abAB_é", max_size=8), max_size=20),
    st.lists(st.text(alphabet="abé", min_size=2, max_size=5), max_size=4),
)
def test_what_was_looked_up_is_what_is_found(names: list[str], words: list[str]) -> None:
    texts = Texts.build(names)
    prepared, plain = Matcher(texts), Matcher(texts)
    for with_typos in (False, True):
        for word in words:
            prepared.prepare(word, with_typos=with_typos)
            assert not prepared.prepare(word, with_typos=with_typos)
    for word in words:
        assert (prepared.closeness(word) == plain.closeness(word)).all()
        assert (prepared.close(word) == plain.close(word)).all()
        assert (prepared.closeness(word, with_typos=True) == plain.closeness(word, with_typos=True)).all()


def test_no_more_is_kept_of_words_than_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, "_BYTES", 40)
    bounded = Matcher(Texts.build(NAMES))
    taken = [bounded.prepare(word) for word in ("order", "basket", "total", "http")]
    assert taken[0]
    assert not taken[-1]
    assert (bounded.closeness("http") == Matcher(Texts.build(NAMES)).closeness("http")).all()
