"""A segment that is searched: what counts, what filters leave, and what is remembered when it changes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.index.search import SearchSegment, SymbolRow, Symbols
from services.index.search.filter.segment import SegmentSearch
from services.index.search.filter.segment_query import SegmentQuery, forgiven
from services.index.search.match.query import parse
from tests.services.index.search.support import JSON, queries, rows


def searching(symbols: list[SymbolRow], dead: list[int] | None = None) -> SegmentSearch:
    gone = None
    if dead is not None:
        gone = np.zeros(len(symbols), np.bool_)
        gone[dead] = True
    return SegmentSearch(SearchSegment(Symbols.build(symbols), gone))


def left(search: SegmentSearch, filters: str) -> set[int]:
    """The rows that filters leave."""
    places = np.arange(len(search.symbols))
    kept = search.view(parse(filters).filters).keep(places)
    return set(search.symbols.order[kept].tolist())


@given(rows, st.data())
def test_filters_leave_the_rows_that_pass_each_and_are_not_gone(
    symbols: list[SymbolRow], data: st.DataObject
) -> None:
    gone = data.draw(st.lists(st.integers(0, len(symbols) - 1), unique=True))
    search = searching(symbols, gone)
    wanted = {
        at
        for at, row in enumerate(symbols)
        if row.access == "public" and row.project == "Web" and at not in gone
    }
    assert left(search, "access:public in:Web") == wanted
    assert left(search, "") == set(range(len(symbols))) - set(gone)
    assert search.searched == len(symbols) - len(gone)


def test_shared_rows_are_in_both_projects() -> None:
    symbols = Symbols.build(JSON)
    home = [at for at, row in enumerate(JSON) if row.project == "Home"]
    number = symbols.projects.index("Net")
    shared = np.array([(number, home[0], home[0] + 1)], np.int32)
    search = SegmentSearch(SearchSegment(symbols, shared=shared))
    net = {at for at, row in enumerate(JSON) if row.project == "Net"}
    assert left(search, "in:Net") == net | {home[0]}
    assert left(search, "in:Home") == set(home)
    unshared = search.with_dead(SearchSegment(symbols))
    assert left(unshared, "in:Net") == net


@given(rows, queries, st.data())
def test_rows_that_go_leave_what_was_known_of_words_true(
    symbols: list[SymbolRow], query: str, data: st.DataObject
) -> None:
    gone = data.draw(st.lists(st.integers(0, len(symbols) - 1), unique=True))
    search = searching(symbols)
    SegmentQuery(search, parse(query)).found(search.view(()), np.zeros(0, np.int64), 99)
    dead = np.zeros(len(symbols), np.bool_)
    dead[gone] = True
    later = search.with_dead(SearchSegment(search.symbols, dead))
    fresh = searching(symbols, gone)
    found, wanted = (
        SegmentQuery(each, parse(query)).found(each.view(()), np.zeros(0, np.int64), 99)
        for each in (later, fresh)
    )
    assert found.first.tolist() == wanted.first.tolist()
    assert found.partly.values.tolist() == wanted.partly.values.tolist()
    assert found.spans.values.tolist() == wanted.spans.values.tolist()
    assert found.total == wanted.total


def test_the_famous_are_few_and_named_most() -> None:
    assert searching(JSON[:2]).famous.size == 0
    many = [
        SymbolRow(name=f"N{at}", container="A", kind="class", access="public", boost=float(at < 9) * (1 + at))
        for at in range(20_000)
    ]
    search = searching(many)
    assert sorted(search.symbols.order[search.famous].tolist()) == list(range(9))


def test_words_are_prepared_once_each() -> None:
    search = searching(JSON * 3)
    first = list(search.prepare())
    assert first
    assert list(search.prepare()) == []
    assert list(search.like(search.segment).prepare()) == []


@given(rows, queries)
def test_forgiving_term_by_term_loses_no_symbol_that_has_them_all(
    symbols: list[SymbolRow], text: str
) -> None:
    search, query = searching(symbols), parse(text)
    pairs = forgiven(search, query, {})
    alone = [
        (
            searching(symbols).names.closeness(term.text, with_typos=True),
            searching(symbols).containers.closeness(term.text, with_typos=True),
        )
        for term in query.terms
    ]
    name_id, container_id = search.symbols.name_id, search.symbols.container_id

    def having(found: list[tuple[np.ndarray, np.ndarray]]) -> list[bool]:
        every = [
            (names[name_id] > 0) & (query.skipped[0] is not term.where)
            | (containers[container_id] > 0) & (query.skipped[1] is not term.where)
            for (names, containers), term in zip(found, query.terms, strict=True)
        ]
        return np.logical_and.reduce(every).tolist()

    assert having(pairs) == having(alone)
