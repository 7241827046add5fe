"""What symbol search finds, and in which order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from services.index.search import SearchSegment, SymbolRow, Symbols, SymbolSearch, dead_rows
from services.index.search.match.alphabet import fold
from services.index.search.match.matcher import allowed_errors
from services.index.search.match.query import parse
from tests.services.index.search.support import JSON, paths, queries, rows, searching

SERIALIZE = "Newtonsoft.Json.JsonConvert.SerializeObject"


@pytest.mark.parametrize(
    "query",
    [
        "json ser obj",
        "JCSO",
        "jcso",
        "JsonConvert.Ser",
        "serobj",
        "serializobject",
        "seriailze",
        "serialzieobjet",
    ],
)
def test_the_meant_symbol_comes_first(query):
    assert paths(searching(JSON), query, JSON)[0] == SERIALIZE


def test_types_are_listed_first_before_references_are_known():
    members = [
        SymbolRow(name=f"A{at:03}", container="N.Zoo", kind="method", access="public") for at in range(300)
    ]
    known = [*members, SymbolRow(name="Zoo", container="N", kind="class", access="public")]
    assert paths(searching(known), "", known)[0] == "N.Zoo"


@pytest.mark.parametrize("length", [200, 255, 256, 5_000])
@pytest.mark.parametrize("word", ["x", "Json", "é", "\0", "a.", "JC"])
def test_a_word_of_any_length_is_a_query(word, length):
    assert paths(searching(JSON), (word * length)[:length], JSON) == []


def test_capitals_alone_prefer_humps_over_a_beginning():
    search = searching(JSON)
    assert paths(search, "SO", JSON)[0] == SERIALIZE
    assert paths(search, "so", JSON)[0] in {"My.Net.Socket", "My.Home.Sofa"}


def test_a_dot_with_nothing_after_lists_the_members():
    found = paths(searching(JSON), "JsonConvert.", JSON)
    assert found[:3] == [SERIALIZE, "Newtonsoft.Json.JsonConvert.DeserializeObject", SERIALIZE]


def test_a_type_name_does_not_bring_its_members():
    assert paths(searching(JSON), "jsonconvert", JSON) == [
        "Newtonsoft.Json.JsonConvert",
        "Newtonsoft.Json.JsonConverter",
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kind:method access:private", [SERIALIZE]),
        ("kind:record-struct", ["My.Home.Sofa"]),
        ("kind:rec so", ["My.Home.Sofa"]),
        ("ns:My.Net", ["My.Net.Socket"]),
        ("ns:net", ["My.Net.Socket"]),
        ("ns:größe", ["My.Größe.ÜberStraße"]),
        ("in:net", ["My.Net.Socket"]),
        ("access:internal", ["My.Home.Sofa"]),
        ("kind:nothing", []),
        ("ns:et", []),
    ],
)
def test_filters_narrow(query, expected):
    assert paths(searching(JSON), query, JSON) == expected


def test_letters_beyond_ascii_match_without_case():
    assert paths(searching(JSON), "üBERSTRAß", JSON) == ["My.Größe.ÜberStraße"]
    assert searching(JSON).search("ä").total == 0


def test_public_comes_before_private_and_short_before_long():
    search = searching(JSON)
    hits = search.search("serializeobject").hits
    assert [hit.row for hit in hits[:2]] == [1, 2]
    assert paths(search, "json", JSON)[:2] == ["Newtonsoft.Json.JsonConvert", "Newtonsoft.Json.JsonConverter"]


def test_a_type_comes_before_its_constructors_even_if_these_are_more_open():
    owner = "Polly.Retry.RetryResilienceStrategy"
    symbols = [
        SymbolRow(
            name="RetryResilienceStrategy", container=owner, kind="constructor", access="public", boost=9
        ),
        SymbolRow(name="RetryResilienceStrategy", container="Polly.Retry", kind="class", access="internal"),
        SymbolRow(name="RetryResilienceStrategy", container=owner, kind="constructor", access="private"),
    ]
    assert [hit.row for hit in searching(symbols).search("retryresstra").hits] == [1, 0, 2]


def test_recently_used_symbols_rise():
    search = searching(JSON)
    assert search.search("so", recent={7: 1.0}).hits[0].row == 7
    assert search.search("", recent={8: 1.0}).hits[0].row == 8


def test_typos_are_forgiven_only_when_few_match():
    many = [SymbolRow(name=f"Serialise{i}", container="A", kind="method", access="public") for i in range(20)]
    one = SymbolRow(name="Serialize", container="A", kind="method", access="public")
    assert not searching([*many, one]).search("serialise").typos
    assert paths(searching([one]), "serialise", [one]) == ["A.Serialize"]
    assert paths(searching([one]), "sxr", [one]) == []


def named(*names: str) -> list[SymbolRow]:
    return [SymbolRow(name=name, container="A", kind="method", access="public") for name in names]


def test_what_many_names_begin_a_word_with_is_no_slip():
    symbols = named(*(f"Reader{i}" for i in range(10)), *(f"Token{i}" for i in range(10)))
    symbols += named("ReaderToken", "ReaxerToken")
    search = searching(symbols)
    assert paths(search, "reader token", symbols) == ["A.ReaderToken"]
    assert not search.search("reader token").typos
    assert paths(search, "readre token", symbols) == ["A.ReaderToken"]
    assert search.search("readre token").typos


def test_where_nothing_matches_every_word_may_be_a_slip():
    symbols = named(*(f"Reader{i}" for i in range(10)), *(f"Token{i}" for i in range(10)), "ReaxerToken")
    assert paths(searching(symbols), "reader token", symbols) == ["A.ReaxerToken"]


def test_a_long_name_is_found_by_its_end():
    row = SymbolRow(name="Test_" + "word_" * 30 + "Zebra", container="T", kind="method", access="public")
    (hit,) = searching([row]).search("zebra").hits
    assert hit.name_positions == tuple(range(155, 160))


def test_dead_rows_are_not_found_and_an_overlay_takes_their_place():
    base = Symbols.build(JSON)
    changed = [
        SymbolRow(
            name="SerializeObjects", container="Newtonsoft.Json.JsonConvert", kind="method", access="public"
        )
    ]
    search = SymbolSearch([SearchSegment(base)])
    before = search.search("serobj")
    search.replace([SearchSegment(base, dead_rows(len(base), [1, 2])), SearchSegment(Symbols.build(changed))])
    after = search.search("serobj")
    assert before.total == after.total + 1
    assert after.searched == len(JSON) - 2 + 1
    assert (after.hits[0].segment, after.hits[0].row, after.hits[0].number) == (1, 0, len(JSON))
    assert not {1, 2} & {hit.number for hit in after.hits}


def test_nothing_to_search_finds_nothing():
    assert SymbolSearch([]).search("a").hits == ()
    assert searching([]).search("a b").total == 0
    assert searching([]).search("kind:class").total == 0


@given(rows, queries)
def test_every_hit_contains_every_term_and_the_positions_spell_it(symbols, query):
    for hit in searching(symbols).search(query, limit=200).hits:
        row = symbols[hit.row]
        name, container = fold(row.name), fold(row.container)
        shown = [name[place] for place in hit.name_positions]
        shown += [container[place] for place in hit.container_positions]
        assert list(hit.name_positions) == sorted(set(hit.name_positions))
        assert list(hit.container_positions) == sorted(set(hit.container_positions))
        for term in parse(query).terms:
            whole = f"{container}.{name}"
            assert contains(whole, term.text) or nearly(whole, term.text)
            if contains(whole, term.text) and len(parse(query).terms) == 1 and contains(name, term.text):
                assert "".join(shown) == term.text or nearly(name, term.text)


@given(rows, queries)
@settings(max_examples=15)
def test_typing_and_deleting_gives_the_answers_of_a_fresh_search(symbols, query):
    search = searching(symbols)
    typed = [query[:end] for end in range(len(query) + 1)]
    answers = {text: search.search(text) for text in typed + typed[::-1]}
    assert answers[query] == searching(symbols).search(query)
    assert answers[query[:3]] == searching(symbols).search(query[:3])


@given(rows, queries, st.sampled_from(["kind:enum", "access:public", "in:core", "ns:json"]))
def test_a_filter_only_narrows(symbols, query, extra):
    search = searching(symbols)
    everything = {hit.row for hit in search.search(query, limit=200).hits}
    narrowed = search.search(f"{query} {extra}", limit=200)
    assert {hit.row for hit in narrowed.hits} <= everything
    assert narrowed.total == len(narrowed.hits)


@given(rows, queries, st.integers(1, 20))
@settings(max_examples=15)
def test_fewer_hits_are_the_head_of_more(symbols, query, limit):
    search = searching(symbols * 3)
    assert search.search(query, limit=limit).hits == search.search(query, limit=128).hits[:limit]


@given(rows, queries, st.integers(0, 40))
@settings(max_examples=15)
def test_segments_together_find_what_one_finds(symbols, query, cut):
    whole, parts = searching(symbols), searching(symbols[:cut], symbols[cut:])
    one, two = whole.search(query, limit=200), parts.search(query, limit=200)
    assert one.total == two.total
    assert [(hit.number, hit.score, hit.name_positions) for hit in one.hits] == [
        (hit.number, hit.score, hit.name_positions) for hit in two.hits
    ]


def contains(text: str, term: str) -> bool:
    rest = iter(text)
    return all(char in rest for char in term)


def nearly(text: str, term: str) -> bool:
    errors = allowed_errors(len(term))
    sizes = range(max(1, len(term) - errors), len(term) + errors + 1)
    windows = (text[start : start + size] for start in range(len(text)) for size in sizes)
    return errors > 0 and any(OSA.distance(window, term) <= errors for window in windows)


def test_of_symbols_with_one_key_the_best_is_found_and_others_move_up():
    parts = [
        SymbolRow(name=name, container="My", kind="class", access=access)
        for name, access in [
            ("Part", "private"),
            ("Part", "public"),
            ("Party", "public"),
            ("Parts", "public"),
        ]
    ]
    keys = np.array([0, 0, 2, 3])
    found = SymbolSearch([SearchSegment(Symbols.build(parts), keys=keys)]).search("part", limit=3)
    assert [hit.number for hit in found.hits] == [1, 3, 2]
    assert found.total == 4


def test_words_of_one_name_mean_that_name_before_one_of_a_type_that_has_the_others():
    own = [
        SymbolRow(name="_options", container="Polly.Retry.RetryTests", kind="field", access="private"),
        SymbolRow(name="RetryOptions", container="Polly.Retry", kind="class", access="public"),
        SymbolRow(name="MaxAttempts", container="Polly.Retry.RetryOptions", kind="property", access="public"),
    ]
    assert paths(searching(own), "retry opt", own)[:2] == [
        "Polly.Retry.RetryOptions",
        "Polly.Retry.RetryTests._options",
    ]
    assert paths(searching(own), "retry max", own)[0] == "Polly.Retry.RetryOptions.MaxAttempts"


def test_the_exact_name_comes_first_whatever_is_used_more():
    names = ["CacheTests", "CacheOptions", "Cache", "CacheOptionsTests", "cache"]
    kinds = ["class", "class", "class", "class", "field"]
    symbols = [
        SymbolRow(
            name=name,
            container="N",
            kind=kind,
            access="internal" if name == "Cache" else "public",
            boost=9 * at,
        )
        for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    assert paths(searching(symbols), "Cache", symbols)[0] == "N.Cache"
    assert paths(searching(symbols), "cache", symbols)[0] == "N.Cache"
    assert paths(searching(symbols), "cache tests", symbols)[0] == "N.CacheTests"


def test_a_type_comes_before_a_member_that_fits_as_well():
    symbols = [
        SymbolRow(name="Leaf", container="N.Tree", kind="property", access="public", boost=90),
        SymbolRow(name="Leaf", container="N.Garden", kind="class", access="internal"),
    ]
    assert paths(searching(symbols), "leaf", symbols)[0] == "N.Garden.Leaf"


def test_words_that_make_up_a_whole_name_count_as_the_exact_one():
    symbols = [
        SymbolRow(name="CreateRetry", container="N.Helper", kind="method", access="public", boost=90),
        SymbolRow(name="RetryHelperTests", container="N.Retry", kind="class", access="public"),
        SymbolRow(name="RetryHelper", container="N.Retry", kind="class", access="internal"),
        SymbolRow(name="Retry", container="N.Helpers", kind="method", access="public", boost=90),
        SymbolRow(name="TryRetry", container="N.Helpers", kind="method", access="public", boost=90),
    ]
    found = paths(searching(symbols), "retry helper", symbols)
    assert found[0] == "N.Retry.RetryHelper"
    assert paths(searching(symbols), "Retry Helper", symbols)[0] == "N.Retry.RetryHelper"
    members = paths(searching(symbols), "helpers retry", symbols)
    assert members.index("N.Helpers.Retry") < members.index("N.Helpers.TryRetry")


def test_a_long_word_with_a_slip_goes_before_names_that_its_letters_are_scattered_over():
    names = ["MonthCalendar", *(f"MonthCalendarDesigner{n}" for n in range(20))]
    known = [SymbolRow(name=name, container="Forms", kind="class", access="public") for name in names]
    assert paths(searching(known), "monthcalender", known)[0] == "Forms.MonthCalendar"
    assert len(paths(searching(known), "monthcald", known)) == 21
