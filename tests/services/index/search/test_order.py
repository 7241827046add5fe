"""The order of hits (SPEC section 5): how a name fits, then what it is, then how short and how much used."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.search import SymbolRow
from tests.services.index.search.support import paths, searching

WORDS = ("Reader", "Token", "Value", "Map")
EXACT, PREFIX, HUMP, PART = range(4)


def fit(query: str, name: str) -> int:
    """How a name has what was typed, the best first."""
    if name.lower() == query:
        return EXACT
    if name.lower().startswith(query):
        return PREFIX
    words = (name[found.start() :].lower() for found in re.finditer("[A-Z]", name))
    return HUMP if any(word.startswith(query) for word in words) else PART


@st.composite
def searches(draw: st.DrawFn) -> tuple[str, list[SymbolRow]]:
    """A word, and symbols whose names have it in one place or another."""
    query = draw(st.sampled_from(["cache", "retry", "json"]))
    word, other = query.capitalize(), draw(st.sampled_from(WORDS))
    names = [
        word,
        word + other,
        f"{word}{other}{other}",
        other + word,
        f"{other}{word}s",
        f"Un{query}{other}",
    ]
    rows = st.builds(
        SymbolRow,
        name=st.sampled_from(names),
        container=st.sampled_from(["A.B", "N", "N.Deep.Er"]),
        kind=st.sampled_from(["class", "method", "field", "constructor", "enum member"]),
        access=st.sampled_from(["public", "internal", "private"]),
        boost=st.sampled_from([0.0, 1.0, 50.0, 900.0]),
    )
    return query, draw(st.lists(rows, min_size=2, max_size=6))


@given(searches())
def test_how_a_name_fits_goes_before_all_else(drawn: tuple[str, list[SymbolRow]]) -> None:
    query, rows = drawn
    found = [fit(query, rows[hit.row].name) for hit in searching(rows).search(query).hits]
    assert found == sorted(found)
    assert len(found) == len(rows)


@given(searches())
def test_of_one_name_types_come_first_then_the_open_then_the_much_used(
    drawn: tuple[str, list[SymbolRow]],
) -> None:
    query, rows = drawn
    openness = ["public", "internal", "private"]
    hits = [rows[hit.row] for hit in searching(rows).search(query).hits]
    for first, second in pairwise(hits):
        if first.name == second.name:
            keys = [
                (
                    each.kind != "class",
                    each.kind == "constructor",
                    openness.index(each.access),
                    -each.boost,
                    len(each.container),
                )
                for each in (first, second)
            ]
            assert keys == sorted(keys)


@given(searches(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_breaks_ties_alone(drawn: tuple[str, list[SymbolRow]], chance: object) -> None:
    query, rows = drawn
    shuffled = list(rows)
    chance.shuffle(shuffled)  # pyright: ignore
    first = [rows[hit.row] for hit in searching(rows).search(query).hits]
    second = [shuffled[hit.row] for hit in searching(shuffled).search(query).hits]
    assert first == second


def named(name: str, **changed: object) -> SymbolRow:
    return SymbolRow(**({"name": name, "container": "N", "kind": "class", "access": "public"} | changed))  # pyright: ignore


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("read", named("Reader"), named("ReaderOptions")),
        ("SO", named("SerializeObject"), named("Socket", boost=99.0)),
        ("UJR", named("Utf8JsonReader"), named("UnjoinedRowReader")),
        ("ic", named("Int32Converter"), named("Critic")),
        ("so", named("Socket"), named("SerializeObject", boost=99.0)),
        ("Map", named("Map"), named("map", boost=99.0)),
        ("list", named("List", arity=0), named("List", arity=1)),
        ("n.map", named("Map"), named("Map", container="Other.In")),
        (
            "store service",
            named("ItemStoreService"),
            named("_storeService", kind="field", access="private", boost=99.0),
        ),
        ("list man", named("IListManager", kind="interface"), named("ListManager", kind="constructor")),
        (
            "list man",
            named("IListManager", kind="interface"),
            named("_listManager", kind="field", access="private"),
        ),
        ("xml reader", named("XmlReader"), named("Xml", container="My.Reader")),
        (
            "storefactroy",
            named("IStoreFactory", kind="interface"),
            named("storeFactory", kind="field", access="private", boost=99.0),
        ),
        (
            "maker with identity",
            named("WithIdentity", container="N.ShiftMaker", kind="method"),
            named("ShiftMaker_WithIdentityAndGroup_Succeeds", container="N.Cases", kind="method"),
        ),
        (
            "forbid parallel",
            named("ForbidParallelRunsAttribute"),
            named("ParallelRunsForbidden", container="N.Shift", kind="property"),
        ),
        (
            "inst id gen",
            named("IInstanceIdGenerator", kind="interface"),
            named("GenerateInstanceId", container="N.Options", kind="method"),
        ),
        ("RPR", named("RunPipelineRegistry"), named("RunPipelineRegistry", container="Shop.Samples")),
        ("item keys", named("ItemKey"), named("GetItemKeysOfAll", container="N.Store", kind="method")),
    ],
)
def test_of_two_the_likelier_is_first(query: str, first: SymbolRow, second: SymbolRow) -> None:
    for rows in ([first, second], [second, first]):
        answer = searching(rows).search(query)
        assert rows[answer.hits[0].row] == first


@given(searches(), st.data())
def test_what_was_used_lately_never_falls(drawn: tuple[str, list[SymbolRow]], data: st.DataObject) -> None:
    query, rows = drawn
    used = data.draw(st.integers(0, len(rows) - 1))
    search = searching(rows)
    before = [hit.number for hit in search.search(query).hits]
    after = [hit.number for hit in search.search(query, recent={used: 1.0}).hits]
    assert after.index(used) <= before.index(used)
    assert [each for each in after if each != used] == [each for each in before if each != used]


def test_without_words_types_come_before_their_members_by_use() -> None:
    rows = [named("A", boost=1.0), named("M", kind="method", boost=900.0), named("B", boost=5.0), named("C")]
    assert paths(searching(rows), "", rows) == ["N.B", "N.A", "N.C", "N.M"]
