"""Whatever strangers write becomes a value or one error, soon and within memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.decoding import (
    BeyondLimit,
    Limit,
    decode,
    decode_first,
    decode_msgpack,
    decode_toml,
    decode_with_halves,
)

DEEP = 50_000


class Point(msgspec.Struct):
    x: int = 0
    more: Any = None


NESTED = [
    "[" * DEEP,
    "[" * DEEP + "]" * DEEP,
    '{"a":' * DEEP + "1" + "}" * DEEP,
    '{"more":' + "[" * DEEP + "]" * DEEP + "}",
    '{"unknown":' + '{"a":[' * DEEP + "]}" * DEEP + "}",
    '[{"x":1},' * DEEP,
    "[" * 101 + "]" * 101,
]


@pytest.mark.parametrize("text", NESTED)
@pytest.mark.parametrize("kind", [Any, dict[str, Any], Point, list[Point], dict[str, Point]])
def test_json_that_is_nested_too_deep_is_an_error(text: str, kind: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: decode(kind, text),
        lambda: decode(kind, text.encode()),
        lambda: decode(kind, memoryview(text.encode())),
        lambda: decode_with_halves(kind, text),
        lambda: decode_first(text, 0),
    ]
    for call in calls:
        with pytest.raises(msgspec.DecodeError):
            call()


def test_the_bounds_are_those_of_the_limit() -> None:
    limit = Limit(size=100, depth=3, values=10)
    assert decode(Any, "[[[1, 2]]]", limit) == [[[1, 2]]]
    for beyond in ("[[[[]]]]", "[" + "0," * 11 + "0]", '"' + "a" * 100 + '"', '{"a":[{"b":{}}]}'):
        with pytest.raises(BeyondLimit):
            decode(Any, beyond, limit)
    signs_in_texts = json.dumps(['[[[[{,,,,,\\"[[[,,'])
    assert decode(Any, signs_in_texts, limit) == json.loads(signs_in_texts)


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * DEEP, "a = " + "{b=" * DEEP, ".".join("a" * 5_000) + " = 1", "[" + ".".join("a" * 5_000) + "]",
     "a = [[[[[[[[[[1]]]]]]]]]]", "a = 'open", "\x00"],
)  # fmt: skip
def test_toml_beyond_the_bounds_is_an_error(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_toml(dict[str, Any], text, Limit(1_000_000, 8, 100))
    assert decode_toml(dict[str, Any], 'a.b = "x.y.z"') == {"a": {"b": "x.y.z"}}


@pytest.mark.parametrize(
    "data", [b"\x91" * DEEP, b"\xdd\xff\xff\xff\xff", b"\x81\xa1x" + b"\x91" * DEEP, b"", b"\xc1"]
)
@pytest.mark.parametrize("kind", [Point, list[Point], tuple[str, int], dict[str, Any]])
def test_msgpack_that_is_damaged_is_an_error(data: bytes, kind: Any) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_msgpack(kind, data)


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(), lambda inner: (
    st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
), max_leaves=60))  # fmt: skip
def test_what_is_within_the_bounds_is_read_as_it_is(value: Any) -> None:
    text = json.dumps(value)
    assert decode(Any, text) == decode(Any, text.encode()) == decode_with_halves(Any, text) == value


@given(st.text(alphabet='[]{},:"\\a1 \n', max_size=60))
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    for call in (decode, decode_with_halves):
        try:
            found = call(Any, text, Limit(50, 4, 10))
        except msgspec.DecodeError:
            continue
        assert found == json.loads(text)


def test_halves_of_surrogate_pairs_are_read_where_they_are_asked_for() -> None:
    assert decode_with_halves(Any, r'"\udce9"') == "\udce9"
    with pytest.raises(msgspec.DecodeError):
        decode(Any, r'"\udce9"')
