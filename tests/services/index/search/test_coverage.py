"""Names that a query spells out, and where they come among those that have its words."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.index.search import SymbolRow
from services.index.search.coverage import humps_of, spelled_out, spells
from services.index.search.match.query import Term, Where, parse
from services.model import is_of_tests
from tests.services.index.search.support import paths, searching


def _row(path: str, kind: str = "method", access: str = "public", boost: float = 0) -> SymbolRow:
    container, _, name = path.rpartition(".")
    return SymbolRow(name=name, container=container, kind=kind, access=access, boost=boost)


SHOP = [
    _row("Shop.Orders.OrderHelper", "class", boost=3),
    _row("Shop.Helper", "class", boost=40),
    _row("Shop.Helper.CreateOrder", boost=0.4),
    _row("Shop.Order", "class", boost=90),
    _row("Shop.Order.Read"),
    _row("Shop.OrderReader", "class"),
    _row("Shop.Tests.OrderReaderTests.Read_Order_Helper"),
    _row("Shop.Tests.Order", "class"),
    _row("Shop.CountedMarks"),
    _row("Shop.ClearMap"),
    _row("Shop.Net.ConnectionMultiplexer", "class", boost=60),
    _row("Shop.Policies.IRetryPolicy", "interface"),
    _row("Shop.AddHandler"),
    _row("Shop.Entry", "class"),
    _row("Shop.UpdateEverything.Context"),
    _row("Shop.UpdateEnrichmentContext", access="private"),
    _row("Shop.UpdateLaterContext"),
    _row("Shop.Jobs.IPlannedTask", "interface"),
    _row("Shop.Jobs.Worker.PlannedTask", "property"),
    _row("Shop.Jobs.Boss.PlannedTask", "property"),
    _row("Shop.Media.AudioTrack", "class"),
    _row("Shop.Film.AudioTracks", "property"),
    _row("Shop.Song.AudioTracks", "property"),
    _row("Shop.Media.VideoTrack", "class"),
    _row("Shop.Film.VideoTracks", "property"),
    _row("Shop.Docs.Tests.DeserializeObject", "class"),
    _row("Shop.Convert.DeserializeObject"),
    _row("Shop.Builder", "class", boost=9),
    _row("Shop.OnConnect"),
    _row("Shop.Order.ToString"),
    _row("Shop.ToStringOrderer", "class"),
    _row("Shop.Benchmarks.OrderParse"),
    _row("Shop.Order.Parse"),
    _row("Shop.OnConnectionClosed"),
    _row("Shop.JsonSource", "class", boost=900),
    _row("Shop.JsonSchemaReader", "class"),
    _row("Shop.PartialStreamOfHls"),
    _row("Shop.HlsSmartRage"),
]
GENERIC = [
    SymbolRow(name="Pipeline", container="Shop", kind="class", access="public", boost=900, arity=1),
    SymbolRow(name="Pipeline", container="Shop", kind="class", access="public", boost=10),
    SymbolRow(name="Pipelines", container="Shop", kind="class", access="public", boost=10, arity=1),
]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("order helper", "Shop.Orders.OrderHelper"),
        ("helper order", "Shop.Orders.OrderHelper"),
        ("order read", "Shop.Order.Read"),
        ("CM", "Shop.Net.ConnectionMultiplexer"),
        ("ConMul", "Shop.Net.ConnectionMultiplexer"),
        ("multiplexer connection", "Shop.Net.ConnectionMultiplexer"),
        ("con mux", "Shop.Net.ConnectionMultiplexer"),
        ("retry policies", "Shop.Policies.IRetryPolicy"),
        ("order readers", "Shop.OrderReader"),
        ("adding handler", "Shop.AddHandler"),
        ("entries", "Shop.Entry"),
        ("order", "Shop.Order"),
        ("order tostring", "Shop.Order.ToString"),
        ("order parse", "Shop.Order.Parse"),
        ("planned task", "Shop.Jobs.IPlannedTask"),
        ("audio tracks", "Shop.Media.AudioTrack"),
        ("video tracks", "Shop.Film.VideoTracks"),
        ("deserialize object", "Shop.Convert.DeserializeObject"),
        ("onconnetc", "Shop.OnConnect"),
        ("JSR", "Shop.JsonSchemaReader"),
        ("hls stre", "Shop.PartialStreamOfHls"),
    ],
)
def test_what_is_spelled_out_comes_first(query: str, first: str) -> None:
    assert paths(searching(SHOP), query, SHOP)[0] == first


KINDRED = [
    SymbolRow(name="sampler", container="Shop.Blur", kind="field", access="private"),
    SymbolRow(name="ISampler", container="Shop", kind="interface", access="public"),
    SymbolRow(name="reader", container="Shop.Blur", kind="field", access="private"),
    SymbolRow(name="IReader", container="Shop", kind="interface", access="public"),
    SymbolRow(name="Reader", container="Shop", kind="class", access="public"),
    SymbolRow(name="Hidden", container="Shop.Menu", kind="property", access="public"),
    SymbolRow(name="HiddenAttribute", container="Shop", kind="class", access="public"),
    SymbolRow(name="EntityName", container="Shop.EntityNameAttribute", kind="property", access="public"),
    SymbolRow(name="EntityNameAttribute", container="Shop", kind="class", access="public"),
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("sampler", ["Shop.ISampler", "Shop.Blur.sampler"]),
        ("reader", ["Shop.Reader", "Shop.IReader", "Shop.Blur.reader"]),
        ("hidden", ["Shop.HiddenAttribute", "Shop.Menu.Hidden"]),
        ("Hidden", ["Shop.Menu.Hidden", "Shop.HiddenAttribute"]),
        ("entity name", ["Shop.EntityNameAttribute", "Shop.EntityNameAttribute.EntityName"]),
    ],
)
def test_types_are_called_without_what_their_kind_adds_to_the_name(query: str, found: list[str]) -> None:
    assert paths(searching(KINDRED), query, KINDRED)[: len(found)] == found


def test_a_word_is_not_cut_to_begin_two_humps() -> None:
    assert not spelled_out(["update", "context"], humps_of("UpdateEnrichmentContext"))
    assert spelled_out(["conmul", "fac"], humps_of("ConnectionMultiplexerFactory"))
    assert spelled_out(["retry", "policy"], humps_of("IRetryPolicy"))
    assert not spelled_out(["retry"], humps_of("IRetryPolicy"))
    assert not spelled_out([], humps_of("Retry"))


def test_of_types_with_one_name_that_without_type_parameters_comes_first() -> None:
    hits = searching(GENERIC).search("pipeline").hits
    assert [hit.row for hit in hits] == [1, 0, 2]


def test_tests_come_after_what_they_are_like_unless_they_are_asked_for() -> None:
    assert paths(searching(SHOP), "order", SHOP)[:2] == ["Shop.Order", "Shop.Tests.Order"]
    assert "Read_Order_Helper" in paths(searching(SHOP), "test order helper", SHOP)[0]


def test_without_a_query_types_come_before_members_of_famous_ones() -> None:
    famous = [_row("Shop.Order", "class", boost=5_000), _row("Shop.Order.Read", boost=50)]
    rows = [*famous, _row("Shop.Rare", "class", boost=1), _row("Shop.Unused", "class")]
    assert paths(searching(rows), "", rows)[:3] == ["Shop.Order", "Shop.Rare", "Shop.Unused"]


@pytest.mark.parametrize(
    ("typed", "name", "is_spelled"),
    [
        ("conmul", "ConnectionMultiplexer", True),
        ("cm", "ConnectionMultiplexer", True),
        ("cmu", "ConnectionMultiplexerFactory", False),
        ("rp", "IRetryPolicy", True),
        ("irp", "IRetryPolicy", True),
        ("xr", "XMLReader", True),
        ("aab", "AabAb", True),
        ("aaab", "AabAab", True),
        ("", "Order", False),
    ],
)
def test_a_name_is_spelled_by_beginnings_of_all_its_humps(typed: str, name: str, is_spelled: bool) -> None:
    assert spells(typed, humps_of(name)) is is_spelled


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("entries", "entr"), ("classes", "class"), ("boxes", "box"), ("orders", "order"), ("status", "status"),
        ("adding", "add"), ("getting", "get"), ("calling", "call"), ("string", "string"), ("parsed", "pars"),
        ("speed", "speed"), ("bus", "bus"), ("class", "class"),
    ],
)  # fmt: skip
def test_plurals_and_forms_of_verbs_have_stems(word: str, stem: str) -> None:
    assert Term(word, (False,) * len(word), Where.ANY).stem == stem
    stemmed = parse(word).stemmed
    assert (stemmed.terms[0].text if stemmed else word) == stem


def test_namespaces_of_tests_are_known_by_their_names() -> None:
    of_tests = ("Polly.Tests.Retry", "Polly.Specs.Retry", "A.UnitTest", "A.OrderTests", "A.Benchmarks")
    assert all(map(is_of_tests, of_tests))
    assert not any(map(is_of_tests, ("A.Testing", "A.Testimony", "A.Contest", "Latest.A", "A.PodSpec")))


HUMP = st.sampled_from(("i", "ab", "a", "ba", "c", "cab", "1"))


@given(st.lists(st.text("abci1", min_size=1, max_size=3), max_size=4), st.lists(HUMP, max_size=4))
@example(["a", "cab"], ["ab", "i", "cab"])
@example(["ac"], ["i", "a", "c"])
def test_what_is_spelled_out_has_the_first_letter_of_each_hump_typed(
    words: list[str], humps: list[str]
) -> None:
    """By this most names are left out before any order of the words is tried."""
    typed = set("".join(words))
    assert not spelled_out(words, tuple(humps)) or all(hump == "i" or hump[0] in typed for hump in humps)
