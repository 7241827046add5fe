"""The values that cross a boundary: frozen, camelCase on the wire, and the same when they come back."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services import model
from services.model.base import Value

_CAMEL = re.compile(r"[a-z]+(?:[A-Z0-9][a-z0-9]*)*")


def _kinds(kind: type[Value]) -> Iterator[type[Value]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith("services.model."):
            yield each
        yield from _kinds(each)


for _module in pkgutil.walk_packages(model.__path__, "services.model."):
    importlib.import_module(_module.name)
KINDS = sorted({each.__qualname__: each for each in _kinds(Value)}.items())
PLAIN = [pytest.param(kind, id=name) for name, kind in KINDS]


@pytest.mark.parametrize("kind", PLAIN)
def test_a_value_cannot_be_changed(kind: type[Value]) -> None:
    assert kind.__struct_config__.frozen
    mutable = [
        field.name
        for field in msgspec.structs.fields(kind)
        if field.default_factory in (list, set, dict) and field.default_factory is not dict
    ]
    assert mutable == []


@pytest.mark.parametrize("kind", PLAIN)
def test_its_names_are_camel_case_on_the_wire(kind: type[Value]) -> None:
    shown = [field.encode_name for field in msgspec.structs.fields(kind)]
    odd = [name for name in shown if not _CAMEL.fullmatch(name) and not name.isupper() and "_" not in name]
    snake = [name for name in shown if "_" in name and not name.isupper()]
    assert (odd, snake) == ([], [])


@pytest.mark.parametrize("kind", PLAIN)
def test_it_says_what_it_is(kind: type[Value]) -> None:
    assert (kind.__doc__ or "").strip()
    assert not (kind.__doc__ or "").startswith(kind.__name__ + "(")


@pytest.mark.parametrize("kind", PLAIN)
def test_fields_without_a_default_are_enough_and_whatever_is_unknown_is_let_be(kind: type[Value]) -> None:
    """An older reader meets what a newer writer adds."""
    needed = {field.encode_name: field.type for field in msgspec.structs.fields(kind) if field.required}
    try:
        small = {name: _example(of) for name, of in needed.items()}
    except LookupError:
        pytest.skip("a field of it has no plain example")
    first = msgspec.convert(small, kind)
    assert msgspec.convert({**small, "fromLater": [1]}, kind) == first
    assert msgspec.json.decode(msgspec.json.encode(first), type=kind) == first


def _example(of: Any) -> Any:
    """The least JSON value of a type. Raises LookupError where there is no plain one."""
    return _least(msgspec.inspect.type_info(of))


_SIMPLE: dict[type[msgspec.inspect.Type], Any] = {
    msgspec.inspect.FloatType: 0.0,
    msgspec.inspect.StrType: "x",
    msgspec.inspect.BoolType: False,
    msgspec.inspect.NoneType: None,
    msgspec.inspect.AnyType: None,
    msgspec.inspect.VarTupleType: [],
    msgspec.inspect.ListType: [],
    msgspec.inspect.SetType: [],
    msgspec.inspect.FrozenSetType: [],
    msgspec.inspect.DictType: {},
}


def _least(info: msgspec.inspect.Type) -> Any:
    inspect = msgspec.inspect
    if type(info) in _SIMPLE:
        return _SIMPLE[type(info)]
    match info:
        case inspect.IntType():
            return info.ge or 0
        case inspect.EnumType():
            return next(iter(info.cls)).value
        case inspect.LiteralType():
            return info.values[0]
        case inspect.UnionType():
            return None if info.includes_none else _least(info.types[0])
        case inspect.TupleType():
            return [_least(each) for each in info.item_types]
        case inspect.StructType():
            return {field.encode_name: _least(field.type) for field in info.fields if field.required}
    raise LookupError(info)


@given(st.integers(1, 9), st.integers(1, 9), st.text(max_size=9))
def test_a_replaced_value_leaves_the_first_one_as_it_was(start: int, end: int, file: str) -> None:
    piece = model.Span(start=start, end=end, style=file)
    other = msgspec.structs.replace(piece, start=start + 1)
    assert (piece.start, other.start, other.end) == (start, start + 1, end)
    with pytest.raises(AttributeError):
        piece.start = 5  # pyright: ignore[reportAttributeAccessIssue]
