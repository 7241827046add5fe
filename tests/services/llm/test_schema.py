"""What fits a schema, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.llm.tool_registry import misfit

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "maxLength": 5},
        "mode": {"enum": ["a", "b"]},
        "count": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}]},
        "names": {"type": "array", "items": {"type": "string"}},
        "edit": {"$ref": "#/$defs/Edit"},
        "tokens": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {
        "Edit": {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]},
    },
}


@pytest.mark.parametrize(
    "value",
    [
        {"path": "a"},
        {"path": "a", "mode": "b", "count": None, "names": [], "edit": {"line": 1, "other": 2}},
        {"path": "", "count": 9, "names": ["x"], "tokens": {"a": "b"}},
    ],
)
def test_what_fits_is_not_spoken_of(value: Any) -> None:
    assert misfit(value, SCHEMA) == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"path": "abcdef"}, "path is 'abcdef'; it has to be at most as many characters as 5."),
        ({"path": "a", "mode": "c"}, "mode is 'c'; it may be: a, b."),
        ({"path": "a", "count": 0}, "count is 0; it has to be at least 1."),
        ({"path": "a", "count": "x"}, "count is 'x'; it has to be of type integer."),
        ({"path": "a", "names": ["x", 2]}, "names[1] is 2; it has to be of type string."),
        ({"path": "a", "edit": {}}, "edit lacks line."),
        ({"path": "a", "tokens": {"t": 1}}, "tokens.t is 1; it has to be of type string."),
    ],
)
def test_what_does_not_fit_is_named(value: Any, said: str) -> None:
    assert misfit(value, SCHEMA) == said


class Sample(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    count: int = 0
    flag: bool | None = None
    names: list[str] = []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "count", "flag", "names", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(JSON)
def test_it_agrees_with_the_program_that_made_the_schema(value: Any) -> None:
    schema = msgspec.json.schema(Sample)
    schema = {**schema["$defs"]["Sample"], "additionalProperties": False}
    try:
        msgspec.convert(value, Sample)
    except msgspec.ValidationError:
        assert misfit(value, schema)
    else:
        assert misfit(value, schema) == ""
