"""JSON of state files: what was written comes back, names that are no UTF-8 too, and damage is an error."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.workspace import json_files

any_text = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)


class Place(msgspec.Struct, frozen=True, rename="camel"):
    file_name: str
    first_line: int = 1


@given(st.dictionaries(any_text, values, max_size=4), st.sampled_from([None, 1, 2]))
def test_what_was_written_comes_back(value: dict[str, object], indent: int | None) -> None:
    assert json_files.decode(json_files.encode(value, indent=indent), dict) == _one_character(value)


def _one_character(value: object) -> object:
    """As JSON means it: two halves that stand side by side are one character."""
    return json.loads(json.dumps(value))


@given(any_text)
def test_a_typed_value_comes_back_with_the_names_its_fields_have_in_files(name: str) -> None:
    place = Place(name.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"), 7)
    data = json_files.encode(place)
    assert set(json.loads(data)) == {"fileName", "firstLine"}
    assert json_files.decode(data, Place) == place


@given(values)
def test_a_file_is_utf8_that_any_other_program_reads(value: object) -> None:
    assert json.loads(json_files.encode({"value": value}).decode("utf-8")) == {"value": _one_character(value)}


def test_a_field_stands_on_a_line_of_its_own_whatever_the_name_holds() -> None:
    for name in ("caf\u00e9.cs", "caf\udce9.cs"):
        assert json_files.encode(Place(name)).count(b"\n") == 3
        assert b"\n" not in json_files.encode(Place(name), indent=None)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut"),
        pytest.param(b"\xff", id="no UTF-8"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"fileName": 1}', id="a field of another type"),
        pytest.param(b'{"fileName": "\\udce9"', id="cut behind half a pair"),
        pytest.param(b'{"fileName": ["\\udce9"]}', id="half a pair in a list"),
        pytest.param(b'"\\ud', id="cut amid half a pair"),
    ],
)
def test_what_is_none_of_its_kind_is_an_error_of_value(data: bytes) -> None:
    with pytest.raises(ValueError):
        json_files.decode(data, Place)
