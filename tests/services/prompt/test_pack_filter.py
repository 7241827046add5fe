"""The filter grammar of packs: what it means, and what its errors say."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import InvalidFilter
from services.prompt.pack_files import FIELDS, FilterTerm, conditions, parse

_TYPE = {
    "namespace": {"json.linq", "json"},
    "type": {"jobject", "json.linq.jobject"},
    "access": {"public"},
    "tag": {"class", "generic"},
    "depends": {"jtoken", "json.linq.jtoken"},
}


def matches(text: str) -> bool:
    return parse(text).matches(lambda field: _TYPE[field])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("type:JObject", True),
        ("type:jobject", True),
        ("TYPE:J*", True),
        ("type:?Object", True),
        ("type:?JObject", False),
        ("type:Json.*.JObject", True),
        ("namespace:Json", True),
        ("namespace:Linq", False),
        ("type:JObject access:internal", False),
        ("type:JObject OR access:internal", True),
        ("type:X or access:public", True),
        ("type:X || access:public", True),
        ("type:JObject && access:public and tag:class", True),
        ("!access:internal", True),
        ("!!access:internal", False),
        ("!(access:internal OR tag:class)", False),
        ("access:internal OR tag:class type:JObject", True),  # AND binds tighter
        ("(access:internal OR tag:class) type:X", False),
        ("depends:JToken", True),
        ("type:or OR type:JObject", True),
        ("type:and*", False),
    ],
)
def test_it_means_what_the_grammar_says(text: str, expected: bool) -> None:
    assert matches(text) is expected


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        ("", 0, "the filter ends"),
        ("   ", 3, "the filter ends"),
        ("JObject", 0, "type:JObject"),
        ("typ:JObject", 0, "Did you mean type:"),
        ("colour:red", 0, "There are namespace:"),
        ("type:", 5, "wants a name"),
        ("type: JObject", 5, "wants a name"),
        ("(type:J*", 0, "never closed"),
        ("tag:a (type:J* OR tag:test", 6, "never closed"),
        ("type:J*)", 7, "closes nothing"),
        ("type:J* OR", 10, "the filter ends"),
        ("OR type:J*", 0, "none before it"),
        ("type:a AND AND type:b", 11, "none before it"),
        ("NOT tag:test", 0, "Write !"),
        ("type:List<int>", 9, "leave type arguments out"),
        ("type:a & type:b", 7, "no meaning here"),
        ("()", 1, "there is a )"),
        ("!", 1, "the filter ends"),
        ("type:a @", 7, "no meaning here"),
    ],
)
def test_an_error_says_where_and_what_would_be_right(text: str, position: int, hint: str) -> None:
    with pytest.raises(InvalidFilter) as raised:
        parse(text)
    details = raised.value.details
    assert details["position"] == position
    assert hint in details["hint"]
    assert f"character {position + 1}" in raised.value.message


def test_depth_and_length_have_ends() -> None:
    for text in ("(" * 10_000, "!" * 3_000 + "type:a", "type:a " * 10_000):
        with pytest.raises(InvalidFilter):
            parse(text)


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    began = time.perf_counter()
    parse("type:" + "*a" * 500 + "*b").matches(lambda _: {"a" * 2_000})
    assert time.perf_counter() - began < 30


def test_what_stands_under_a_not_is_not_asked_for() -> None:
    node = parse("type:A !type:B (type:C OR !(type:D))")
    assert [each.token for each in conditions(node)] == ["a", "c"]


@given(st.text(alphabet="()!|&* abORND:typeg?-", max_size=40))
def test_every_text_is_a_filter_or_an_error_with_a_place_in_it(text: str) -> None:
    try:
        parse(text).matches(lambda field: _TYPE[field])
    except InvalidFilter as error:
        assert 0 <= error.details["position"] <= len(text)
        assert error.details["hint"]


_tokens = st.sampled_from(["json", "jobject", "x*", "public"])
_leaf = st.builds(lambda f, v: f"{f}:{v}", st.sampled_from(FIELDS), _tokens)
_filters = st.recursive(
    _leaf,
    lambda inner: st.one_of(
        inner.map(lambda each: f"!({each})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) OR ({two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) ({two[1]})"),
    ),
    max_leaves=8,
)


@given(_filters, _filters)
def test_connectives_are_those_of_logic(one: str, other: str) -> None:
    a, b = matches(one), matches(other)
    assert matches(f"({one}) OR ({other})") is (a or b)
    assert matches(f"({one}) AND ({other})") is (a and b)
    assert matches(f"({one}) ({other})") is (a and b)
    assert matches(f"!({one})") is not a


def test_a_namespace_has_the_short_name_of_searches_too() -> None:
    assert parse("NS:Polly.Retry") == FilterTerm("namespace", "polly.retry", 0)
