"""The words that most names have."""

from __future__ import annotations

from services.index.search import Segment, SymbolRow, Symbols, SymbolSearch, Texts
from services.index.search.common import common_words
from tests.services.index.search.support import searching

NAMES = ["OrderBasket", "orderTotal", "_order", "BasketOf", "HTTPOrder", "Total", "x", "Über"]


def test_they_are_counted_whatever_their_case_and_the_most_common_come_first() -> None:
    assert common_words(Texts.build(NAMES), 3) == ["order", "basket", "total"]
    assert common_words(Texts.build([]), 3) == []


def test_looking_them_up_changes_no_answer() -> None:
    rows = [SymbolRow(name=name, container="Shop.Orders", kind="method", access="public") for name in NAMES]
    prepared = SymbolSearch([Segment(Symbols.build(rows))])
    assert list(prepared.prepare())[:2] == ["order", "basket"]
    for query in ("order", "basket order", "ordr", "total x", "shop total"):
        assert prepared.search(query) == searching(rows).search(query)
